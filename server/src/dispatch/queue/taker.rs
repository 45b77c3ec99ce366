//! A thread that takes entries from a queue.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, Thread};
use std::time::Duration;

/// A taker of one queue. It belongs to the thread that creates it.
pub struct Taker {
    sleeper: Arc<Sleeper>,
    /// The turn of the queue in which its call began; `None` if no call of this taker counts as running.
    turn: Cell<Option<u64>>,
    /// The client of its call, until the call has ended.
    client: Cell<Option<u64>>,
}

impl Taker {
    /// The current thread as a taker.
    pub fn new() -> Self {
        let sleeper = Arc::new(Sleeper { thread: thread::current(), called: AtomicBool::new(false) });
        Self { sleeper, turn: Cell::new(None), client: Cell::new(None) }
    }

    pub(super) fn sleeper(&self) -> &Arc<Sleeper> {
        &self.sleeper
    }

    pub(super) fn begins(&self, turn: u64) {
        self.turn.set(Some(turn));
    }

    pub(super) fn turn(&self) -> Option<u64> {
        self.turn.get()
    }

    /// Sets the client of the call. Returns that of the call before.
    pub(super) fn serves(&self, client: Option<u64>) -> Option<u64> {
        self.client.replace(client)
    }

    pub(super) fn ends(&self) -> Option<u64> {
        self.turn.take()
    }
}

impl Default for Taker {
    fn default() -> Self {
        Self::new()
    }
}

/// A thread that may sleep. `called` is changed only while the queue is locked.
pub(super) struct Sleeper {
    thread: Thread,
    called: AtomicBool,
}

impl Sleeper {
    /// Sleeps until it is called, or until the time has passed. May return early if a time is given.
    pub fn sleep(&self, limit: Option<Duration>) {
        match limit {
            Some(limit) => {
                if !self.called.load(Ordering::Acquire) {
                    thread::park_timeout(limit);
                }
            }
            None => {
                while !self.called.load(Ordering::Acquire) {
                    thread::park();
                }
            }
        }
    }

    /// Marks it as called; [`Self::wake`] has to follow.
    pub fn call(&self) {
        self.called.store(true, Ordering::Release);
    }

    /// Ends its sleep.
    pub fn wake(&self) {
        self.thread.unpark();
    }

    /// Whether it has been called. Forgets the call.
    pub fn answer(&self) -> bool {
        self.called.swap(false, Ordering::AcqRel)
    }
}
