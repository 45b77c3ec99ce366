//! Arguments of commands, and their errors.

use std::fmt;
use std::str::FromStr;

use bytes::Bytes;
use hjall_engine::name::TableName;

use super::context::Context;
use crate::connection::{Failure, Reason};
use crate::language::{Exception, Raise, Value, inspected, to_text};

/// The result of a command.
pub type Done = Result<Value, CommandError>;

/// The failure of a command.
///
/// Users see the message of HBase's shell. Where it lacks the name, the reason or the remedy, the constructors take
/// these as `remedy`, and the session prints them on a line of their own. Only [`CommandError::complete`] takes none.
#[derive(Clone)]
pub enum CommandError {
    /// An exception of the shell.
    Raised(Exception),
    /// A failure of the connection, which commands word by what they were doing.
    Failed(Failure),
    /// The statement ends: Ctrl-C, or standard output was closed.
    Interrupted,
    /// Ends the shell, as an exception outside of commands does.
    Fatal(Exception),
}

impl CommandError {
    /// An exception of this class whose message names the thing, the reason and the remedy.
    pub fn complete(class: &str, message: impl Into<String>) -> Self {
        Self::Raised(Exception::new(class, message))
    }

    /// An exception of this class, and what its message lacks.
    pub fn lacking(class: &str, message: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self::Raised(Exception::new(class, message).with_remedy(remedy))
    }

    /// A `RuntimeError`, and what its message lacks.
    pub fn says(message: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self::lacking("RuntimeError", message, remedy)
    }

    /// An `ArgumentError`, and what its message lacks.
    pub fn argument(message: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self::lacking("ArgumentError", message, remedy)
    }

    /// A `TypeError`, and what its message lacks.
    pub fn kind(message: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self::lacking("TypeError", message, remedy)
    }
}

impl From<Failure> for CommandError {
    fn from(failure: Failure) -> Self {
        match failure.reason {
            Reason::Interrupted => Self::Interrupted,
            _ => Self::Failed(failure),
        }
    }
}

impl From<hjall_engine::Error> for CommandError {
    fn from(error: hjall_engine::Error) -> Self {
        Failure::from(error).into()
    }
}

impl From<Raise> for CommandError {
    fn from(raise: Raise) -> Self {
        match raise {
            Raise::Error(exception) => Self::Raised(exception),
            _ => Self::Interrupted,
        }
    }
}

/// The remedy if a table does not exist.
pub const TABLE_MISSING: &str = "create it, or choose another name; list shows the tables";

/// The error about a table that does not exist.
pub fn unknown_table(table: impl fmt::Display) -> CommandError {
    CommandError::says(format!("Unknown table {table}!"), TABLE_MISSING)
}

/// The error about a table that is disabled.
pub fn disabled_table(table: impl fmt::Display) -> CommandError {
    CommandError::says(format!("Table {table} is disabled!"), "enable it first")
}

/// The error about a namespace that does not exist.
pub fn unknown_namespace(namespace: impl fmt::Display) -> CommandError {
    CommandError::says(
        format!("Unknown namespace {namespace}!"),
        "create it with create_namespace, or choose another name",
    )
}

/// The error of a call about a table, which may not exist.
pub fn about_table(failure: Failure, table: &TableName) -> CommandError {
    match failure.reason {
        Reason::TableMissing => unknown_table(table),
        _ => failure.into(),
    }
}

/// The remedy if the name of a table is no string.
pub const TABLE_NAME: &str = "put the name of the table in quotes, as in 't1'";

/// The name of a table.
pub fn table_name(value: &Value) -> Result<TableName, CommandError> {
    match value {
        Value::Str(text) => {
            let text = text.borrow();
            if text.is_empty() {
                return Err(CommandError::argument(
                    "Table qualifier must not be empty",
                    "name a table, as in 't1' or 'ns1:t1'; list shows the tables",
                ));
            }
            Ok(TableName::parse(&text)?)
        }
        Value::TableRef(name) => Ok(TableName::parse(name.as_bytes())?),
        other => Err(CommandError::lacking(
            "NameError",
            format!("no method 'valueOf' for {} on TableName: the name of a table is a string", other.class_name()),
            TABLE_NAME,
        )),
    }
}

/// The bytes of a row key.
pub fn row(value: &Value) -> Result<Bytes, CommandError> {
    let row = bytes_of(value);
    hjall_engine::request::check_row(&row)?;
    Ok(row)
}

/// The bytes of a value: of a string its own, of other values their text.
pub fn bytes_of(value: &Value) -> Bytes {
    match value {
        Value::Java(java) => match &**java {
            crate::language::Java::Bytes(bytes) => Bytes::from(bytes.clone()),
            _ => to_text(value).into(),
        },
        _ => to_text(value).into(),
    }
}

/// The bytes of a string. Other values are errors, which name the argument or option.
pub fn strict_bytes(value: &Value, name: &str) -> Result<Bytes, CommandError> {
    match value {
        Value::Str(text) => return Ok(Bytes::from(text.borrow().clone())),
        Value::Java(java) => {
            if let crate::language::Java::Bytes(bytes) = &**java {
                return Ok(Bytes::from(bytes.clone()));
            }
        }
        _ => {}
    }
    let shown = inspected(value);
    let message = format!("undefined method `to_java_bytes' for {shown}:{}", value.class_name());
    let remedy = match value {
        Value::Int(_) | Value::Float(_) => format!("{name} must be a string: put it in quotes, as in '{shown}'"),
        _ => format!("{name} must be a string in quotes"),
    };
    Err(CommandError::lacking("NoMethodError", message, remedy))
}

/// Family and qualifier: all before and all behind the first colon.
pub fn split_column(column: &[u8]) -> (Bytes, Option<Bytes>) {
    match column.iter().position(|byte| *byte == b':') {
        Some(colon) => (Bytes::copy_from_slice(&column[..colon]), Some(Bytes::copy_from_slice(&column[colon + 1..]))),
        None => (Bytes::copy_from_slice(column), None),
    }
}

/// The arguments with the elements of arrays in their place: `create 't', ['f', 'g']` names two families.
pub fn flattened(args: &[Value]) -> Vec<Value> {
    let mut list = Vec::new();
    for value in args {
        match value {
            Value::Array(inner) => list.extend(inner.0.borrow().iter().cloned()),
            other => list.push(other.clone()),
        }
    }
    list
}

/// The text of a value.
pub fn text(value: &Value) -> String {
    String::from_utf8_lossy(&to_text(value)).into_owned()
}

/// A whole number of 64 bits; fractions are cut. Errors name the argument or option.
pub fn long(value: &Value, name: &str) -> Result<i64, CommandError> {
    match value {
        Value::Int(n) => Ok(*n),
        Value::Float(n) => Ok(*n as i64),
        Value::Big(_) => Err(CommandError::lacking(
            "RangeError",
            "bignum too big to convert into `long'",
            format!("{name} is between {} and {}", i64::MIN, i64::MAX),
        )),
        other => Err(CommandError::complete(
            "TypeError",
            format!("a whole number is needed for {name}; {} is of the class {}", inspected(other), other.class_name()),
        )),
    }
}

/// A whole number, or its text. The error names the option.
pub fn number<T: FromStr>(value: &Value, name: &str) -> Result<T, CommandError> {
    let given = text(value);
    given.parse().map_err(|_| {
        let bits = 8 * size_of::<T>();
        let example = match name {
            "MAX_FILESIZE" => "10737418240",
            "MEMSTORE_FLUSHSIZE" => "134217728",
            "MOB_THRESHOLD" => "102400",
            "BLOCKSIZE" => "65536",
            "TTL" => "86400000",
            _ => "3",
        };
        let remedy = format!("{name} must be a whole number of {bits} bits, as in {name} => {example}");
        CommandError::argument(format!("For input string: \"{given}\""), remedy)
    })
}

/// Options by name. An option that is nil counts as absent.
#[derive(Clone, Default)]
pub struct Options {
    pairs: Vec<(Value, Value)>,
}

impl Options {
    /// The options of a hash.
    pub fn of(value: &Value) -> Option<Self> {
        match value {
            Value::Hash(table) => Some(Self { pairs: table.pairs() }),
            _ => None,
        }
    }

    fn place(&self, name: &str) -> Option<usize> {
        self.pairs.iter().position(|(key, _)| matches!(key, Value::Str(text) if text.borrow()[..] == *name.as_bytes()))
    }

    /// The value of an option.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.place(name).map(|at| &self.pairs[at].1).filter(|value| !value.is_nil())
    }

    /// Removes an option and returns its value.
    pub fn take(&mut self, name: &str) -> Option<Value> {
        self.place(name).map(|at| self.pairs.remove(at).1).filter(|value| !value.is_nil())
    }

    /// Whether an option is given, even as nil.
    pub fn has(&self, name: &str) -> bool {
        self.place(name).is_some()
    }

    /// The options that are left.
    pub fn rest(&self) -> &[(Value, Value)] {
        &self.pairs
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }

    /// The options as a value.
    pub fn value(&self) -> Value {
        Value::hash(self.pairs.iter().cloned())
    }
}

impl Context {
    /// An error in the words of HBase's shell.
    pub fn worded(&self, error: CommandError, table: &str) -> CommandError {
        let CommandError::Failed(failure) = &error else { return error };
        let shown = self.reference.clone().map_or_else(|| table.to_owned(), |name| format!("Hbase::Table - {name}"));
        match failure.reason {
            Reason::TableMissing => unknown_table(table),
            Reason::TableDisabled => disabled_table(shown),
            Reason::NamespaceMissing => {
                let name = failure.text.rsplit(' ').next().unwrap_or(&failure.text).trim_matches(['"', '\'']);
                unknown_namespace(name)
            }
            Reason::TableExists => CommandError::says(
                format!("Table already exists: {table}!"),
                "choose another name, or disable and drop it first",
            ),
            _ => error,
        }
    }

    /// Ends the command at Ctrl-C, or after its output has been closed.
    pub fn check(&self) -> Result<(), CommandError> {
        if self.interrupt.is_pending() || self.out.is_closed() { Err(CommandError::Interrupted) } else { Ok(()) }
    }
}
