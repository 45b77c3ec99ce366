//! First in, first out for each client; clients take turns.

use std::collections::VecDeque;

use super::line::{Order, evict, first};
use super::{Taken, Tuning, Waiting};

/// HBase's `fifo`, among the calls of one client.
///
/// Clients take turns, so that the calls of one that has many wait do not delay those of the others: in each turn,
/// every client has one entry taken. An entry belongs to the turn in which its client has had all earlier ones taken.
/// A fetch that has used up its time slice is put into the queue again, so turns also divide the time of long scans.
pub struct Fifo<T> {
    /// Ordered by turn, then by arrival.
    waiting: VecDeque<(u64, T)>,
    /// The turn of the entry taken last.
    turn: u64,
}

impl<T> Fifo<T> {
    /// An empty queue.
    pub fn new() -> Self {
        Self { waiting: VecDeque::new(), turn: 0 }
    }
}

impl<T: Waiting> Order<T> for Fifo<T> {
    fn put(&mut self, entry: T, of_client: usize) {
        let mut turn = self.turn.saturating_add(of_client as u64);
        if of_client > 0 {
            // Two entries of a client may have been put into one turn. Later ones must not overtake them.
            let mut latest = self.waiting.iter().rev();
            let last = latest.find(|(_, other)| other.client() == entry.client()).map(|(turn, _)| *turn);
            turn = turn.max(last.unwrap_or_default());
        }
        let at = match self.waiting.back() {
            Some((last, _)) if *last > turn => self.waiting.partition_point(|(other, _)| *other <= turn),
            _ => self.waiting.len(),
        };
        self.waiting.insert(at, (turn, entry));
    }

    fn take(&mut self, _: i64, may_run: &dyn Fn(&T) -> bool) -> Option<Taken<T>> {
        let (turn, entry) = first(&mut self.waiting, |(_, entry)| may_run(entry))?;
        // An entry of an earlier turn may have had to wait.
        self.turn = self.turn.max(turn);
        Some(Taken::Run(entry))
    }

    fn take_late(&mut self, before_ms: i64) -> Option<T> {
        let late = self.waiting.iter().position(|(_, entry)| entry.is_late(before_ms))?;
        self.waiting.remove(late).map(|(_, entry)| entry)
    }

    fn evict(&mut self, client: u64) -> Option<T> {
        evict(&mut self.waiting, |(_, entry)| entry.client() == client && entry.may_be_refused())
            .map(|(_, entry)| entry)
    }

    fn len(&self) -> usize {
        self.waiting.len()
    }

    fn tune(&mut self, _: Tuning) {}

    fn lifo_switches(&self) -> u64 {
        0
    }
}
