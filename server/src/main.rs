//! The `hjall` binary. Everything else is in the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(hjall_server::cli::run(std::env::args_os()))
}
