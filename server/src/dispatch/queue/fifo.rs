//! First in, first out.

use std::collections::VecDeque;

use super::line::{Order, evict};
use super::{Taken, Tuning, Waiting};

/// HBase's `fifo`.
pub struct Fifo<T>(VecDeque<T>);

impl<T> Fifo<T> {
    /// An empty queue.
    pub fn new() -> Self {
        Self(VecDeque::new())
    }
}

impl<T: Waiting> Order<T> for Fifo<T> {
    fn put(&mut self, entry: T) {
        self.0.push_back(entry);
    }

    fn take(&mut self, _: i64) -> Option<Taken<T>> {
        self.0.pop_front().map(Taken::Run)
    }

    fn evict_for(&mut self, client: u64) -> Option<T> {
        evict(&mut self.0, client)
    }

    fn len(&self) -> usize {
        self.0.len()
    }

    fn tune(&mut self, _: Tuning) {}

    fn lifo_switches(&self) -> u64 {
        0
    }
}
