//! Thresholds for slow and large calls.

use std::time::Duration;

/// Thresholds of the slow-call log, as in HBase's region servers. All but the size of the ring can change while the server runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SlowSettings {
    /// Calls that run longer are logged (`hbase.ipc.warn.response.time`). `None` means never. Default 10 s.
    pub time: Option<Duration>,
    /// Calls with a larger reply are logged, in bytes (`hbase.ipc.warn.response.size`). `None` means never. Default 100 MiB.
    pub bytes: Option<u64>,
    /// Threshold of run time for scanner fetches (`hbase.ipc.warn.response.time.scan`). Default: [`Self::time`].
    pub scan_time: Option<Duration>,
    /// Threshold of reply size for scanner fetches (`hbase.ipc.warn.response.size.scan`). Default: [`Self::bytes`].
    pub scan_bytes: Option<u64>,
    /// Calls that run longer are counted as `slowThriftCall` (`hbase.thrift.slow.response.nano.second`).
    /// Default 10 ms.
    pub thrift_call: Duration,
    /// Whether logged calls are kept for `getSlowLogResponses` (`hbase.regionserver.slowlog.buffer.enabled`). Default no.
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
