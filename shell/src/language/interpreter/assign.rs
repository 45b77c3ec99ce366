//! Assignments.

use super::super::ast::{Node, Target};
use super::super::value::Value;
use super::{Args, Frame, Interpreter, Outcome, Raise};

/// The values that an assignment to several variables spreads.
pub fn spread(value: &Value) -> Vec<Value> {
    match value {
        Value::Array(list) => list.0.borrow().clone(),
        Value::Nil => Vec::new(),
        other => vec![other.clone()],
    }
}

impl Interpreter<'_> {
    pub(super) fn assign(&mut self, target: &Target, value: Value, frame: &Frame) -> Result<(), Raise> {
        match target {
            Target::Local(name) => frame.scope.set(name, value),
            Target::Instance(name) => {
                self.state.instance.insert(name.clone(), value);
            }
            Target::Global(name) => {
                self.state.globals.insert(name.clone(), value);
            }
            Target::Const(name) => {
                self.state.constants.insert(name.clone(), value);
            }
            Target::Index(receiver, args) => {
                let receiver = self.eval(receiver, frame)?;
                let mut list = self.list(args, frame)?;
                list.push(value);
                self.method(&receiver, "[]=", Args { list, block: None })?;
            }
            Target::Attribute(receiver, name) => {
                let receiver = self.eval(receiver, frame)?;
                self.method(&receiver, &format!("{name}="), Args { list: vec![value], block: None })?;
            }
            Target::Splat(inner) => self.assign(inner, value, frame)?,
            Target::List(targets) => self.assign_list(targets, spread(&value), frame)?,
        }
        Ok(())
    }

    /// Assigns values to several targets, one of which may take the rest.
    pub(super) fn assign_list(&mut self, targets: &[Target], values: Vec<Value>, frame: &Frame) -> Result<(), Raise> {
        let splat = targets.iter().position(|target| matches!(target, Target::Splat(_)));
        let mut values = values.into_iter();
        let Some(splat) = splat else {
            for target in targets {
                self.assign(target, values.next().unwrap_or(Value::Nil), frame)?;
            }
            return Ok(());
        };
        for target in &targets[..splat] {
            self.assign(target, values.next().unwrap_or(Value::Nil), frame)?;
        }
        let mut rest: Vec<_> = values.collect();
        let after = targets.len() - splat - 1;
        let tail = rest.split_off(rest.len().saturating_sub(after));
        self.assign(&targets[splat], Value::array(rest), frame)?;
        let mut tail = tail.into_iter();
        for target in &targets[splat + 1..] {
            self.assign(target, tail.next().unwrap_or(Value::Nil), frame)?;
        }
        Ok(())
    }

    pub(super) fn op_assign(&mut self, target: &Target, op: &str, node: &Node, frame: &Frame) -> Outcome {
        // The receiver and the arguments are evaluated once.
        let (receiver, args) = match target {
            Target::Index(receiver, args) => (self.eval(receiver, frame)?, self.list(args, frame)?),
            Target::Attribute(receiver, _) => (self.eval(receiver, frame)?, Vec::new()),
            _ => (Value::Nil, Vec::new()),
        };
        let old = match target {
            Target::Local(name) => frame.scope.get(name).unwrap_or(Value::Nil),
            Target::Instance(name) => self.state.instance.get(name).cloned().unwrap_or(Value::Nil),
            Target::Global(name) => self.state.globals.get(name).cloned().unwrap_or(Value::Nil),
            Target::Const(name) => match self.constant(name) {
                Err(Raise::Error(_)) if op == "||" => Value::Nil,
                found => found?,
            },
            Target::Index(..) => self.method(&receiver, "[]", Args { list: args.clone(), block: None })?,
            Target::Attribute(_, name) => self.method(&receiver, name, Args { list: Vec::new(), block: None })?,
            Target::Splat(_) | Target::List(_) => Value::Nil,
        };
        let new = match op {
            "||" if old.truthy() => return Ok(old),
            "&&" if !old.truthy() => return Ok(old),
            "||" | "&&" => self.eval(node, frame)?,
            _ => {
                let value = self.eval(node, frame)?;
                self.method(&old, op, Args { list: vec![value], block: None })?
            }
        };
        match target {
            Target::Index(..) => {
                let mut list = args;
                list.push(new.clone());
                self.method(&receiver, "[]=", Args { list, block: None })?;
            }
            Target::Attribute(_, name) => {
                self.method(&receiver, &format!("{name}="), Args { list: vec![new.clone()], block: None })?;
            }
            _ => self.assign(target, new.clone(), frame)?,
        }
        Ok(new)
    }
}
