//! A blocking queue around an order of entries.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use hjall_engine::clock::Clock;

use super::{Queue, Taken, Tuning, Waiting};

/// The order in which entries are taken. Called with the lock of the queue held.
pub trait Order<T>: Send {
    /// Adds an entry.
    fn put(&mut self, entry: T);

    /// Removes the next entry, as [`Taken::Run`] or [`Taken::Drop`].
    fn take(&mut self, now_ms: i64) -> Option<Taken<T>>;

    /// Removes an entry of a client that has too many; see [`Queue::evict_for`].
    fn evict_for(&mut self, client: u64) -> Option<T>;

    /// The number of entries.
    fn len(&self) -> usize;

    /// Changes the parameters of the order.
    fn tune(&mut self, tuning: Tuning);

    /// How often the order switched to taking the newest entry first.
    fn lifo_switches(&self) -> u64;
}

/// The client that has the most of these entries, unless `client` would have as many with one more.
pub fn greediest<'a, T: Waiting>(entries: impl Iterator<Item = &'a T>, client: u64) -> Option<u64> {
    let mut counts = HashMap::<u64, usize>::new();
    for entry in entries {
        *counts.entry(entry.client()).or_default() += 1;
    }
    let own = counts.get(&client).copied().unwrap_or(0);
    let most = counts.into_iter().max_by_key(|(client, count)| (*count, *client))?;
    (most.1 > own + 1).then_some(most.0)
}

/// Removes the newest entry of the client that has the most; see [`Queue::evict_for`].
pub fn evict<T: Waiting>(waiting: &mut VecDeque<T>, client: u64) -> Option<T> {
    let from = greediest(waiting.iter(), client)?;
    let newest = waiting.iter().rposition(|entry| entry.client() == from)?;
    waiting.remove(newest)
}

/// A queue whose takers wait for entries.
pub struct Line<O> {
    state: Mutex<LineState<O>>,
    changed: Condvar,
    clock: Arc<dyn Clock>,
}

struct LineState<O> {
    order: O,
    /// The number of entries taken so far.
    taken: u64,
    /// For each taker that is to retire: the value of `taken` from which it may.
    retiring: VecDeque<u64>,
}

impl<O> Line<O> {
    /// A queue around an empty order.
    pub fn new(order: O, clock: Arc<dyn Clock>) -> Self {
        let state = LineState { order, taken: 0, retiring: VecDeque::new() };
        Self { state: Mutex::new(state), changed: Condvar::new(), clock }
    }

    fn lock(&self) -> MutexGuard<'_, LineState<O>> {
        // No code panics while the state is inconsistent.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<O> LineState<O> {
    fn take<T>(&mut self, clock: &dyn Clock) -> Option<Taken<T>>
    where
        O: Order<T>,
    {
        let retires = self.retiring.front().is_some_and(|after| self.taken >= *after || self.order.len() == 0);
        if retires {
            self.retiring.pop_front();
            return Some(Taken::Retire);
        }
        if self.order.len() == 0 {
            return None;
        }
        let taken = self.order.take(clock.now_ms())?;
        self.taken += 1;
        Some(taken)
    }
}

impl<T: Send, O: Order<T>> Queue<T> for Line<O> {
    fn put(&self, entry: T) {
        self.lock().order.put(entry);
        self.changed.notify_one();
    }

    fn take(&self) -> Taken<T> {
        let mut state = self.lock();
        loop {
            if let Some(taken) = state.take(&*self.clock) {
                return taken;
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn try_take(&self) -> Option<Taken<T>> {
        self.lock().take(&*self.clock)
    }

    fn evict_for(&self, client: u64) -> Option<T> {
        self.lock().order.evict_for(client)
    }

    fn retire(&self, takers: usize) {
        let mut state = self.lock();
        let after = state.taken + state.order.len() as u64;
        state.retiring.extend(std::iter::repeat_n(after, takers));
        drop(state);
        self.changed.notify_all();
    }

    fn len(&self) -> usize {
        self.lock().order.len()
    }

    fn tune(&self, tuning: Tuning) {
        self.lock().order.tune(tuning);
    }

    fn lifo_switches(&self) -> u64 {
        self.lock().order.lifo_switches()
    }
}
