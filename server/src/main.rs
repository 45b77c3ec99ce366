//! The `hjall` binary: its command line, and everything else is the library's.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(hjall_server::cli::run(std::env::args_os()))
}
