//! Functions of the language that have no receiver: `puts`, `raise`, `loop`, ….

use std::rc::Rc;
use std::time::{Duration, Instant};

use super::super::inspect::{inspect, inspected, to_text};
use super::super::token::Place;
use super::super::value::{Exception, Proc, Value};
use super::{Args, Frame, Interpreter, Outcome, Raise, implicit};

const FUNCTIONS: &[&str] = &[
    "puts",
    "print",
    "p",
    "pp",
    "printf",
    "format",
    "sprintf",
    "raise",
    "loop",
    "lambda",
    "proc",
    "sleep",
    "exit",
    "quit",
    "abort",
    "rand",
    "require",
    "include",
    "import",
    "java_import",
    "Integer",
    "Float",
    "String",
    "Array",
    "method",
    "send",
    "block_given?",
    "__FILE__",
    "__LINE__",
];
const CLASSES: &[&str] = &[
    "String",
    "Symbol",
    "Integer",
    "Float",
    "Numeric",
    "Array",
    "Hash",
    "Range",
    "Time",
    "Regexp",
    "NilClass",
    "TrueClass",
    "FalseClass",
    "Proc",
    "Object",
    "Comparable",
    "Enumerable",
    "Kernel",
    "Math",
    "Random",
    "File",
    "Exception",
    "StandardError",
    "RuntimeError",
    "ArgumentError",
    "TypeError",
    "NameError",
    "NoMethodError",
    "ZeroDivisionError",
    "IndexError",
    "KeyError",
    "RangeError",
    "IOError",
    "NotImplementedError",
    "ScriptError",
    "SyntaxError",
    "FloatDomainError",
    "StopIteration",
    "Interrupt",
    "SecureRandom",
    "Fixnum",
    "Bignum",
    "BasicObject",
    "STDOUT",
    "STDERR",
    "Date",
    "Digest",
];

/// Whether there is a function of this name.
pub fn has(name: &str) -> bool {
    FUNCTIONS.contains(&name)
}

/// A class of the language.
pub fn class(name: &str) -> Option<Value> {
    match name {
        "RUBY_VERSION" => Some(Value::text("2.6.8")),
        "ENV" => Some(Value::hash(std::env::vars_os().filter_map(|(name, value)| {
            Some((Value::text(name.into_string().ok()?), Value::text(value.into_string().ok()?)))
        }))),
        _ => CLASSES.contains(&name).then(|| Value::Class(name.into())),
    }
}

/// The names of all functions, for completion.
pub fn functions() -> &'static [&'static str] {
    FUNCTIONS
}

impl Interpreter<'_> {
    /// Runs a function of the language. Returns the arguments if there is no function of this name.
    pub(super) fn kernel(
        &mut self,
        name: &str,
        args: Args,
        frame: &Frame,
        at: Place,
    ) -> Result<Result<Value, Args>, Raise> {
        if !has(name) {
            return Ok(Err(args));
        }
        let first = args.list.first().cloned().unwrap_or(Value::Nil);
        let value = match name {
            "puts" | "print" => {
                let out = printed(name, &args.list);
                self.print(&out)?;
                Value::Nil
            }
            "p" | "pp" => {
                for value in &args.list {
                    let mut out = inspect(value);
                    out.push(b'\n');
                    self.print(&out)?;
                }
                match args.list.len() {
                    0 => Value::Nil,
                    1 => first,
                    _ => Value::array(args.list),
                }
            }
            "printf" | "format" | "sprintf" => {
                args.count(1, usize::MAX)?;
                let text = super::format::format(&to_text(&first), &args.list[1..])?;
                if name == "printf" {
                    self.print(&text)?;
                    Value::Nil
                } else {
                    Value::text(text)
                }
            }
            "raise" => return Err(Raise::Error(exception(&args)?)),
            "abort" => {
                self.print(&[&to_text(&first)[..], b"\n"].concat())?;
                return Err(Raise::Exit(1));
            }
            "loop" => {
                let Some(block) = args.block else {
                    return Err(Raise::new("LocalJumpError", "no block given (yield)"));
                };
                loop {
                    match self.call_proc(&block, Vec::new()) {
                        Err(Raise::Error(exception)) if exception.class == "StopIteration" => break Value::Nil,
                        done => done?,
                    };
                }
            }
            "lambda" | "proc" => {
                let Some(block) = args.block else {
                    return Err(Raise::argument(format!("tried to create Proc object without a block ({name})")));
                };
                match &*block {
                    Proc::Code { code, scope, .. } => Value::Proc(Rc::new(Proc::Code {
                        code: Rc::clone(code),
                        scope: Rc::clone(scope),
                        lambda: name == "lambda",
                    })),
                    _ => Value::Proc(block),
                }
            }
            "sleep" => self.sleep(&first)?,
            "exit" | "quit" => {
                let status = match first {
                    Value::Nil | Value::Bool(true) => 0,
                    Value::Bool(false) => 1,
                    Value::Int(n) => (n & 0xFF) as i32,
                    other => {
                        return Err(Raise::no_conversion(&other, "Integer"));
                    }
                };
                return Err(Raise::Exit(status));
            }
            "rand" => super::numbers::random(&first)?,
            "require" => match &to_text(&first)[..] {
                b"java" | b"time" | b"date" | b"digest" | b"digest/md5" | b"set" | b"securerandom"
                | b"hbase_constants" | b"shell" => Value::Bool(false),
                other => {
                    let message = format!(
                        "require '{}' is not part of this shell{}",
                        String::from_utf8_lossy(other),
                        super::calls::placed(at)
                    );
                    return Err(Raise::new("LoadError", message));
                }
            },
            "include" => first,
            "import" | "java_import" => {
                for value in &args.list {
                    let Some((short, class)) = super::java::imported(value) else {
                        return Err(Raise::new("NameError", format!("cannot import {}", inspected(value))));
                    };
                    self.state.constants.insert(short, class);
                }
                Value::Nil
            }
            "Integer" => super::numbers::integer(&first, args.list.get(1))?,
            "Float" => super::numbers::float(&first)?,
            "String" => Value::text(to_text(&first)),
            "Array" => Value::array(self.list_of(&first)?),
            "method" => Value::Proc(Rc::new(Proc::Function(String::from_utf8_lossy(&to_text(&first)).into_owned()))),
            "send" => {
                args.count(1, usize::MAX)?;
                let name = String::from_utf8_lossy(&to_text(&first)).into_owned();
                self.call_function(&name, args.list[1..].to_vec())?
            }
            "__FILE__" => Value::text(self.state.script.as_deref().unwrap_or("(hbase)")),
            "__LINE__" => Value::Int(i64::from(self.state.lines_before) + i64::from(at.line)),
            "block_given?" => Value::Bool(frame.block.is_some()),
            _ => return Ok(Err(args)),
        };
        Ok(Ok(value))
    }

    fn sleep(&mut self, time: &Value) -> Outcome {
        let seconds = match time {
            Value::Int(n) if *n >= 0 => *n as f64,
            Value::Float(n) if *n >= 0.0 => *n,
            Value::Int(_) | Value::Float(_) => return Err(Raise::argument("time interval must not be negative")),
            other => {
                return Err(Raise::kind(format!("can't convert {} into time interval", implicit(other))));
            }
        };
        self.host.flush();
        let until = Instant::now() + Duration::from_secs_f64(seconds.min(1e9));
        loop {
            if self.host.interrupted() {
                return Err(Raise::Interrupt);
            }
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(Value::Int(seconds.round() as i64));
            }
            std::thread::sleep(left.min(Duration::from_millis(20)));
        }
    }
}

/// The exception that `raise` names: a message, a class, or both.
fn exception(args: &Args) -> Result<Exception, Raise> {
    let message = |value: &Value| String::from_utf8_lossy(&to_text(value)).into_owned();
    Ok(match (args.list.first(), args.list.get(1)) {
        (None, _) => Exception::new("RuntimeError", "unhandled exception"),
        (Some(Value::Class(class)), None) => Exception::new(class, &**class),
        (Some(Value::Class(class)), Some(text)) => Exception::new(class, message(text)),
        (Some(Value::Exception(exception)), _) => (**exception).clone(),
        (Some(text @ Value::Str(_)), _) => Exception::new("RuntimeError", message(text)),
        (Some(_), _) => return Err(Raise::kind("exception class/object expected")),
    })
}

/// The output of `puts` or `print`.
pub fn printed(name: &str, values: &[Value]) -> Vec<u8> {
    if name != "puts" {
        return values.iter().flat_map(to_text).collect();
    }
    let mut out = Vec::new();
    if values.is_empty() {
        out.push(b'\n');
    }
    values.iter().for_each(|value| put_line(value, &mut out, 0));
    out
}

fn put_line(value: &Value, out: &mut Vec<u8>, depth: usize) {
    if let Value::Array(list) = value {
        if depth > 50 {
            return;
        }
        let Ok(list) = list.0.try_borrow() else { return };
        if list.is_empty() && depth == 0 {
            out.push(b'\n');
        }
        return list.iter().for_each(|value| put_line(value, out, depth + 1));
    }
    out.extend(to_text(value));
    if out.last() != Some(&b'\n') || to_text(value).is_empty() {
        out.push(b'\n');
    }
}
