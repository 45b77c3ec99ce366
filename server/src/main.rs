//! The `hjall` binary: the command line, the log, signals and exit codes; everything else is the library's.

mod cli;

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::run()
}
