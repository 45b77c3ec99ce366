//! A blocking queue around an order of entries.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use hjall_engine::clock::Clock;

use super::clients::Clients;
use super::taker::{Sleeper, Taker};
use super::{Concurrency, Queue, Taken, Tuning, Waiting};

/// The order in which entries are taken. Called with the lock of the queue held.
pub trait Order<T>: Send {
    /// Adds an entry of a client that has `of_client` others in the queue.
    fn put(&mut self, entry: T, of_client: usize);

    /// Removes the next entry that may be run, as [`Taken::Run`] or [`Taken::Drop`].
    fn take(&mut self, now_ms: i64, may_run: &dyn Fn(&T) -> bool) -> Option<Taken<T>>;

    /// Removes an entry that has arrived before this time and may be dropped.
    fn take_late(&mut self, before_ms: i64) -> Option<T>;

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

/// Removes the first entry that may be run.
pub fn first<T>(waiting: &mut VecDeque<T>, may_run: impl Fn(&T) -> bool) -> Option<T> {
    if may_run(waiting.front()?) {
        return waiting.pop_front();
    }
    let first = waiting.iter().position(may_run)?;
    waiting.remove(first)
}

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
    /// The number of takers that remain after those have retired.
    remaining: usize,
    concurrency: Concurrency,
    /// The calls that have been taken and have not ended, by client.
    under_way: UnderWay,
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
    pub fn new(order: O, concurrency: Concurrency, clock: Arc<dyn Clock>) -> Self {
        let state = LineState {
            order,
            clients: Clients::default(),
            taken: 0,
            retiring: VecDeque::new(),
            remaining: usize::MAX,
            concurrency,
            under_way: UnderWay::default(),
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

/// The calls that have been taken and have not ended.
#[derive(Default)]
struct UnderWay {
    all: usize,
    by_client: HashMap<u64, usize>,
}

impl UnderWay {
    fn add(&mut self, client: u64) {
        self.all += 1;
        *self.by_client.entry(client).or_default() += 1;
    }

    fn remove(&mut self, client: u64) {
        self.all = self.all.saturating_sub(1);
        if let Some(calls) = self.by_client.get_mut(&client) {
            *calls -= 1;
            if *calls == 0 {
                self.by_client.remove(&client);
            }
        }
    }

    /// Whether another call of a client may begin: the client has fewer calls than there are idle takers. A client
    /// without calls always may, because the taker that asks is idle.
    fn admits(&self, client: u64, takers: usize) -> bool {
        let of_client = self.by_client.get(&client).copied().unwrap_or_default();
        of_client == 0 || of_client < takers.saturating_sub(self.all)
    }
}

impl<O> LineState<O> {
    /// A retirement if one is due, otherwise the next entry. With a taker, an entry of a client that may begin another
    /// call.
    fn take<T>(&mut self, now_ms: i64, taker: Option<&Taker>) -> Option<Taken<T>>
    where
        T: Waiting,
        O: Order<T>,
    {
        if self.must_retire() {
            self.retiring.pop_front();
            return Some(Taken::Retire);
        }
        if self.order.len() == 0 {
            return None;
        }
        let (under_way, takers) = (&self.under_way, self.concurrency.threads);
        let taken = match taker {
            Some(_) => self.order.take(now_ms, &|entry| under_way.admits(entry.client(), takers)),
            None => self.order.take(now_ms, &|_| true),
        }?;
        if let Taken::Run(entry) | Taken::Drop(entry) = &taken {
            self.clients.remove(entry.client());
            if let Some(taker) = taker {
                self.under_way.add(entry.client());
                taker.serves(Some(entry.client()));
            }
        }
        self.taken += 1;
        Some(taken)
    }

    /// Whether the next idle taker retires.
    ///
    /// While more calls are under way than the remaining takers could run, idle takers stay to serve other clients, and
    /// those calls retire their takers when they end. If no taker remains, all retire when the queue has been drained.
    fn must_retire<T>(&self) -> bool
    where
        O: Order<T>,
    {
        let drained = self.retiring.front().is_some_and(|after| self.taken >= *after || self.order.len() == 0);
        drained && (self.remaining == 0 || self.under_way.all < self.remaining)
    }

    /// As [`Self::take`], for a taker. Returns `None`, too, if enough calls are running.
    fn take_for<T>(&mut self, taker: &Taker, clock: &dyn Clock) -> Option<Taken<T>>
    where
        T: Waiting,
        O: Order<T>,
    {
        let retires = self.must_retire();
        if self.order.len() == 0 && !retires {
            return None;
        }
        let now_ms = clock.now_ms();
        if self.running >= self.concurrency.at_once && !retires {
            if now_ms.saturating_sub(self.taken_ms) < self.concurrency.stall_ms {
                return None;
            }
            self.turn += 1;
            self.running = 0;
        }
        let taken = self.take(now_ms, Some(taker))?;
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

    /// The call of a taker has ended.
    fn ended(&mut self, taker: &Taker) {
        if let Some(client) = taker.serves(None) {
            self.under_way.remove(client);
        }
    }

    /// Chooses a taker to wake, so that one comes while an entry may be taken or a taker has to retire, and one watches
    /// while entries wait.
    #[must_use]
    fn call_next<T>(&mut self) -> Option<Arc<Sleeper>>
    where
        O: Order<T>,
    {
        let unattended = self.order.len() > self.coming;
        let sleeper = if unattended && self.running.saturating_add(self.coming) < self.concurrency.at_once {
            self.idle.pop().or_else(|| self.watching.take())
        } else if self.coming == 0 && self.must_retire() {
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
        state.ended(taker);
        loop {
            if let Some(taken) = state.take_for(taker, &*self.clock) {
                let next = state.call_next();
                drop(state);
                wake(next);
                return taken;
            }
            let sleeper = taker.sleeper();
            let watches = state.order.len() > 0 && state.watching.is_none();
            let interval = state.concurrency.watch_interval();
            if watches {
                state.watching = Some(Arc::clone(sleeper));
            } else {
                state.idle.push(Arc::clone(sleeper));
            }
            drop(state);
            sleeper.sleep(watches.then_some(interval));
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
        if state.order.len() == 0 {
            return None;
        }
        let now_ms = self.clock.now_ms();
        // A taker that still counts goes on in its own place.
        let continues = taker.turn() == Some(state.turn);
        if !continues && state.running >= state.concurrency.at_once {
            return None;
        }
        state.ended(taker);
        if state.must_retire() {
            return None;
        }
        let taken = state.take(now_ms, Some(taker))?;
        if !continues {
            state.running += 1;
            taker.begins(state.turn);
        }
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
        self.lock().take(self.clock.now_ms(), None)
    }

    fn evict_for(&self, client: u64) -> Option<T> {
        let mut state = self.lock();
        let from = state.clients.greediest(client)?;
        let evicted = state.order.evict(from)?;
        state.clients.remove(from);
        let next = state.call_next();
        drop(state);
        wake(next);
        Some(evicted)
    }

    fn take_late(&self, wait_max: Duration) -> Option<T> {
        let wait_max_ms = i64::try_from(wait_max.as_millis()).unwrap_or(i64::MAX);
        let mut state = self.lock();
        let late = state.order.take_late(self.clock.now_ms().saturating_sub(wait_max_ms))?;
        state.clients.remove(late.client());
        let next = state.call_next();
        drop(state);
        wake(next);
        Some(late)
    }

    fn limit(&self, concurrency: Concurrency) {
        self.lock().concurrency = concurrency;
    }

    fn retire(&self, takers: usize, remaining: usize) {
        let mut state = self.lock();
        let after = state.taken + state.order.len() as u64;
        state.retiring.extend(std::iter::repeat_n(after, takers));
        state.remaining = remaining;
        let next = state.call_next();
        drop(state);
        wake(next);
    }

    fn keep(&self, takers: usize) -> usize {
        let mut state = self.lock();
        let kept = takers.min(state.retiring.len());
        let retiring = state.retiring.len() - kept;
        state.retiring.truncate(retiring);
        kept
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
