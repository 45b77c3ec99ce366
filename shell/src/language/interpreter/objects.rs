//! Methods that all values have, and classes.

use std::rc::Rc;

use super::super::inspect::{inspect, inspected, to_text};
use super::super::value::{Proc, Value, equal};
use super::{Args, Interpreter, Outcome, Raise};

/// The error for a method that a value does not have.
pub fn no_method(receiver: &Value, name: &str) -> Raise {
    let shown = match receiver {
        Value::Nil | Value::Bool(_) => String::from_utf8_lossy(&inspect(receiver)).into_owned(),
        _ => inspected(receiver).chars().take(200).collect(),
    };
    Raise::new("NoMethodError", format!("undefined method `{name}' for {shown}:{}", receiver.class_name()))
}

/// `Digest::MD5`.
fn digest(name: &str, text: Option<&Value>) -> Option<Outcome> {
    let text = text.map(to_text).unwrap_or_default();
    match name {
        "digest" => Some(Ok(Value::text(crate::convert::md5(&text)))),
        "hexdigest" => Some(Ok(Value::text(crate::convert::md5_hex(&text)))),
        _ => None,
    }
}

/// Whether a value is of a class or one above it.
pub fn is_a(value: &Value, class: &str) -> bool {
    let own = value.class_name();
    own == class
        || match class {
            "Object" | "BasicObject" | "Kernel" => true,
            "Numeric" => matches!(value, Value::Int(_) | Value::Big(_) | Value::Float(_)),
            "Fixnum" => matches!(value, Value::Int(_)),
            "Bignum" => matches!(value, Value::Big(_)),
            "Enumerable" => matches!(value, Value::Array(_) | Value::Hash(_) | Value::Range(_)),
            "Comparable" => {
                matches!(value, Value::Int(_) | Value::Big(_) | Value::Float(_) | Value::Str(_) | Value::Time(_))
            }
            _ => match value {
                Value::Exception(exception) => super::control::descends(&exception.class, class),
                _ => false,
            },
        }
}

impl Interpreter<'_> {
    pub(super) fn object_method(&mut self, receiver: &Value, name: &str, args: &Args) -> Option<Outcome> {
        let first = args.list.first();
        Some(match name {
            "to_s" => Ok(Value::text(to_text(receiver))),
            "inspect" => Ok(Value::text(inspect(receiver))),
            "class" => Ok(Value::Class(receiver.class_name().into())),
            "nil?" => Ok(Value::Bool(receiver.is_nil())),
            "!" => Ok(Value::Bool(!receiver.truthy())),
            "==" | "eql?" | "equal?" => Ok(Value::Bool(first.is_some_and(|other| equal(receiver, other)))),
            "===" => match first {
                Some(other) => self.case_equal(receiver, other).map(Value::Bool),
                None => Err(Raise::argument("wrong number of arguments (given 0, expected 1)")),
            },
            "=~" => Ok(Value::Nil),
            "<=>" => Ok(first
                .and_then(|other| super::numbers::compare(receiver, other))
                .map_or(Value::Nil, |order| Value::Int(order as i64))),
            "is_a?" | "kind_of?" | "instance_of?" => match first {
                Some(Value::Class(class)) => Ok(Value::Bool(if name == "instance_of?" {
                    receiver.class_name() == **class
                } else {
                    is_a(receiver, class)
                })),
                _ => Err(Raise::kind("class or module required")),
            },
            "freeze" | "itself" | "dup" | "clone"
                if !matches!(receiver, Value::Array(_) | Value::Hash(_) | Value::Str(_)) =>
            {
                Ok(receiver.clone())
            }
            "freeze" | "itself" => Ok(receiver.clone()),
            "frozen?" => Ok(Value::Bool(false)),
            "tap" | "then" | "yield_self" => match &args.block {
                Some(block) => {
                    let value = self.call_proc(block, vec![receiver.clone()]);
                    if name == "tap" { value.map(|_| receiver.clone()) } else { value }
                }
                None => Err(Raise::new("LocalJumpError", "no block given (yield)")),
            },
            "send" | "public_send" | "__send__" => match first {
                Some(method) => {
                    let method = String::from_utf8_lossy(&to_text(method)).into_owned();
                    self.method(receiver, &method, Args { list: args.list[1..].to_vec(), block: args.block.clone() })
                }
                None => Err(Raise::argument("no method name given")),
            },
            "method" => {
                let method = String::from_utf8_lossy(&first.map(to_text).unwrap_or_default()).into_owned();
                Ok(Value::Proc(Rc::new(Proc::Function(method))))
            }
            "object_id" | "hash" | "__id__" => {
                let text = inspect(receiver);
                let hash = text.iter().fold(5381_i64, |hash, byte| hash.wrapping_mul(33) ^ i64::from(*byte));
                Ok(Value::Int(hash & 0x3FFF_FFFF))
            }
            "to_java" => Ok(receiver.clone()),
            _ => return None,
        })
    }

    pub(super) fn class_method(&mut self, class: &str, name: &str, args: &Args) -> Option<Outcome> {
        let first = args.list.first();
        Some(match (class, name) {
            (_, "name" | "to_s" | "inspect") => Ok(Value::text(class)),
            (_, "===") => Ok(Value::Bool(first.is_some_and(|value| is_a(value, class)))),
            ("Time", _) => return super::times::class_method(name, args),
            ("Date", _) => return super::times::date_method(name, args),
            ("Digest::MD5", _) => return digest(name, first),
            ("STDOUT" | "STDERR", _) => return self.stream_method(class, name, args),
            ("String", "new") => Ok(Value::text(first.map(to_text).unwrap_or_default())),
            ("Array", "new") => self.new_array(args),
            ("Hash", "new") => Ok(Value::hash([])),
            ("Regexp", "new") => {
                super::patterns::compile(&String::from_utf8_lossy(&first.map(to_text).unwrap_or_default()), "")
            }
            ("Regexp", "escape" | "quote") => {
                let text = first.map(to_text).unwrap_or_default();
                Ok(Value::text(fancy_regex::escape(&String::from_utf8_lossy(&text)).into_owned()))
            }
            ("Proc", "new") => match &args.block {
                Some(block) => Ok(Value::Proc(Rc::clone(block))),
                None => Err(Raise::argument("tried to create Proc object without a block")),
            },
            ("Math" | "Random" | "Float" | "Integer" | "SecureRandom", _) => {
                return super::numbers::class_method(class, name, args);
            }
            ("File", "readlines" | "read" | "exist?" | "foreach") => self.file(name, args),
            (_, "new" | "exception")
                if super::control::descends(class, "Exception") && class.ends_with("Error") || class == "Exception" =>
            {
                let message =
                    first.map_or_else(|| class.to_owned(), |text| String::from_utf8_lossy(&to_text(text)).into_owned());
                Ok(Value::Exception(Rc::new(super::super::value::Exception::new(class, message))))
            }
            _ => return None,
        })
    }

    /// Methods of standard output and standard error.
    fn stream_method(&mut self, stream: &str, name: &str, args: &Args) -> Option<Outcome> {
        let out = match name {
            "puts" | "print" => super::kernel::printed(name, &args.list),
            "write" | "<<" => super::kernel::printed("print", &args.list),
            "printf" => {
                let format = args.list.first().map(to_text).unwrap_or_default();
                match super::format::format(&format, args.list.get(1..).unwrap_or_default()) {
                    Ok(text) => text,
                    Err(error) => return Some(Err(error)),
                }
            }
            "flush" => {
                self.host.flush();
                Vec::new()
            }
            // Standard error is never held back. What was printed is otherwise passed on after each statement, and
            // before it sleeps.
            "sync" => return Some(Ok(Value::Bool(stream == "STDERR" || self.state.sync))),
            "sync=" => {
                let on = args.list.first().is_some_and(Value::truthy);
                self.state.sync = if stream == "STDERR" { self.state.sync } else { on };
                return Some(Ok(Value::Bool(on)));
            }
            _ => return None,
        };
        let length = out.len();
        let done = if stream == "STDERR" { self.host.print_error(&out) } else { self.print(&out) };
        Some(done.map(|()| match name {
            "write" => Value::Int(length as i64),
            "flush" | "<<" => Value::Class(stream.into()),
            _ => Value::Nil,
        }))
    }

    fn new_array(&mut self, args: &Args) -> Outcome {
        let size = match args.list.first() {
            None => 0,
            Some(Value::Int(n)) if *n >= 0 => *n as usize,
            Some(Value::Array(list)) => return Ok(Value::array(list.0.borrow().clone())),
            Some(_) => return Err(Raise::argument("negative array size")),
        };
        super::check_size(size)?;
        let mut list = Vec::new();
        for at in 0..size {
            list.push(match &args.block {
                Some(block) => self.call_proc(block, vec![Value::Int(at as i64)])?,
                None => args.list.get(1).cloned().unwrap_or(Value::Nil),
            });
        }
        Ok(Value::array(list))
    }

    /// Reading files, for scripts that put their lines.
    fn file(&mut self, name: &str, args: &Args) -> Outcome {
        use std::io::BufRead;
        let path = args.list.first().map(to_text).unwrap_or_default();
        let path = String::from_utf8_lossy(&path).into_owned();
        if name == "exist?" {
            return Ok(Value::Bool(std::path::Path::new(&path).exists()));
        }
        let failed = |error: std::io::Error| Raise::new("IOError", format!("cannot read {path}: {error}"));
        let file = std::fs::File::open(&path).map_err(failed)?;
        if name == "read" {
            let mut text = Vec::new();
            std::io::Read::read_to_end(&mut std::io::Read::take(file, super::SIZE_MAX as u64 + 1), &mut text)
                .map_err(failed)?;
            super::check_size(text.len())?;
            return Ok(Value::text(text));
        }
        let (mut lines, mut reader, mut total) = (Vec::new(), std::io::BufReader::new(file), 0);
        loop {
            let mut line = Vec::new();
            let read = std::io::Read::take(&mut reader, super::SIZE_MAX as u64)
                .read_until(b'\n', &mut line)
                .map_err(failed)?;
            if read == 0 {
                break;
            }
            match (&args.block, name) {
                (Some(block), "foreach") => {
                    self.call_proc(block, vec![Value::text(line)])?;
                }
                _ => {
                    total += line.len();
                    super::check_size(total)?;
                    lines.push(Value::text(line));
                }
            }
        }
        Ok(if name == "foreach" { Value::Nil } else { Value::array(lines) })
    }
}
