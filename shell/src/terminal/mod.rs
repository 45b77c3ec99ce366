//! The terminal: line editing, history, completion.

mod complete;
#[cfg(unix)]
mod paste;

use std::cell::RefCell;
#[cfg(unix)]
use std::io::Write;
use std::path::PathBuf;
use std::rc::Rc;

use rustyline::Editor;
use rustyline::config::{BellStyle, CompletionType, Config};
use rustyline::error::ReadlineError;
use rustyline::history::FileHistory;

use crate::session::Session;
use complete::Names;

/// Lines that the history keeps.
const HISTORY_MAX: usize = 10_000;

/// A line from the terminal.
pub enum Line {
    /// A line without its end.
    Text(String),
    /// Ctrl-C: the line is dropped.
    Dropped,
    /// Ctrl-D, or the terminal is gone.
    End,
}

/// A terminal that lines are read from.
pub struct Terminal {
    editor: Editor<Names, FileHistory>,
    history: Option<PathBuf>,
    /// Lines that were pasted together with the last one.
    #[cfg(unix)]
    pasted: std::collections::VecDeque<paste::Event>,
    /// The beginning of a line that was pasted behind them.
    #[cfg(unix)]
    rest: String,
}

/// The input that was taken before the editor reads.
#[cfg(unix)]
enum Taken {
    /// A whole line.
    Line(Line),
    /// The beginning of a line.
    Beginning(String),
    /// A line of the history, and the lines from it on, which are not in the history now.
    History(String, Vec<String>),
}

impl Terminal {
    /// A terminal whose completion asks a session.
    ///
    /// # Errors
    /// Those of the terminal.
    pub fn new(session: Rc<RefCell<Session>>) -> rustyline::Result<Self> {
        #[cfg(unix)]
        restore_at_signals()?;
        let config = Config::builder()
            .completion_type(CompletionType::List)
            .completion_prompt_limit(200)
            .max_history_size(HISTORY_MAX)?
            .history_ignore_dups(true)?
            .bell_style(BellStyle::None)
            .auto_add_history(false)
            .build();
        let mut editor = Editor::with_config(config)?;
        editor.set_helper(Some(Names::new(session)));
        let home = std::env::var_os("HOME").or_else(|| std::env::var_os("USERPROFILE")).map(PathBuf::from);
        let history = home.map(|home| home.join(".hjall_shell_history"));
        if let Some(path) = &history {
            // A file that does not exist yet needs no message.
            let _ = editor.load_history(path);
        }
        Ok(Self {
            editor,
            history,
            #[cfg(unix)]
            pasted: std::collections::VecDeque::new(),
            #[cfg(unix)]
            rest: String::new(),
        })
    }

    /// The width of the terminal, in columns.
    pub fn width(&mut self) -> usize {
        width()
    }

    /// Reads a line.
    pub fn read(&mut self, prompt: &str) -> Line {
        #[cfg(unix)]
        let (_raw, taken) = self.taken(prompt);
        #[cfg(unix)]
        let (initial, later) = match taken {
            Taken::Line(line) => return line,
            Taken::Beginning(initial) => (initial, Vec::new()),
            Taken::History(line, later) => (line, later),
        };
        #[cfg(not(unix))]
        let (initial, later) = (String::new(), Vec::<String>::new());
        let read = self.editor.readline_with_initial(prompt, (&initial, ""));
        for line in later {
            let _ = self.editor.add_history_entry(line);
        }
        match read {
            Ok(line) => {
                self.remember(&line);
                Line::Text(line)
            }
            Err(ReadlineError::Interrupted) => Line::Dropped,
            Err(_) => Line::End,
        }
    }

    /// Shows the prompt, and takes what arrives in one piece. The terminal stays in raw mode for the editor.
    #[cfg(unix)]
    fn taken(&mut self, prompt: &str) -> (Option<paste::RawMode>, Taken) {
        if let Some(event) = self.pasted.pop_front() {
            let _ = write!(std::io::stdout(), "{prompt}");
            return (None, Taken::Line(self.happened(event)));
        }
        // What was pasted behind the last whole line.
        let rest = std::mem::take(&mut self.rest);
        if !rest.is_empty() {
            return (None, Taken::Beginning(rest));
        }
        match paste::wait(prompt) {
            None => (None, Taken::Beginning(String::new())),
            Some((raw, pasted)) => (Some(raw), self.understood(pasted)),
        }
    }

    /// The handling of input that arrived in one piece, if any did.
    #[cfg(unix)]
    fn understood(&mut self, pasted: Option<paste::Pasted>) -> Taken {
        let mut out = std::io::stdout();
        match pasted {
            None => Taken::Beginning(String::new()),
            Some(paste::Pasted::Lines(events, rest)) => {
                (self.pasted, self.rest) = (events.into(), rest);
                let first = self.pasted.pop_front().unwrap_or(paste::Event::Line(String::new()));
                Taken::Line(self.happened(first))
            }
            Some(paste::Pasted::Refused(letter)) => {
                let shown = letter.escape_unicode();
                let _ = writeln!(
                    out,
                    "\nThe text contains a control character ({shown}); nothing of it was run. In double quotes, write \
                     \\xHH or \\e for it."
                );
                Taken::Line(Line::Dropped)
            }
            Some(paste::Pasted::Beginning(text, tabs)) => Taken::Beginning(self.completed(text, tabs)),
            Some(paste::Pasted::Previous(presses, false)) => self.previous(presses),
            Some(paste::Pasted::Previous(presses, true)) => {
                let history = self.editor.history();
                let line = history.iter().rev().nth(presses - 1).or(history.iter().next()).cloned().unwrap_or_default();
                let _ = writeln!(out, "{line}");
                self.remember(&line);
                Taken::Line(Line::Text(line))
            }
        }
    }

    /// A line or a key that arrived with others; the prompt is shown.
    #[cfg(unix)]
    fn happened(&mut self, event: paste::Event) -> Line {
        let mut out = std::io::stdout();
        match event {
            paste::Event::Line(line) => {
                let _ = writeln!(out, "{line}");
                self.remember(&line);
                Line::Text(line)
            }
            paste::Event::Drop => {
                let _ = writeln!(out, "^C");
                Line::Dropped
            }
            paste::Event::End => {
                let _ = writeln!(out);
                Line::End
            }
        }
    }

    /// A line of the history. It and the later ones are taken out while it is edited, so that the next key goes to the
    /// one before.
    #[cfg(unix)]
    fn previous(&mut self, presses: usize) -> Taken {
        let history = self.editor.history();
        let mut lines: Vec<String> = history.iter().cloned().collect();
        let later = lines.split_off(lines.len().saturating_sub(presses));
        let Some(last) = later.first().cloned() else { return Taken::Beginning(String::new()) };
        if self.editor.clear_history().is_err() {
            return Taken::Beginning(last);
        }
        for line in lines {
            let _ = self.editor.add_history_entry(line);
        }
        Taken::History(last, later)
    }

    /// A beginning, completed as far as Tab does; a second Tab lists what it can become.
    #[cfg(unix)]
    fn completed(&self, text: String, tabs: usize) -> String {
        let Some(names) = self.editor.helper().filter(|_| tabs > 0) else { return text };
        let (begin, offers) = names.offers(&text);
        let Some(first) = offers.first() else { return text };
        let shared = offers.iter().fold(first.clone(), |shared, offer| {
            let same = shared.chars().zip(offer.chars()).take_while(|(a, b)| a == b);
            same.map(|(a, _)| a).collect()
        });
        if tabs > 1 && offers.len() > 1 {
            let longest = offers.iter().map(|offer| offer.chars().count()).max().unwrap_or(0) + 2;
            let columns = (width() / longest).max(1);
            let mut out = std::io::stdout();
            let _ = writeln!(out);
            for line in offers.chunks(columns) {
                let line: String = line.iter().map(|offer| format!("{offer:longest$}")).collect();
                let _ = writeln!(out, "{}", line.trim_end());
            }
        }
        format!("{}{shared}", &text[..begin])
    }

    fn remember(&mut self, line: &str) {
        if line.trim().is_empty() {
            return;
        }
        let _ = self.editor.add_history_entry(line);
        if let Some(path) = &self.history {
            let _ = self.editor.append_history(path);
        }
    }
}

/// Restores the terminal before a signal ends the process: a line is read without echo and line editing.
#[cfg(unix)]
fn restore_at_signals() -> std::io::Result<()> {
    use rustix::termios::{OptionalActions, tcgetattr, tcsetattr};
    use signal_hook::consts::{SIGHUP, SIGTERM};
    let original = tcgetattr(rustix::stdio::stdin())?;
    let mut signals = signal_hook::iterator::Signals::new([SIGTERM, SIGHUP])?;
    std::thread::Builder::new().name("hjall-signals".to_owned()).spawn(move || {
        if let Some(signal) = signals.forever().next() {
            let _ = tcsetattr(rustix::stdio::stdin(), OptionalActions::Now, &original);
            let _ = signal_hook::low_level::emulate_default_handler(signal);
        }
    })?;
    Ok(())
}

/// The width of the terminal that standard output is; 0: it is none.
#[cfg(unix)]
pub fn width() -> usize {
    rustix::termios::tcgetwinsize(rustix::stdio::stdout()).map_or(0, |size| usize::from(size.ws_col))
}

/// The width of the terminal that standard output is; 0: it is none.
#[cfg(not(unix))]
pub fn width() -> usize {
    use std::io::IsTerminal;
    if std::io::stdout().is_terminal() { 80 } else { 0 }
}
