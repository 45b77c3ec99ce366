//! HBase's settings of call queues, and ours beside them.

use std::thread::available_parallelism;
use std::time::Duration;

/// How calls wait, by the settings of HBase's region servers. All but [`Self::order`] can change while the server runs.
///
/// The dispatcher derives its lanes from them.
#[derive(Debug, Clone, PartialEq)]
pub struct QueueSettings {
    /// Handlers of reads, writes and scans together (`hbase.regionserver.handler.count`, there 30). Default: twice the cores, at
    /// least 30.
    pub handlers: usize,
    /// Queues for each handler (`hbase.ipc.server.callqueue.handler.factor`); above 1 is 1. Default 0.1.
    pub handler_factor: f32,
    /// The part of the handlers that is for reads and scans (`hbase.ipc.server.callqueue.read.ratio`). 0: one lane for reads, writes
    /// and scans, as HBase has it by default. Default 0.5.
    pub read_ratio: f32,
    /// The part of those that is for scans (`hbase.ipc.server.callqueue.scan.ratio`). Where it gives scans no queue, they are reads.
    /// Default 0.5.
    pub scan_ratio: f32,
    /// Calls that may wait in one of HBase's queues (`hbase.ipc.server.max.callqueue.length`); `None`: ten for each handler. Where
    /// reads and writes are apart, fewer than 250 count as 250, as in HBase.
    pub length_max: Option<usize>,
    /// Calls that may wait in a lane, however many HBase's settings allow; `None`: as they say. Ours.
    pub waiting_max: Option<usize>,
    /// In which order waiting calls run (`hbase.ipc.server.callqueue.type`). Fixed at the start. Default fifo.
    pub order: QueueOrder,
    /// codel: what a call may wait in good times (`hbase.ipc.server.callqueue.codel.target.delay`, in milliseconds). Default 100 ms.
    pub codel_target: Duration,
    /// codel: how often the shortest wait is looked at (`hbase.ipc.server.callqueue.codel.interval`, in milliseconds). Default 100 ms.
    pub codel_interval: Duration,
    /// codel: a queue fuller than this part takes the newest call first (`hbase.ipc.server.callqueue.codel.lifo.threshold`). Default
    /// 0.8.
    pub codel_lifo_threshold: f64,
    /// deadline: the most that a long scan is put back (`hbase.ipc.server.queue.max.call.delay`, in milliseconds). Default 5 s.
    pub max_call_delay: Duration,
    /// deadline: how much each fetch of a scan puts it back (`hbase.ipc.server.scan.vtime.weight`). Default 1.
    pub scan_vtime_weight: f32,
    /// Scans that run at once, however many handlers they have; `None`: one fewer than cores, at least 1. Only where scans have a lane
    /// of their own. Ours.
    pub scan_running_max: Option<usize>,
    /// Handlers of calls about tables and the server (`hbase.regionserver.metahandler.count`, there 20). Default 4.
    pub admin_handlers: usize,
    /// Calls about tables and the server that may wait (`hbase.ipc.server.priority.max.callqueue.length`). Default 1000.
    pub admin_waiting_max: usize,
    /// A call that has waited for longer is dropped instead of run, since its client has given it up (`hbase.rpc.timeout`); `None`:
    /// never. Default 60 s.
    pub wait_max: Option<Duration>,
}

/// In which order waiting calls run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum QueueOrder {
    /// The oldest first.
    #[default]
    Fifo,
    /// The oldest first, but long scans are put back.
    Deadline,
    /// The oldest first, the newest first in a crowded queue; what waited for too long is dropped (AdaptiveLifoCoDel).
    Codel,
}

impl QueueOrder {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Fifo, Self::Deadline, Self::Codel];

    /// As HBase's setting spells it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Fifo => "fifo",
            Self::Deadline => "deadline",
            Self::Codel => "codel",
        }
    }
}

impl Default for QueueSettings {
    fn default() -> Self {
        let cores = cores();
        Self {
            // Two for each core, since handlers wait for disks; not fewer than HBase's 30, since writers that wait for the journal
            // together share its syncs.
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
            admin_handlers: 4,
            admin_waiting_max: 1000,
            wait_max: Some(Duration::from_secs(60)),
        }
    }
}

/// The processors that this process may use; 2 where the system does not say.
pub fn cores() -> usize {
    available_parallelism().map_or(2, usize::from)
}
