//! A blocking queue around an order of entries.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use hjall_engine::clock::Clock;

use super::clients::Clients;
use super::taker::{Sleeper, Taker};
use super::{Queue, Taken, Tuning, Waiting};

/// The order in which entries are taken. Called with the lock of the queue held.
pub trait Order<T>: Send {
    /// Adds an entry of a client that has `of_client` others in the queue.
    fn put(&mut self, entry: T, of_client: usize);

    /// Removes the next entry, as [`Taken::Run`] or [`Taken::Drop`].
    fn take(&mut self, now_ms: i64) -> Option<Taken<T>>;

    /// Removes the newest entry of a client that may be refused.
    fn evict(&mut self, client: u64) -> Option<T>;

    /// The number of entries.
    fn len(&self) -> usize;

    /// Changes the parameters of the order.
    fn tune(&mut self, tuning: Tuning);

    /// How often the order switched to taking the newest entry first.
    fn lifo_switches(&self) -> u64;
}

/// Removes the last entry that is of a client.
pub fn evict<T>(waiting: &mut VecDeque<T>, is_of_client: impl Fn(&T) -> bool) -> Option<T> {
    let last = waiting.iter().rposition(is_of_client)?;
    waiting.remove(last)
}

/// The time without a taken entry after which running calls no longer count, in milliseconds of the queue's clock.
pub const STALL_MS: i64 = 2;

/// How often the taker that watches the queue looks at it.
const WATCH_INTERVAL: Duration = Duration::from_millis(1);

/// A queue whose takers wait for entries.
pub struct Line<O> {
    state: Mutex<LineState<O>>,
    clock: Arc<dyn Clock>,
}

struct LineState<O> {
    order: O,
    /// The entries of `order` by client.
    clients: Clients,
    /// The number of entries taken so far.
    taken: u64,
    /// For each taker that is to retire: the value of `taken` from which it may.
    retiring: VecDeque<u64>,
    /// The number of calls that may run at once.
    at_once: usize,
    /// The number of calls that count as running: those that were taken in this turn, have not ended and do not wait.
    running: usize,
    /// Incremented when the running calls stop counting.
    turn: u64,
    /// When an entry was last taken.
    taken_ms: i64,
    /// Takers that sleep until they are called. The last one is called first, because its memory is most likely cached.
    idle: Vec<Arc<Sleeper>>,
    /// A taker that sleeps until it is called or looks at the queue again.
    watching: Option<Arc<Sleeper>>,
    /// The number of takers that have been called and are not yet awake.
    coming: usize,
}

impl<O> Line<O> {
    /// A queue around an empty order.
    pub fn new(order: O, at_once: usize, clock: Arc<dyn Clock>) -> Self {
        let state = LineState {
            order,
            clients: Clients::default(),
            taken: 0,
            retiring: VecDeque::new(),
            at_once,
            running: 0,
            turn: 0,
            taken_ms: 0,
            idle: Vec::new(),
            watching: None,
            coming: 0,
        };
        Self { state: Mutex::new(state), clock }
    }

    fn lock(&self) -> MutexGuard<'_, LineState<O>> {
        // No code panics while the state is inconsistent.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<O> LineState<O> {
    /// A retirement if one is due, otherwise the next entry.
    fn take<T>(&mut self, now_ms: i64) -> Option<Taken<T>>
    where
        T: Waiting,
        O: Order<T>,
    {
        if self.retiring.front().is_some_and(|after| self.taken >= *after || self.order.len() == 0) {
            self.retiring.pop_front();
            return Some(Taken::Retire);
        }
        if self.order.len() == 0 {
            return None;
        }
        let taken = self.order.take(now_ms)?;
        if let Taken::Run(entry) | Taken::Drop(entry) = &taken {
            self.clients.remove(entry.client());
        }
        self.taken += 1;
        Some(taken)
    }

    /// As [`Self::take`], for a taker. Returns `None`, too, if enough calls are running.
    fn take_for<T>(&mut self, taker: &Taker, clock: &dyn Clock) -> Option<Taken<T>>
    where
        T: Waiting,
        O: Order<T>,
    {
        if self.order.len() == 0 && self.retiring.is_empty() {
            return None;
        }
        let now_ms = clock.now_ms();
        if self.running >= self.at_once && self.retiring.is_empty() {
            if now_ms.saturating_sub(self.taken_ms) < STALL_MS {
                return None;
            }
            self.turn += 1;
            self.running = 0;
        }
        let taken = self.take(now_ms)?;
        if !matches!(taken, Taken::Retire) {
            self.taken_ms = now_ms;
            self.running += 1;
            taker.begins(self.turn);
        }
        Some(taken)
    }

    /// The call of a taker has ended or waits.
    fn stops_running(&mut self, taker: &Taker) {
        if taker.ends() == Some(self.turn) {
            self.running -= 1;
        }
    }

    /// Chooses a taker to wake, so that one comes while an entry may be taken, and one watches while entries wait.
    #[must_use]
    fn call_next<T>(&mut self) -> Option<Arc<Sleeper>>
    where
        O: Order<T>,
    {
        let unattended = self.order.len() > self.coming;
        let sleeper = if unattended && self.running.saturating_add(self.coming) < self.at_once {
            self.idle.pop().or_else(|| self.watching.take())
        } else if self.order.len() > 0 && self.watching.is_none() && self.coming == 0 {
            self.idle.pop()
        } else {
            None
        }?;
        self.coming += 1;
        sleeper.call();
        Some(sleeper)
    }
}

/// Wakes a taker that was called. The queue should not be locked.
fn wake(sleeper: Option<Arc<Sleeper>>) {
    if let Some(sleeper) = sleeper {
        sleeper.wake();
    }
}

impl<T: Waiting, O: Order<T>> Queue<T> for Line<O> {
    fn put(&self, entry: T) {
        let mut state = self.lock();
        let of_client = state.clients.add(entry.client());
        state.order.put(entry, of_client);
        let next = state.call_next();
        drop(state);
        wake(next);
    }

    fn take(&self, taker: &Taker) -> Taken<T> {
        let mut state = self.lock();
        state.stops_running(taker);
        loop {
            if let Some(taken) = state.take_for(taker, &*self.clock) {
                let next = state.call_next();
                drop(state);
                wake(next);
                return taken;
            }
            let sleeper = taker.sleeper();
            let watches = state.order.len() > 0 && state.watching.is_none();
            if watches {
                state.watching = Some(Arc::clone(sleeper));
            } else {
                state.idle.push(Arc::clone(sleeper));
            }
            drop(state);
            sleeper.sleep(watches.then_some(WATCH_INTERVAL));
            state = self.lock();
            if sleeper.answer() {
                state.coming -= 1;
            } else {
                // Only the taker that watches wakes up without being called.
                state.watching = None;
            }
        }
    }

    fn take_next(&self, taker: &Taker) -> Option<Taken<T>> {
        let mut state = self.lock();
        if state.order.len() == 0 || !state.retiring.is_empty() {
            return None;
        }
        let now_ms = self.clock.now_ms();
        // A taker that still counts goes on in its own place.
        if taker.turn() != Some(state.turn) {
            if state.running >= state.at_once {
                return None;
            }
            state.running += 1;
            taker.begins(state.turn);
        }
        let taken = state.take(now_ms)?;
        state.taken_ms = now_ms;
        let next = state.call_next();
        drop(state);
        wake(next);
        Some(taken)
    }

    fn waits(&self, taker: &Taker) {
        let mut state = self.lock();
        state.stops_running(taker);
        let next = state.call_next();
        drop(state);
        wake(next);
    }

    fn try_take(&self) -> Option<Taken<T>> {
        self.lock().take(self.clock.now_ms())
    }

    fn evict_for(&self, client: u64) -> Option<T> {
        let mut state = self.lock();
        let from = state.clients.greediest(client)?;
        let evicted = state.order.evict(from)?;
        state.clients.remove(from);
        Some(evicted)
    }

    fn retire(&self, takers: usize) {
        let mut state = self.lock();
        let after = state.taken + state.order.len() as u64;
        state.retiring.extend(std::iter::repeat_n(after, takers));
        let mut sleepers = std::mem::take(&mut state.idle);
        sleepers.extend(state.watching.take());
        state.coming += sleepers.len();
        sleepers.iter().for_each(|sleeper| sleeper.call());
        drop(state);
        sleepers.iter().for_each(|sleeper| sleeper.wake());
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
