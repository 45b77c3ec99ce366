//! Calls of methods, commands and blocks.

use std::rc::Rc;

use super::super::ast::{Call, Code, Expr, Node, Param, Target};
use super::super::token::Place;
use super::super::value::{Proc, Value};
use super::{Args, Frame, Interpreter, Outcome, Raise, Scope, implicit, java, objects, ranges};

impl Interpreter<'_> {
    pub(super) fn eval_call(&mut self, call: &Call, at: Place, frame: &Frame) -> Outcome {
        let receiver = match &call.receiver {
            Some(node) => Some(self.eval(node, frame)?),
            None => None,
        };
        if call.safe && receiver.as_ref().is_some_and(Value::is_nil) {
            return Ok(Value::Nil);
        }
        let list = match self.command_inside(call) {
            Some(inner) => {
                let mut list = vec![Value::text(inner.name.as_str())];
                list.extend(self.list(&inner.args, frame)?);
                list.extend(self.list(&call.args[1..], frame)?);
                list
            }
            None => self.list(&call.args, frame).map_err(|raise| self.of_other_database(call, raise))?,
        };
        let block = self.block_of(call, frame)?;
        let own = call.block.as_ref().map(Rc::as_ptr);
        let args = Args { list, block };
        let done = match receiver {
            Some(receiver) => self.method_at(&receiver, &call.name, args, Some(at)),
            None => self.function(&call.name, args, call.bare, at, frame),
        };
        match done {
            Err(Raise::Break(Some(code), value)) if own == Some(code) => Ok(value),
            // The innermost call is the one whose arguments are wrong: outer ones find the remedy.
            Err(Raise::Error(exception))
                if exception.remedy.is_none() && exception.message.starts_with(WRONG_COUNT) =>
            {
                Err(Raise::Error(exception.with_remedy(format!(
                    "the wrong arguments are those of {}{}",
                    call.name,
                    placed(at)
                ))))
            }
            done => done,
        }
    }

    /// The command that is the first argument of one that does not want it run: `explain scan 't'`.
    fn command_inside<'c>(&self, call: &'c Call) -> Option<&'c Call> {
        let Some(Node { expr: Expr::Call(inner), .. }) = call.args.first() else { return None };
        let named = call.receiver.is_none() && self.host.takes_command(&call.name);
        (named && inner.receiver.is_none() && self.host.is_command(&inner.name)).then_some(inner)
    }

    /// An error about the arguments of a command that only other databases have: `show tables`.
    fn of_other_database(&self, call: &Call, raise: Raise) -> Raise {
        match (raise, replacement(&call.name)) {
            (Raise::Error(exception), Some(own))
                if exception.class == "NameError"
                    && call.receiver.is_none()
                    && !self.state.methods.contains_key(&call.name)
                    && !self.host.is_command(&call.name) =>
            {
                Raise::Error(exception.with_remedy(no_command(&call.name, own)))
            }
            (raise, _) => raise,
        }
    }

    fn block_of(&mut self, call: &Call, frame: &Frame) -> Result<Option<Rc<Proc>>, Raise> {
        if let Some(code) = &call.block {
            let proc = Proc::Code { code: Rc::clone(code), scope: Rc::clone(&frame.scope), lambda: false };
            return Ok(Some(Rc::new(proc)));
        }
        let Some(Node { expr: Expr::BlockPass(inner), .. }) = call.args.last() else { return Ok(None) };
        match self.eval(inner, frame)? {
            Value::Nil => Ok(None),
            Value::Proc(proc) => Ok(Some(proc)),
            Value::Symbol(name) => Ok(Some(Rc::new(Proc::Method(String::from_utf8_lossy(&name).into_owned())))),
            other => Err(Raise::kind(format!("wrong argument type {} (expected Proc)", implicit(&other)))),
        }
    }

    /// A call without a receiver: a method of the script, a function of the language, or a command.
    fn function(&mut self, name: &str, args: Args, bare: bool, at: Place, frame: &Frame) -> Outcome {
        if bare && let Some(value) = frame.scope.get(name) {
            return Ok(value);
        }
        if let Some(code) = self.state.methods.get(name).cloned() {
            return self.call_method(&code, args);
        }
        let args = match self.kernel(name, args, frame, at)? {
            Ok(value) => return Ok(value),
            Err(args) => args,
        };
        if self.host.is_command(name) {
            if args.block.is_some() {
                let message = format!("a block for the command {name} is not part of this shell{}", placed(at));
                return Err(Raise::new("NotImplementedError", message));
            }
            return self.host.command(name, args.list);
        }
        if bare && let Some(package) = java::root(name) {
            return Ok(package);
        }
        if let Some(why) = self.host.why_missing(name) {
            let message = format!("{name} is not part of this shell{}: {why}", placed(at));
            return Err(Raise::new("NotImplementedError", message));
        }
        if let Some(why) = super::unsupported::function(name) {
            return Err(Raise::new("NotImplementedError", format!("{why} is not part of this shell{}", placed(at))));
        }
        let hint = self.similar(name, frame).map(|name| format!("\nDid you mean?  {name}")).unwrap_or_default();
        if bare {
            let message = format!("undefined local variable or method `{name}' for {}{hint}", receiver());
            let option = name.to_uppercase();
            let remedy = match self.host.constant(&option) {
                Some(_) => format!("text is put in quotes: '{name}'; an option is in capitals: {option}"),
                None => format!("text is put in quotes: '{name}'; help lists the commands"),
            };
            return Err(Raise::new("NameError", message).with_remedy(remedy));
        }
        let message = format!("undefined method `{name}' for {}{hint}", receiver());
        let remedy = match name.ends_with("Filter") {
            true => {
                format!("a filter is text in quotes, as in FILTER => \"{name}(…)\"; show_filters lists the filters")
            }
            false => match replacement(name) {
                Some(own) => no_command(name, own),
                None => format!("there is no command {name}; help lists the commands"),
            },
        };
        Err(Raise::new("NoMethodError", message).with_remedy(remedy))
    }

    /// The error for a method that a value does not have.
    fn no_method(&self, receiver: &Value, name: &str) -> Raise {
        let remedy = match receiver {
            Value::TableRef(_) => "table_help lists the methods of a table".to_owned(),
            _ if self.host.is_command(name) => format!("{name} is a command; help '{name}' shows how it is written"),
            Value::Nil => {
                format!("the value before .{name} is nil: a variable without a value, or a command without a result")
            }
            _ => format!("docs/shell-language.md lists the methods of the class {}", receiver.class_name()),
        };
        objects::no_method(receiver, name).with_remedy(remedy)
    }

    /// The command, function or variable whose name is most like this one, if one is.
    fn similar(&self, name: &str, frame: &Frame) -> Option<String> {
        let own = self.state.methods.keys().cloned().chain(frame.scope.names());
        let known = self.host.command_names().into_iter().chain(super::functions().iter().copied());
        nearest(name, known.map(str::to_owned).chain(own))
    }

    /// Calls a function by name, as `method(:name)` and `send` do.
    pub(super) fn call_function(&mut self, name: &str, list: Vec<Value>) -> Outcome {
        let frame = Frame { scope: Rc::clone(&self.state.top), block: None };
        self.function(name, Args { list, block: None }, false, Place::default(), &frame)
    }

    /// Calls a method of a value.
    pub(super) fn method(&mut self, receiver: &Value, name: &str, args: Args) -> Outcome {
        self.method_at(receiver, name, args, None)
    }

    fn method_at(&mut self, receiver: &Value, name: &str, args: Args, at: Option<Place>) -> Outcome {
        if let Value::TableRef(table) = receiver
            && !matches!(name, "inspect" | "to_s" | "class" | "nil?" | "==" | "is_a?")
        {
            let Args { list, block } = args;
            if block.is_some() {
                let message = format!(
                    "a block for the method {name} of a table is not part of this shell{}",
                    at.map(placed).unwrap_or_default()
                );
                return Err(Raise::new("NotImplementedError", message));
            }
            return self.host.table_method(table, name, list).unwrap_or_else(|| Err(self.no_method(receiver, name)));
        }
        if let Some(done) = self.own_method(receiver, name, &args) {
            return done;
        }
        if let Some(done) = self.object_method(receiver, name, &args) {
            return done;
        }
        if super::unsupported::method(receiver, name) {
            let at = at.map(placed).unwrap_or_default();
            let class = receiver.class_name();
            let message = format!("{class}#{name} is not part of this shell{at}");
            return Err(Raise::new("NoMethodError", message));
        }
        Err(self.no_method(receiver, name))
    }

    fn own_method(&mut self, receiver: &Value, name: &str, args: &Args) -> Option<Outcome> {
        match receiver {
            Value::Str(text) => self.string_method(text, name, args),
            Value::Symbol(bytes) => self.symbol_method(bytes, name, args),
            Value::Int(_) | Value::Big(_) | Value::Float(_) => self.number_method(receiver, name, args),
            Value::Array(list) => self.list_method(list, name, args).or_else(|| self.enumerate(receiver, name, args)),
            Value::Hash(table) => self.hash_method(table, name, args).or_else(|| self.enumerate(receiver, name, args)),
            Value::Range(range) => {
                self.range_method(range, name, args).or_else(|| self.enumerate(receiver, name, args))
            }
            Value::Proc(proc) => self.proc_method(proc, name, args),
            Value::Regex(pattern) => super::patterns::method(pattern, name, args),
            Value::Time(time) => super::times::method(time, name, args),
            Value::Exception(exception) => match name {
                "message" | "to_s" => Some(Ok(Value::text(exception.message.clone()))),
                "backtrace" => Some(Ok(Value::array(Vec::new()))),
                "full_message" => Some(Ok(Value::text(format!("{} ({})", exception.message, exception.class)))),
                _ => None,
            },
            Value::Class(class) => self.class_method(class, name, args),
            Value::Java(java) => self.java_method(java, name, args),
            Value::Nil => match (name, args.list.first()) {
                ("to_a", None) => Some(Ok(Value::array(Vec::new()))),
                ("to_i", None) => Some(Ok(Value::Int(0))),
                ("to_f", None) => Some(Ok(Value::Float(0.0))),
                ("to_h", None) => Some(Ok(Value::hash([]))),
                ("&", Some(_)) => Some(Ok(Value::Bool(false))),
                ("|", Some(other)) => Some(Ok(Value::Bool(other.truthy()))),
                _ => None,
            },
            Value::Bool(flag) => match (name, args.list.first()) {
                ("&", Some(other)) => Some(Ok(Value::Bool(*flag && other.truthy()))),
                ("|", Some(other)) => Some(Ok(Value::Bool(*flag || other.truthy()))),
                ("^", Some(other)) => Some(Ok(Value::Bool(*flag != other.truthy()))),
                _ => None,
            },
            Value::TableRef(_) => None,
        }
    }

    fn proc_method(&mut self, proc: &Rc<Proc>, name: &str, args: &Args) -> Option<Outcome> {
        match name {
            "call" | "()" | "[]" | "===" | "yield" => Some(self.call_proc(proc, args.list.clone())),
            "lambda?" => Some(Ok(Value::Bool(matches!(**proc, Proc::Code { lambda: true, .. })))),
            "to_proc" => Some(Ok(Value::Proc(Rc::clone(proc)))),
            "arity" => match &**proc {
                Proc::Code { code, .. } => Some(Ok(Value::Int(code.params.len() as i64))),
                _ => Some(Ok(Value::Int(-1))),
            },
            _ => None,
        }
    }

    /// Calls a block, a lambda or a method as a value.
    pub(super) fn call_proc(&mut self, proc: &Rc<Proc>, mut list: Vec<Value>) -> Outcome {
        match &**proc {
            Proc::Method(name) => {
                if list.is_empty() {
                    return Err(Raise::argument("no receiver given"));
                }
                let receiver = list.remove(0);
                self.method(&receiver, name, Args { list, block: None })
            }
            Proc::Function(name) => self.call_function(name, list),
            Proc::Code { code, scope, lambda } => {
                let frame = Frame { scope: Scope::inside(scope), block: None };
                self.bind(code, list, None, *lambda, &frame)?;
                match self.eval(&code.body, &frame) {
                    Err(Raise::Next(value)) => Ok(value),
                    Err(Raise::Return(value)) if *lambda => Ok(value),
                    Err(Raise::Break(None, value)) if *lambda => Ok(value),
                    Err(Raise::Break(None, value)) => Err(Raise::Break(Some(Rc::as_ptr(code)), value)),
                    done => done,
                }
            }
        }
    }

    fn call_method(&mut self, code: &Rc<Code>, args: Args) -> Outcome {
        let frame = Frame { scope: Rc::default(), block: args.block.clone() };
        self.bind(code, args.list, args.block, true, &frame)?;
        match self.eval(&code.body, &frame) {
            Err(Raise::Return(value)) => Ok(value),
            done => done,
        }
    }

    /// Gives the parameters their values. A block takes too many or too few, and spreads an array over several.
    fn bind(
        &mut self,
        code: &Code,
        mut list: Vec<Value>,
        block: Option<Rc<Proc>>,
        strict: bool,
        frame: &Frame,
    ) -> Result<(), Raise> {
        let params = &code.params;
        let required = params.iter().filter(|param| matches!(param, Param::Required(_))).count();
        let optional = params.iter().filter(|param| matches!(param, Param::Optional(..))).count();
        let rest = params.iter().any(|param| matches!(param, Param::Rest(_)));
        let keywords = params.iter().any(|param| matches!(param, Param::Keyword(..)));
        if !strict
            && list.len() == 1
            && (required + optional > 1 || (rest && required > 0))
            && let Value::Array(inner) = &list[0]
        {
            let inner = inner.0.borrow().clone();
            list = inner;
        }
        let named = match list.last() {
            Some(Value::Hash(table)) if keywords => {
                let table = Rc::clone(table);
                list.pop();
                Some(table)
            }
            _ => None,
        };
        if strict && (list.len() < required || (!rest && list.len() > required + optional)) {
            let most = if rest { usize::MAX } else { required + optional };
            return Err(Raise::argument(wrong_count(list.len(), required, most)));
        }
        let mut spare = list.len().saturating_sub(required);
        let mut values = list.into_iter();
        for param in params {
            match param {
                Param::Required(Target::Local(name)) => {
                    frame.scope.declare(name, values.next().unwrap_or(Value::Nil));
                }
                Param::Required(target) => {
                    let value = values.next().unwrap_or(Value::Nil);
                    self.declare_all(target, value, frame)?;
                }
                Param::Optional(name, default) => {
                    let value = if spare > 0 {
                        spare -= 1;
                        values.next().unwrap_or(Value::Nil)
                    } else {
                        self.eval(default, frame)?
                    };
                    frame.scope.declare(name, value);
                }
                Param::Rest(name) => {
                    let taken: Vec<_> = values.by_ref().take(spare).collect();
                    spare = 0;
                    if !name.is_empty() {
                        frame.scope.declare(name, Value::array(taken));
                    }
                }
                Param::Keyword(name, default) => {
                    let given = named.as_ref().and_then(|table| table.get(&Value::symbol(name)));
                    let value = match (given, default) {
                        (Some(value), _) => value,
                        (None, Some(default)) => self.eval(default, frame)?,
                        (None, None) => return Err(Raise::argument(format!("missing keyword: {name}"))),
                    };
                    frame.scope.declare(name, value);
                }
                Param::Block(name) => {
                    let value = block.clone().map_or(Value::Nil, Value::Proc);
                    frame.scope.declare(name, value);
                }
            }
        }
        Ok(())
    }

    /// Declares the variables of `(a, b)` among the parameters of a block.
    fn declare_all(&mut self, target: &Target, value: Value, frame: &Frame) -> Result<(), Raise> {
        fn names<'t>(target: &'t Target, out: &mut Vec<&'t str>) {
            match target {
                Target::Local(name) => out.push(name),
                Target::Splat(inner) => names(inner, out),
                Target::List(list) => list.iter().for_each(|target| names(target, out)),
                _ => {}
            }
        }
        let mut all = Vec::new();
        names(target, &mut all);
        for name in all {
            frame.scope.declare(name, Value::Nil);
        }
        self.assign(target, value, frame)
    }

    /// The elements of a value, as a splat has them.
    pub(super) fn list_of(&mut self, value: &Value) -> Result<Vec<Value>, Raise> {
        match value {
            Value::Nil => Ok(Vec::new()),
            Value::Array(list) => Ok(list.0.borrow().clone()),
            Value::Hash(_) | Value::Range(_) => {
                if let Value::Range(range) = value {
                    ranges::check_list(range)?;
                }
                let mut list = Vec::new();
                self.each_of(value, &mut |_, value| {
                    super::check_size(list.len())?;
                    list.push(value);
                    Ok(())
                })?;
                Ok(list)
            }
            other => Ok(vec![other.clone()]),
        }
    }
}

/// The name that is most like another one, if one differs from it in two letters at most, or in one of a short name.
pub fn nearest<T: AsRef<str> + Ord>(name: &str, known: impl Iterator<Item = T>) -> Option<T> {
    let limit = if name.chars().count() < 5 { 1 } else { 2 };
    known
        .filter_map(|known| Some((distance(name, known.as_ref())?, known)))
        .filter(|(distance, _)| *distance <= limit)
        .min()
        .map(|(_, known)| known)
}

/// The command that does what this word does in other databases.
fn replacement(word: &str) -> Option<&'static str> {
    match &word.to_ascii_lowercase()[..] {
        "show" => Some("list"),
        "insert" | "update" | "upsert" => Some("put"),
        "desc" => Some("describe"),
        _ => None,
    }
}

fn no_command(name: &str, own: &str) -> String {
    format!("there is no command {name}; use {own}, which help '{own}' explains")
}

/// How many letters have to be inserted, removed, replaced or exchanged with their neighbour to make one name of
/// another; `None` for long names.
fn distance(a: &str, b: &str) -> Option<usize> {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    if a.len() > 64 || a.len().abs_diff(b.len()) > 2 {
        return None;
    }
    let mut rows: Vec<Vec<usize>> = vec![(0..=b.len()).collect()];
    for at in 1..=a.len() {
        let mut row = vec![at];
        for to in 1..=b.len() {
            let replaced = rows[at - 1][to - 1] + usize::from(a[at - 1] != b[to - 1]);
            let mut least = replaced.min(rows[at - 1][to] + 1).min(row[to - 1] + 1);
            if at > 1 && to > 1 && a[at - 1] == b[to - 2] && a[at - 2] == b[to - 1] {
                least = least.min(rows[at - 2][to - 2] + 1);
            }
            row.push(least);
        }
        rows.push(row);
    }
    rows[a.len()].last().copied()
}

/// ` (line 1, column 2)`.
pub fn placed(at: Place) -> String {
    if at == Place::default() { String::new() } else { format!(" (line {}, column {})", at.line, at.column) }
}

/// The object that commands are methods of, as HBase shows it.
fn receiver() -> &'static str {
    "#<HBaseReceiver:0x1f>"
}

impl Args {
    /// The number of arguments, which must be in this range.
    pub(super) fn count(&self, least: usize, most: usize) -> Result<usize, Raise> {
        let given = self.list.len();
        if (least..=most).contains(&given) {
            return Ok(given);
        }
        Err(Raise::argument(wrong_count(given, least, most)))
    }
}

const WRONG_COUNT: &str = "wrong number of arguments";

/// The message for a wrong number of arguments. `most` is `usize::MAX` if there is no limit.
pub fn wrong_count(given: usize, least: usize, most: usize) -> String {
    let expected = match most {
        _ if least == most => least.to_string(),
        usize::MAX => format!("{least}+"),
        _ => format!("{least}..{most}"),
    };
    format!("{WRONG_COUNT} (given {given}, expected {expected})")
}
