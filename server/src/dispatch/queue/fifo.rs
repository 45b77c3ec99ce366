//! First in, first out.

use std::collections::VecDeque;

use super::line::Order;
use super::{Taken, Tuning};

/// HBase's `fifo`.
pub struct Fifo<T>(VecDeque<T>);

impl<T> Fifo<T> {
    /// An empty queue.
    pub fn new() -> Self {
        Self(VecDeque::new())
    }
}

impl<T: Send> Order<T> for Fifo<T> {
    fn put(&mut self, entry: T) {
        self.0.push_back(entry);
    }

    fn take(&mut self, _: i64) -> Option<Taken<T>> {
        self.0.pop_front().map(Taken::Run)
    }

    fn len(&self) -> usize {
        self.0.len()
    }

    fn tune(&mut self, _: Tuning) {}

    fn lifo_switches(&self) -> u64 {
        0
    }
}
