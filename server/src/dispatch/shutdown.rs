//! Counts the calls in flight, and refuses new ones while the server is stopping.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use tokio::sync::watch;

/// Counts the calls in flight, and notifies connections when the server stops.
#[derive(Debug)]
pub struct Shutdown {
    under_way: AtomicUsize,
    draining: AtomicBool,
    stopping: AtomicBool,
    stop: watch::Sender<bool>,
}

/// One call in flight. The call has ended when this is dropped.
#[derive(Debug)]
pub struct CallGuard(Arc<Shutdown>);

impl Shutdown {
    /// The state of a running server without calls.
    pub fn new() -> Self {
        Self {
            under_way: AtomicUsize::new(0),
            draining: AtomicBool::new(false),
            stopping: AtomicBool::new(false),
            stop: watch::Sender::new(false),
        }
    }

    /// Registers a call; `None` if the server is stopping.
    pub fn begin(self: &Arc<Self>) -> Option<CallGuard> {
        // A call is counted before it reads `stopping`, and a shutdown sets `stopping` before it reads the
        // count, so at least one of them sees the other.
        self.under_way.fetch_add(1, Ordering::SeqCst);
        let guard = CallGuard(self.clone());
        (!self.stopping.load(Ordering::SeqCst)).then_some(guard)
    }

    /// Announces that the server will stop soon. Calls are still accepted.
    pub fn drain(&self) {
        self.draining.store(true, Ordering::SeqCst);
    }

    /// Whether the server is stopping or will stop soon.
    pub fn is_draining(&self) -> bool {
        self.draining.load(Ordering::SeqCst) || self.is_stopping()
    }

    /// Makes [`Self::begin`] refuse calls, and completes [`Self::stopped`].
    pub fn stop(&self) {
        self.stopping.store(true, Ordering::SeqCst);
        self.stop.send_replace(true);
    }

    /// Whether the server refuses new calls.
    pub fn is_stopping(&self) -> bool {
        self.stopping.load(Ordering::SeqCst)
    }

    /// Waits until the server stops.
    pub async fn stopped(&self) {
        // Cannot fail, because `self` owns the sender.
        drop(self.stop.subscribe().wait_for(|stopping| *stopping).await);
    }

    /// The number of calls in flight: those that wait or run, and those whose replies have not been sent completely.
    pub fn under_way(&self) -> usize {
        self.under_way.load(Ordering::SeqCst)
    }
}

impl Drop for CallGuard {
    fn drop(&mut self) {
        self.0.under_way.fetch_sub(1, Ordering::SeqCst);
    }
}
