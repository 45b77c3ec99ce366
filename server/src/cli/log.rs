//! The log of the process, on standard error.

use std::io;

use hjall_server::settings::Log;
use tracing_subscriber::fmt::format::FmtSpan;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{EnvFilter, Layer, Registry, reload};

use super::exit::Failure;

/// Changes what is logged while the process runs.
pub struct Filter(reload::Handle<EnvFilter, Registry>);

impl Filter {
    /// Logs by another filter from now on; the text says why that cannot be.
    pub fn set(&self, filter: &str) -> Result<(), String> {
        let parsed = EnvFilter::try_new(filter).map_err(|error| refusal(filter, &error))?;
        self.0.reload(parsed).map_err(|error| error.to_string())
    }
}

/// Whether a filter can be read; the text says why not.
pub fn check(filter: &str) -> Result<(), String> {
    EnvFilter::try_new(filter).map(drop).map_err(|error| refusal(filter, &error))
}

fn refusal(filter: &str, error: &dyn std::fmt::Display) -> String {
    format!("{filter}: {error}; try info or info,hjall_server=debug")
}

/// Sends all events to standard error from now on. `origin`: where the filter comes from, for the error.
pub fn start(log: &Log, origin: &str) -> Result<Filter, Failure> {
    check(&log.filter).map_err(|why| Failure::Usage(format!("{origin} {why}")))?;
    let (filter, handle) = reload::Layer::new(EnvFilter::new(&log.filter));
    let lines =
        tracing_subscriber::fmt::layer().with_writer(io::stderr).with_target(false).with_span_events(FmtSpan::CLOSE);
    let lines: Box<dyn Layer<Registry> + Send + Sync> = match log.json {
        false => lines.with_ansi(io::IsTerminal::is_terminal(&io::stderr())).with_filter(filter).boxed(),
        true => lines.json().flatten_event(true).with_filter(filter).boxed(),
    };
    tracing_subscriber::registry().with(lines).init();
    Ok(Filter(handle))
}
