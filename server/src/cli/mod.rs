//! What the binary does, from its arguments to its exit code.

mod args;
mod exit;
mod log;
mod serve;

use std::process::ExitCode;

use clap::Parser;

/// Does what the command line says.
pub fn run() -> ExitCode {
    let args::Args { command: args::Command::Serve(args) } = args::Args::parse();
    match serve::run(*args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("hjall: {failure}");
            ExitCode::from(failure.code())
        }
    }
}
