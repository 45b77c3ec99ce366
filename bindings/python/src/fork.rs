//! Forks: what was opened before one belongs to the parent. The child has none of its threads, and must leave its files alone.

use std::sync::atomic::{AtomicU32, Ordering};

use pyo3::prelude::*;

use crate::error;

/// How many forks lie between the process in which this module was first loaded and this one.
static FORKS: AtomicU32 = AtomicU32::new(0);

/// Called in each new child, before anything else of Python runs there (`os.register_at_fork`).
#[pyfunction]
pub fn forked() {
    FORKS.fetch_add(1, Ordering::Relaxed);
}

fn forks() -> u32 {
    FORKS.load(Ordering::Relaxed)
}

/// Something that must only be used, and only be dropped, in the process that made it. A forked child leaves it as it is: dropping it
/// would wait for threads that are not there, and write to the parent's files.
pub struct Owned<T> {
    /// There until it is dropped.
    value: Option<T>,
    made_after: u32,
}

impl<T> Owned<T> {
    /// Made in this process.
    pub fn new(value: T) -> Self {
        Self { value: Some(value), made_after: forks() }
    }

    /// Whether this is the process that made it.
    pub fn is_here(&self) -> bool {
        self.made_after == forks()
    }

    /// Gives the thing up, in the process that made it.
    pub fn into_here(mut self) -> Option<T> {
        if self.is_here() { self.value.take() } else { None }
    }

    /// The thing, in the process that made it.
    ///
    /// # Errors
    /// `hjall.ForkError` in a forked child.
    pub fn get(&self) -> PyResult<&T> {
        match &self.value {
            Some(value) if self.is_here() => Ok(value),
            _ => Err(error::forked()),
        }
    }
}

impl<T> Drop for Owned<T> {
    fn drop(&mut self) {
        if !self.is_here() {
            std::mem::forget(self.value.take());
        }
    }
}
