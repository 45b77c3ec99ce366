//! Stopping: calls under way are counted, and no new one begins once the server stops.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use tokio::sync::watch;

/// Counts the calls under way, and tells connections that the server stops.
#[derive(Debug)]
pub struct Shutdown {
    under_way: AtomicUsize,
    draining: AtomicBool,
    stopping: AtomicBool,
    stop: watch::Sender<bool>,
}

/// A call is under way until this is dropped.
#[derive(Debug)]
pub struct CallGuard(Arc<Shutdown>);

impl Shutdown {
    /// Of a server that runs, with no call under way.
    pub fn new() -> Self {
        Self {
            under_way: AtomicUsize::new(0),
            draining: AtomicBool::new(false),
            stopping: AtomicBool::new(false),
            stop: watch::Sender::new(false),
        }
    }

    /// Registers a call; `None` if the server is stopping and takes no more calls.
    pub fn begin(self: &Arc<Self>) -> Option<CallGuard> {
        // The order matters: a call is counted before it looks at `stopping`, and shutdown sets `stopping` before it looks at the
        // count. So at least one of the two sees the other.
        self.under_way.fetch_add(1, Ordering::SeqCst);
        let guard = CallGuard(self.clone());
        (!self.stopping.load(Ordering::SeqCst)).then_some(guard)
    }

    /// Announces that the server will stop soon. Calls are still taken.
    pub fn drain(&self) {
        self.draining.store(true, Ordering::SeqCst);
    }

    /// Whether the server stops or will stop soon.
    pub fn is_draining(&self) -> bool {
        self.draining.load(Ordering::SeqCst) || self.is_stopping()
    }

    /// Makes [`Self::begin`] refuse, and wakes everything that waits in [`Self::stopped`].
    pub fn stop(&self) {
        self.stopping.store(true, Ordering::SeqCst);
        self.stop.send_replace(true);
    }

    /// Whether the server takes no more calls.
    pub fn is_stopping(&self) -> bool {
        self.stopping.load(Ordering::SeqCst)
    }

    /// Waits until the server stops.
    pub async fn stopped(&self) {
        // Fails only without a sender, and the sender lives as long as `self`.
        drop(self.stop.subscribe().wait_for(|stopping| *stopping).await);
    }

    /// Whether no call is under way.
    pub fn is_quiet(&self) -> bool {
        self.under_way.load(Ordering::SeqCst) == 0
    }
}

impl Drop for CallGuard {
    fn drop(&mut self) {
        self.0.under_way.fetch_sub(1, Ordering::SeqCst);
    }
}
