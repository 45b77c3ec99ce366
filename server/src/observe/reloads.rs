//! The outcome of reloading the settings, the users and the certificates.

use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};

/// Remembers how the last reload ended. The start counts as the first, which succeeded.
#[derive(Debug)]
pub struct Reloads {
    failed: AtomicBool,
    /// The time of the last one that succeeded, in seconds since 1970.
    succeeded: AtomicI64,
}

/// The values of [`Reloads`] at one moment.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ReloadFigures {
    /// Whether the last reload failed.
    pub failed: bool,
    /// The time of the last reload that succeeded, or of the start, in seconds since 1970.
    pub succeeded: i64,
}

impl Default for Reloads {
    fn default() -> Self {
        Self { failed: AtomicBool::new(false), succeeded: AtomicI64::new(now()) }
    }
}

impl Reloads {
    /// A reload has ended.
    pub fn ended(&self, succeeded: bool) {
        self.failed.store(!succeeded, Ordering::Relaxed);
        if succeeded {
            self.succeeded.store(now(), Ordering::Relaxed);
        }
    }

    /// The current values.
    pub fn read(&self) -> ReloadFigures {
        ReloadFigures { failed: self.failed.load(Ordering::Relaxed), succeeded: self.succeeded.load(Ordering::Relaxed) }
    }
}

fn now() -> i64 {
    chrono::Utc::now().timestamp()
}
