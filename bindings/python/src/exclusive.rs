//! A value that one thread at a time can use, which a signal handler may interrupt.

use std::cell::RefCell;

use parking_lot::ReentrantMutex;
use pyo3::PyErr;
use pyo3::exceptions::PyValueError;

/// A value that one thread at a time can use; others wait. A signal handler runs on the thread that it interrupts, so
/// it cannot wait for it: its use of the value is refused.
pub struct Exclusive<T>(ReentrantMutex<RefCell<T>>);

impl<T> Exclusive<T> {
    /// Makes an exclusive value.
    pub fn new(value: T) -> Self {
        Self(ReentrantMutex::new(RefCell::new(value)))
    }

    /// Runs a function with the value. Must be called without the GIL, because the thread that has the value may wait
    /// for the GIL.
    ///
    /// # Errors
    /// `InUse` if this thread has the value already.
    pub fn with<R>(&self, run: impl FnOnce(&mut T) -> R) -> Result<R, InUse> {
        let value = self.0.lock();
        let mut value = value.try_borrow_mut().map_err(|_| InUse)?;
        Ok(run(&mut value))
    }
}

/// The refusal of a use inside another one. Python refuses such a use of a generator with `ValueError`, too.
pub struct InUse;

impl From<InUse> for PyErr {
    fn from(_: InUse) -> Self {
        PyValueError::new_err(
            "the scan is already executing: a signal handler cannot read from the scan that it interrupts",
        )
    }
}
