//! A flag by which another thread ends a scan.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::error::{Error, ErrorKind, Result};

/// Asked whether a scan is to end. It is called from inside the scan, so it must be quick, and must not use the database.
pub type Watch = Arc<dyn Fn() -> bool + Send + Sync>;

/// Ends a scan from another thread: a fetch under way looks at it every few hundred cells. Clones are the same flag.
#[derive(Clone, Default)]
pub struct Stop {
    asked: Arc<AtomicBool>,
    watch: Option<Watch>,
}

impl Stop {
    /// Asks the scan to stop; its fetches fail with `Cancelled` from then on.
    pub fn stop(&self) {
        self.asked.store(true, Ordering::Relaxed);
    }

    /// Whether someone asked.
    pub fn is_stopped(&self) -> bool {
        self.asked.load(Ordering::Relaxed)
    }

    /// The same flag, and someone to ask besides.
    pub(crate) fn watched(&self, watch: Watch) -> Self {
        Self { asked: Arc::clone(&self.asked), watch: Some(watch) }
    }

    /// The same, after letting other threads run: a long scan must not hold a core for as long as the system would let it, with short
    /// reads waiting behind it.
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
