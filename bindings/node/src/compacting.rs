//! The progress of compactions. JavaScript asks for it at intervals, and can end a compaction.

use std::collections::HashMap;
use std::sync::Arc;

use hjall_engine::store::CompactionControl;
use parking_lot::Mutex;

/// The compactions of one database whose progress a program wants, by the numbers that JavaScript gave them.
#[derive(Default)]
pub struct Compacting(Mutex<HashMap<u32, Watched>>);

#[derive(Default)]
struct Watched {
    control: Arc<CompactionControl>,
    reported_bytes: u64,
}

impl Compacting {
    /// The control of a compaction that begins. With the number 0, the compaction is not watched.
    pub fn begin(&self, number: u32) -> Arc<CompactionControl> {
        if number == 0 {
            return Arc::default();
        }
        Arc::clone(&self.0.lock().entry(number).or_default().control)
    }

    /// Lets a compaction end with `Cancelled` soon, also one that has not begun.
    pub fn stop(&self, number: u32) {
        self.0.lock().entry(number).or_default().control.stop();
    }

    /// The bytes that a compaction has read, if they have changed since the last call.
    pub fn take(&self, number: u32) -> Option<u64> {
        let mut all = self.0.lock();
        let watched = all.get_mut(&number)?;
        let read_bytes = watched.control.read_bytes();
        let before = std::mem::replace(&mut watched.reported_bytes, read_bytes);
        (read_bytes > before).then_some(read_bytes)
    }

    /// Forgets a compaction that has ended.
    pub fn end(&self, number: u32) {
        self.0.lock().remove(&number);
    }
}
