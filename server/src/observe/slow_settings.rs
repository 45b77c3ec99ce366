//! From when on a call is slow or large, and what is kept of such calls.

use std::time::Duration;

/// Thresholds of the log of slow calls, as HBase's region servers have them. All can change while the server runs, but for the ring's
/// size.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SlowSettings {
    /// A call that runs for longer is logged (`hbase.ipc.warn.response.time`); `None`: none is. Default 10 s.
    pub time: Option<Duration>,
    /// A call whose reply is longer is logged, in bytes (`hbase.ipc.warn.response.size`); `None`: none is. Default 100 MiB.
    pub bytes: Option<u64>,
    /// The same for fetches of scanners (`hbase.ipc.warn.response.time.scan`). Default: as [`Self::time`].
    pub scan_time: Option<Duration>,
    /// The same for fetches of scanners (`hbase.ipc.warn.response.size.scan`). Default: as [`Self::bytes`].
    pub scan_bytes: Option<u64>,
    /// A call that runs for longer is counted as `slowThriftCall` (`hbase.thrift.slow.response.nano.second`).
    /// Default 10 ms.
    pub thrift_call: Duration,
    /// Whether logged calls are kept for `getSlowLogResponses` (`hbase.regionserver.slowlog.buffer.enabled`). Default no.
    pub ring: bool,
    /// How many are kept, the newest (`hbase.regionserver.slowlog.ringbuffer.size`). Fixed at the start. Default 256.
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
