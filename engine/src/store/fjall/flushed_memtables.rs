//! Frees memtables that have been flushed, on a thread of its own.
//!
//! fjall drops its last reference to a flushed memtable while it holds the lock that all reads and commits of the space
//! take. Freeing a memtable of 100,000 cells takes tens of milliseconds, for which the event loops would wait. A
//! reference that is kept here until fjall has none moves that work to another thread.

use std::sync::Arc;
use std::time::Duration;

use lsm_tree::Memtable;
use parking_lot::Mutex;

use super::BACKGROUND_NICER;
use crate::thread_priority;

/// The time between two looks at the memtables. It doubles while none can be freed: a cursor may keep one for minutes.
const INTERVAL: Duration = Duration::from_millis(20);
const INTERVAL_MAX: Duration = Duration::from_millis(320);

/// A memtable with fewer cells is not kept: freeing it takes less than a millisecond, and its values may be large.
const CELLS_MIN: usize = 4_096;

/// The memtables of a database that have been sealed and not been freed.
#[derive(Default)]
pub(super) struct FlushedMemtables(Mutex<Waiting>);

#[derive(Default)]
struct Waiting {
    memtables: Vec<Arc<Memtable>>,
    /// Whether a thread frees them. It ends when none is left.
    has_thread: bool,
}

impl FlushedMemtables {
    /// Frees a memtable that has been sealed, when nothing else refers to it.
    pub fn free_later(self: &Arc<Self>, memtable: Arc<Memtable>) {
        if memtable.items.len() >= CELLS_MIN {
            self.keep(memtable);
        }
    }

    fn keep(self: &Arc<Self>, memtable: Arc<Memtable>) {
        let mut waiting = self.0.lock();
        waiting.memtables.push(memtable);
        if waiting.has_thread {
            return;
        }
        let all = Arc::clone(self);
        match std::thread::Builder::new().name("hjall-free".into()).spawn(move || all.free_all()) {
            Ok(_) => waiting.has_thread = true,
            Err(error) => {
                tracing::debug!(%error, "no thread for freeing memtables");
                waiting.memtables.clear();
            }
        }
    }

    fn free_all(&self) {
        thread_priority::lower(BACKGROUND_NICER);
        let mut interval = INTERVAL;
        loop {
            std::thread::sleep(interval);
            let mut waiting = self.0.lock();
            if waiting.memtables.is_empty() {
                waiting.has_thread = false;
                return;
            }
            // Nothing can take a reference to a memtable that only this list refers to.
            let freed: Vec<_> = waiting.memtables.extract_if(.., |memtable| Arc::strong_count(memtable) == 1).collect();
            // A commit that has found another sealed memtable must not wait while these are freed.
            drop(waiting);
            interval = if freed.is_empty() { (interval * 2).min(INTERVAL_MAX) } else { INTERVAL };
            drop(freed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Waits until a condition holds.
    fn wait_until(holds: impl Fn() -> bool) {
        let began = std::time::Instant::now();
        while !holds() {
            assert!(began.elapsed().as_secs() < 60, "not within a minute");
            std::thread::yield_now();
        }
    }

    /// Waits until the thread has ended.
    fn wait(all: &FlushedMemtables) {
        wait_until(|| !all.0.lock().has_thread);
    }

    #[test]
    fn memtables_are_freed_when_nothing_else_refers_to_them() {
        let all = Arc::<FlushedMemtables>::default();
        let memtables: Vec<_> = (0..3).map(|id| Arc::new(Memtable::new(id))).collect();
        let weak: Vec<_> = memtables.iter().map(Arc::downgrade).collect();
        memtables.iter().for_each(|memtable| all.keep(Arc::clone(memtable)));
        let mut memtables = memtables.into_iter();
        let first = memtables.next().unwrap();
        drop(memtables);
        wait_until(|| weak[1].strong_count() + weak[2].strong_count() == 0);
        assert_eq!(weak[0].strong_count(), 2, "it is in use");
        drop(first);
        wait(&all);
        assert_eq!(weak[0].strong_count(), 0);
        let last = Arc::new(Memtable::new(3));
        let weak = Arc::downgrade(&last);
        all.keep(last);
        wait(&all);
        assert_eq!(weak.strong_count(), 0, "another thread is started");
    }
}
