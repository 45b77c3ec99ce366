//! Evaluates the syntax tree.

mod assign;
mod calls;
mod control;
mod enumerate;
mod filters;
mod format;
mod hashes;
mod java;
mod kernel;
mod lists;
mod numbers;
mod objects;
mod packing;
mod patterns;
mod ranges;
mod scope;
mod strings;
mod times;
mod unsupported;

use std::collections::HashMap;
use std::rc::Rc;

use super::ast::{Code, Expr, Node, Piece};
use super::inspect::to_text;
use super::value::{Exception, Proc, Span, Value};

pub use calls::wrong_count;
pub use filters::filter_of;
pub use java::{date_text, from_binary as binary_bytes};
pub use kernel::functions;
pub use scope::Scope;

/// The longest string, in bytes, and the largest number of elements that one operation creates.
pub const SIZE_MAX: usize = 64 << 20;
/// How deep evaluations may be nested.
const DEPTH_MAX: usize = 1500;

/// The reason why an evaluation ended early.
#[derive(Clone)]
pub enum Raise {
    /// An exception.
    Error(Exception),
    /// `break`; of the block with this code, once it has left it.
    Break(Option<*const Code>, Value),
    /// `next`.
    Next(Value),
    /// `return`.
    Return(Value),
    /// `exit` with a status.
    Exit(i32),
    /// Ctrl-C, or standard output was closed.
    Interrupt,
}

/// The result of an evaluation.
pub type Outcome = Result<Value, Raise>;

impl Raise {
    /// An exception of this class.
    pub fn new(class: &str, message: impl Into<String>) -> Self {
        Self::Error(Exception::new(class, message))
    }

    /// An `ArgumentError`.
    pub fn argument(message: impl Into<String>) -> Self {
        Self::new("ArgumentError", message)
    }

    /// The `TypeError` about a value where one of another class is needed.
    pub fn no_conversion(value: &Value, into: &str) -> Self {
        let remedy = match into {
            "String" => "a string is needed here: to_s makes one of any value",
            "Integer" => "a whole number is needed here: to_i makes one of a string",
            "Array" => "a list is needed here, as in ['a', 'b']",
            _ => "a dictionary is needed here, as in {'KEY' => 'VALUE'}",
        };
        Self::kind(format!("no implicit conversion of {} into {into}", implicit(value))).with_remedy(remedy)
    }

    /// Adds what the message of an exception lacks.
    pub fn with_remedy(self, remedy: impl Into<String>) -> Self {
        match self {
            Self::Error(exception) => Self::Error(exception.with_remedy(remedy)),
            other => other,
        }
    }

    /// A `TypeError`.
    pub fn kind(message: impl Into<String>) -> Self {
        Self::new("TypeError", message)
    }
}

/// The environment of the language: commands and output.
pub trait Host {
    /// Whether there is a command of this name.
    fn is_command(&self, name: &str) -> bool;
    /// The names of all commands.
    fn command_names(&self) -> Vec<&'static str> {
        Vec::new()
    }
    /// The reason why a command of HBase is missing, and the alternative.
    fn why_missing(&self, _name: &str) -> Option<&'static str> {
        None
    }
    /// Whether the first argument of a command may be another command, which is named and not run.
    fn takes_command(&self, _name: &str) -> bool {
        false
    }
    /// Runs a command.
    fn command(&mut self, name: &str, args: Vec<Value>) -> Outcome;
    /// Runs a method of a reference to a table; `None` if there is no method of this name.
    fn table_method(&mut self, table: &Rc<str>, name: &str, args: Vec<Value>) -> Option<Outcome>;
    /// The value of a constant of the shell.
    fn constant(&self, name: &str) -> Option<Value>;
    /// The names of all constants of the shell.
    fn constant_names(&self) -> &'static [&'static str] {
        &[]
    }
    /// Prints text as it is.
    fn print(&mut self, bytes: &[u8]) -> Result<(), Raise>;
    /// Passes on what has been printed.
    fn flush(&mut self) {}
    /// Prints text to standard error.
    fn print_error(&mut self, bytes: &[u8]) -> Result<(), Raise> {
        use std::io::Write;
        // A closed standard error has no reader to tell.
        let _ = std::io::stderr().write_all(bytes);
        Ok(())
    }
    /// Whether the statement is to end now.
    fn interrupted(&self) -> bool;
}

/// The state of the language: variables, constants, methods.
#[derive(Default)]
pub struct State {
    /// The variables of the outermost scope.
    pub top: Rc<Scope>,
    globals: HashMap<String, Value>,
    instance: HashMap<String, Value>,
    constants: HashMap<String, Value>,
    methods: HashMap<String, Rc<Code>>,
    /// The name of the script.
    script: Option<String>,
    /// The lines that precede the statement.
    lines_before: u32,
    /// Whether text is passed on as soon as it has been printed (`$stdout.sync`).
    sync: bool,
}

impl State {
    /// Sets what scripts know of their command line: `ARGV`, `$0`, `$PROGRAM_NAME` and `__FILE__`.
    pub fn set_command_line(&mut self, script: Option<&str>, arguments: &[String]) {
        let list = arguments.iter().map(|argument| Value::text(argument.as_str())).collect();
        self.constants.insert("ARGV".to_owned(), Value::array(list));
        let name = Value::text(script.unwrap_or("hjall shell"));
        self.globals.insert("$0".to_owned(), name.clone());
        self.globals.insert("$PROGRAM_NAME".to_owned(), name);
        self.script = script.map(str::to_owned);
    }

    /// Sets how many lines precede the next statement, for `__LINE__`.
    pub fn set_lines_before(&mut self, lines: u32) {
        self.lines_before = lines;
    }
}

/// Evaluates statements.
pub struct Interpreter<'a> {
    state: &'a mut State,
    host: &'a mut dyn Host,
    depth: usize,
}

/// The variables and the block that an expression sees.
#[derive(Clone)]
pub struct Frame {
    scope: Rc<Scope>,
    /// The block of the method that is running, for `yield`.
    block: Option<Rc<Proc>>,
}

/// The arguments of a call.
pub struct Args {
    list: Vec<Value>,
    block: Option<Rc<Proc>>,
}

impl<'a> Interpreter<'a> {
    /// An interpreter that continues from a state.
    pub fn new(state: &'a mut State, host: &'a mut dyn Host) -> Self {
        Self { state, host, depth: 0 }
    }

    /// Evaluates one program.
    ///
    /// # Errors
    /// The reason why the evaluation ended early.
    pub fn run(&mut self, program: &Node) -> Outcome {
        let frame = Frame { scope: Rc::clone(&self.state.top), block: None };
        match self.eval(program, &frame) {
            Err(Raise::Return(value) | Raise::Next(value) | Raise::Break(_, value)) => Ok(value),
            done => done,
        }
    }

    fn print(&mut self, bytes: &[u8]) -> Result<(), Raise> {
        self.host.print(bytes)?;
        if self.state.sync {
            self.host.flush();
        }
        Ok(())
    }

    fn eval(&mut self, node: &Node, frame: &Frame) -> Outcome {
        if self.depth >= DEPTH_MAX {
            return Err(Raise::new("SystemStackError", "stack level too deep"));
        }
        if self.host.interrupted() {
            return Err(Raise::Interrupt);
        }
        self.depth += 1;
        let done = self.eval_expr(node, frame);
        self.depth -= 1;
        done
    }

    fn eval_expr(&mut self, node: &Node, frame: &Frame) -> Outcome {
        match &node.expr {
            Expr::Nil => Ok(Value::Nil),
            Expr::True => Ok(Value::Bool(true)),
            Expr::False => Ok(Value::Bool(false)),
            Expr::Myself => Ok(Value::Class("main".into())),
            Expr::Int(n) => Ok(Value::int(n.clone())),
            Expr::Float(n) => Ok(Value::Float(*n)),
            Expr::Str(pieces) => Ok(Value::text(self.pieces(pieces, frame)?)),
            Expr::Symbol(pieces) => Ok(Value::symbol(self.pieces(pieces, frame)?)),
            Expr::Regex(pieces, flags) => {
                let source = self.pieces(pieces, frame)?;
                patterns::compile(&String::from_utf8_lossy(&source), flags)
            }
            Expr::Array(nodes) => Ok(Value::array(self.list(nodes, frame)?)),
            Expr::Hash(pairs) => self.hash(pairs, frame),
            Expr::Range(begin, end, exclusive) => {
                let mut bound = |node: &Option<Box<Node>>| match node {
                    Some(node) => self.eval(node, frame),
                    None => Ok(Value::Nil),
                };
                let (begin, end) = (bound(begin)?, bound(end)?);
                ranges::check(&begin, &end)?;
                Ok(Value::Range(Rc::new(Span { begin, end, exclusive: *exclusive })))
            }
            Expr::Local(name) => Ok(frame.scope.get(name).unwrap_or(Value::Nil)),
            Expr::Instance(name) => Ok(self.state.instance.get(name).cloned().unwrap_or(Value::Nil)),
            Expr::Global(name) => Ok(self.state.globals.get(name).cloned().unwrap_or_else(|| match &name[..] {
                "$stdout" | "$>" => Value::Class("STDOUT".into()),
                "$stderr" => Value::Class("STDERR".into()),
                _ => Value::Nil,
            })),
            Expr::Const(None, name) => self.constant(name),
            Expr::Const(Some(scope), name) => {
                let scope = self.eval(scope, frame)?;
                java::member(&scope, name)
            }
            Expr::Call(call) => self.eval_call(call, node.at, frame),
            Expr::Assign(target, value) => {
                let value = self.eval(value, frame)?;
                self.assign(target, value.clone(), frame)?;
                Ok(value)
            }
            Expr::OpAssign(target, op, value) => self.op_assign(target, op, value, frame),
            Expr::MultiAssign(targets, value) => {
                let value = self.eval(value, frame)?;
                let list = assign::spread(&value);
                self.assign_list(targets, list, frame)?;
                Ok(value)
            }
            Expr::And(a, b) => {
                let left = self.eval(a, frame)?;
                if left.truthy() { self.eval(b, frame) } else { Ok(left) }
            }
            Expr::Or(a, b) => {
                let left = self.eval(a, frame)?;
                if left.truthy() { Ok(left) } else { self.eval(b, frame) }
            }
            Expr::Not(a) => Ok(Value::Bool(!self.eval(a, frame)?.truthy())),
            Expr::Defined(inner) => self.defined(inner, frame),
            Expr::Def(name, code) => {
                self.state.methods.insert(name.clone(), Rc::clone(code));
                Ok(Value::symbol(name))
            }
            Expr::Lambda(code) => Ok(Value::Proc(Rc::new(Proc::Code {
                code: Rc::clone(code),
                scope: Rc::clone(&frame.scope),
                lambda: true,
            }))),
            Expr::Seq(nodes) => {
                let mut last = Value::Nil;
                for node in nodes {
                    last = self.eval(node, frame)?;
                }
                Ok(last)
            }
            Expr::Splat(inner) | Expr::BlockPass(inner) => self.eval(inner, frame),
            _ => self.eval_control(node, frame),
        }
    }

    fn pieces(&mut self, pieces: &[Piece], frame: &Frame) -> Result<Vec<u8>, Raise> {
        let mut out = Vec::new();
        for piece in pieces {
            match piece {
                Piece::Bytes(bytes) => out.extend_from_slice(bytes),
                Piece::Code(node) => {
                    let value = self.eval(node, frame)?;
                    out.extend(to_text(&value));
                }
            }
            check_size(out.len())?;
        }
        Ok(out)
    }

    /// Evaluates elements or arguments, with splats spread.
    fn list(&mut self, nodes: &[Node], frame: &Frame) -> Result<Vec<Value>, Raise> {
        let mut list = Vec::with_capacity(nodes.len());
        for node in nodes {
            match &node.expr {
                Expr::Splat(inner) => {
                    let value = self.eval(inner, frame)?;
                    list.extend(self.list_of(&value)?);
                }
                Expr::BlockPass(_) => {}
                _ => list.push(self.eval(node, frame)?),
            }
            check_size(list.len())?;
        }
        Ok(list)
    }

    fn hash(&mut self, pairs: &[(Option<Node>, Node)], frame: &Frame) -> Outcome {
        let table = super::value::Table::default();
        for (key, value) in pairs {
            let Some(key) = key else {
                match self.eval(value, frame)? {
                    Value::Hash(other) => other.pairs().into_iter().for_each(|(k, v)| table.insert(k, v)),
                    other => {
                        return Err(Raise::no_conversion(&other, "Hash"));
                    }
                }
                continue;
            };
            let key = self.eval(key, frame)?;
            let value = self.eval(value, frame)?;
            table.insert(key, value);
        }
        Ok(Value::Hash(Rc::new(table)))
    }

    fn constant(&mut self, name: &str) -> Outcome {
        if let Some(value) = self.state.constants.get(name) {
            return Ok(value.clone());
        }
        if let Some(value) =
            self.host.constant(name).or_else(|| java::short_class(name)).or_else(|| kernel::class(name))
        {
            return Ok(value);
        }
        let known = self.host.constant_names().iter().copied();
        let remedy = match name.to_lowercase() {
            small if matches!(&small[..], "true" | "false" | "nil") => format!("write it in small letters: {small}"),
            _ => match calls::nearest(&name.to_uppercase(), known) {
                Some(nearest) => format!("text is put in quotes: '{name}'; the nearest name of an option is {nearest}"),
                None => format!("text is put in quotes: '{name}'; help 'COMMAND' shows the options of a command"),
            },
        };
        Err(Raise::new("NameError", format!("uninitialized constant HBaseReceiver::{name}")).with_remedy(remedy))
    }

    fn defined(&mut self, node: &Node, frame: &Frame) -> Outcome {
        let answer = match &node.expr {
            Expr::Local(name) => frame.scope.get(name).map(|_| "local-variable"),
            Expr::Const(None, name) => self.constant(name).ok().map(|_| "constant"),
            Expr::Global(name) => self.state.globals.get(name).map(|_| "global-variable"),
            Expr::Instance(name) => self.state.instance.get(name).map(|_| "instance-variable"),
            Expr::Call(call) if call.receiver.is_none() => (self.state.methods.contains_key(&call.name)
                || self.host.is_command(&call.name)
                || kernel::has(&call.name))
            .then_some("method"),
            Expr::Assign(..) | Expr::OpAssign(..) => Some("assignment"),
            Expr::Nil => Some("expression"),
            _ => self.eval(node, frame).ok().map(|_| "expression"),
        };
        Ok(answer.map_or(Value::Nil, Value::text))
    }
}

/// Bounds what one operation creates.
fn check_size(size: usize) -> Result<(), Raise> {
    if size > SIZE_MAX {
        return Err(Raise::argument(format!("argument too big: the limit is {SIZE_MAX} bytes or elements")));
    }
    Ok(())
}

/// A value's type as messages about implicit conversions name it.
pub fn implicit(value: &Value) -> String {
    match value {
        Value::Nil => "nil".to_owned(),
        Value::Bool(flag) => flag.to_string(),
        other => other.class_name(),
    }
}
