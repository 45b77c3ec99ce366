//! Damaged data that calls have met: counted for monitoring, and logged. A client gets an error that its program may
//! never show, and the operator has to know.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use crate::error::{Error, ErrorKind, Result};
use crate::name::TableName;

/// At most one line is logged in this time.
const LOG_INTERVAL: Duration = Duration::from_secs(1);

/// The calls of one database that have failed because stored data is damaged.
#[derive(Default)]
pub(crate) struct Damage {
    calls: AtomicU64,
    logged: Mutex<Option<Instant>>,
}

impl Damage {
    /// Counts and logs the error of a call if it is damage. `table` is the table of the call, if it is known.
    pub(crate) fn watch<T>(&self, table: Option<&TableName>, result: Result<T>) -> Result<T> {
        result.inspect_err(|error| {
            if error.kind() == ErrorKind::Corrupt {
                self.count(table, error);
            }
        })
    }

    /// The number of calls.
    pub(crate) fn calls(&self) -> u64 {
        self.calls.load(Ordering::Relaxed)
    }

    #[cold]
    fn count(&self, table: Option<&TableName>, error: &Error) {
        let calls = self.calls.fetch_add(1, Ordering::Relaxed) + 1;
        {
            let mut logged = self.logged.lock();
            if logged.is_some_and(|at| at.elapsed() < LOG_INTERVAL) {
                return;
            }
            *logged = Some(Instant::now());
        }
        let table = table.map(ToString::to_string);
        tracing::error!(
            table,
            %error,
            calls,
            "a call has met damaged data; run hjall verify on a copy of the folder, and restore it from a backup"
        );
    }
}
