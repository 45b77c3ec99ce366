//! Where calls of a lane wait, in one of three orders behind one interface.
//!
//! A queue has no bound of its own: a call comes with a permit of its lane, of which there are as many as handlers and places. Whoever
//! puts never waits; whoever takes does.

mod codel;
mod deadline;
mod fifo;
mod line;

use std::sync::Arc;

use hjall_engine::clock::Clock;

use crate::settings::config::{QueueOrder, QueueSettings};
use crate::settings::lane_size::LaneSize;

/// What waits in a queue.
pub trait Waiting: Send + 'static {
    /// When it arrived, by the queue's clock, in milliseconds.
    fn received_ms(&self) -> i64;

    /// How often the scanner was read that this call reads; 0: it reads none.
    fn fetches(&self) -> u64;
}

/// What a taker gets.
#[derive(Debug, PartialEq, Eq)]
pub enum Taken<T> {
    /// To be run.
    Run(T),
    /// Has waited for too long in a crowded queue: to be answered without being run.
    Drop(T),
    /// Nothing: this taker is one too many and leaves.
    Retire,
}

/// A queue of calls. Any number of threads may put and take.
pub trait Queue<T>: Send + Sync {
    /// Adds an entry.
    fn put(&self, entry: T);

    /// The next entry in the queue's order; waits for one.
    fn take(&self) -> Taken<T>;

    /// The same without waiting; `None`: there is nothing.
    fn try_take(&self) -> Option<Taken<T>>;

    /// Has so many takers leave, once as many entries were taken as wait now.
    fn retire(&self, takers: usize);

    /// Entries that wait.
    fn len(&self) -> usize;

    /// Whether none waits.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Changes what the order depends on, for what is put and taken from now on.
    fn tune(&self, tuning: Tuning);

    /// How often the queue began to take the newest first.
    fn lifo_switches(&self) -> u64;
}

/// What the orders depend on; see [`QueueSettings`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tuning {
    /// codel: what an entry may wait in good times.
    pub target_ms: i64,
    /// codel: how often the shortest wait is looked at.
    pub interval_ms: i64,
    /// codel: the part of `capacity` above which the newest goes first.
    pub lifo_threshold: f64,
    /// codel: entries that HBase's queues would hold.
    pub capacity: usize,
    /// deadline: the most that an entry is put back.
    pub delay_ms_max: i64,
    /// deadline: what one fetch counts.
    pub fetch_weight: f32,
}

impl Tuning {
    /// What the settings say for a lane of this size.
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
pub fn new<T: Waiting>(order: QueueOrder, tuning: Tuning, clock: Arc<dyn Clock>) -> Arc<dyn Queue<T>> {
    match order {
        QueueOrder::Fifo => Arc::new(line::Line::new(fifo::Fifo::new(), clock)),
        QueueOrder::Deadline => Arc::new(line::Line::new(deadline::Deadline::new(tuning), clock)),
        QueueOrder::Codel => {
            let codel = codel::Codel::new(tuning, clock.now_ms());
            Arc::new(line::Line::new(codel, clock))
        }
    }
}
