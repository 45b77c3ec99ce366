//! Computes the lanes from HBase's settings of call queues: the number of handlers of each lane, and how many calls may
//! wait.
//!
//! HBase divides queues and handlers into groups in `BalancedQueueRpcExecutor` and `RWQueueRpcExecutor`, in single
//! precision, and chooses a queue of the group at random for each call. Here a group is a lane with a single queue,
//! which is as long as all queues of the group together. A call never waits while a handler of its lane is idle, and
//! the lane refuses calls when all queues of the group would be full.

use std::time::Duration;

use crate::settings::config::{QueueSettings, cores};
use crate::wire::method::{CallKind, LaneKind};

/// The minimum capacity of HBase's queue objects. If reads and writes have separate queues, HBase also uses it as the
/// minimum of the limit on waiting calls.
const QUEUE_CAPACITY_MIN: usize = 250;

/// A group of queues and their handlers, as HBase counts them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Group {
    /// Number of queues.
    pub queues: usize,
    /// Number of handlers of all queues together.
    pub handlers: usize,
}

/// How HBase divides queues and handlers among kinds of calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Division {
    /// All kinds of calls share one group (`BalancedQueueRpcExecutor`).
    Balanced(Group),
    /// Reads, writes and possibly scans have separate groups (`RWQueueRpcExecutor`).
    Split {
        /// Writes.
        write: Group,
        /// Reads, and scans if they have no group.
        read: Group,
        /// Scans.
        scan: Option<Group>,
    },
}

impl Division {
    /// HBase 2.6's formulas.
    pub fn of(handlers: usize, factor: f32, read_ratio: f32, scan_ratio: f32) -> Self {
        let factor = factor.min(1.0);
        if read_ratio > 0.0 {
            Self::split(handlers.max(2), factor, read_ratio, scan_ratio)
        } else {
            let queues = round(handlers as f32 * factor).max(1);
            Self::Balanced(Group { queues, handlers: handlers.max(queues) })
        }
    }

    fn split(handlers: usize, factor: f32, read_ratio: f32, scan_ratio: f32) -> Self {
        let queues = round(handlers as f32 * factor).max(2);
        let writers = |count: usize| count.saturating_sub(round(count as f32 * read_ratio).max(1)).max(1);
        let write = Group { queues: writers(queues), handlers: writers(handlers).max(writers(queues)) };
        let read_queues = queues - write.queues;
        let read_handlers = (handlers - writers(handlers)).max(read_queues);
        let scan_handlers = floor(read_handlers as f32 * scan_ratio).min(read_handlers);
        let scan_queues = if scan_handlers > 0 { floor(read_queues as f32 * scan_ratio).max(1) } else { 0 };
        if scan_queues == 0 {
            let read = Group { queues: read_queues, handlers: read_handlers };
            return Self::Split { write, read, scan: None };
        }
        let read =
            Group { queues: read_queues.saturating_sub(scan_queues).max(1), handlers: read_handlers - scan_handlers };
        Self::Split { write, read, scan: Some(Group { queues: scan_queues, handlers: scan_handlers }) }
    }
}

/// Java's `Math.round` of a float. Negative results become 0.
fn round(x: f32) -> usize {
    floor(x + 0.5)
}

fn milliseconds(time: Duration) -> i64 {
    i64::try_from(time.as_millis()).unwrap_or(i64::MAX)
}

fn floor(x: f32) -> usize {
    // The cast saturates: negative numbers and NaN become 0.
    x.floor() as usize
}

/// The size of a lane.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LaneSize {
    /// Number of handlers by HBase's arithmetic.
    pub handlers: usize,
    /// Maximum number of calls that run at once: the handlers, or fewer if another setting limits them. At least 1.
    pub running_max: usize,
    /// Maximum number of calls that wait.
    pub waiting_max: usize,
    /// Number of queues that HBase would have.
    pub queues: usize,
    /// Capacity of HBase's queues together, which codel compares their length with.
    pub capacity: usize,
    /// The time after which a read or scan for which others wait counts as long, in milliseconds.
    pub long_ms: i64,
}

impl LaneSize {
    /// A lane that serves no calls.
    pub const NONE: Self = Self { handlers: 0, running_max: 1, waiting_max: 0, queues: 0, capacity: 0, long_ms: 0 };

    /// Maximum number of calls running or waiting. If HBase's limit on waiting calls is 0, no call may run either, as
    /// in HBase.
    pub fn calls_max(&self) -> usize {
        if self.capacity == 0 { 0 } else { self.running_max.saturating_add(self.waiting_max) }
    }
}

/// How many calls of a lane run at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Concurrency {
    /// The number of calls that run at once, as long as they neither wait nor take long.
    pub at_once: usize,
    /// The time without a call that begins after which the running calls count as long, in milliseconds.
    pub stall_ms: i64,
    /// The number of threads, which long calls of one client may not use up; `usize::MAX` if they may.
    pub threads: usize,
}

impl Concurrency {
    /// This number of calls, without a limit for a client. Those that take more than 2 ms count as long.
    pub const fn of(at_once: usize) -> Self {
        Self { at_once, stall_ms: 2, threads: usize::MAX }
    }

    /// How often a thread that watches the queue looks at it.
    pub(crate) fn watch_interval(&self) -> Duration {
        Duration::from_millis(u64::try_from(self.stall_ms / 2).unwrap_or_default().max(1))
    }
}

/// The lanes that result from the settings, and the lane of each kind of call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lanes {
    sizes: [Option<LaneSize>; LaneKind::ALL.len()],
}

/// The time after which a read that others wait for counts as long.
const LONG_READ: Duration = Duration::from_millis(50);

/// The least time after which a scan that others wait for counts as long. Usually it pauses before.
const LONG_SCAN: Duration = Duration::from_millis(250);

impl LaneSize {
    /// How many calls of a lane of this kind run at once.
    ///
    /// Writes commit one after the other, so few threads commit as many as many threads would, and leave processors to
    /// the event loops. Reads and scans have further threads, which serve other clients while the calls of one client
    /// take long.
    pub fn concurrency(&self, kind: LaneKind) -> Concurrency {
        match kind {
            LaneKind::Write => Concurrency::of((cores() / 2).max(1)),
            LaneKind::Admin => Concurrency::of(usize::MAX),
            LaneKind::General | LaneKind::Read | LaneKind::Scan => {
                Concurrency { at_once: self.running_max, stall_ms: self.long_ms, threads: self.threads(kind) }
            }
        }
    }

    /// The number of threads of a lane of this kind.
    pub fn threads(&self, kind: LaneKind) -> usize {
        match kind {
            LaneKind::Write | LaneKind::Admin => self.running_max,
            LaneKind::General | LaneKind::Read | LaneKind::Scan => {
                self.running_max.saturating_add(self.running_max.max(3))
            }
        }
    }
}

impl Lanes {
    /// Computes the lanes for the cores of this process.
    pub fn of(settings: &QueueSettings) -> Self {
        Self::on(settings, cores())
    }

    /// Computes the lanes for a number of cores.
    pub fn on(settings: &QueueSettings, cores: usize) -> Self {
        let waiting_max = settings.waiting_max.unwrap_or(usize::MAX);
        let length = settings.length();
        let long_scan = settings.scan_slice.map_or(LONG_SCAN, |slice| LONG_SCAN.max(slice.saturating_mul(2)));
        let size = |group: Group, running_max: usize, length: usize, long: Duration| {
            let places = group.queues.saturating_mul(length);
            LaneSize {
                handlers: group.handlers,
                running_max: group.handlers.min(running_max).max(1),
                waiting_max: places.min(waiting_max),
                queues: group.queues,
                capacity: if length == 0 { 0 } else { group.queues.saturating_mul(length.max(QUEUE_CAPACITY_MIN)) },
                long_ms: milliseconds(long),
            }
        };
        let mut sizes = [None; LaneKind::ALL.len()];
        let division =
            Division::of(settings.handlers, settings.handler_factor, settings.read_ratio, settings.scan_ratio);
        match division {
            Division::Balanced(all) => {
                sizes[LaneKind::General as usize] = Some(size(all, usize::MAX, length, long_scan))
            }
            Division::Split { write, read, scan } => {
                let length = length.max(QUEUE_CAPACITY_MIN);
                sizes[LaneKind::Write as usize] = Some(size(write, usize::MAX, length, Duration::ZERO));
                sizes[LaneKind::Read as usize] =
                    Some(size(read, usize::MAX, length, if scan.is_some() { LONG_READ } else { long_scan }));
                let running_max = settings.scans_running(cores);
                sizes[LaneKind::Scan as usize] = scan.map(|scan| size(scan, running_max, length, long_scan));
            }
        }
        let handlers = settings.admin_handlers.max(1);
        sizes[LaneKind::Admin as usize] = Some(LaneSize {
            handlers,
            running_max: handlers,
            waiting_max: settings.admin_waiting_max,
            queues: 1,
            capacity: settings.admin_waiting_max.max(QUEUE_CAPACITY_MIN),
            long_ms: 0,
        });
        Self { sizes }
    }

    /// The size of a lane, or `None` if the settings have no such lane.
    pub fn size(&self, lane: LaneKind) -> Option<LaneSize> {
        self.sizes.get(lane as usize).copied().flatten()
    }

    /// The lane in which a kind of call runs.
    pub fn of_calls(&self, kind: CallKind) -> LaneKind {
        match kind {
            CallKind::Admin => LaneKind::Admin,
            _ if self.size(LaneKind::General).is_some() => LaneKind::General,
            CallKind::Read => LaneKind::Read,
            CallKind::Write => LaneKind::Write,
            CallKind::Scan if self.size(LaneKind::Scan).is_none() => LaneKind::Read,
            CallKind::Scan => LaneKind::Scan,
        }
    }

    /// The lanes that the settings have, with their sizes.
    pub fn iter(&self) -> impl Iterator<Item = (LaneKind, LaneSize)> + '_ {
        LaneKind::ALL.into_iter().filter_map(|kind| Some((kind, self.size(kind)?)))
    }
}
