//! The terminal: line editing, history, completion.

mod complete;
#[cfg(unix)]
mod paste;

use std::cell::RefCell;
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
    pasted: std::collections::VecDeque<String>,
}

impl Terminal {
    /// A terminal whose completion asks a session.
    ///
    /// # Errors
    /// Those of the terminal.
    pub fn new(session: Rc<RefCell<Session>>) -> rustyline::Result<Self> {
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
            // A file that does not exist yet is no error worth a message.
            let _ = editor.load_history(path);
        }
        Ok(Self {
            editor,
            history,
            #[cfg(unix)]
            pasted: std::collections::VecDeque::new(),
        })
    }

    /// The width of the terminal, in columns.
    pub fn width(&mut self) -> usize {
        width()
    }

    /// Reads a line.
    pub fn read(&mut self, prompt: &str) -> Line {
        #[cfg(unix)]
        let initial = match self.pasted(prompt) {
            Some(paste::Pasted::Line(line)) => {
                self.remember(&line);
                return Line::Text(line);
            }
            Some(paste::Pasted::Beginning(text)) => text,
            None => String::new(),
        };
        #[cfg(not(unix))]
        let initial = String::new();
        match self.editor.readline_with_initial(prompt, (&initial, "")) {
            Ok(line) => {
                self.remember(&line);
                Line::Text(line)
            }
            Err(ReadlineError::Interrupted) => Line::Dropped,
            Err(_) => Line::End,
        }
    }

    #[cfg(unix)]
    fn pasted(&mut self, prompt: &str) -> Option<paste::Pasted> {
        use std::io::Write;
        if let Some(line) = self.pasted.pop_front() {
            let mut out = std::io::stdout();
            let _ = writeln!(out, "{prompt}{line}");
            return Some(paste::Pasted::Line(line));
        }
        let (first, rest) = paste::wait(prompt, width())?;
        self.pasted = rest;
        Some(first)
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
