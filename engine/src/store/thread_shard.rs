//! The shard that a thread uses of what is divided so that threads do not write to the same cache line.

use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A number for this thread. Threads get 0, 1, 2 and so on: a user takes the number modulo its number of shards.
pub(crate) fn thread_shard() -> usize {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    thread_local! {
        static SHARD: Cell<Option<usize>> = const { Cell::new(None) };
    }
    SHARD.get().unwrap_or_else(|| {
        let shard = NEXT.fetch_add(1, Ordering::Relaxed);
        SHARD.set(Some(shard));
        shard
    })
}
