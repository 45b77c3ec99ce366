//! The oldest call first; under overload the newest first, and calls that have waited too long are dropped.

use std::collections::VecDeque;

use super::line::{Order, evict, first};
use super::{Taken, Tuning, Waiting};

/// HBase's `codel` (`AdaptiveLifoCoDelCallQueue`).
///
/// The queue is overloaded if the shortest wait in an interval exceeded the target. Until the end of an
/// interval without overload, entries that waited for more than twice the target are dropped, except the
/// first of each interval. If the queue is filled beyond its threshold, the newest entry is served first,
/// because its client is still waiting.
pub struct Codel<T> {
    tuning: Tuning,
    waiting: VecDeque<T>,
    /// The shortest wait in this interval so far.
    shortest_ms: i64,
    interval_end_ms: i64,
    /// Whether the next entry taken is the first of its interval.
    fresh: bool,
    overloaded: bool,
    /// Whether the entry taken last was the newest.
    lifo: bool,
    switches: u64,
}

impl<T> Codel<T> {
    /// An empty queue whose first interval ends now.
    pub fn new(tuning: Tuning, now_ms: i64) -> Self {
        Self {
            tuning,
            waiting: VecDeque::new(),
            shortest_ms: 0,
            interval_end_ms: now_ms,
            fresh: true,
            overloaded: false,
            lifo: false,
            switches: 0,
        }
    }

    fn drops(&mut self, waited_ms: i64, now_ms: i64) -> bool {
        let shortest_ms = self.shortest_ms;
        if now_ms > self.interval_end_ms && !self.fresh {
            self.fresh = true;
            self.interval_end_ms = now_ms.saturating_add(self.tuning.interval_ms);
            self.overloaded = shortest_ms > self.tuning.target_ms;
        }
        if self.fresh {
            self.fresh = false;
            self.shortest_ms = waited_ms;
            return false;
        }
        self.shortest_ms = shortest_ms.min(waited_ms);
        self.overloaded && waited_ms > self.tuning.target_ms.saturating_mul(2)
    }
}

impl<T: Waiting> Order<T> for Codel<T> {
    fn put(&mut self, entry: T, _: usize) {
        self.waiting.push_back(entry);
    }

    fn take(&mut self, now_ms: i64, may_run: &dyn Fn(&T) -> bool) -> Option<Taken<T>> {
        let crowded = self.waiting.len() as f64 / self.tuning.capacity.max(1) as f64 > self.tuning.lifo_threshold;
        self.switches += u64::from(crowded && !self.lifo);
        self.lifo = crowded;
        let entry = if crowded { evict(&mut self.waiting, may_run) } else { first(&mut self.waiting, may_run) }?;
        let waited_ms = now_ms.saturating_sub(entry.received_ms());
        let drops = self.drops(waited_ms, now_ms) && entry.may_be_dropped();
        Some(if drops { Taken::Drop(entry) } else { Taken::Run(entry) })
    }

    fn take_late(&mut self, before_ms: i64) -> Option<T> {
        first(&mut self.waiting, |entry| entry.is_late(before_ms))
    }

    fn evict(&mut self, client: u64) -> Option<T> {
        evict(&mut self.waiting, |entry| entry.client() == client && entry.may_be_refused())
    }

    fn len(&self) -> usize {
        self.waiting.len()
    }

    fn tune(&mut self, tuning: Tuning) {
        self.tuning = tuning;
    }

    fn lifo_switches(&self) -> u64 {
        self.switches
    }
}
