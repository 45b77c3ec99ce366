//! The language through its public interface: values, errors, and the bounds of the parser.

mod bounds;
mod values;

use std::collections::HashSet;
use std::rc::Rc;

use hjall_shell::language::{Host, Interpreter, Outcome, Raise, State, Value, inspected, parse};

/// Surroundings with one command, which returns its arguments.
#[derive(Default)]
pub struct Surroundings {
    printed: Vec<u8>,
}

impl Host for Surroundings {
    fn is_command(&self, name: &str) -> bool {
        name == "command"
    }

    fn command(&mut self, _: &str, args: Vec<Value>) -> Outcome {
        Ok(Value::array(args))
    }

    fn table_method(&mut self, _: &Rc<str>, _: &str, _: Vec<Value>) -> Option<Outcome> {
        None
    }

    fn constant(&self, name: &str) -> Option<Value> {
        (name == "NAME").then(|| Value::text("NAME"))
    }

    fn print(&mut self, bytes: &[u8]) -> Result<(), Raise> {
        self.printed.extend_from_slice(bytes);
        Ok(())
    }

    fn interrupted(&self) -> bool {
        false
    }
}

/// The value of a program as `=>` shows it, or its exception as `Class: message`.
pub fn value_of(source: &str) -> String {
    let program = match parse(source.as_bytes(), &HashSet::new()) {
        Ok(program) => program,
        Err(error) => return format!("{error:?}"),
    };
    let (mut state, mut host) = (State::default(), Surroundings::default());
    match Interpreter::new(&mut state, &mut host).run(&program) {
        Ok(value) => format!("{}{}", String::from_utf8_lossy(&host.printed), inspected(&value)),
        Err(Raise::Error(exception)) => format!("{}: {}", exception.class, exception.message),
        Err(_) => "ended".to_owned(),
    }
}
