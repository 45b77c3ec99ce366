//! `/metrics`: all metrics, for Prometheus.

use std::sync::atomic::Ordering;
use std::time::Duration;

use hjall_engine::store::Statistics;

use super::exposition::Exposition;
use super::process::Process;
use super::traffic::TrafficSeries;
use crate::observe::{ClientMetrics, LaneMetrics, Line, ReloadFigures, Snapshot, Watch, dropped_log_lines};
use crate::server::view::{CompactionFigures, Figures, View};
use crate::wire::method::Service;

const COUNTER: &str = "counter";
const GAUGE: &str = "gauge";
const HISTOGRAM: &str = "histogram";

/// Upper bounds of the buckets of all histograms of durations. They are bounds of [`Snapshot`] as well, so the counts
/// are exact.
const BOUNDS: [Duration; 16] = [
    Duration::from_micros(50),
    Duration::from_micros(100),
    Duration::from_micros(250),
    Duration::from_micros(500),
    Duration::from_millis(1),
    Duration::from_micros(2500),
    Duration::from_millis(5),
    Duration::from_millis(10),
    Duration::from_millis(25),
    Duration::from_millis(50),
    Duration::from_millis(100),
    Duration::from_millis(250),
    Duration::from_millis(500),
    Duration::from_secs(1),
    Duration::from_secs(5),
    Duration::from_secs(10),
];

/// Returns the page. `series` chooses the tables and regions that have their own series.
pub fn of(view: &View, figures: &Figures, series: &mut TrafficSeries) -> String {
    let mut out = Exposition::default();
    out.family("hjall_build_info", GAUGE, "Always 1; the label has the version of the server.");
    out.sample("hjall_build_info", &[("version", env!("CARGO_PKG_VERSION"))], 1);
    let ready = u8::from(figures.ready().is_ok());
    out.single("hjall_ready", GAUGE, "1 if /readyz reports that the server is ready, otherwise 0.", ready);
    reloads(&mut out, figures.reloads);
    calls(&mut out, &view.watch);
    exceptions(&mut out, &view.watch);
    out.family("hjall_client_errors_total", COUNTER, "Errors caused by clients, by kind.");
    for (kind, count) in &figures.client_errors {
        out.sample("hjall_client_errors_total", &[("kind", kind)], count);
    }
    let dropped = dropped_log_lines();
    out.single(
        "hjall_log_dropped_lines_total",
        COUNTER,
        "Log lines dropped because the log was not read fast enough or could not be written.",
        dropped,
    );
    lanes(&mut out, &figures.lanes);
    clients(&mut out, figures);
    series.write(&mut out, &figures.traffic);
    each_client(&mut out, &figures.clients);
    compactions(&mut out, figures.compactions);
    if let Ok(store) = &figures.store {
        self::store(&mut out, store);
    }
    process(&mut out, &Process::read());
    out.into_text()
}

/// Named as Prometheus names its own.
fn reloads(out: &mut Exposition, figures: ReloadFigures) {
    out.single(
        "hjall_config_last_reload_successful",
        GAUGE,
        "1 if the last reload of settings, users and certificates succeeded, or there was none; otherwise 0.",
        u8::from(!figures.failed),
    );
    out.single(
        "hjall_config_last_reload_success_timestamp_seconds",
        GAUGE,
        "When the last reload succeeded, or else the server started, in seconds since 1970.",
        figures.succeeded,
    );
}

fn calls(out: &mut Exposition, watch: &Watch) {
    let lines: Vec<Line<'_>> = watch.calls.lines().collect();
    let labels =
        |line: &Line<'_>| [("service", line.service.name()), ("method", line.method), ("dialect", line.dialect)];
    out.family("hjall_call_duration_seconds", HISTOGRAM, "Run time of calls, without the time that they waited.");
    for line in &lines {
        durations(out, "hjall_call_duration_seconds", &labels(line), &line.counted.took.read());
    }
    out.family("hjall_calls_total", COUNTER, "Calls that ran.");
    for line in &lines {
        out.sample("hjall_calls_total", &labels(line), line.counted.took.read().count());
    }
    out.family(
        "hjall_calls_failed_total",
        COUNTER,
        "Calls that ended in an exception, including calls that were not run.",
    );
    for line in &lines {
        out.sample("hjall_calls_failed_total", &labels(line), line.counted.failed.load(Ordering::Relaxed));
    }
    out.family("hjall_received_bytes_total", COUNTER, "Bytes of messages.");
    for line in &lines {
        out.sample("hjall_received_bytes_total", &labels(line), line.counted.received.load(Ordering::Relaxed));
    }
    out.family("hjall_sent_bytes_total", COUNTER, "Bytes of replies.");
    for line in &lines {
        out.sample("hjall_sent_bytes_total", &labels(line), line.counted.sent.load(Ordering::Relaxed));
    }
    let unknown = watch.calls.unknown.load(Ordering::Relaxed);
    out.single("hjall_calls_unknown_total", COUNTER, "Calls of unknown methods.", unknown);
    let slow = watch.slow.count.load(Ordering::Relaxed);
    out.single("hjall_slow_calls_total", COUNTER, "Calls in the log of slow and large calls.", slow);
}

fn compactions(out: &mut Exposition, figures: CompactionFigures) {
    let CompactionFigures { waiting, running, finished, failed, read_bytes } = figures;
    out.single("hjall_compactor_waiting", GAUGE, "Tables that wait to be compacted.", waiting);
    out.single("hjall_compactor_running", GAUGE, "Whether a table is being compacted: 1 or 0.", u8::from(running));
    out.single("hjall_compactor_finished_total", COUNTER, "Tables compacted on request or by schedule.", finished);
    out.single("hjall_compactor_failed_total", COUNTER, "Such compactions that failed or gave way to writes.", failed);
    out.single("hjall_compactor_read_bytes_total", COUNTER, "Bytes that they have read.", read_bytes);
}

fn exceptions(out: &mut Exposition, watch: &Watch) {
    out.family("hjall_exceptions_total", COUNTER, "Exceptions, by the kinds that HBase's gateway counts.");
    for service in Service::ALL {
        for (kind, count) in watch.service(service).exceptions.read() {
            out.sample("hjall_exceptions_total", &[("service", service.name()), ("kind", kind)], count);
        }
    }
}

/// Writes one histogram of a family. The snapshot is in nanoseconds.
fn durations(out: &mut Exposition, name: &str, labels: &[(&str, &str)], all: &Snapshot) {
    let up_to =
        BOUNDS.map(|bound| (bound.as_secs_f64(), all.up_to(u64::try_from(bound.as_nanos()).unwrap_or(u64::MAX))));
    out.histogram(name, labels, &up_to, all.count(), all.sum() as f64 / 1e9);
}

/// Name, kind, help text and value of a family.
type Of<T> = (&'static str, &'static str, &'static str, fn(&T) -> u64);

const OF_LANES: [Of<LaneMetrics>; 8] = [
    ("hjall_lane_handlers", GAUGE, "Number of handlers by HBase's arithmetic.", |lane| lane.handlers as u64),
    ("hjall_lane_running_max", GAUGE, "Maximum number of calls running.", |lane| lane.running_max as u64),
    ("hjall_lane_calls_max", GAUGE, "Maximum number of calls running or waiting.", |lane| lane.calls_max as u64),
    ("hjall_lane_waiting", GAUGE, "Calls waiting.", |lane| lane.waiting as u64),
    ("hjall_lane_running", GAUGE, "Calls running.", |lane| lane.running as u64),
    ("hjall_lane_finished_total", COUNTER, "Calls finished.", |lane| lane.finished),
    (
        "hjall_lane_lifo_switches_total",
        COUNTER,
        "Times that codel switched to running the newest call first.",
        |lane| lane.lifo_switches,
    ),
    ("hjall_lane_under_way", GAUGE, "Calls running or waiting.", |lane| lane.under_way as u64),
];

fn lanes(out: &mut Exposition, lanes: &[LaneMetrics]) {
    for (name, kind, help, value) in OF_LANES {
        out.family(name, kind, help);
        for lane in lanes {
            out.sample(name, &[("lane", lane.kind.name())], value(lane));
        }
    }
    out.family(
        "hjall_lane_rejected_total",
        COUNTER,
        "Calls answered with CallQueueTooBigException, by the limit that was reached.",
    );
    for lane in lanes {
        let reasons = [("length", lane.refused_length), ("share", lane.refused_share), ("bytes", lane.refused_bytes)];
        for (reason, count) in reasons {
            out.sample("hjall_lane_rejected_total", &[("lane", lane.kind.name()), ("reason", reason)], count);
        }
    }
    out.family("hjall_lane_dropped_total", COUNTER, "Calls that waited and were dropped, by reason.");
    for lane in lanes {
        let reasons =
            [("gone", lane.dropped_gone), ("overloaded", lane.dropped_overloaded), ("late", lane.dropped_late)];
        for (reason, count) in reasons {
            out.sample("hjall_lane_dropped_total", &[("lane", lane.kind.name()), ("reason", reason)], count);
        }
    }
    out.family("hjall_lane_wait_seconds", HISTOGRAM, "Time that calls waited before they ran.");
    for lane in lanes {
        durations(out, "hjall_lane_wait_seconds", &[("lane", lane.kind.name())], &lane.wait);
    }
}

/// Name, kind, help text and value of a family of figures of clients.
const OF_CLIENTS: [Of<ClientMetrics>; 5] = [
    ("hjall_client_calls_total", COUNTER, "Calls that ran, by client.", |client| client.calls),
    (
        "hjall_client_refused_total",
        COUNTER,
        "Calls and messages that were refused, and calls that waited and were dropped, by client.",
        |client| client.refused,
    ),
    ("hjall_client_received_bytes_total", COUNTER, "Bytes of messages of calls that ran, by client.", |client| {
        client.received_bytes
    }),
    ("hjall_client_sent_bytes_total", COUNTER, "Bytes of their replies, by client.", |client| client.sent_bytes),
    ("hjall_client_in_flight_bytes", GAUGE, "Bytes of messages and replies in flight, by client.", |client| {
        client.held_bytes as u64
    }),
];

/// The figures of each client. A user is a client after a login, otherwise an address; all but the first 100 count as
/// `other`.
fn each_client(out: &mut Exposition, clients: &[ClientMetrics]) {
    for (name, kind, help, value) in OF_CLIENTS {
        out.family(name, kind, help);
        for client in clients {
            out.sample(name, &[("client", &client.client)], value(client));
        }
    }
    out.family("hjall_client_run_seconds_total", COUNTER, "Run time of calls, by client.");
    for client in clients {
        out.sample("hjall_client_run_seconds_total", &[("client", &client.client)], client.run.as_secs_f64());
    }
}

fn clients(out: &mut Exposition, figures: &Figures) {
    out.single("hjall_event_loops", GAUGE, "Event loops that share the connections.", figures.loops);
    out.single(
        "hjall_busy_poll_seconds_total",
        COUNTER,
        "Time for which event loops looked for calls without finding any.",
        figures.polled.as_secs_f64(),
    );
    out.single("hjall_connections", GAUGE, "Open connections.", figures.connections);
    out.single(
        "hjall_connections_max",
        GAUGE,
        "Maximum number of connections, which limits.connections and the limit on open files determine.",
        figures.connections_max,
    );
    let counters = figures.connection_counters;
    out.single("hjall_connections_accepted_total", COUNTER, "Connections that were accepted.", counters.accepted);
    out.family("hjall_connections_refused_total", COUNTER, "Accepted connections that were refused, by reason.");
    for (reason, count) in counters.refused {
        out.sample("hjall_connections_refused_total", &[("reason", reason)], count);
    }
    out.single("hjall_tls_handshakes_total", COUNTER, "TLS handshakes that were completed.", counters.handshakes);
    out.single(
        "hjall_tls_handshakes_failed_total",
        COUNTER,
        "TLS handshakes that failed or took too long.",
        counters.handshakes_failed,
    );
    out.single(
        "hjall_tls_certificate_expiry_timestamp_seconds",
        GAUGE,
        "When the TLS certificate expires, in seconds since 1970; NaN without TLS.",
        figures.tls_expires.map_or(f64::NAN, |seconds| seconds as f64),
    );
    out.single("hjall_scanners_open", GAUGE, "Open scanners.", figures.scanners);
    out.single(
        "hjall_scanners_expired_total",
        COUNTER,
        "Scanners that were not closed before their lease ended.",
        figures.scanners_expired,
    );
    out.single("hjall_scanners_max", GAUGE, "Maximum number of scanners.", figures.scanners_max);
    out.single("hjall_in_flight_bytes", GAUGE, "Bytes of messages and replies in flight.", figures.held_bytes);
    out.single(
        "hjall_in_flight_bytes_max",
        GAUGE,
        "Bytes in flight above which calls are rejected.",
        figures.held_bytes_max,
    );
}

const OF_STORE: [Of<Statistics>; 27] = [
    ("hjall_store_damaged_calls_total", COUNTER, "Calls that failed because stored data is damaged.", |s| {
        s.damaged_calls
    }),
    ("hjall_store_spaces", GAUGE, "Spaces: one for each family of each table, and one for the catalog.", |s| s.spaces),
    ("hjall_store_cache_bytes", GAUGE, "Memory used by cached blocks.", |s| s.cache_bytes),
    ("hjall_store_cache_max_bytes", GAUGE, "Limit on the memory of cached blocks.", |s| s.cache_bytes_max),
    ("hjall_store_row_filter_bytes", GAUGE, "Memory used by filters of the rows in files.", |s| s.row_filter_bytes),
    ("hjall_store_cache_hits_total", COUNTER, "Blocks found in the cache.", |s| s.block_hits),
    ("hjall_store_cache_misses_total", COUNTER, "Blocks read from files.", |s| s.block_misses),
    ("hjall_row_cache_rows", GAUGE, "Rows in the row cache.", |s| s.row_cache_rows),
    ("hjall_row_cache_bytes", GAUGE, "Memory of cached rows.", |s| s.row_cache_bytes),
    ("hjall_row_cache_max_bytes", GAUGE, "Limit on the memory of cached rows.", |s| s.row_cache_bytes_max),
    ("hjall_row_cache_hits_total", COUNTER, "Reads of a row that found it in the row cache.", |s| s.row_cache_hits),
    ("hjall_row_cache_misses_total", COUNTER, "Reads of a row that did not.", |s| s.row_cache_misses),
    ("hjall_row_cache_evictions_total", COUNTER, "Rows removed from the row cache to make room.", |s| {
        s.row_cache_evictions
    }),
    ("hjall_store_write_buffer_bytes", GAUGE, "Memory of data that is not yet in files.", |s| s.write_buffer_bytes),
    (
        "hjall_store_write_buffer_max_bytes",
        GAUGE,
        "Limit on that memory: above it the largest part is flushed, at twice the limit writes wait.",
        |s| s.write_buffer_bytes_max,
    ),
    ("hjall_store_flushes_waiting", GAUGE, "Parts of the write buffer that wait to be flushed.", |s| s.flushes_waiting),
    ("hjall_store_files", GAUGE, "Data files.", |s| s.files),
    ("hjall_store_files_new", GAUGE, "Data files that have not been compacted yet.", |s| s.files_new),
    ("hjall_store_disk_bytes", GAUGE, "Bytes of all files, including journals.", |s| s.disk_bytes),
    ("hjall_store_journals", GAUGE, "Journals.", |s| s.journals),
    ("hjall_store_journal_bytes", GAUGE, "Bytes of the journals.", |s| s.journal_bytes),
    ("hjall_store_syncs_total", COUNTER, "Syncs of the journal.", |s| s.syncs),
    ("hjall_store_compactions_running", GAUGE, "Compactions running.", |s| s.compactions_running),
    ("hjall_store_compactions_total", COUNTER, "Compactions finished.", |s| s.compactions),
    ("hjall_store_stalls_total", COUNTER, "Writes that waited for the disk to catch up.", |s| s.stalls),
    ("hjall_store_stalls_given_up_total", COUNTER, "Writes that gave up waiting for the disk.", |s| s.stalls_given_up),
    ("hjall_store_stalled", GAUGE, "Writes that are waiting for the disk.", |s| s.stalled_now),
];

fn store(out: &mut Exposition, store: &Statistics) {
    for (name, kind, help, value) in OF_STORE {
        out.single(name, kind, help, value(store));
    }
    let (compacting, stalled) = (store.compacting.as_secs_f64(), store.stalled.as_secs_f64());
    out.single("hjall_store_compaction_seconds_total", COUNTER, "Run time of compactions.", compacting);
    out.single("hjall_store_stall_seconds_total", COUNTER, "Time that writes waited for the disk.", stalled);
    out.single(
        "hjall_store_reopened_total",
        COUNTER,
        "Times that the store was reopened after a failed write.",
        store.reopened,
    );
    out.single(
        "hjall_store_clock_ahead_seconds",
        GAUGE,
        "How far the time of the database is ahead of the machine's clock, because that has been set back.",
        store.clock_ahead_ms as f64 / 1e3,
    );
    let refuses = u8::from(store.failure.is_some());
    out.single(
        "hjall_store_refuses_writes",
        GAUGE,
        "1 after a failed write, until the store has been reopened; otherwise 0.",
        refuses,
    );
    if let Some(free) = store.disk_free_bytes {
        out.single("hjall_store_disk_free_bytes", GAUGE, "Free bytes on the disk of the data folder.", free);
    }
}

fn process(out: &mut Exposition, process: &Process) {
    let whole = [
        ("process_resident_memory_bytes", "Resident memory size in bytes.", process.resident_bytes),
        ("process_virtual_memory_bytes", "Virtual memory size in bytes.", process.virtual_bytes),
        ("process_open_fds", "Number of open file descriptors.", process.open_files),
        ("process_max_fds", "Maximum number of open file descriptors.", process.open_files_max),
        ("process_threads", "Number of threads.", process.threads),
    ];
    for (name, help, value) in whole {
        value.into_iter().for_each(|value| out.single(name, GAUGE, help, value));
    }
    if let Some(seconds) = process.cpu_seconds {
        out.single("process_cpu_seconds_total", COUNTER, "Total user and system CPU time spent in seconds.", seconds);
    }
    if let Some(seconds) = process.start_seconds {
        let help = "Start time of the process since unix epoch in seconds.";
        out.single("process_start_time_seconds", GAUGE, help, seconds);
    }
}
