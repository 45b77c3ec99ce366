//! The log of the process, on standard error.

use std::io;

use tracing_subscriber::EnvFilter;

use super::args::LogFormat;
use super::exit::Failure;

/// Sends all events to standard error from now on.
pub fn start(format: LogFormat, filter: &str) -> Result<(), Failure> {
    let filter = EnvFilter::try_new(filter)
        .map_err(|e| Failure::Usage(format!("--log {filter}: {e}; try info or info,hjall_server=debug")))?;
    let log = tracing_subscriber::fmt().with_env_filter(filter).with_writer(io::stderr).with_target(false);
    match format {
        LogFormat::Human => log.with_ansi(io::IsTerminal::is_terminal(&io::stderr())).init(),
        LogFormat::Json => log.json().flatten_event(true).init(),
    }
    Ok(())
}
