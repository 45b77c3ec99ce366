//! Calling the engine: without the GIL, so that other threads of Python run meanwhile.

use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use hjall_engine::Result;
use hjall_engine::read::Watch;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

use crate::error;

/// How long a signal may wait for a call to look whether one came.
const SIGNAL_INTERVAL: Duration = Duration::from_millis(50);

/// Runs a call of the engine without the GIL. Every call goes through here or through [`long`]: whoever holds the GIL never waits for a lock
/// of the engine, so whoever holds such a lock may wait for the GIL.
///
/// # Errors
/// The engine's, as exceptions.
pub fn call<T: Send>(py: Python<'_>, run: impl FnOnce() -> Result<T> + Send) -> PyResult<T> {
    py.detach(run).map_err(|error| error::raised(&error))
}

/// Runs a call that may take long and cannot be stopped, on a thread of its own: a signal's exception ends the wait for it, not the call.
///
/// # Errors
/// The engine's, as exceptions, and what a signal's handler raises.
pub fn long<T: Send + 'static>(py: Python<'_>, run: impl FnOnce() -> Result<T> + Send + 'static) -> PyResult<T> {
    let (sender, receiver) = channel();
    let body = move || {
        // Nobody waits any more after a signal.
        let _ = sender.send(run());
    };
    thread::Builder::new().name("hjall-call".to_owned()).spawn(body)?;
    let receiver = Mutex::new(receiver);
    loop {
        let wait = || receiver.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(SIGNAL_INTERVAL);
        match py.detach(wait) {
            Ok(result) => return result.map_err(|error| error::raised(&error)),
            Err(RecvTimeoutError::Timeout) => py.check_signals()?,
            Err(RecvTimeoutError::Disconnected) => {
                return Err(PyRuntimeError::new_err("a call of the engine panicked"));
            }
        }
    }
}

/// Looks for signals while a scan runs without the GIL. Python runs their handlers on its main thread only; elsewhere this finds nothing.
pub struct Interrupt {
    state: Mutex<State>,
}

struct State {
    looked: Instant,
    raised: Option<PyErr>,
}

impl Interrupt {
    /// Nothing has been raised.
    pub fn new() -> Arc<Self> {
        Arc::new(Self { state: Mutex::new(State { looked: Instant::now(), raised: None }) })
    }

    /// What a scan asks every few hundred cells: now and then this asks Python.
    pub fn watch(self: &Arc<Self>) -> Watch {
        let this = Arc::clone(self);
        Arc::new(move || {
            let mut state = this.state.lock().unwrap_or_else(PoisonError::into_inner);
            if state.raised.is_none() {
                if state.looked.elapsed() < SIGNAL_INTERVAL {
                    return false;
                }
                state.raised = Python::attach(|py| py.check_signals()).err();
                state.looked = Instant::now();
            }
            state.raised.is_some()
        })
    }

    /// What came of a step of a scan that was watched: what a signal's handler raised meanwhile comes before what the scan says.
    ///
    /// # Errors
    /// That of the handler, or of the step.
    pub fn outcome<T, E: Into<PyErr>>(&self, step: std::result::Result<T, E>) -> PyResult<T> {
        step.map_err(|error| self.take().unwrap_or_else(|| error.into()))
    }

    /// What a signal's handler raised, once.
    pub fn take(&self) -> Option<PyErr> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).raised.take()
    }
}
