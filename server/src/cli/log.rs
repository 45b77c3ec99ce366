//! The log of the process, on standard error, and the export of spans.

use std::io::{self, Write};
use std::sync::{Mutex, PoisonError, mpsc};
use std::time::Duration;

use hjall_engine::quote::visible;
use hjall_server::observe::{LineFormat, LogWriter};
use hjall_server::settings::{Effective, StartupOptions, nearest};
use tracing::field::{Field, Visit};
use tracing::level_filters::LevelFilter;
use tracing::{Event, Level};
use tracing_subscriber::filter::FilterExt;
use tracing_subscriber::fmt::format::{FmtSpan, JsonFields, Writer};
use tracing_subscriber::fmt::{FmtContext, FormatEvent, FormatFields};
use tracing_subscriber::layer::{Filter, SubscriberExt};
use tracing_subscriber::registry::LookupSpan;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{EnvFilter, Layer, Registry, reload};

use super::exit::Failure;
#[cfg(feature = "otel")]
use super::traces::{self, Traces};

/// The filter of the log, or two of them.
type AnyFilter = Box<dyn Filter<Registry> + Send + Sync>;

/// How long the process waits for the reader of its standard error before it continues or exits.
const READER_WAIT: Duration = Duration::from_secs(1);

/// Handle of the log. Changes the filter at run time, and writes the remaining lines and spans when it is dropped.
pub struct Log {
    filter: reload::Handle<AnyFilter, Registry>,
    /// The text of the filter.
    wanted: Mutex<String>,
    writer: LogWriter,
    #[cfg(feature = "otel")]
    _traces: Option<Traces>,
}

impl Log {
    /// Changes the filter. Until [`Self::narrow`] is called, lines that the earlier one lets through are logged, too.
    /// The error is a message for the operator.
    pub fn widen(&self, filter: &str) -> Result<(), String> {
        let mut wanted = self.wanted.lock().unwrap_or_else(PoisonError::into_inner);
        if *wanted != filter {
            let both = parse(&wanted)?.or(parse(filter)?);
            self.filter.reload(Box::new(both) as AnyFilter).map_err(|error| error.to_string())?;
            filter.clone_into(&mut wanted);
        }
        Ok(())
    }

    /// Leaves only the filter that was set last.
    pub fn narrow(&self) {
        let wanted = self.wanted.lock().unwrap_or_else(PoisonError::into_inner);
        let narrowed = parse(&wanted)
            .and_then(|filter| self.filter.reload(Box::new(filter) as AnyFilter).map_err(|error| error.to_string()));
        if let Err(why) = narrowed {
            tracing::error!("the log's filter is unchanged: {why}");
        }
    }

    /// Waits until the lines logged so far have been written, unless their reader is slow.
    pub fn flush(&self) {
        self.writer.flush_within(READER_WAIT);
    }
}

impl Drop for Log {
    fn drop(&mut self) {
        self.flush();
    }
}

/// Prints a line to standard error without waiting for a slow reader. It may contain names that clients have chosen.
pub fn say(line: String) {
    let line = visible(&line).into_owned();
    // If standard error is closed, there is no reader.
    let print = |line: &str| drop(writeln!(io::stderr().lock(), "{line}"));
    let (done, printed) = mpsc::channel();
    let copy = line.clone();
    let printing = std::thread::Builder::new().spawn(move || {
        print(&copy);
        let _ = done.send(());
    });
    match printing {
        Ok(_) => drop(printed.recv_timeout(READER_WAIT)),
        // The line may be about that: a limit on threads or on memory.
        Err(_) => print(&line),
    }
}

/// Checks the log's filter.
pub fn check(startup: &StartupOptions, effective: &Effective) -> Result<(), Failure> {
    filter(startup, effective).map(drop)
}

/// The log's filter. The error names the place where it was set.
fn filter(startup: &StartupOptions, effective: &Effective) -> Result<EnvFilter, Failure> {
    parse(&startup.log.filter).map_err(|why| {
        let origin = effective.entry("log.filter").map(|entry| entry.origin.to_string()).unwrap_or_default();
        Failure::Usage(format!("{origin}: log.filter = {why}"))
    })
}

/// hjall's crates, whose names the targets of their events begin with.
const OWN_CRATES: [&str; 5] = ["hjall", "hjall_server", "hjall_engine", "hjall_shell", "hjall_idl"];

/// The libraries that log.
const LIBRARIES: [&str; 11] = [
    "fjall",
    "lsm_tree",
    "tokio",
    "tokio_rustls",
    "rustls",
    "mio",
    "hyper",
    "hyper_util",
    "reqwest",
    "opentelemetry",
    "opentelemetry_sdk",
];

/// The words for levels.
const LEVELS: [&str; 6] = ["error", "warn", "info", "debug", "trace", "off"];

/// Checks that a directive can have an effect. [`EnvFilter`] takes every word for the target of some module, so that a
/// misspelt level would turn the log off.
fn check_directive(directive: &str) -> Result<(), String> {
    let end = directive.find(['=', '[']).unwrap_or(directive.len());
    let target = &directive[..end];
    let first = target.split("::").next().unwrap_or(target);
    let names_own = OWN_CRATES.contains(&first);
    if target.is_empty() || directive.parse::<LevelFilter>().is_ok() || names_own {
        return Ok(());
    }
    if first.starts_with("hjall") {
        let meant = nearest(first, OWN_CRATES).map(|own| format!("; did you mean {own}?")).unwrap_or_default();
        return Err(format!("{first} is not a crate of hjall; its crates are {}{meant}", OWN_CRATES.join(", ")));
    }
    // With a level, it may be any library, such as one that a program adds which embeds the server.
    if end < directive.len() || LIBRARIES.contains(&first) {
        return Ok(());
    }
    let meant = nearest(target, LEVELS).map(|level| format!("; did you mean {level}?")).unwrap_or_default();
    Err(format!(
        "{target} is neither a level ({}) nor a crate that logs; write a module with its level, as in \
         hjall_server=debug{meant}",
        LEVELS.join(", ")
    ))
}

/// Parses a filter. A level without a module applies to hjall; libraries log warnings and errors at most, unless the
/// filter names them.
fn parse(filter: &str) -> Result<EnvFilter, String> {
    // Commas also separate the fields of a span, such as `[call{a=1,b=2}]`, which are not checked.
    if !filter.contains('{') {
        filter
            .split(',')
            .try_for_each(|directive| check_directive(directive.trim()))
            .map_err(|why| format!("{filter}: {why}"))?;
    }
    let directives = filter.split(',').map(|directive| match directive.trim().parse::<LevelFilter>() {
        Ok(level) => format!("{},hjall={level}", level.min(LevelFilter::WARN)),
        Err(_) => directive.to_owned(),
    });
    let directives = directives.collect::<Vec<_>>().join(",");
    EnvFilter::try_new(directives).map_err(|error| format!("{filter}: {error}; try info or info,hjall_server=debug"))
}

/// Leaves out what fjall and lsm-tree log of events that are no failures:
///
/// * errors of compactions that the engine has ended. An error is the only way to end one. If it was requested, the
///   engine returns or logs the reason;
/// * warnings that a file could not be removed because it does not exist. When a space is dropped while scans use it,
///   its folder is removed before the last of its files is released.
///
/// A filter cannot do this: tracing-subscriber's filters of a single layer must not depend on the fields of an event.
struct WithoutHarmless<F>(F);

impl<S, N, F> FormatEvent<S, N> for WithoutHarmless<F>
where
    S: tracing::Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
    F: FormatEvent<S, N>,
{
    fn format_event(&self, context: &FmtContext<'_, S, N>, out: Writer<'_>, event: &Event<'_>) -> std::fmt::Result {
        let metadata = event.metadata();
        let is_harmless = match *metadata.level() {
            _ if metadata.target().starts_with("hjall") => None,
            Level::ERROR => Some(is_of_ended_compaction as fn(&str) -> bool),
            Level::WARN => Some(is_of_removed_file as fn(&str) -> bool),
            _ => None,
        };
        if let Some(is_harmless) = is_harmless {
            let mut message = Message { is_harmless, was_harmless: false };
            event.record(&mut message);
            if message.was_harmless {
                return Ok(());
            }
        }
        self.0.format_event(context, out, event)
    }
}

/// Whether a message has the error of a compaction that the engine has ended: for fjall's own compactions, an error of
/// the kind `Interrupted`, while that of the operating system has a number; for requested ones, `Interrupted` in the
/// engine's `requested_compaction.rs`.
fn is_of_ended_compaction(message: &str) -> bool {
    message.trim_end_matches(')').ends_with("Io(Kind(Interrupted") || message.contains("error: Interrupted { error: ")
}

/// Whether a message says that a file could not be removed, because it does not exist.
fn is_of_removed_file(message: &str) -> bool {
    message.starts_with("Failed to cleanup deleted table") && message.contains("kind: NotFound")
}

/// Whether the message of an event is harmless.
struct Message {
    is_harmless: fn(&str) -> bool,
    was_harmless: bool,
}

impl Visit for Message {
    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        if field.name() == "message" {
            self.was_harmless = (self.is_harmless)(&format!("{value:?}"));
        }
    }
}

/// Formats events. Those of libraries carry their origin.
struct MarkLibraries<F> {
    plain: F,
    with_target: F,
}

impl<S, N, F> FormatEvent<S, N> for MarkLibraries<F>
where
    S: tracing::Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
    F: FormatEvent<S, N>,
{
    fn format_event(&self, context: &FmtContext<'_, S, N>, out: Writer<'_>, event: &Event<'_>) -> std::fmt::Result {
        let format = if event.metadata().target().starts_with("hjall") { &self.plain } else { &self.with_target };
        format.format_event(context, out, event)
    }
}

/// Installs the log: events go to standard error, spans to `log.traces`. Panics are logged like other events.
pub fn start(startup: &StartupOptions, effective: &Effective) -> Result<Log, Failure> {
    let filter = filter(startup, effective)?;
    let wanted = Mutex::new(startup.log.filter.clone());
    let (filter, handle) = reload::Layer::new(Box::new(filter) as AnyFilter);
    let colours = !startup.log.json && io::IsTerminal::is_terminal(&io::stderr());
    let form = if startup.log.json { LineFormat::Json } else { LineFormat::Text { colours } };
    let writer = LogWriter::start(io::stderr(), form).map_err(Failure::Log)?;
    let lines = {
        let writer = writer.clone();
        tracing_subscriber::fmt::layer().with_writer(move || writer.clone()).with_span_events(FmtSpan::CLOSE)
    };
    let lines: Box<dyn Layer<Registry> + Send + Sync> = match startup.log.json {
        false => {
            let (plain, with_target) = (
                tracing_subscriber::fmt::format().with_target(false),
                tracing_subscriber::fmt::format().with_target(true),
            );
            let form = WithoutHarmless(MarkLibraries { plain, with_target });
            lines.with_ansi(colours).event_format(form).with_filter(filter).boxed()
        }
        true => {
            // The target of each line, which programs filter by.
            let json = tracing_subscriber::fmt::format().json().flatten_event(true).with_target(true);
            lines.fmt_fields(JsonFields::new()).event_format(WithoutHarmless(json)).with_filter(filter).boxed()
        }
    };
    let subscriber = tracing_subscriber::registry().with(lines);
    #[cfg(feature = "otel")]
    let log = {
        let sent = startup.traces.as_deref().map(traces::start).transpose();
        let origin = effective.entry("log.traces").map(|entry| entry.origin.to_string()).unwrap_or_default();
        let sent = sent.map_err(|why| Failure::Usage(format!("{origin}: log.traces: {why}")))?;
        let (traces, layer) = sent.unzip();
        subscriber.with(layer).init();
        Log { filter: handle, wanted, writer, _traces: traces }
    };
    #[cfg(not(feature = "otel"))]
    let log = {
        subscriber.init();
        Log { filter: handle, wanted, writer }
    };
    std::panic::set_hook(Box::new(|panic| {
        let thread = std::thread::current();
        let thread = thread.name().unwrap_or("unnamed");
        let place = panic.location().map(ToString::to_string).unwrap_or_default();
        let reason = panic.payload_as_str().unwrap_or("no message");
        tracing::error!(thread, place, reason, "panic; this is a defect of hjall, please report it");
    }));
    Ok(log)
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::sync::{Arc, Mutex};

    use tracing_subscriber::layer::SubscriberExt;

    use super::{WithoutHarmless, parse};

    #[derive(Clone, Default)]
    struct Lines(Arc<Mutex<Vec<u8>>>);

    impl io::Write for Lines {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn what_libraries_log_of_ended_compactions_and_removed_files_is_left_out() {
        let lines = Lines::default();
        let writer = lines.clone();
        let layer = tracing_subscriber::fmt::layer().with_writer(move || writer.clone()).with_ansi(false);
        let form = WithoutHarmless(tracing_subscriber::fmt::format());
        let subscriber = tracing_subscriber::registry().with(layer.event_format(form));
        let aborted = io::Error::from(io::ErrorKind::Interrupted);
        // As fjall's and lsm-tree's errors look.
        #[derive(Debug)]
        #[allow(dead_code, reason = "only shown with Debug")]
        enum Failed {
            Storage(Box<Failed>),
            Io(io::Error),
        }
        tracing::subscriber::with_default(subscriber, || {
            let error = Failed::Storage(Box::new(Failed::Io(aborted)));
            tracing::error!(target: "library", "Worker #1 crashed: {error:?}");
            tracing::error!(target: "hjall_engine", "kept {error:?}");
            let error = Failed::Io(io::Error::from_raw_os_error(4));
            tracing::error!(target: "library", "Worker #2 crashed: {error:?}");
            tracing::error!(target: "library", number = 3, "Worker crashed");
            let missing = io::Error::from(io::ErrorKind::NotFound);
            let removed = "Os { code: 2, kind: NotFound }";
            tracing::warn!(target: "lsm_tree", "Failed to cleanup deleted table #4 at \"4\": {removed}");
            tracing::warn!(target: "lsm_tree", "Failed to cleanup deleted table 5 at \"5\": {missing}");
            let ended =
                "Io(Custom { kind: Other, error: Interrupted { error: Error { kind: Cancelled }, ended: None } })";
            tracing::error!(target: "lsm_tree", "Compaction #6 failed: {ended}");
        });
        let lines = String::from_utf8(lines.0.lock().unwrap().clone()).unwrap();
        for number in [1, 4, 6] {
            assert!(!lines.contains(&format!("#{number}")), "{lines}");
        }
        assert_eq!(lines.lines().count(), 4, "{lines}");
    }

    #[test]
    fn a_level_applies_to_hjall_and_libraries_are_quieter() {
        let directives = |filter| {
            let text = parse(filter).unwrap().to_string();
            let mut directives: Vec<_> = text.split(',').map(str::to_owned).collect();
            directives.sort();
            directives.join(",")
        };
        assert_eq!(directives("info"), "hjall=info,warn");
        assert_eq!(directives("error"), "error,hjall=error");
        assert_eq!(directives("debug,fjall=info"), "fjall=info,hjall=debug,warn");
        assert!(parse("info,hjall_server=loud").is_err());
    }

    #[test]
    fn a_word_that_is_neither_a_level_nor_a_crate_is_refused() {
        let why = |filter| parse(filter).unwrap_err();
        assert!(why("inof").contains("inof is neither a level"));
        assert!(why("info,debgg").ends_with("did you mean debug?"), "{}", why("info,debgg"));
        assert!(why("nonsense").contains("neither a level") && !why("nonsense").contains("did you mean"));
        assert!(why("info,hjall_sevrer=debug").ends_with("did you mean hjall_server?"));
        assert!(why("hjall_x::net=debug").contains("not a crate of hjall"));
        for right in [
            "INFO",
            "off",
            "3",
            "hjall",
            "hjall=debug",
            "warn,hjall::audit=info",
            "warn,",
            "warn,hjall_server::net",
            "fjall",
            "info,any_library=debug",
            "info,[call]=debug",
            "info,hjall_server[call{method=get}]=debug",
        ] {
            assert!(parse(right).is_ok(), "{right}: {:?}", parse(right).err());
        }
    }
}
