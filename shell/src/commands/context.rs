//! What commands work with.

use crate::connection::Connection;
use crate::interrupt::Interrupt;
use crate::output::Output;

/// What commands work with.
pub struct Context {
    /// Where they go.
    pub connection: Box<dyn Connection>,
    /// What they print to.
    pub out: Output,
    /// Ctrl-C.
    pub interrupt: Interrupt,
    /// Reads the answer to a question; `None` at the end of the input.
    pub ask: Box<dyn FnMut() -> Option<String>>,
    /// Whether errors show the class of their exception.
    pub debug: bool,
    /// Whether progress may be shown on standard error.
    pub progress: bool,
    /// The name of the table as errors show it, if a reference is used.
    pub reference: Option<String>,
}

impl Context {
    /// Shows what takes long on the terminal, until the value is dropped.
    pub fn progress(&self, what: &str) -> Progress {
        if self.progress {
            eprint!("{what} …");
        }
        Progress(self.progress)
    }
}

/// A line on the terminal that says what is being done.
pub struct Progress(bool);

impl Drop for Progress {
    fn drop(&mut self) {
        if self.0 {
            eprint!("\r\x1b[K");
        }
    }
}
