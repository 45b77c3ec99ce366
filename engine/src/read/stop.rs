//! A flag with which another thread can stop a scan.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::error::{Error, ErrorKind, Result};

/// A callback that returns whether a scan is to stop. The scan calls it, so it must return quickly and must not use the
/// database.
pub type Watch = Arc<dyn Fn() -> bool + Send + Sync>;

/// Stops a scan from another thread. A running fetch checks it every few hundred cells. Clones share one flag.
#[derive(Clone, Default)]
pub struct Stop {
    asked: Arc<AtomicBool>,
    watch: Option<Watch>,
}

impl Stop {
    /// Stops the scan: its fetches fail with `Cancelled` from now on.
    pub fn stop(&self) {
        self.asked.store(true, Ordering::Relaxed);
    }

    /// Whether [`Self::stop`] has been called.
    pub fn is_stopped(&self) -> bool {
        self.asked.load(Ordering::Relaxed)
    }

    /// The same flag with a callback.
    pub(crate) fn watched(&self, watch: Watch) -> Self {
        Self { asked: Arc::clone(&self.asked), watch: Some(watch) }
    }

    /// Like [`Self::check`], but first yields to other threads, so that short reads need not wait for a long scan's
    /// time slice to end.
    pub(crate) fn pause(&self) -> Result<()> {
        std::thread::yield_now();
        self.check()
    }

    pub(crate) fn check(&self) -> Result<()> {
        if self.is_stopped() || self.watch.as_ref().is_some_and(|watch| watch()) {
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
