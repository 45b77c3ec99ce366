//! A notice to a task that an event loop has answered a number of calls.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tokio::sync::Notify;

/// Notifies a task once, when the number of answered calls has reached a threshold.
#[derive(Debug)]
pub struct CallThreshold {
    calls: AtomicU64,
    task: Arc<Notify>,
}

impl CallThreshold {
    /// A threshold of this number of calls; `u64::MAX` if the task is not to be notified.
    pub fn new(calls: u64, task: Arc<Notify>) -> Self {
        Self { calls: AtomicU64::new(calls), task }
    }

    /// Changes the threshold.
    pub fn set(&self, calls: u64) {
        self.calls.store(calls, Ordering::Relaxed);
    }

    /// The threshold; `u64::MAX` after the task has been notified.
    pub fn calls(&self) -> u64 {
        self.calls.load(Ordering::Relaxed)
    }

    /// Must be called after each call, with the number of all answered calls.
    pub fn answered(&self, calls: u64) {
        if calls >= self.calls() {
            self.set(u64::MAX);
            self.task.notify_one();
        }
    }

    /// Waits until the threshold is reached.
    pub async fn reached(&self) {
        self.task.notified().await;
    }
}
