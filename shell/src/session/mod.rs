//! A session: statements are read, run, and their values shown.

mod remedies;

use std::rc::Rc;
use std::time::Instant;

use crate::commands::{self, CommandError, Context, Done, TABLE_METHODS, TABLE_MISSING};
use crate::connection::{Failure, Reason};
use crate::language::{
    Exception, Host, Interpreter, Outcome, Place, Raise, SOURCE_BYTES_MAX, State, Statement, SyntaxError, Value,
    inspect, jruby_class, wrong_count,
};

/// How a session treats errors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Commands print their errors, and the session goes on.
    Interactive,
    /// The first error ends the session with status 1.
    Batch,
}

/// The outcome of a statement.
#[derive(Debug, PartialEq, Eq)]
pub enum Step {
    /// It was run.
    Done,
    /// More lines are needed: open blocks, and the quote that is open.
    More(usize, Option<char>),
    /// Ctrl-C ended the statement. Only a terminal goes on.
    Interrupted,
    /// The session ends with this status.
    End(i32),
    /// The session ends because of this error: class and message, and whether a command raised it.
    Failed(Exception),
}

/// A session.
pub struct Session {
    state: State,
    shell: Shell,
    /// The lines of the statement that is being typed.
    pending: Statement,
    /// What the lines of the statement lack: the number of open blocks, and the quote that is open.
    open: (usize, Option<char>),
    /// The number of the last line.
    lines: u32,
}

/// The commands as the language sees them.
struct Shell {
    context: Context,
    mode: Mode,
    /// Whether an exception of a command has to end the session even in an interactive one.
    fatal: bool,
}

impl Session {
    /// A session in which nothing has been typed.
    pub fn new(context: Context, mode: Mode) -> Self {
        Self {
            state: State::default(),
            shell: Shell { context, mode, fatal: false },
            pending: Statement::default(),
            open: (0, None),
            lines: 0,
        }
    }

    /// What commands work with.
    pub fn context(&mut self) -> &mut Context {
        &mut self.shell.context
    }

    /// The names of the variables.
    pub fn variables(&self) -> Vec<String> {
        self.state.top.names().into_iter().collect()
    }

    /// The table that a variable refers to.
    pub fn table_of(&self, variable: &str) -> Option<String> {
        match self.state.top.get(variable) {
            Some(Value::TableRef(name)) => Some(name.to_string()),
            _ => None,
        }
    }

    /// Sets what scripts know of their command line.
    pub fn set_command_line(&mut self, script: Option<&str>, arguments: &[String]) {
        self.state.set_command_line(script, arguments);
    }

    /// Forgets the lines of an unfinished statement.
    pub fn abandon(&mut self) {
        self.pending = Statement::default();
    }

    /// Lines are counted from here on, as prompts do.
    pub fn count_lines_from(&mut self, lines: u32) {
        self.lines = lines;
    }

    /// Takes one line, and runs the statement if the line completes it.
    pub fn line(&mut self, line: &[u8]) -> Step {
        // Editors of Windows begin files with a byte order mark.
        let line = if self.lines == 0 { line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line) } else { line };
        self.lines = self.lines.saturating_add(1);
        if self.pending.source().len() + line.len() > SOURCE_BYTES_MAX {
            // The session ends: what follows may be the rest of a text, and must not run.
            let limit = SOURCE_BYTES_MAX >> 20;
            let message = format!("(hbase):{}: a statement is longer than {limit} MiB", self.lines);
            return Step::Failed(Exception::new("SyntaxError", message));
        }
        match self.pending.add(line, &self.state.top.names()) {
            Err(SyntaxError::Incomplete { depth, quote }) => {
                self.open = (depth, quote);
                Step::More(depth, quote)
            }
            Err(SyntaxError::Wrong { at, message }) => {
                let source = std::mem::take(&mut self.pending);
                let first = self.first_line(&source);
                let remedy = match source.long_text() {
                    Some(line) => Some(remedies::of_long_text(first + line - 1)),
                    None => remedies::of_syntax(&message, source.source()).map(str::to_owned),
                };
                self.syntax_error(at, &message, remedy, source.source())
            }
            Ok(program) => {
                let own = self.pending.source().iter().filter(|byte| **byte == b'\n').count();
                self.state.set_lines_before(self.lines.saturating_sub(u32::try_from(own).unwrap_or(u32::MAX)));
                self.pending = Statement::default();
                self.run(&program)
            }
        }
    }

    /// The end of the input: an unfinished statement is an error.
    pub fn end(&mut self) -> Step {
        let pending = std::mem::take(&mut self.pending);
        let source = pending.source();
        if source.trim_ascii().is_empty() {
            return Step::Done;
        }
        let first = self.first_line(&pending);
        // If one quote is missing, those of the lines below end and begin in the wrong places.
        let line = pending.long_text().unwrap_or_else(|| pending.open_line());
        let lines = u32::try_from(source.split(|byte| *byte == b'\n').count()).unwrap_or(u32::MAX);
        self.syntax_error(
            Place { line: lines.saturating_sub(1).max(1), column: 1 },
            "syntax error, unexpected end-of-input",
            Some(remedies::of_end(self.open, first + line - 1)),
            source,
        )
    }

    /// The line of the session in which a statement begins whose last line is the current one.
    fn first_line(&self, statement: &Statement) -> u32 {
        let own = statement.source().iter().filter(|byte| **byte == b'\n').count();
        self.lines.saturating_sub(u32::try_from(own).unwrap_or(u32::MAX)).saturating_add(1)
    }

    fn syntax_error(&mut self, at: Place, message: &str, remedy: Option<String>, source: &[u8]) -> Step {
        // The place is one in the statement; the message names the line of the session.
        let below = u32::try_from(source.split(|byte| *byte == b'\n').count()).unwrap_or(1).saturating_sub(2);
        let number = (self.lines + at.line).saturating_sub(below + 1).max(1);
        let text = format!("(hbase):{number}:{}: {message}", at.column);
        if self.shell.mode == Mode::Batch {
            return Step::Failed(Exception { remedy, ..Exception::new("SyntaxError", text) });
        }
        let out = &mut self.shell.context.out;
        let shown = out.painted_error(&format!("SyntaxError ({text})"));
        let line = source.split(|byte| *byte == b'\n').nth(at.line.saturating_sub(1) as usize).unwrap_or_default();
        let column = (at.column as usize).saturating_sub(1).min(line.len());
        let marker = format!("{}^", " ".repeat(String::from_utf8_lossy(&line[..column]).chars().count()));
        let report =
            format!("Traceback (most recent call last):\n{shown}\n{}\n{marker}\n", String::from_utf8_lossy(line));
        print_error(&mut self.shell.context, &report);
        if let Some(remedy) = remedy {
            print_remedy(&mut self.shell.context, &remedy);
        }
        Step::Done
    }

    fn run(&mut self, program: &crate::language::Node) -> Step {
        if self.shell.context.out.is_closed() {
            return Step::End(1);
        }
        self.shell.fatal = false;
        let done = Interpreter::new(&mut self.state, &mut self.shell).run(program);
        let mode = self.shell.mode;
        let context = &mut self.shell.context;
        match done {
            Ok(Value::Nil) => Step::Done,
            Ok(value) => {
                if context.out.tables() {
                    let mut shown = b"=> ".to_vec();
                    shown.extend(inspect(&value));
                    shown.push(b'\n');
                    context.out.raw(&shown);
                }
                Step::Done
            }
            Err(Raise::Exit(status)) => Step::End(status),
            Err(Raise::Interrupt) if context.out.is_closed() => Step::End(1),
            Err(Raise::Interrupt) => Step::Interrupted,
            Err(Raise::Error(exception)) => {
                let goes_on = matches!(
                    &exception.class[..],
                    "NameError" | "NoMethodError" | "NotImplementedError" | "SystemStackError" | "LoadError"
                );
                if mode == Mode::Batch || !goes_on || self.shell.fatal {
                    return Step::Failed(exception);
                }
                // A suggested name is printed on a separate line.
                let (message, hint) = match exception.message.split_once("\nDid you mean?") {
                    Some((message, name)) => (message, format!("Did you mean?{name}\n")),
                    None => (&exception.message[..], String::new()),
                };
                let shown = context.out.painted_error(&format!("{} ({message})", exception.class));
                print_error(context, &format!("Traceback (most recent call last):\n{shown}\n{hint}"));
                if let Some(remedy) = &exception.remedy {
                    print_remedy(context, remedy);
                }
                Step::Done
            }
            // These do not leave an interpreter.
            Err(Raise::Break(..) | Raise::Next(_) | Raise::Return(_)) => Step::Done,
        }
    }
}

/// The exception that a failure is for scripts.
fn exception_of(failure: Failure) -> Exception {
    let message = match failure.reason {
        Reason::TableMissing => format!("Unknown table {}!", failure.text),
        _ => failure.to_string(),
    };
    let missing = matches!(failure.reason, Reason::TableMissing).then(|| TABLE_MISSING.to_owned());
    let exception = Exception::new(&ruby_class(&failure), message);
    Exception { remedy: failure.remedy.or(missing), ..exception }
}

/// The class of a failure as JRuby names it, which `-n` prints.
fn ruby_class(failure: &Failure) -> String {
    match failure.reason {
        Reason::Refused if !failure.class.is_empty() => jruby_class(&failure.class),
        Reason::Illegal => "ArgumentError".to_owned(),
        _ => "RuntimeError".to_owned(),
    }
}

/// Prints an error where users expect it: with tables, but not among records.
fn print_error(context: &mut Context, text: &str) {
    if context.out.tables() {
        context.out.raw(text.as_bytes());
    } else {
        context.out.flush();
        eprint!("{text}");
    }
}

/// Prints what HBase's error lacks. On standard error, so that standard output is that of HBase's shell.
pub fn print_remedy(context: &mut Context, remedy: &str) {
    context.out.flush();
    eprintln!("hjall: {remedy}");
}

impl Shell {
    fn arity(command: &commands::Command, given: usize, of_table: bool) -> Result<(), CommandError> {
        let (least, most) = (command.least, command.most);
        if (least..=most).contains(&given) {
            return Ok(());
        }
        Err(CommandError::argument(wrong_count(given, least, most), remedies::of_count(command, of_table)))
    }

    /// Runs a command with its error and the time it took.
    fn run_command(&mut self, name: &str, args: Vec<Value>, of_table: bool) -> Outcome {
        let Some(command) = commands::find(name) else { return Ok(Value::Nil) };
        let begin = Instant::now();
        let quiet = matches!(command.name, "help" | "table_help");
        let done: Done =
            Self::arity(command, args.len(), of_table).and_then(|()| (command.run)(&mut self.context, args));
        self.context.out.end_records(done.is_ok());
        let error = match done {
            Ok(value) => {
                if !quiet {
                    self.context.out.took(begin.elapsed().as_secs_f64(), !of_table);
                }
                return Ok(value);
            }
            Err(error) => error,
        };
        let Exception { class, message, remedy, .. } = match error {
            CommandError::Interrupted => return Err(Raise::Interrupt),
            CommandError::Fatal(exception) => {
                self.fatal = true;
                return Err(Raise::Error(exception));
            }
            CommandError::Raised(exception) => exception,
            CommandError::Failed(failure) => exception_of(failure),
        };
        if self.mode == Mode::Batch {
            self.context.out.took(begin.elapsed().as_secs_f64(), false);
            return Err(Raise::Error(Exception { class, message, remedy, of_command: true }));
        }
        let message = if self.context.debug { format!("{message}\n({class})") } else { message };
        let shown = self.context.out.painted_error(&format!("ERROR: {message}"));
        print_error(&mut self.context, &format!("\n{shown}\n"));
        if let Some(remedy) = remedy {
            print_remedy(&mut self.context, &remedy);
        }
        print_error(&mut self.context, &format!("\nFor usage try 'help \"{}\"'\n\n", command.name));
        self.context.out.took(begin.elapsed().as_secs_f64(), !of_table);
        Ok(Value::Nil)
    }
}

impl Host for Shell {
    fn is_command(&self, name: &str) -> bool {
        commands::find(name).is_some()
    }

    fn command_names(&self) -> Vec<&'static str> {
        commands::all().map(|command| command.name).collect()
    }

    fn takes_command(&self, name: &str) -> bool {
        name == "explain"
    }

    fn why_missing(&self, name: &str) -> Option<&'static str> {
        commands::why_missing(name)
    }

    fn command(&mut self, name: &str, args: Vec<Value>) -> Outcome {
        self.run_command(name, args, false)
    }

    fn print_error(&mut self, bytes: &[u8]) -> Result<(), Raise> {
        self.context.out.flush();
        eprint!("{}", String::from_utf8_lossy(bytes));
        Ok(())
    }

    fn table_method(&mut self, table: &Rc<str>, name: &str, mut args: Vec<Value>) -> Option<Outcome> {
        match name {
            "name" => return Some(Ok(Value::text(&**table))),
            "get_all_columns" => {
                let name = hjall_engine::name::TableName::parse(table.as_bytes());
                let described = name.map_err(crate::connection::Failure::from);
                let described = described.and_then(|name| self.context.connection.describe(&name));
                return Some(match described {
                    Ok(described) => Ok(Value::array(
                        described.families.keys().map(|family| Value::text([&family[..], b":"].concat())).collect(),
                    )),
                    Err(failure) => {
                        let message = failure.to_string();
                        Err(Raise::Error(Exception { message, ..exception_of(failure) }))
                    }
                });
            }
            "help" => return Some(self.run_command("help", args, true)),
            _ => {}
        }
        if !TABLE_METHODS.contains(&name) {
            return None;
        }
        args.insert(0, Value::TableRef(Rc::clone(table)));
        self.context.reference = Some(table.to_string());
        let done = self.run_command(name, args, true);
        self.context.reference = None;
        Some(done)
    }

    fn constant(&self, name: &str) -> Option<Value> {
        commands::constant(name)
    }

    fn constant_names(&self) -> &'static [&'static str] {
        commands::CONSTANTS
    }

    fn print(&mut self, bytes: &[u8]) -> Result<(), Raise> {
        self.context.out.raw(bytes);
        if self.context.out.is_closed() { Err(Raise::Interrupt) } else { Ok(()) }
    }

    fn flush(&mut self) {
        self.context.out.flush();
    }

    fn interrupted(&self) -> bool {
        self.context.interrupt.is_pending()
    }
}
