//! Calling the engine: without the GIL, so that other threads of Python run meanwhile.

use hjall_engine::Result;
use pyo3::prelude::*;

use crate::error;

/// Runs a call of the engine without the GIL. Every call goes through here: whoever holds the GIL never waits for a lock of the engine.
///
/// # Errors
/// The engine's, as exceptions.
pub fn call<T: Send>(py: Python<'_>, run: impl FnOnce() -> Result<T> + Send) -> PyResult<T> {
    py.detach(run).map_err(|error| error::raised(&error))
}
