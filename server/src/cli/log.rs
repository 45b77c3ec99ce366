//! The log of the process, on standard error, and the export of spans.

use std::io;

use hjall_server::settings::{InForce, Launch};
use tracing_subscriber::fmt::format::FmtSpan;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{EnvFilter, Layer, Registry, reload};

use super::exit::Failure;
#[cfg(feature = "otel")]
use super::traces::{self, Traces};

/// Handle of the log. Changes the filter at run time, and sends the remaining spans when it is dropped.
pub struct Log {
    filter: reload::Handle<EnvFilter, Registry>,
    #[cfg(feature = "otel")]
    _traces: Option<Traces>,
}

impl Log {
    /// Replaces the filter. The error is a message for the operator.
    pub fn set(&self, filter: &str) -> Result<(), String> {
        let parsed = EnvFilter::try_new(filter).map_err(|error| refusal(filter, &error))?;
        self.filter.reload(parsed).map_err(|error| error.to_string())
    }
}

/// Checks the syntax of a filter. The error is a message for the operator.
pub fn check(filter: &str) -> Result<(), String> {
    EnvFilter::try_new(filter).map(drop).map_err(|error| refusal(filter, &error))
}

fn refusal(filter: &str, error: &dyn std::fmt::Display) -> String {
    format!("{filter}: {error}; try info or info,hjall_server=debug")
}

/// Installs the log: events go to standard error, spans to `log.traces`.
pub fn start(launch: &Launch, force: &InForce) -> Result<Log, Failure> {
    let from = |name: &str| force.entry(name).map(|entry| entry.origin.to_string()).unwrap_or_default();
    check(&launch.log.filter).map_err(|why| Failure::Usage(format!("{} {why}", from("log.filter"))))?;
    let (filter, handle) = reload::Layer::new(EnvFilter::new(&launch.log.filter));
    let lines =
        tracing_subscriber::fmt::layer().with_writer(io::stderr).with_target(false).with_span_events(FmtSpan::CLOSE);
    let lines: Box<dyn Layer<Registry> + Send + Sync> = match launch.log.json {
        false => lines.with_ansi(io::IsTerminal::is_terminal(&io::stderr())).with_filter(filter).boxed(),
        true => lines.json().flatten_event(true).with_filter(filter).boxed(),
    };
    let subscriber = tracing_subscriber::registry().with(lines);
    #[cfg(feature = "otel")]
    {
        let sent = launch.traces.as_deref().map(traces::start).transpose();
        let sent = sent.map_err(|why| Failure::Usage(format!("{}: log.traces: {why}", from("log.traces"))))?;
        let (traces, layer) = sent.unzip();
        subscriber.with(layer).init();
        Ok(Log { filter: handle, _traces: traces })
    }
    #[cfg(not(feature = "otel"))]
    {
        subscriber.init();
        Ok(Log { filter: handle })
    }
}
