//! The command line of the binary and of `python -m hjall`, from the arguments to the exit code.
//!
//! It takes over the process: its signals, its log, and its limit on open files.

mod args;
mod backup;
mod compact;
mod config;
#[cfg(unix)]
mod control;
mod exit;
mod folder;
mod log;
mod open_files;
mod output;
mod reload;
mod serve;
mod shell;
mod signals;
#[cfg(feature = "otel")]
mod traces;
mod user;
mod users_file;
mod warnings;

use std::ffi::OsString;

/// Runs a command line, which starts with the name of the program, and returns the exit code. Exits the process
/// itself after printing help or if the command line cannot be parsed.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    let subcommand = args::read(arguments);
    if let Err(error) = signals::survive_file_size_limit() {
        let failure = exit::Failure::Signals(error);
        log::say(format!("hjall: {failure}"));
        return failure.code();
    }
    let done = match subcommand {
        args::Subcommand::Serve(sources) => serve::run(&sources),
        args::Subcommand::Backup(sources, to, extent) => backup::backup(&sources, &to, extent),
        args::Subcommand::Restore(sources, from) => backup::restore(&sources, &from),
        args::Subcommand::Verify(sources) => backup::verify(&sources),
        args::Subcommand::Repair(sources, accept_loss) => backup::repair(&sources, accept_loss),
        args::Subcommand::Compact(sources, tables) => compact::run(&sources, &tables),
        args::Subcommand::User(command) => user::run(command),
        args::Subcommand::Config(sources, format, strict) => config::run(&sources, format, strict),
        args::Subcommand::Shell(command) => match shell::run(&command) {
            Ok(0) => Ok(()),
            Ok(status) => return u8::try_from(status & 0xFF).unwrap_or(1),
            Err(failure) => Err(failure),
        },
    };
    let code = match done {
        Ok(()) => 0,
        Err(failure) => {
            log::say(format!("hjall: {failure}"));
            failure.code()
        }
    };
    match output::failure() {
        None => code,
        Some(error) => {
            log::say(format!("hjall: {}", output::cannot_write(error)));
            code.max(1)
        }
    }
}
