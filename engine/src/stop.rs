//! A flag with which another thread can stop a scan or a change of tables.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;

use crate::error::{Error, ErrorKind, Result};

/// A callback that returns whether a scan has to stop. The scan calls it, so it must return quickly and must not use
/// the database.
pub type Watch = Arc<dyn Fn() -> bool + Send + Sync>;

/// Stops a scan or a change of tables from another thread. A running fetch checks it every few hundred cells, a change
/// before each of its steps. Clones share one flag.
#[derive(Clone)]
pub struct Stop {
    /// `None` if the flag cannot be raised.
    asked: Option<Arc<AtomicBool>>,
    watch: Option<Watch>,
    /// The flag of the call that is reading from the scan; `None` if this flag does not belong to a scan.
    call: Option<Arc<Mutex<Option<Arc<AtomicBool>>>>>,
}

impl Default for Stop {
    fn default() -> Self {
        Self { asked: Some(Arc::default()), ..Self::never() }
    }
}

impl Stop {
    /// A flag that cannot be raised, for a short call that is never stopped. Does not allocate.
    pub fn never() -> Self {
        Self { asked: None, watch: None, call: None }
    }

    /// Stops the scan or the change: it fails with `Cancelled` from now on.
    pub fn stop(&self) {
        if let Some(asked) = &self.asked {
            asked.store(true, Ordering::Relaxed);
        }
    }

    /// Whether [`Self::stop`] has been called.
    pub fn is_stopped(&self) -> bool {
        self.asked.as_ref().is_some_and(|asked| asked.load(Ordering::Relaxed))
    }

    /// The flag of a scan, which the flag of the call that reads from it can join.
    pub(crate) fn of_scan() -> Self {
        Self { call: Some(Arc::default()), ..Self::default() }
    }

    /// This flag with a callback.
    pub(crate) fn watched(&self, watch: Watch) -> Self {
        Self { watch: Some(watch), ..self.clone() }
    }

    /// Sets the flag of the call that reads from the scan. Replaces the flag of the previous call.
    pub(crate) fn join(&self, call: &Self) {
        if let Some(current) = &self.call {
            *current.lock() = call.asked.clone();
        }
    }

    fn is_call_stopped(&self) -> bool {
        self.call().is_some_and(|asked| asked.load(Ordering::Relaxed))
    }

    /// The flag of the call that is reading from the scan.
    fn call(&self) -> Option<Arc<AtomicBool>> {
        self.call.as_ref().and_then(|current| current.lock().clone())
    }

    /// Like [`Self::check`], but first yields to other threads if the read is part of a call that can be stopped. Calls
    /// of a server can: its short reads then need not wait until the time slice of a long scan ends. The thread of an
    /// embedding program does not yield, because other busy processes would take its core.
    pub(crate) fn pause(&self) -> Result<()> {
        let is_of_call = if self.call.is_some() { self.call().is_some() } else { self.asked.is_some() };
        if is_of_call {
            std::thread::yield_now();
        }
        self.check()
    }

    pub(crate) fn check(&self) -> Result<()> {
        if self.is_stopped() || self.is_call_stopped() || self.watch.as_ref().is_some_and(|watch| watch()) {
            Err(Error::new(ErrorKind::Cancelled, "the scan was stopped by its caller"))
        } else {
            Ok(())
        }
    }
}

impl fmt::Debug for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stop").field("asked", &self.asked).finish_non_exhaustive()
    }
}
