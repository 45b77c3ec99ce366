//! The log of slow and large calls, and the ring that keeps them for `getSlowLogResponses`.

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use arc_swap::ArcSwap;
use hjall_engine::quote::Binary;

use super::brief::Brief;
use super::nanoseconds;
use super::report::CallReport;
use crate::wire::method::Method;

/// Thresholds of the slow-call log, as in HBase's region servers. All but the size of the ring can change while the
/// server runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SlowSettings {
    /// Calls that run longer are logged (`hbase.ipc.warn.response.time`). `None` means never. Default 10 s.
    pub time: Option<Duration>,
    /// Calls with a larger reply are logged, in bytes (`hbase.ipc.warn.response.size`). `None` means never. Default 100
    /// MiB.
    pub bytes: Option<u64>,
    /// Threshold of run time for scanner fetches (`hbase.ipc.warn.response.time.scan`). Default: [`Self::time`].
    pub scan_time: Option<Duration>,
    /// Threshold of reply size for scanner fetches (`hbase.ipc.warn.response.size.scan`). Default: [`Self::bytes`].
    pub scan_bytes: Option<u64>,
    /// Calls that run longer are counted as `slowThriftCall` (`hbase.thrift.slow.response.nano.second`).
    /// Default 10 ms.
    pub thrift_call: Duration,
    /// Whether logged calls are kept for `getSlowLogResponses` (`hbase.regionserver.slowlog.buffer.enabled`). Default
    /// no.
    pub ring: bool,
    /// Number of calls that are kept (`hbase.regionserver.slowlog.ringbuffer.size`). Fixed at the start. Default 256.
    pub ring_size: usize,
}

impl Default for SlowSettings {
    fn default() -> Self {
        let (time, bytes) = (Some(Duration::from_secs(10)), Some(100 << 20));
        Self {
            time,
            bytes,
            scan_time: time,
            scan_bytes: bytes,
            thrift_call: Duration::from_millis(10),
            ring: false,
            ring_size: 256,
        }
    }
}

/// A call that was slow or large.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SlowCall {
    /// When it began to run, in milliseconds since 1970.
    pub start_ms: i64,
    /// How long it ran, in milliseconds.
    pub took_ms: i64,
    /// How long it waited before it ran, in milliseconds.
    pub waited_ms: i64,
    /// The length of its reply in bytes.
    pub reply_bytes: usize,
    /// The length of its message in bytes.
    pub message_bytes: usize,
    /// The address of the client.
    pub peer: SocketAddr,
    /// The user of the client, or `None` without a login.
    pub user: Option<Arc<str>>,
    /// The service.
    pub service: &'static str,
    /// The method.
    pub method: &'static str,
    /// The table named in its arguments.
    pub table: Option<String>,
    /// The row named in its arguments.
    pub row: Option<Vec<u8>>,
    /// The namespace named in its arguments, of calls about namespaces.
    pub namespace: Option<String>,
    /// The number of the scanner that it uses. `table` is then the table of the scanner, if it is open.
    pub scanner: Option<i32>,
    /// The number of rows or mutations in a batch call.
    pub many: Option<i64>,
    /// Whether it is a write.
    pub writes: bool,
    /// Whether it ran for longer than the threshold.
    pub slow: bool,
    /// Whether its reply was larger than the threshold.
    pub large: bool,
}

/// Which thresholds a call has exceeded.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Judgement {
    /// `slow.thrift_call`.
    pub thrift_call: bool,
    /// `slow.time` or `slow.scan_time`.
    pub slow: bool,
    /// `slow.size` or `slow.scan_size`.
    pub large: bool,
}

/// Detects slow calls, logs them and keeps the newest ones.
pub struct SlowLog {
    settings: ArcSwap<SlowSettings>,
    /// No call that takes at most this time, in nanoseconds, exceeds a threshold of time.
    least_ns: AtomicU64,
    /// No call whose reply has at most this length, in bytes, exceeds a threshold of size.
    least_bytes: AtomicU64,
    ring: Mutex<VecDeque<Arc<SlowCall>>>,
    ring_size: usize,
    /// Number of calls that were logged.
    pub count: AtomicU64,
}

impl SlowLog {
    /// Creates an empty log.
    pub fn new(settings: SlowSettings) -> Self {
        let log = Self {
            settings: ArcSwap::default(),
            least_ns: AtomicU64::new(0),
            least_bytes: AtomicU64::new(0),
            ring: Mutex::default(),
            ring_size: settings.ring_size,
            count: AtomicU64::new(0),
        };
        log.set(settings);
        log
    }

    /// Replaces the thresholds. Kept calls remain.
    pub fn set(&self, settings: SlowSettings) {
        let times = [settings.time, settings.scan_time, Some(settings.thrift_call)].into_iter().flatten();
        let sizes = [settings.bytes, settings.scan_bytes].into_iter().flatten();
        let (least_ns, least_bytes) = (times.map(nanoseconds).min(), sizes.min());
        // While the settings change, every call is compared with them.
        self.least_ns.store(0, Ordering::SeqCst);
        self.least_bytes.store(0, Ordering::SeqCst);
        self.settings.store(Arc::new(settings));
        self.least_ns.store(least_ns.unwrap_or(u64::MAX), Ordering::SeqCst);
        self.least_bytes.store(least_bytes.unwrap_or(u64::MAX), Ordering::SeqCst);
    }

    /// Compares a call with the thresholds.
    pub fn judge(&self, call: &CallReport<'_>) -> Judgement {
        // Fast path: one comparison for all thresholds.
        if nanoseconds(call.took) <= self.least_ns.load(Ordering::Relaxed)
            && call.reply.len() as u64 <= self.least_bytes.load(Ordering::Relaxed)
        {
            return Judgement::default();
        }
        let settings = self.settings.load();
        let (time, bytes) = match call.method.is_some_and(Method::fetches) {
            true => (settings.scan_time, settings.scan_bytes),
            false => (settings.time, settings.bytes),
        };
        Judgement {
            thrift_call: call.took > settings.thrift_call,
            slow: time.is_some_and(|time| call.took > time),
            large: bytes.is_some_and(|bytes| call.reply.len() as u64 > bytes),
        }
    }

    /// Logs a call, and keeps it if `slow.keep` is set.
    pub fn add(&self, call: SlowCall) {
        self.count.fetch_add(1, Ordering::Relaxed);
        let what = match (call.slow, call.large) {
            (true, false) => "responseTooSlow",
            (false, _) => "responseTooLarge",
            (true, true) => "responseTooSlow and responseTooLarge",
        };
        tracing::warn!(
            method = call.method,
            service = call.service,
            table = call.table.as_ref().map(|table| Brief(table).to_string()),
            row = call.row.as_deref().map(|row| Brief(Binary(row)).to_string()),
            namespace = call.namespace.as_ref().map(|namespace| Brief(namespace).to_string()),
            scanner = call.scanner,
            user = call.user.as_deref(),
            peer = %call.peer,
            waited_ms = call.waited_ms,
            took_ms = call.took_ms,
            message_bytes = call.message_bytes,
            reply_bytes = call.reply_bytes,
            "{what}"
        );
        if self.settings.load().ring {
            let mut ring = self.lock();
            ring.truncate(self.ring_size.saturating_sub(1));
            ring.push_front(Arc::new(call));
        }
    }

    /// Returns the calls that are kept, newest first, or `None` if `slow.keep` is not set.
    pub fn kept(&self) -> Option<Vec<Arc<SlowCall>>> {
        self.settings.load().ring.then(|| self.lock().iter().cloned().collect())
    }

    /// Removes the calls that are kept. Returns `false` if `slow.keep` is not set.
    pub fn clear(&self) -> bool {
        let kept = self.settings.load().ring;
        if kept {
            self.lock().clear();
        }
        kept
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, VecDeque<Arc<SlowCall>>> {
        self.ring.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The time in milliseconds since 1970.
pub fn now_ms() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}
