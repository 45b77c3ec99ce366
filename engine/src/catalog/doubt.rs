//! What a failed change may have altered. Until the catalog has been read again, it is unknown what is stored of it.
//!
//! At most one table or namespace is in doubt: the next change begins by reading the catalog.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use crate::error::Error;
use crate::name::TableName;

/// What a change alters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Subject {
    Table(TableName),
    Namespace(String),
}

/// The subject of a change that failed and may have been written.
#[derive(Debug, Default)]
pub(super) struct Doubt {
    /// Whether there is a subject. Calls that find none need no lock.
    exists: AtomicBool,
    about: Mutex<Option<Subject>>,
    /// When the catalog could last not be read again, and why.
    failed: Mutex<Option<(Instant, Error)>>,
}

/// The time after a failure in which it is not tried again.
const PAUSE: Duration = Duration::from_secs(1);

impl Doubt {
    /// Notes that a change of this subject has failed.
    pub(super) fn raise(&self, subject: Subject) {
        let mut about = self.about.lock();
        *about = Some(subject);
        self.exists.store(true, Ordering::Release);
    }

    /// Notes that the catalog has been read again.
    pub(super) fn settle(&self) {
        let mut about = self.about.lock();
        *about = None;
        *self.failed.lock() = None;
        self.exists.store(false, Ordering::Release);
    }

    /// Notes that the catalog could not be read again.
    pub(super) fn failed(&self, error: &Error) {
        *self.failed.lock() = Some((Instant::now(), error.again()));
    }

    /// The error of an attempt to read the catalog again that has just failed.
    pub(super) fn failed_lately(&self) -> Option<Error> {
        let failed = self.failed.lock();
        failed.as_ref().filter(|(at, _)| at.elapsed() < PAUSE).map(|(_, error)| error.again())
    }

    pub(super) fn exists(&self) -> bool {
        self.exists.load(Ordering::Acquire)
    }

    pub(super) fn concerns_table(&self, name: &TableName) -> bool {
        self.exists() && matches!(&*self.about.lock(), Some(Subject::Table(table)) if table == name)
    }

    pub(super) fn concerns_namespace(&self, name: &str) -> bool {
        self.exists() && matches!(&*self.about.lock(), Some(Subject::Namespace(namespace)) if namespace == name)
    }
}
