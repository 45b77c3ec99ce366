//! The HBase shell: the commands and the language that HBase's guides teach, over a data folder or a Thrift2 server.
//!
//! [`connection`] has the two ways to the data, [`language`] what scripts use of Ruby, `commands` the commands, and
//! [`run()`] runs a shell. The modules may use each other as the table in ARCHITECTURE.md says.

mod commands;
pub mod connection;
mod convert;
pub mod interrupt;
pub mod language;
mod named_file;
pub mod output;
mod run;
mod session;
mod terminal;

pub use run::{Program, run};

/// Runs a function on a thread with a stack that the language's deepest nesting fits in.
///
/// # Errors
/// Those of starting a thread.
pub fn on_large_stack<T: Send + 'static>(function: impl FnOnce() -> T + Send + 'static) -> std::io::Result<T> {
    const STACK_BYTES: usize = 256 << 20;
    let thread = std::thread::Builder::new().name("hjall-shell".to_owned()).stack_size(STACK_BYTES).spawn(function)?;
    thread.join().map_err(|_| std::io::Error::other("the shell ended unexpectedly"))
}
