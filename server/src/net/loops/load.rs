//! What the connections of an event loop tell about its load, and whether one of them has to leave it.

use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};

use tokio::runtime::Handle;
use tokio::sync::Notify;

use super::processor_time::ThreadId;
use crate::net::busy_poll::BusyPoll;
use crate::net::call_threshold::CallThreshold;

/// The load of one event loop.
#[derive(Debug)]
pub struct LoopLoad {
    /// The thread of the loop; empty on systems that do not tell the processor time of threads.
    pub(super) thread: OnceLock<ThreadId>,
    /// Counts the answered calls.
    pub busy_poll: Arc<BusyPoll>,
    /// The number of calls after which the load is measured again.
    measure: CallThreshold,
    /// The number of connections that have been given to the loop and have not ended or left.
    connections: AtomicUsize,
    /// The number of the current window of measurement.
    window: AtomicU32,
    /// The number of connections that can move and have had an answer in the current window.
    active: AtomicUsize,
    /// The number of connections that have to leave the loop after their next answer.
    leaving: AtomicUsize,
    /// Where they go. Written before `leaving`.
    destination: Mutex<Weak<LoopHandle>>,
}

/// An event loop as the connections of other loops see it.
#[derive(Debug)]
pub struct LoopHandle {
    /// Spawns tasks on the loop.
    pub runtime: Handle,
    /// The load of the loop.
    pub load: Arc<LoopLoad>,
}

/// A connection that counts as one of a loop until this is dropped.
#[derive(Debug)]
pub struct Placed(Arc<LoopLoad>);

/// The load of a loop that is not measured.
impl Default for LoopLoad {
    fn default() -> Self {
        Self::new(Arc::default())
    }
}

impl LoopLoad {
    /// The load of a loop without connections. `measuring` notifies the task that measures it.
    pub fn new(measuring: Arc<Notify>) -> Self {
        Self {
            thread: OnceLock::new(),
            busy_poll: Arc::default(),
            measure: CallThreshold::new(u64::MAX, measuring),
            connections: AtomicUsize::new(0),
            window: AtomicU32::new(0),
            active: AtomicUsize::new(0),
            leaving: AtomicUsize::new(0),
            destination: Mutex::default(),
        }
    }

    /// Counts a call that the loop has answered. Must be called on its thread.
    pub fn answered(&self) {
        self.measure.answered(self.busy_poll.answered());
    }

    /// Lets the load be measured when the loop has answered this many more calls.
    pub fn measure_after(&self, calls: u64) {
        self.measure.set(self.busy_poll.calls().saturating_add(calls));
    }

    /// Tells that the current thread is that of the loop.
    pub fn runs_here(&self) {
        if let Some(thread) = ThreadId::current() {
            let _ = self.thread.set(thread);
        }
    }

    /// Counts a connection as one of this loop.
    pub fn placed(self: &Arc<Self>) -> Placed {
        self.connections.fetch_add(1, Ordering::Relaxed);
        Placed(self.clone())
    }

    /// The number of connections of the loop.
    pub fn connections(&self) -> usize {
        self.connections.load(Ordering::Relaxed)
    }

    /// Begins a new window. Returns the number of connections that have had an answer in the last one.
    pub fn next_window(&self) -> usize {
        self.window.fetch_add(1, Ordering::Relaxed);
        self.active.swap(0, Ordering::Relaxed)
    }

    /// Lets connections go to another loop: this number, each after its next answer. Replaces an earlier order.
    pub fn send_to(&self, destination: &Arc<LoopHandle>, connections: usize) {
        *self.destination.lock().unwrap_or_else(PoisonError::into_inner) = Arc::downgrade(destination);
        self.leaving.store(connections, Ordering::Release);
    }

    /// Lets no more connections go.
    pub fn keep_all(&self) {
        self.leaving.store(0, Ordering::Release);
    }

    /// Whether a connection of the loop may have to leave it.
    pub fn may_leave(&self) -> bool {
        self.leaving.load(Ordering::Relaxed) > 0
    }

    /// Where the connection that asks has to go; `None` if it stays. Must be called on the thread of the loop.
    pub fn leaves_to(&self) -> Option<Arc<LoopHandle>> {
        let one_less = |leaving: usize| leaving.checked_sub(1);
        self.leaving.fetch_update(Ordering::Acquire, Ordering::Relaxed, one_less).ok()?;
        self.destination.lock().unwrap_or_else(PoisonError::into_inner).upgrade()
    }
}

impl Drop for Placed {
    fn drop(&mut self) {
        self.0.connections.fetch_sub(1, Ordering::Relaxed);
    }
}

/// The last window in which a connection has had an answer.
#[derive(Debug)]
pub struct LastWindow(Option<u32>);

impl LastWindow {
    /// A connection without answers.
    pub const fn none() -> Self {
        Self(None)
    }

    /// Counts an answer.
    pub fn answered(&mut self, load: &LoopLoad) {
        let window = load.window.load(Ordering::Relaxed);
        if self.0 != Some(window) {
            self.0 = Some(window);
            load.active.fetch_add(1, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_connection_is_active_once_in_each_window_with_an_answer() {
        let load = LoopLoad::default();
        let (mut one, mut other) = (LastWindow::none(), LastWindow::none());
        for _ in 0..3 {
            one.answered(&load);
        }
        other.answered(&load);
        assert_eq!(load.next_window(), 2);
        assert_eq!(load.next_window(), 0);
        one.answered(&load);
        assert_eq!(load.next_window(), 1);
    }

    #[test]
    fn as_many_connections_leave_as_were_told_to() {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let other = Arc::new(LoopHandle { runtime: runtime.handle().clone(), load: Arc::default() });
        let load = LoopLoad::default();
        assert!(!load.may_leave() && load.leaves_to().is_none());
        load.send_to(&other, 2);
        let left = (0..5).filter_map(|_| load.leaves_to()).collect::<Vec<_>>();
        assert!(left.len() == 2 && left.iter().all(|to| Arc::ptr_eq(to, &other)));
        load.send_to(&other, 2);
        load.keep_all();
        assert!(load.leaves_to().is_none());
        load.send_to(&other, 2);
        drop((other, left));
        assert!(load.leaves_to().is_none(), "the other loop has ended");
    }
}
