//! Calls of the engine. They run without the GIL, so that other Python threads can run at the same time.

use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use hjall_engine::Result;
use hjall_engine::read::{Watch, WorkLimit};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use crate::error::{self, Place};

/// The interval at which a running call checks for signals.
const SIGNAL_INTERVAL: Duration = Duration::from_millis(50);

/// Runs a call of the engine without the GIL.
///
/// Every call goes through this function or [`call_interruptible`]. A thread that holds the GIL therefore never waits
/// for a lock of the engine, and a thread that holds such a lock may wait for the GIL without a deadlock.
///
/// # Errors
/// The engine's errors, as exceptions.
pub fn call<T: Send>(py: Python<'_>, run: impl FnOnce() -> Result<T> + Send) -> PyResult<T> {
    py.detach(run).map_err(|error| error::from_engine(&error))
}

/// Runs a call of the engine, as [`call`] does. The message of an error begins with what the call is about.
///
/// # Errors
/// The engine's errors, as exceptions.
pub fn call_at<T: Send>(py: Python<'_>, place: Place<'_>, run: impl FnOnce() -> Result<T> + Send) -> PyResult<T> {
    py.detach(run).map_err(|error| error::from_call(&error, place))
}

/// Runs a call of the engine, as [`call`] does. The message of an error begins with the name of the method.
///
/// # Errors
/// The engine's errors, as exceptions.
pub fn call_named<T: Send>(py: Python<'_>, method: &str, run: impl FnOnce() -> Result<T> + Send) -> PyResult<T> {
    py.detach(run).map_err(|error| error::from_method(&error, method))
}

/// Runs something without the GIL where there may be no thread state, such as while an object is being deallocated.
/// When the interpreter is ending, `run` is dropped instead.
pub fn without_gil(run: impl FnOnce() + Send) {
    let _ = Python::try_attach(|py| py.detach(run));
}

/// The work that a read may do on a thread that must not block for long, by whether the database is in memory. Rows
/// of a database on disk are then only read from the row cache.
const INLINE_WORK: [WorkLimit; 2] = [WorkLimit { pairs: 0, bytes: 0 }, WorkLimit { pairs: 512, bytes: 128 << 10 }];

/// Calls a method that only reads, within the limit on inline work. Returns the result and `True`, or `None` and
/// `False` if the limit was reached.
///
/// # Errors
/// Those of the method.
#[pyfunction]
pub fn read_inline<'py>(
    method: &Bound<'py, PyAny>,
    arguments: &Bound<'py, PyTuple>,
    options: Option<&Bound<'py, PyDict>>,
    in_memory: bool,
) -> PyResult<(Option<Bound<'py, PyAny>>, bool)> {
    match INLINE_WORK[usize::from(in_memory)].run(|| method.call(arguments, options)) {
        Some(result) => Ok((Some(result?), true)),
        None => Ok((None, false)),
    }
}

/// Runs a long call that cannot be stopped on a separate thread. An exception raised by a signal handler ends the
/// wait for the call, but not the call itself. The message of an error begins with the name of the method.
///
/// # Errors
/// The engine's errors, as exceptions, and those raised by a signal handler.
pub fn call_interruptible<T: Send + 'static>(
    py: Python<'_>,
    method: &str,
    run: impl FnOnce() -> Result<T> + Send + 'static,
) -> PyResult<T> {
    call_until(py, method, run, &mut || Ok(()), None)
}

/// Runs a long call that `stop` stops on a separate thread, and calls `watch` at intervals and after its end. After an
/// exception from `watch` or from a signal handler, the call is stopped, and this function returns when it has ended.
/// Nothing of it is left then: a repetition finds neither its files nor its locks.
///
/// # Errors
/// The engine's errors, as exceptions, and those raised by a signal handler and by `watch`.
pub fn call_watched<T: Send + 'static>(
    py: Python<'_>,
    method: &str,
    run: impl FnOnce() -> Result<T> + Send + 'static,
    watch: &mut dyn FnMut() -> PyResult<()>,
    stop: &dyn Fn(),
) -> PyResult<T> {
    call_until(py, method, run, watch, Some(stop))
}

fn call_until<T: Send + 'static>(
    py: Python<'_>,
    method: &str,
    run: impl FnOnce() -> Result<T> + Send + 'static,
    watch: &mut dyn FnMut() -> PyResult<()>,
    stop: Option<&dyn Fn()>,
) -> PyResult<T> {
    let (sender, receiver) = channel();
    let body = move || {
        // After a signal, the receiver of a call that cannot be stopped no longer exists.
        let _ = sender.send(run());
    };
    thread::Builder::new().name("hjall-call".to_owned()).spawn(body)?;
    let receiver = Mutex::new(receiver);
    loop {
        let wait = || receiver.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(SIGNAL_INTERVAL);
        match py.detach(wait) {
            Ok(result) => {
                let result = result.map_err(|error| error::from_method(&error, method))?;
                watch()?;
                return Ok(result);
            }
            Err(RecvTimeoutError::Timeout) => {
                let Err(raised) = py.check_signals().and_then(|()| watch()) else { continue };
                if let Some(stop) = stop {
                    stop();
                    // Signals are not checked meanwhile: the exception of one is being raised already.
                    py.detach(|| drop(receiver.lock().unwrap_or_else(PoisonError::into_inner).recv()));
                }
                return Err(raised);
            }
            Err(RecvTimeoutError::Disconnected) => {
                return Err(PyRuntimeError::new_err("the engine panicked during the call"));
            }
        }
    }
}

/// Checks for signals while a scan runs without the GIL. Python runs signal handlers on its main thread only, so
/// checks on other threads have no effect.
pub struct SignalWatcher {
    state: Mutex<SignalState>,
}

struct SignalState {
    last_check: Instant,
    /// The exception that a signal handler raised.
    raised: Option<PyErr>,
}

impl SignalWatcher {
    /// Makes a watcher.
    pub fn new() -> Arc<Self> {
        Arc::new(Self { state: Mutex::new(SignalState { last_check: Instant::now(), raised: None }) })
    }

    /// The function that a scan calls every few hundred cells. It checks for signals once per interval.
    pub fn watch(self: &Arc<Self>) -> Watch {
        let this = Arc::clone(self);
        Arc::new(move || {
            let lock = || this.state.lock().unwrap_or_else(PoisonError::into_inner);
            {
                let state = lock();
                if state.raised.is_some() || state.last_check.elapsed() < SIGNAL_INTERVAL {
                    return state.raised.is_some();
                }
            }
            // Without the lock, because a signal handler may use the scan.
            let raised = Python::attach(|py| py.check_signals()).err();
            let mut state = lock();
            state.last_check = Instant::now();
            if raised.is_some() {
                state.raised = raised;
            }
            state.raised.is_some()
        })
    }

    /// The result of a step of a watched scan. If a signal handler raised an exception during the step, that exception
    /// replaces the error of the step.
    ///
    /// # Errors
    /// Those of the signal handler and of the step.
    pub fn outcome<T, E: Into<PyErr>>(&self, step: std::result::Result<T, E>) -> PyResult<T> {
        step.map_err(|error| self.take_exception().unwrap_or_else(|| error.into()))
    }

    /// Takes the exception that a signal handler raised, if any.
    pub fn take_exception(&self) -> Option<PyErr> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).raised.take()
    }
}
