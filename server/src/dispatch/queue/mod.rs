//! The queues in which the calls of a lane wait, with three orders behind one interface.
//!
//! A queue has no limit of its own, because the permits of its lane bound the number of calls. Adding an
//! entry never blocks; taking one waits for an entry.

mod clients;
mod codel;
mod deadline;
mod fifo;
mod line;
mod taker;

use std::sync::Arc;
use std::time::Duration;

use hjall_engine::clock::Clock;

pub use self::taker::Taker;
pub use crate::settings::lane_size::Concurrency;

use crate::settings::config::{QueueOrder, QueueSettings};
use crate::settings::lane_size::LaneSize;

/// An entry of a queue.
pub trait Waiting: Send + 'static {
    /// When it arrived, by the clock of the queue, in milliseconds.
    fn received_ms(&self) -> i64;

    /// The number of earlier fetches from the scanner that it reads; 0 if it reads none.
    fn fetches(&self) -> u64;

    /// The number of the client that sent it.
    fn client(&self) -> u64;

    /// Whether it may be refused to make room. Otherwise it may have had an effect already.
    fn may_be_refused(&self) -> bool {
        true
    }

    /// Whether it may be dropped if it has waited too long. Otherwise it has been run before.
    fn may_be_dropped(&self) -> bool {
        true
    }

    /// Whether it has arrived before this time and may be dropped.
    fn is_late(&self, before_ms: i64) -> bool {
        self.received_ms() < before_ms && self.may_be_dropped()
    }
}

/// The result of taking an entry.
#[derive(Debug, PartialEq, Eq)]
pub enum Taken<T> {
    /// An entry to run.
    Run(T),
    /// An entry that has waited too long in an overloaded queue. It is answered without being run.
    Drop(T),
    /// No entry: this taker retires.
    Retire,
}

/// A queue of calls for any number of threads.
///
/// While more calls wait than may run at once, one idle taker watches the queue: if no entry has been taken for
/// [`Concurrency::stall_ms`], the running calls no longer count, and the watching taker takes the next entry. A call
/// that announces that it waits ([`Queue::waits`]) stops counting immediately. So a long call occupies its own thread
/// only.
///
/// A client may have at most as many calls under way as there are idle takers: alone half of the takers, and with `n`
/// others that do the same, an equal part of which one remains for a further client.
pub trait Queue<T>: Send + Sync {
    /// Adds an entry.
    fn put(&self, entry: T);

    /// Waits for the next entry and removes it. The call that this taker took before has ended.
    fn take(&self, taker: &Taker) -> Taken<T>;

    /// Removes the next entry without waiting, for a taker that runs several calls in one go. The call that it took
    /// before has ended. Returns `None` if no entry waits, if as many calls run as may run at once, or if a taker has
    /// to retire now; then the taker still counts as running if it did before.
    fn take_next(&self, taker: &Taker) -> Option<Taken<T>>;

    /// Called by a taker whose call is about to wait: another call may run in the meantime.
    fn waits(&self, taker: &Taker);

    /// Removes the next entry without waiting; `None` if the queue is empty.
    fn try_take(&self) -> Option<Taken<T>>;

    /// Makes room for an entry of a client: removes the newest entry of the client that has the most and that may be
    /// refused, unless that leaves it with fewer entries than this one would then have.
    fn evict_for(&self, client: u64) -> Option<T>;

    /// Removes an entry that has waited for longer than this and may be dropped.
    fn take_late(&self, wait_max: Duration) -> Option<T>;

    /// Changes how many calls run at once.
    fn limit(&self, concurrency: Concurrency);

    /// Retires this number of takers after the entries that wait now have been taken. If takers remain, none retires
    /// while at least as many calls are under way as there are `remaining` takers: idle ones are needed for other
    /// clients.
    fn retire(&self, takers: usize, remaining: usize);

    /// Keeps up to this number of the takers that have been told to retire and have not retired yet. Returns how many
    /// it keeps.
    fn keep(&self, takers: usize) -> usize;

    /// The number of entries.
    fn len(&self) -> usize;

    /// Whether the queue is empty.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Changes the parameters of the order for all further operations.
    fn tune(&self, tuning: Tuning);

    /// How often the order switched to taking the newest entry first.
    fn lifo_switches(&self) -> u64;
}

/// The parameters of the orders; see [`QueueSettings`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tuning {
    /// codel: the wait above which the queue is overloaded.
    pub target_ms: i64,
    /// codel: the length of the interval whose shortest wait is compared with the target.
    pub interval_ms: i64,
    /// codel: the fraction of `capacity` above which the newest entry is served first.
    pub lifo_threshold: f64,
    /// codel: the number of entries that HBase's queues would hold.
    pub capacity: usize,
    /// deadline: the maximum delay of a fetch.
    pub delay_ms_max: i64,
    /// deadline: the weight of one fetch.
    pub fetch_weight: f32,
}

impl Tuning {
    /// The parameters for a lane of this size.
    pub fn new(settings: &QueueSettings, size: &LaneSize) -> Self {
        let ms = |time: std::time::Duration| i64::try_from(time.as_millis()).unwrap_or(i64::MAX);
        Self {
            target_ms: ms(settings.codel_target),
            interval_ms: ms(settings.codel_interval),
            lifo_threshold: settings.codel_lifo_threshold,
            capacity: size.capacity,
            delay_ms_max: ms(settings.max_call_delay),
            fetch_weight: settings.scan_vtime_weight,
        }
    }
}

/// An empty queue.
pub fn new<T: Waiting>(
    order: QueueOrder,
    concurrency: Concurrency,
    tuning: Tuning,
    clock: Arc<dyn Clock>,
) -> Arc<dyn Queue<T>> {
    match order {
        QueueOrder::Fifo => Arc::new(line::Line::new(fifo::Fifo::new(), concurrency, clock)),
        QueueOrder::Deadline => Arc::new(line::Line::new(deadline::Deadline::new(tuning), concurrency, clock)),
        QueueOrder::Codel => {
            let codel = codel::Codel::new(tuning, clock.now_ms());
            Arc::new(line::Line::new(codel, concurrency, clock))
        }
    }
}
