//! The oldest first: a channel.

use std::sync::atomic::{AtomicUsize, Ordering};

use crossbeam_channel::{Receiver, Sender, unbounded};

use super::{Queue, Taken, Tuning};

/// HBase's `fifo`.
pub struct Fifo<T> {
    put: Sender<Item<T>>,
    take: Receiver<Item<T>>,
    /// Of what the channel holds, these are no entries.
    retiring: AtomicUsize,
}

enum Item<T> {
    Entry(T),
    Retire,
}

impl<T> Fifo<T> {
    /// An empty one.
    pub fn new() -> Self {
        let (put, take) = unbounded();
        Self { put, take, retiring: AtomicUsize::new(0) }
    }

    fn send(&self, item: Item<T>) {
        // Fails only without a receiver, which is ours.
        let _ = self.put.send(item);
    }

    fn taken(&self, item: Item<T>) -> Taken<T> {
        match item {
            Item::Entry(entry) => Taken::Run(entry),
            Item::Retire => {
                self.retiring.fetch_sub(1, Ordering::Relaxed);
                Taken::Retire
            }
        }
    }
}

impl<T: Send> Queue<T> for Fifo<T> {
    fn put(&self, entry: T) {
        self.send(Item::Entry(entry));
    }

    fn take(&self) -> Taken<T> {
        // The same: the sender is ours.
        self.take.recv().map_or(Taken::Retire, |item| self.taken(item))
    }

    fn try_take(&self) -> Option<Taken<T>> {
        self.take.try_recv().ok().map(|item| self.taken(item))
    }

    fn retire(&self, takers: usize) {
        for _ in 0..takers {
            self.retiring.fetch_add(1, Ordering::Relaxed);
            self.send(Item::Retire);
        }
    }

    fn len(&self) -> usize {
        self.take.len().saturating_sub(self.retiring.load(Ordering::Relaxed))
    }

    fn tune(&self, _: Tuning) {}

    fn lifo_switches(&self) -> u64 {
        0
    }
}
