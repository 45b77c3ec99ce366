//! Ctrl-C.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether Ctrl-C was pressed. Clones share one flag.
#[derive(Debug, Clone, Default)]
pub struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// A flag that the signal sets from now on.
    ///
    /// # Errors
    /// Those of installing a signal handler.
    pub fn of_signal() -> std::io::Result<Self> {
        let own = Self::default();
        signal_hook::flag::register(signal_hook::consts::SIGINT, Arc::clone(&own.0))?;
        Ok(own)
    }

    /// Whether it was pressed and has not been forgotten.
    pub fn is_pending(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// Forgets it.
    pub fn clear(&self) {
        self.0.store(false, Ordering::Relaxed);
    }

    /// Sets it, as the signal does.
    pub fn set(&self) {
        self.0.store(true, Ordering::Relaxed);
    }
}
