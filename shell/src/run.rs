//! Where lines come from: `-e`, a file, standard input or a terminal.

use std::cell::RefCell;
use std::fs::File;
use std::io::{self, BufRead, BufReader, IsTerminal, Read};
use std::path::PathBuf;
use std::rc::Rc;
use std::time::Instant;

use crate::commands::{BANNER, Context, VERSION};
use crate::connection::Connection;
use crate::interrupt::Interrupt;
use crate::language::Exception;
use crate::output::time::show_numbers;
use crate::output::{Format, Output, standard};
use crate::session::{Mode, Session, Step, print_remedy};
use crate::terminal::{Line, Terminal, width};

/// The source of the statements of a shell.
#[derive(Debug, Clone, Default)]
pub struct Program {
    /// Commands to run (`-e`); the shell ends after them.
    pub commands: Vec<String>,
    /// A file of commands.
    pub file: Option<PathBuf>,
    /// What follows the script, or the options if there is none: `ARGV`.
    pub arguments: Vec<String>,
    /// Errors show the class of their exception (`-d`).
    pub debug: bool,
    /// The first error ends the shell with status 1 (`-n`).
    pub batch: bool,
    /// The format of what commands print.
    pub format: Format,
    /// Timestamps are shown as numbers (`--epoch`).
    pub epoch: bool,
}

/// The exit status after Ctrl-C.
const INTERRUPTED: i32 = 130;

/// The longest line, in bytes.
const LINE_MAX: u64 = 8 << 20;

/// Runs a shell; the exit status.
pub fn run(connection: Box<dyn Connection>, program: &Program, interrupt: Interrupt) -> i32 {
    let begin = Instant::now();
    show_numbers(program.epoch);
    let terminal = io::stdin().is_terminal() && io::stdout().is_terminal() && program.commands.is_empty();
    let colour = io::stdout().is_terminal()
        && std::env::var_os("NO_COLOR").is_none()
        && std::env::var_os("TERM").is_none_or(|term| term != "dumb");
    let out = Output::new(standard(), program.format, width(), colour);
    let input = Input { stdin: io::stdin(), interrupt: interrupt.clone() };
    let input = Rc::new(RefCell::new(BufReader::new(input)));
    let answers = Rc::clone(&input);
    let asked = interrupt.clone();
    let context = Context {
        connection,
        out,
        interrupt: interrupt.clone(),
        ask: Box::new(move || match read_line(&mut *answers.borrow_mut(), &asked) {
            Given::Line(line) => Some(String::from_utf8_lossy(&line).into_owned()),
            Given::End | Given::Interrupted | Given::Broken(_) => None,
        }),
        debug: program.debug,
        progress: io::stderr().is_terminal(),
        reference: None,
    };
    let batch = program.batch || !program.commands.is_empty();
    let mut session = Session::new(context, if batch { Mode::Batch } else { Mode::Interactive });
    let script = program.file.as_ref().map(|path| path.to_string_lossy().into_owned());
    session.set_command_line(script.as_deref(), &program.arguments);
    let mut runner = Runner { session: Rc::new(RefCell::new(session)), interrupt, line: 0, begin };
    let status = runner.run(program, terminal, &input);
    let mut session = runner.session.borrow_mut();
    session.context().out.flush();
    let out = &session.context().out;
    let status = match (out.write_error(), out.is_closed()) {
        (Some(error), _) => {
            eprintln!("hjall shell: standard output cannot be written: {error}");
            status.max(1)
        }
        // A reader that has closed it early, such as `head`.
        (None, true) => status.max(1),
        (None, false) => status,
    };
    if let Err(failure) = session.context().connection.close() {
        eprintln!("hjall shell: {failure}");
        return status.max(1);
    }
    status
}

/// The result of reading a line.
enum Given {
    /// A line without its end.
    Line(Vec<u8>),
    /// The input has ended.
    End,
    /// Ctrl-C.
    Interrupted,
    /// The input cannot be read further; why. What follows is not run: it may be the rest of a text.
    Broken(String),
}

/// Reads a line. The input reports Ctrl-C while it waits as an error, and sets the flag.
fn read_line(input: &mut impl BufRead, interrupt: &Interrupt) -> Given {
    let mut line = Vec::new();
    match input.by_ref().take(LINE_MAX + 1).read_until(b'\n', &mut line) {
        Err(_) if interrupt.is_pending() => Given::Interrupted,
        Err(error) => Given::Broken(format!("the input cannot be read: {error}")),
        Ok(0) => Given::End,
        Ok(_) => {
            if line.ends_with(b"\n") {
                line.pop();
            }
            if line.len() as u64 > LINE_MAX {
                let limit = LINE_MAX >> 20;
                return Given::Broken(format!("a line is longer than {limit} MiB; it and what follows were not run"));
            }
            if line.ends_with(b"\r") {
                line.pop();
            }
            Given::Line(line)
        }
    }
}

/// Standard input whose reads end at Ctrl-C.
struct Input {
    stdin: io::Stdin,
    #[cfg_attr(not(unix), expect(dead_code, reason = "a read cannot be interrupted"))]
    interrupt: Interrupt,
}

impl Read for Input {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        #[cfg(unix)]
        loop {
            use rustix::event::{PollFd, PollFlags, Timespec, poll};
            const POLL_INTERVAL: Timespec = Timespec { tv_sec: 0, tv_nsec: 50_000_000 };
            if self.interrupt.is_pending() {
                return Err(io::Error::other("ended by Ctrl-C"));
            }
            let mut ready = [PollFd::from_borrowed_fd(rustix::stdio::stdin(), PollFlags::IN)];
            match poll(&mut ready, Some(&POLL_INTERVAL)) {
                Ok(0) | Err(rustix::io::Errno::INTR) => {}
                // What poll cannot wait for, read reports.
                Ok(_) | Err(_) => break,
            }
        }
        self.stdin.read(out)
    }
}

/// Whether a line begins with the end of a block or a bracket.
fn closes(line: &[u8]) -> bool {
    let line = line.trim_ascii_start();
    let rest = line.strip_prefix(b"end").filter(|rest| !rest.first().is_some_and(u8::is_ascii_alphanumeric));
    rest.is_some() || matches!(line.first(), Some(b'}' | b']' | b')'))
}

/// Where lines come from.
trait Lines {
    /// The next line.
    fn next_line(&mut self, interrupt: &Interrupt) -> Given;
    /// Whether a whole line has been read from the operating system already.
    fn has_line(&mut self) -> bool;
}

impl Lines for BufReader<File> {
    fn next_line(&mut self, interrupt: &Interrupt) -> Given {
        read_line(self, interrupt)
    }

    fn has_line(&mut self) -> bool {
        // Reading a file does not wait.
        true
    }
}

/// Standard input, which commands that ask something read too.
struct Shared(Rc<RefCell<BufReader<Input>>>);

impl Lines for Shared {
    fn next_line(&mut self, interrupt: &Interrupt) -> Given {
        read_line(&mut *self.0.borrow_mut(), interrupt)
    }

    fn has_line(&mut self) -> bool {
        self.0.borrow().buffer().contains(&b'\n')
    }
}

struct Runner {
    session: Rc<RefCell<Session>>,
    interrupt: Interrupt,
    /// The number of the line.
    line: u64,
    begin: Instant,
}

impl Runner {
    fn run(&mut self, program: &Program, terminal: bool, input: &Rc<RefCell<BufReader<Input>>>) -> i32 {
        if !program.commands.is_empty() {
            return self.commands(&program.commands);
        }
        if let Some(path) = &program.file {
            let file = match File::open(path) {
                Ok(file) => file,
                Err(error) => {
                    eprintln!("hjall shell: cannot read {}: {error}; name another script", path.display());
                    return 1;
                }
            };
            let mut lines = BufReader::new(file);
            let done = self.lines(&mut lines, true);
            if let Some(status) = done {
                return status;
            }
            self.line = 0;
            self.session.borrow_mut().count_lines_from(0);
        }
        if !program.batch {
            self.banner();
        }
        if terminal {
            return self.terminal();
        }
        let mut lines = Shared(Rc::clone(input));
        self.lines(&mut lines, false).unwrap_or(0)
    }

    fn banner(&self) {
        let mut session = self.session.borrow_mut();
        let out = &mut session.context().out;
        if !out.tables() {
            return;
        }
        for line in BANNER {
            out.line(line);
        }
        out.line(&format!("Version {VERSION}"));
        out.took(self.begin.elapsed().as_secs_f64(), true);
    }

    fn prompt(&mut self, depth: usize, quote: Option<char>, more: bool) -> String {
        self.line += 1;
        let sign = match (quote, more) {
            (Some(quote), _) => quote,
            (None, true) => '*',
            (None, false) => '>',
        };
        format!("hbase:{:03}:{depth}{sign} ", self.line)
    }

    fn write(&self, text: &[u8]) {
        let mut session = self.session.borrow_mut();
        let out = &mut session.context().out;
        if out.tables() {
            out.raw(text);
        }
        out.flush();
    }

    /// The commands of `-e`.
    fn commands(&mut self, commands: &[String]) -> i32 {
        for command in commands {
            let mut lines = command.split('\n').peekable();
            while let Some(line) = lines.next() {
                let mut step = self.session.borrow_mut().line(line.as_bytes());
                if lines.peek().is_none() && matches!(step, Step::More(..)) {
                    step = self.session.borrow_mut().end();
                }
                match step {
                    Step::Done | Step::More(..) => {}
                    Step::Interrupted => return INTERRUPTED,
                    Step::End(status) => return status,
                    Step::Failed(exception) => return self.failed(&exception, true),
                }
            }
            self.session.borrow_mut().context().out.flush();
        }
        0
    }

    /// The lines of a file or of standard input. `None` if they have ended.
    fn lines(&mut self, source: &mut dyn Lines, script: bool) -> Option<i32> {
        let mut prompt = self.prompt(0, None, false);
        let mut open = false;
        loop {
            // As in HBase, a line that closes a block or a bracket has no prompt. It is known before the prompt is
            // shown only if it has arrived.
            let early = (open && source.has_line()).then(|| source.next_line(&self.interrupt));
            let closes = matches!(&early, Some(Given::Line(line)) if closes(line));
            if !closes {
                self.write(prompt.as_bytes());
            }
            let line = match early.unwrap_or_else(|| source.next_line(&self.interrupt)) {
                Given::Line(line) => line,
                Given::End => {
                    self.write(b"\n");
                    let ended = self.session.borrow_mut().end();
                    return match ended {
                        Step::Failed(exception) => Some(self.failed(&exception, !script)),
                        _ => None,
                    };
                }
                Given::Interrupted => {
                    self.write(b"\n");
                    return Some(INTERRUPTED);
                }
                Given::Broken(why) => {
                    self.write(b"\n");
                    eprintln!("hjall shell: {why}");
                    return Some(1);
                }
            };
            self.write(&[&line[..], b"\n"].concat());
            let step = self.session.borrow_mut().line(&line);
            open = matches!(step, Step::More(1.., None));
            prompt = match step {
                Step::Done => self.prompt(0, None, false),
                Step::More(depth, quote) => self.prompt(depth, quote, true),
                Step::Interrupted => return Some(INTERRUPTED),
                Step::End(status) => return Some(status),
                Step::Failed(exception) => return Some(self.failed(&exception, !script)),
            };
        }
    }

    /// Prints the error that ended the shell.
    fn failed(&mut self, exception: &Exception, to_stderr: bool) -> i32 {
        let text = format!("ERROR {}: {}", exception.class, exception.message);
        let mut session = self.session.borrow_mut();
        let context = session.context();
        let out = &mut context.out;
        if to_stderr || !out.tables() {
            if !out.at_line_start {
                out.raw(b"\n");
            }
            out.flush();
            eprintln!("{text}");
        } else {
            out.raw(text.as_bytes());
            out.raw(b"\n");
            out.flush();
        }
        if let Some(remedy) = &exception.remedy {
            print_remedy(context, remedy);
        }
        1
    }

    fn terminal(&mut self) -> i32 {
        let mut terminal = match Terminal::new(Rc::clone(&self.session)) {
            Ok(terminal) => terminal,
            Err(error) => {
                eprintln!("hjall shell: the terminal cannot be used: {error}; use -n, -e or a file");
                return 1;
            }
        };
        let mut prompt = self.prompt(0, None, false);
        loop {
            {
                let mut session = self.session.borrow_mut();
                let out = &mut session.context().out;
                out.flush();
                out.set_width(terminal.width());
            }
            // Ctrl-C that came after the last statement had ended. From now on, it is for the next one.
            self.interrupt.clear();
            let line = terminal.read(&prompt);
            self.session.borrow_mut().context().out.at_line_start = true;
            prompt = match line {
                Line::Text(line) => {
                    // A line that was dropped has had a number too.
                    let before = u32::try_from(self.line.saturating_sub(1)).unwrap_or(u32::MAX);
                    self.session.borrow_mut().count_lines_from(before);
                    let step = self.session.borrow_mut().line(line.as_bytes());
                    match step {
                        Step::Done => self.prompt(0, None, false),
                        Step::More(depth, quote) => self.prompt(depth, quote, true),
                        Step::Interrupted => {
                            let mut session = self.session.borrow_mut();
                            let out = &mut session.context().out;
                            if !out.at_line_start {
                                out.raw(b"\n");
                            }
                            drop(session);
                            self.prompt(0, None, false)
                        }
                        Step::End(status) => return status,
                        Step::Failed(exception) => return self.failed(&exception, true),
                    }
                }
                Line::Dropped => {
                    self.session.borrow_mut().abandon();
                    self.prompt(0, None, false)
                }
                Line::End => return 0,
            };
        }
    }
}
