//! The memory that messages and replies may take, counted over all connections.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Smaller buffers are not counted: the limit on connections bounds their sum.
const UNCOUNTED_BYTES: usize = 8 << 10;

/// A limit on bytes that all connections share. The limit can change at any time.
#[derive(Debug)]
pub struct MemoryQuota {
    used: AtomicUsize,
    max: AtomicUsize,
}

impl MemoryQuota {
    /// A quota of which nothing is used.
    pub fn new(max: usize) -> Self {
        Self { used: AtomicUsize::new(0), max: AtomicUsize::new(max) }
    }

    /// Changes the limit. Existing claims stay, even where they exceed it.
    pub fn set_max(&self, max: usize) {
        self.max.store(max, Ordering::Relaxed);
    }

    /// Bytes claimed.
    pub fn used(&self) -> usize {
        self.used.load(Ordering::Relaxed)
    }

    /// Whether more is claimed than the limit allows.
    pub fn is_exceeded(&self) -> bool {
        self.used() > self.max.load(Ordering::Relaxed)
    }

    /// An empty claim, to be resized by its owner.
    pub fn claim(self: &Arc<Self>) -> MemoryClaim {
        MemoryClaim { quota: self.clone(), bytes: 0 }
    }
}

/// One buffer's share of the quota, given back when it is dropped.
#[derive(Debug)]
pub struct MemoryClaim {
    quota: Arc<MemoryQuota>,
    bytes: usize,
}

impl MemoryClaim {
    /// Changes the claim. Returns `false`, and leaves it as it is, if a larger one would exceed the quota.
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

    /// Changes the claim to memory that is in use already. This may exceed the quota; no call is started until it no longer does.
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
