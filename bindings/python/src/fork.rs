//! Protection of the parent's databases in forked processes.
//!
//! A forked child has none of its parent's threads and must not touch its files, so objects created before the fork
//! can only be used by the parent.

use std::sync::atomic::{AtomicU32, Ordering};

use parking_lot::{Mutex, MutexGuard};
use pyo3::prelude::*;

use crate::error;

/// The number of forks between the process that first loaded this module and the current one.
static FORKS: AtomicU32 = AtomicU32::new(0);

/// Records a fork. Called in each child before any other Python code runs there (`os.register_at_fork`).
#[pyfunction]
pub fn forked() {
    FORKS.fetch_add(1, Ordering::Relaxed);
}

fn forks() -> u32 {
    FORKS.load(Ordering::Relaxed)
}

/// A lock that is not held at the beginning of a forked child. A thread that holds a common lock at the time of the
/// fork does not exist in the child, where the lock would therefore never be released.
pub struct ProcessLock {
    lock: Mutex<()>,
    forks_at_creation: u32,
}

/// The locks of children, by their number of forks. All objects that a child has from its parent share one.
static CHILD_LOCKS: [Mutex<()>; 64] = [const { Mutex::new(()) }; 64];

impl ProcessLock {
    /// A lock that is not held.
    pub fn new() -> Self {
        Self { lock: Mutex::new(()), forks_at_creation: forks() }
    }

    /// Waits until no other thread of this process holds the lock.
    pub fn lock(&self) -> MutexGuard<'_, ()> {
        let forks = forks();
        if self.forks_at_creation == forks {
            return self.lock.lock();
        }
        CHILD_LOCKS[forks as usize % CHILD_LOCKS.len()].lock()
    }
}

/// A value that may only be used and dropped in the process that created it. In a forked child it is leaked: dropping
/// it would wait for threads that do not exist there, and write to the parent's files.
pub struct ForkGuard<T> {
    /// `None` only while it is being dropped.
    value: Option<T>,
    forks_at_creation: u32,
}

impl<T> ForkGuard<T> {
    /// Guards a value created by the current process.
    pub fn new(value: T) -> Self {
        Self { value: Some(value), forks_at_creation: forks() }
    }

    /// Whether the current process created the value.
    pub fn is_owner(&self) -> bool {
        self.forks_at_creation == forks()
    }

    /// The value; `None` in a forked child. Unlike [`Self::get`], it may be called while a lock is held, because it
    /// makes no exception.
    pub fn if_owner(&self) -> Option<&T> {
        if self.is_owner() { self.value.as_ref() } else { None }
    }

    /// The value, to change it; `None` in a forked child.
    pub fn get_mut(&mut self) -> Option<&mut T> {
        if self.is_owner() { self.value.as_mut() } else { None }
    }

    /// Returns the value, or `None` in a forked child.
    pub fn into_inner(mut self) -> Option<T> {
        if self.is_owner() { self.value.take() } else { None }
    }

    /// The value.
    ///
    /// # Errors
    /// `hjall.ForkError` in a forked child.
    pub fn get(&self) -> PyResult<&T> {
        self.if_owner().ok_or_else(error::forked)
    }
}

impl<T> Drop for ForkGuard<T> {
    fn drop(&mut self) {
        if !self.is_owner() {
            std::mem::forget(self.value.take());
        }
    }
}
