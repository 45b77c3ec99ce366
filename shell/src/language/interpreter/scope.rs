//! Variables.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use super::Value;

/// Variables, and the scope around them.
#[derive(Default)]
pub struct Scope {
    variables: RefCell<HashMap<String, Value>>,
    outer: Option<Rc<Scope>>,
}

impl Scope {
    /// A scope inside another.
    pub fn inside(outer: &Rc<Self>) -> Rc<Self> {
        Rc::new(Self { variables: RefCell::default(), outer: Some(Rc::clone(outer)) })
    }

    /// The value of a variable.
    pub fn get(&self, name: &str) -> Option<Value> {
        let mut scope = self;
        loop {
            if let Some(value) = scope.variables.borrow().get(name) {
                return Some(value.clone());
            }
            scope = scope.outer.as_deref()?;
        }
    }

    /// Sets a variable where it exists, or here.
    pub fn set(&self, name: &str, value: Value) {
        let mut scope = self;
        loop {
            if let Some(held) = scope.variables.borrow_mut().get_mut(name) {
                let old = std::mem::replace(held, value);
                drop(old);
                return;
            }
            match scope.outer.as_deref() {
                Some(outer) => scope = outer,
                None => break,
            }
        }
        self.declare(name, value);
    }

    /// Sets a variable of this scope, even if an enclosing scope has one of the same name.
    pub fn declare(&self, name: &str, value: Value) {
        let old = self.variables.borrow_mut().insert(name.to_owned(), value);
        drop(old);
    }

    /// The names of the variables of this scope.
    pub fn names(&self) -> HashSet<String> {
        self.variables.borrow().keys().cloned().collect()
    }
}
