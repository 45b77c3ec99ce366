//! What the binary does, from its arguments to its exit code; `python -m hjall` does the same. It takes over the process: its signals, its log.

mod args;
mod config;
mod exit;
mod log;
mod open_files;
mod reload;
mod serve;
mod signals;
#[cfg(feature = "otel")]
mod traces;

use std::ffi::OsString;

/// Does what a command line says, the program's name first; returns the process's exit code. May end the process itself.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    let done = match args::read(arguments) {
        args::Asked::Serve(sources) => serve::run(&sources),
        args::Asked::Config(sources, form) => config::run(&sources, form),
    };
    match done {
        Ok(()) => 0,
        Err(failure) => {
            eprintln!("hjall: {failure}");
            failure.code()
        }
    }
}
