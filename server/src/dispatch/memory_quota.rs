//! The limit on the memory of messages and replies of all connections.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Smaller buffers are not counted, because the limit on connections bounds their total.
const UNCOUNTED_BYTES: usize = 8 << 10;

/// A limit on the bytes that all connections together may use. It can change at any time.
#[derive(Debug)]
pub struct MemoryQuota {
    used: AtomicUsize,
    max: AtomicUsize,
}

impl MemoryQuota {
    /// An unused quota.
    pub fn new(max: usize) -> Self {
        Self { used: AtomicUsize::new(0), max: AtomicUsize::new(max) }
    }

    /// Changes the limit. Existing claims remain even if they exceed it.
    pub fn set_max(&self, max: usize) {
        self.max.store(max, Ordering::Relaxed);
    }

    /// The number of bytes claimed.
    pub fn used(&self) -> usize {
        self.used.load(Ordering::Relaxed)
    }

    /// Whether the claims exceed the limit.
    pub fn is_exceeded(&self) -> bool {
        self.used() > self.max.load(Ordering::Relaxed)
    }

    /// An empty claim, which its owner resizes.
    pub fn claim(self: &Arc<Self>) -> MemoryClaim {
        MemoryClaim { quota: self.clone(), bytes: 0 }
    }
}

/// The memory of one buffer, released when it is dropped.
#[derive(Debug)]
pub struct MemoryClaim {
    quota: Arc<MemoryQuota>,
    bytes: usize,
}

impl MemoryClaim {
    /// Changes the claim. Returns `false`, without a change, if a larger claim would exceed the quota.
    pub fn try_resize(&mut self, bytes: usize) -> bool {
        let bytes = counted(bytes);
        if bytes > self.bytes {
            let more = bytes - self.bytes;
            let max = self.quota.max.load(Ordering::Relaxed);
            let fits = |used: usize| used.checked_add(more).filter(|all| *all <= max);
            if self.quota.used.fetch_update(Ordering::Relaxed, Ordering::Relaxed, fits).is_err() {
                return false;
            }
            self.bytes = bytes;
        } else {
            self.set(bytes);
        }
        true
    }

    /// Changes the claim to memory that is already in use. The quota may be exceeded; then no further call is
    /// started.
    pub fn resize(&mut self, bytes: usize) {
        self.set(counted(bytes));
    }

    fn set(&mut self, bytes: usize) {
        if bytes > self.bytes {
            self.quota.used.fetch_add(bytes - self.bytes, Ordering::Relaxed);
        } else if bytes < self.bytes {
            self.quota.used.fetch_sub(self.bytes - bytes, Ordering::Relaxed);
        }
        self.bytes = bytes;
    }
}

fn counted(bytes: usize) -> usize {
    if bytes <= UNCOUNTED_BYTES { 0 } else { bytes }
}

impl Drop for MemoryClaim {
    fn drop(&mut self) {
        self.set(0);
    }
}
