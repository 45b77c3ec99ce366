//! What the binary does, from its arguments to its exit code.

mod args;
mod config;
mod exit;
mod log;
mod reload;
mod serve;
mod signals;

use std::process::ExitCode;

/// Does what the command line says.
pub fn run() -> ExitCode {
    let done = match args::read() {
        args::Asked::Serve(sources) => serve::run(&sources),
        args::Asked::Config(sources, form) => config::run(&sources, form),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("hjall: {failure}");
            ExitCode::from(failure.code())
        }
    }
}
