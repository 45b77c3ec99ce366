//! The oldest call first; fetches of a scanner are delayed more as the number of its fetches grows.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::line::Order;
use super::{Taken, Tuning, Waiting};

/// HBase's `deadline`: entries are ordered by their time of arrival. A fetch of a scanner is delayed by the
/// square root of the weighted number of its earlier fetches, in milliseconds, up to a maximum. Ties are
/// served in order of arrival.
pub struct Deadline<T> {
    tuning: Tuning,
    /// Smallest due time first, then smallest number.
    waiting: BinaryHeap<Reverse<Entry<T>>>,
    number: u64,
}

struct Entry<T> {
    due_ms: i64,
    number: u64,
    entry: T,
}

impl<T> Deadline<T> {
    /// An empty queue.
    pub fn new(tuning: Tuning) -> Self {
        Self { tuning, waiting: BinaryHeap::new(), number: 0 }
    }

    /// The delay of a fetch, in milliseconds.
    fn delay_ms(&self, fetches: u64) -> i64 {
        let delay = f64::from(fetches as f32 * self.tuning.fetch_weight).sqrt();
        // The cast saturates; NaN becomes 0.
        ((delay + 0.5).floor() as i64).min(self.tuning.delay_ms_max)
    }
}

impl<T: Waiting> Order<T> for Deadline<T> {
    fn put(&mut self, entry: T, _: usize) {
        let due_ms = entry.received_ms().saturating_add(self.delay_ms(entry.fetches()));
        self.waiting.push(Reverse(Entry { due_ms, number: self.number, entry }));
        self.number += 1;
    }

    fn take(&mut self, _: i64, may_run: &dyn Fn(&T) -> bool) -> Option<Taken<T>> {
        let mut skipped = Vec::new();
        let mut taken = None;
        while let Some(next) = self.waiting.pop() {
            if may_run(&next.0.entry) {
                taken = Some(Taken::Run(next.0.entry));
                break;
            }
            skipped.push(next);
        }
        self.waiting.extend(skipped);
        taken
    }

    fn take_late(&mut self, before_ms: i64) -> Option<T> {
        if !self.waiting.iter().any(|Reverse(entry)| entry.entry.is_late(before_ms)) {
            return None;
        }
        let mut entries = std::mem::take(&mut self.waiting).into_vec();
        let late = entries.iter().position(|Reverse(entry)| entry.entry.is_late(before_ms));
        let taken = late.map(|index| entries.swap_remove(index).0.entry);
        self.waiting = entries.into();
        taken
    }

    fn evict(&mut self, client: u64) -> Option<T> {
        let mut entries = std::mem::take(&mut self.waiting).into_vec();
        let is_candidate = |entry: &T| entry.client() == client && entry.may_be_refused();
        let of_client = entries.iter().enumerate().filter(|(_, Reverse(entry))| is_candidate(&entry.entry));
        let newest = of_client.max_by_key(|(_, Reverse(entry))| entry.number).map(|(index, _)| index);
        let evicted = newest.map(|index| entries.swap_remove(index).0.entry);
        self.waiting = entries.into();
        evicted
    }

    fn len(&self) -> usize {
        self.waiting.len()
    }

    fn tune(&mut self, tuning: Tuning) {
        self.tuning = tuning;
    }

    fn lifo_switches(&self) -> u64 {
        0
    }
}

impl<T> Entry<T> {
    fn key(&self) -> (i64, u64) {
        (self.due_ms, self.number)
    }
}

impl<T> PartialEq for Entry<T> {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl<T> Eq for Entry<T> {}

impl<T> PartialOrd for Entry<T> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl<T> Ord for Entry<T> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.key().cmp(&other.key())
    }
}
