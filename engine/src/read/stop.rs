//! A flag by which another thread ends a scan.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::error::{Error, ErrorKind, Result};

/// Ends a scan from another thread: a fetch under way looks at it every few hundred cells. Clones are the same flag.
#[derive(Debug, Clone, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// Asks the scan to stop; its fetches fail with `Cancelled` from then on.
    pub fn stop(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether someone asked.
    pub fn is_stopped(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    pub(crate) fn check(&self) -> Result<()> {
        if self.is_stopped() {
            Err(Error::new(ErrorKind::Cancelled, "the scan was stopped by its caller"))
        } else {
            Ok(())
        }
    }
}
