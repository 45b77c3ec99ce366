//! Memory that messages and replies take, counted over all connections.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use crate::dispatch::shared::Shared;

/// What is smaller is not counted: the limit on connections bounds them all.
const UNCOUNTED_BYTES: usize = 8 << 10;

/// What one connection takes of the memory for messages and replies.
pub struct Held {
    shared: Arc<Shared>,
    bytes: usize,
}

impl Held {
    /// Nothing yet.
    pub fn new(shared: Arc<Shared>) -> Self {
        Self { shared, bytes: 0 }
    }

    /// Changes the claim; `false`: all connections together would hold too much.
    pub fn resize(&mut self, bytes: usize) -> bool {
        let bytes = counted(bytes);
        if bytes > self.bytes {
            let more = bytes - self.bytes;
            let max = self.shared.live().config.limits.held_bytes_max;
            let fits = |held: usize| held.checked_add(more).filter(|all| *all <= max);
            if self.shared.held.fetch_update(Ordering::Relaxed, Ordering::Relaxed, fits).is_err() {
                return false;
            }
            self.bytes = bytes;
        } else {
            self.set(bytes);
        }
        true
    }

    /// Changes the claim to what is held anyway. While that is too much, no call is begun.
    pub fn force(&mut self, bytes: usize) {
        self.set(counted(bytes));
    }

    fn set(&mut self, bytes: usize) {
        if bytes > self.bytes {
            self.shared.held.fetch_add(bytes - self.bytes, Ordering::Relaxed);
        } else if bytes < self.bytes {
            self.shared.held.fetch_sub(self.bytes - bytes, Ordering::Relaxed);
        }
        self.bytes = bytes;
    }
}

fn counted(bytes: usize) -> usize {
    if bytes <= UNCOUNTED_BYTES { 0 } else { bytes }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.set(0);
    }
}
