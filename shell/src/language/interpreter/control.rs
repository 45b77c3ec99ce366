//! Control structures.

use std::rc::Rc;

use super::super::ast::{Clause, Expr, Node, Target};
use super::super::value::{Exception, Value, equal};
use super::{Args, Frame, Interpreter, Outcome, Raise, patterns, ranges};

/// Classes of exceptions and the classes above them.
const PARENTS: &[(&str, &str)] = &[
    ("StandardError", "Exception"),
    ("ScriptError", "Exception"),
    ("SyntaxError", "ScriptError"),
    ("NotImplementedError", "ScriptError"),
    ("SystemStackError", "Exception"),
    ("NoMethodError", "NameError"),
    ("ZeroDivisionError", "StandardError"),
    ("FloatDomainError", "RangeError"),
    ("KeyError", "IndexError"),
    ("StopIteration", "IndexError"),
    ("FrozenError", "RuntimeError"),
    ("Interrupt", "Exception"),
];

impl Interpreter<'_> {
    pub(super) fn eval_control(&mut self, node: &Node, frame: &Frame) -> Outcome {
        match &node.expr {
            Expr::If(condition, then, otherwise) => {
                if self.eval(condition, frame)?.truthy() {
                    self.eval(then, frame)
                } else {
                    otherwise.as_ref().map_or(Ok(Value::Nil), |node| self.eval(node, frame))
                }
            }
            Expr::While(condition, body, negated, after) => self.repeat(condition, body, *negated, *after, frame),
            Expr::For(targets, list, body) => {
                let list = self.eval(list, frame)?;
                match self.for_each(targets, &list, body, frame) {
                    Ok(()) => Ok(list),
                    Err(Raise::Break(None, value)) => Ok(value),
                    Err(other) => Err(other),
                }
            }
            Expr::Case(subject, clauses, otherwise) => {
                self.case(subject.as_deref(), clauses, otherwise.as_deref(), frame)
            }
            Expr::Begin(body, clauses, otherwise, ensure) => {
                let mut done = self.eval(body, frame);
                done = match (done, otherwise) {
                    (Ok(_), Some(node)) => self.eval(node, frame),
                    (Err(Raise::Error(exception)), _) => self.rescue(clauses, exception, frame),
                    (done, _) => done,
                };
                if let Some(ensure) = ensure {
                    self.eval(ensure, frame)?;
                }
                done
            }
            Expr::Return(value) => Err(Raise::Return(self.optional(value.as_deref(), frame)?)),
            Expr::Break(value) => Err(Raise::Break(None, self.optional(value.as_deref(), frame)?)),
            Expr::Next(value) => Err(Raise::Next(self.optional(value.as_deref(), frame)?)),
            Expr::Yield(args) => {
                let Some(block) = frame.block.clone() else {
                    return Err(Raise::new("LocalJumpError", "no block given (yield)"));
                };
                let args = self.list(args, frame)?;
                self.call_proc(&block, args)
            }
            _ => Ok(Value::Nil),
        }
    }

    fn optional(&mut self, node: Option<&Node>, frame: &Frame) -> Outcome {
        node.map_or(Ok(Value::Nil), |node| self.eval(node, frame))
    }

    fn repeat(&mut self, condition: &Node, body: &Node, negated: bool, after: bool, frame: &Frame) -> Outcome {
        let mut first = after;
        loop {
            if !std::mem::take(&mut first) && self.eval(condition, frame)?.truthy() == negated {
                return Ok(Value::Nil);
            }
            match self.eval(body, frame) {
                Ok(_) | Err(Raise::Next(_)) => {}
                Err(Raise::Break(None, value)) => return Ok(value),
                Err(other) => return Err(other),
            }
        }
    }

    fn for_each(&mut self, targets: &[Target], list: &Value, body: &Node, frame: &Frame) -> Result<(), Raise> {
        self.each_of(list, &mut |interpreter, value| {
            match targets {
                [only] => interpreter.assign(only, value, frame)?,
                _ => interpreter.assign_list(targets, super::assign::spread(&value), frame)?,
            }
            match interpreter.eval(body, frame) {
                Err(Raise::Next(_)) => Ok(()),
                done => done.map(|_| ()),
            }
        })
    }

    fn case(&mut self, subject: Option<&Node>, clauses: &[Clause], otherwise: Option<&Node>, frame: &Frame) -> Outcome {
        let subject = subject.map(|node| self.eval(node, frame)).transpose()?;
        for clause in clauses {
            for test in self.list(&clause.tests, frame)? {
                let holds = match &subject {
                    Some(subject) => self.case_equal(&test, subject)?,
                    None => test.truthy(),
                };
                if holds {
                    return self.eval(&clause.body, frame);
                }
            }
        }
        self.optional(otherwise, frame)
    }

    /// `test === value`.
    pub(super) fn case_equal(&mut self, test: &Value, value: &Value) -> Result<bool, Raise> {
        Ok(match test {
            Value::Range(range) => ranges::covers(range, value),
            Value::Regex(pattern) => match value {
                Value::Str(_) | Value::Symbol(_) => patterns::is_match(pattern, value)?,
                _ => false,
            },
            Value::Class(class) => super::objects::is_a(value, class),
            Value::Proc(proc) => self.call_proc(proc, vec![value.clone()])?.truthy(),
            _ => equal(test, value),
        })
    }

    fn rescue(&mut self, clauses: &[Clause], exception: Exception, frame: &Frame) -> Outcome {
        for clause in clauses {
            let tests = self.list(&clause.tests, frame)?;
            let fits = match tests.is_empty() {
                true => descends(&exception.class, "StandardError"),
                false => tests.iter().any(|test| match test {
                    Value::Class(class) => descends(&exception.class, class),
                    Value::Java(java) => java.class_name() == exception.class,
                    _ => false,
                }),
            };
            if fits {
                if let Some(target) = &clause.binding {
                    self.assign(target, Value::Exception(Rc::new(exception)), frame)?;
                }
                return self.eval(&clause.body, frame);
            }
        }
        Err(Raise::Error(exception))
    }

    /// Calls a function with each element of something that can be counted through.
    pub(super) fn each_of(
        &mut self,
        list: &Value,
        each: &mut dyn FnMut(&mut Self, Value) -> Result<(), Raise>,
    ) -> Result<(), Raise> {
        match list {
            Value::Array(values) => {
                let mut at = 0;
                loop {
                    // The array may change meanwhile.
                    let Some(value) = values.0.borrow().get(at).cloned() else { return Ok(()) };
                    each(self, value)?;
                    at += 1;
                }
            }
            Value::Hash(table) => {
                for (key, value) in table.pairs() {
                    each(self, Value::array(vec![key, value]))?;
                }
                Ok(())
            }
            Value::Range(range) => {
                let mut steps = ranges::Steps::new(range)?;
                while let Some(value) = steps.next() {
                    if self.host.interrupted() {
                        return Err(Raise::Interrupt);
                    }
                    each(self, value)?;
                }
                Ok(())
            }
            other => {
                let values = self.method(other, "to_a", Args { list: Vec::new(), block: None })?;
                match values {
                    Value::Array(_) => self.each_of(&values, each),
                    _ => Err(super::objects::no_method(other, "each")),
                }
            }
        }
    }
}

/// Whether a class of exceptions is another or below it. Classes that are not listed are below `StandardError`.
pub fn descends(class: &str, above: &str) -> bool {
    let mut class = class;
    loop {
        if class == above {
            return true;
        }
        class = match PARENTS.iter().find(|(name, _)| *name == class) {
            Some((_, parent)) => parent,
            None if class == "Exception" => return false,
            None => "StandardError",
        };
    }
}
