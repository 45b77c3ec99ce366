//! Settings of call queues: HBase's, and some that HBase does not have.

use std::thread::available_parallelism;
use std::time::Duration;

/// Call queues, by the settings of HBase's region servers. The lanes are derived from them. All but [`Self::order`] can
/// change while the server runs.
#[derive(Debug, Clone, PartialEq)]
pub struct QueueSettings {
    /// Number of handlers for reads, writes and scans together (`hbase.regionserver.handler.count`, 30 in HBase).
    /// Default: twice the cores, at least 30.
    pub handlers: usize,
    /// Number of queues per handler (`hbase.ipc.server.callqueue.handler.factor`). Values above 1 count as 1. Default
    /// 0.1.
    pub handler_factor: f32,
    /// Share of the handlers reserved for reads and scans (`hbase.ipc.server.callqueue.read.ratio`). With 0, reads,
    /// writes and scans share one lane, which is HBase's default. Default 0.5.
    pub read_ratio: f32,
    /// Share of the read handlers reserved for scans (`hbase.ipc.server.callqueue.scan.ratio`). If that leaves scans
    /// without a queue, they run as reads. Default 0.5.
    pub scan_ratio: f32,
    /// Maximum number of calls that wait in one of HBase's queues (`hbase.ipc.server.max.callqueue.length`). `None`:
    /// ten per handler. If reads and writes have separate lanes, values below 250 count as 250, as in HBase.
    pub length_max: Option<usize>,
    /// Upper limit on the calls that wait in a lane, regardless of HBase's settings. `None`: no further limit. Not a
    /// setting of HBase.
    pub waiting_max: Option<usize>,
    /// Order in which waiting calls run (`hbase.ipc.server.callqueue.type`). Fixed at the start. Default fifo.
    pub order: QueueOrder,
    /// codel: acceptable wait of a call under normal load (`hbase.ipc.server.callqueue.codel.target.delay`, in
    /// milliseconds). Default 100 ms.
    pub codel_target: Duration,
    /// codel: interval at which the shortest wait is evaluated (`hbase.ipc.server.callqueue.codel.interval`, in
    /// milliseconds). Default 100 ms.
    pub codel_interval: Duration,
    /// codel: fill level above which the newest call runs first (`hbase.ipc.server.callqueue.codel.lifo.threshold`).
    /// Default 0.8.
    pub codel_lifo_threshold: f64,
    /// deadline: maximum delay of a long scan (`hbase.ipc.server.queue.max.call.delay`, in milliseconds). Default 5 s.
    pub max_call_delay: Duration,
    /// deadline: weight of the delay that each fetch adds to a scan (`hbase.ipc.server.scan.vtime.weight`). Default 1.
    pub scan_vtime_weight: f32,
    /// Maximum number of scans that run concurrently, however many handlers they have. `None`: one fewer than the
    /// cores, at least 1. Applies only if scans have their own lane. Not a setting of HBase.
    pub scan_running_max: Option<usize>,
    /// How long a scan runs while other calls wait for its handler; then it returns to the queue. `None`: to its end.
    /// Default 100 ms.
    pub scan_slice: Option<Duration>,
    /// Number of handlers for calls about tables and the server (`hbase.regionserver.metahandler.count`, 20 in HBase).
    /// Default 4.
    pub admin_handlers: usize,
    /// Maximum number of waiting calls about tables and the server (`hbase.ipc.server.priority.max.callqueue.length`).
    /// Default 1000.
    pub admin_waiting_max: usize,
    /// A call that has waited for longer than this is dropped instead of run, because its client has given up by then
    /// (`hbase.rpc.timeout`). `None`: never. Default 60 s.
    pub wait_max: Option<Duration>,
}

/// Order in which waiting calls run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum QueueOrder {
    /// The oldest of a client first; clients take turns.
    #[default]
    Fifo,
    /// The oldest first, but long scans are delayed.
    Deadline,
    /// The oldest first, but the newest first if the queue is nearly full. Calls that waited too long are dropped
    /// (AdaptiveLifoCoDel).
    Codel,
}

impl QueueOrder {
    /// All orders.
    pub const ALL: [Self; 3] = [Self::Fifo, Self::Deadline, Self::Codel];

    /// The name in HBase's setting.
    pub fn name(self) -> &'static str {
        match self {
            Self::Fifo => "fifo",
            Self::Deadline => "deadline",
            Self::Codel => "codel",
        }
    }
}

impl QueueSettings {
    /// Maximum number of calls that wait in one of HBase's queues.
    pub fn length(&self) -> usize {
        self.length_max.unwrap_or(self.handlers.saturating_mul(10))
    }

    /// Maximum number of scans that run concurrently on a machine with this many cores.
    pub fn scans_running(&self, cores: usize) -> usize {
        self.scan_running_max.unwrap_or(cores.saturating_sub(1)).max(1)
    }
}

impl Default for QueueSettings {
    fn default() -> Self {
        let cores = cores();
        Self {
            // Two per core, because handlers wait for disks. At least HBase's 30, because writers that wait for the
            // journal together share its syncs.
            handlers: (2 * cores).max(30),
            handler_factor: 0.1,
            read_ratio: 0.5,
            scan_ratio: 0.5,
            length_max: None,
            waiting_max: None,
            order: QueueOrder::Fifo,
            codel_target: Duration::from_millis(100),
            codel_interval: Duration::from_millis(100),
            codel_lifo_threshold: 0.8,
            max_call_delay: Duration::from_millis(5000),
            scan_vtime_weight: 1.0,
            scan_running_max: None,
            scan_slice: Some(Duration::from_millis(100)),
            admin_handlers: 4,
            admin_waiting_max: 1000,
            wait_max: Some(Duration::from_secs(60)),
        }
    }
}

/// Number of processors that this process may use, or 2 if the system does not report it.
pub fn cores() -> usize {
    available_parallelism().map_or(2, usize::from)
}
