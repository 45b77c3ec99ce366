//! The owner of an open database, which can close it and reopen it in place.
//!
//! After a failed write (or a failed worker thread) fjall refuses all writes until it is reopened. The next write or
//! [`ReopenableDatabase::recover`] reopens it, with a limited rate, because that ends every cursor. The failed database
//! is closed only after a test file could be written: while the disk is full or read-only, reopening would fail, and
//! reads would fail with it. Until then, reads use the failed database, which has all that was committed.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use parking_lot::{Mutex, RwLock};

use super::compaction_filter::DeferredFilterFactory;
use super::database::Database;
use super::options::StoreOptions;
use crate::error::{Error, Result};
use crate::store::closed;
use crate::store::folder::Folder;

/// The interval of checks whether the last call in progress has ended.
const POLL_INTERVAL: Duration = Duration::from_micros(200);

/// The shortest time between two attempts to reopen the database.
const REOPEN_BACKOFF: Duration = Duration::from_millis(100);

/// The longest such time. It doubles with each reopening that is followed by a failure, such as on a disk with space
/// for the journal and none for a flush.
const REOPEN_BACKOFF_MAX: Duration = Duration::from_secs(2);

/// The time between two failures after which the first one no longer counts.
const FAILURE_FORGOTTEN: Duration = Duration::from_secs(10);

/// A replay of the journals that takes at least this long is logged.
const NOTICEABLE_RECOVERY: Duration = Duration::from_millis(100);

/// Holds the database of a folder.
pub(super) struct ReopenableDatabase {
    options: StoreOptions,
    pub filters: Arc<DeferredFilterFactory>,
    /// Locked only to copy the pointer. A copy keeps the database open.
    status: RwLock<Status>,
    /// Held while the database is reopened or closed. A thread must not wait for this lock while it has a copy of the
    /// pointer.
    reopening: Mutex<Reopening>,
    reopened: AtomicU64,
    path: PathBuf,
}

enum Status {
    Open(Arc<Database>),
    /// A write has failed, and the database has not been reopened successfully since.
    Broken,
    Closed,
}

struct Reopening {
    /// `None` once the store is closed.
    folder: Option<Folder>,
    /// The last closing of a failed database, or the last failed probe before one, and the error.
    last: Option<Backoff>,
    /// The last failed attempt to open the database again, and its error.
    refused: Option<Backoff>,
    /// When a failed database was closed for the last time.
    closed: Option<Instant>,
    /// The time from then to the next closing.
    pause: Duration,
}

impl Reopening {
    /// Checks that the folder has not been replaced by another one, whose files must not be touched.
    fn check_unreplaced(&mut self) -> Result<()> {
        let checked = self.folder.as_ref().map_or(Ok(()), Folder::check_unreplaced);
        checked.inspect_err(|error| self.last = Backoff::starting_now(error, REOPEN_BACKOFF))
    }

    /// Notes that a database with this failure is closed.
    fn closes(&mut self, failure: &Error) {
        let repeated = self.closed.is_some_and(|closed| closed.elapsed() < FAILURE_FORGOTTEN);
        self.pause = if repeated { (2 * self.pause).min(REOPEN_BACKOFF_MAX) } else { REOPEN_BACKOFF };
        self.closed = Some(Instant::now());
        self.last = Backoff::starting_now(failure, self.pause);
    }
}

/// The time and the error of an attempt that must not be repeated immediately.
struct Backoff {
    since: Instant,
    pause: Duration,
    error: Error,
}

impl Backoff {
    fn starting_now(error: &Error, pause: Duration) -> Option<Self> {
        Some(Self { since: Instant::now(), pause, error: error.again() })
    }

    /// Fails with the error of the last attempt if that is too recent.
    fn check(backoff: Option<&Self>) -> Result<()> {
        match backoff {
            Some(backoff) if backoff.since.elapsed() < backoff.pause => Err(backoff.error.again()),
            _ => Ok(()),
        }
    }
}

impl ReopenableDatabase {
    /// Opens the folder's database.
    pub fn open(folder: Folder, options: StoreOptions) -> Result<Self> {
        let filters = Arc::new(DeferredFilterFactory::default());
        let path = folder.data();
        let began = Instant::now();
        let batches = folder.check()?;
        let database = Database::open(&folder.data(), &options, &filters)?;
        folder.finish()?;
        let seconds = began.elapsed().as_secs_f64();
        // A copy for reading only, or for a backup, replays journals whenever the original is in use.
        if batches > 0 && seconds >= NOTICEABLE_RECOVERY.as_secs_f64() && !folder.is_copy() && !options.is_backup {
            tracing::info!(
                folder = %folder.named().display(), batches, seconds,
                "the journals were replayed, because the database had not been closed"
            );
        }
        Ok(Self {
            options,
            filters,
            status: RwLock::new(Status::Open(database)),
            reopening: Mutex::new(Reopening {
                folder: Some(folder),
                last: None,
                refused: None,
                closed: None,
                pause: REOPEN_BACKOFF,
            }),
            reopened: AtomicU64::new(0),
            path,
        })
    }

    /// The number of times that the database was reopened after a failed write.
    pub fn reopened(&self) -> u64 {
        self.reopened.load(Ordering::SeqCst)
    }

    /// The folder of the database's files.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The database for reading.
    pub fn database(&self) -> Result<Arc<Database>> {
        match self.current()? {
            Some(database) => Ok(database),
            None => self.reopen_if_broken(&mut self.reopening.lock()),
        }
    }

    /// The database for writing. Reopens it if a write has failed.
    pub fn writable(&self) -> Result<Arc<Database>> {
        let database = self.database()?;
        if database.failure().is_none() {
            return Ok(database);
        }
        drop(database);
        let mut reopening = self.reopening.lock();
        // Reads continue until flushes and compactions have ended.
        if let Some(failed) = self.current()?.filter(|database| database.failure().is_some()) {
            Backoff::check(reopening.last.as_ref())?;
            reopening.check_unreplaced()?;
            // Otherwise writes that only this process has would be lost.
            if let Err(error) = failed.syncer().check_journal() {
                reopening.last = Backoff::starting_now(&error, REOPEN_BACKOFF);
                return Err(error);
            }
            failed.end_all_compactions();
            failed.end_long_calls();
            // What a failed compaction has left may be all that keeps the disk full.
            failed.remove_unregistered_files();
            if let Some(Err(error)) = reopening.folder.as_ref().map(Folder::probe) {
                reopening.last = Backoff::starting_now(&error, REOPEN_BACKOFF);
                return Err(error);
            }
        }
        let mut status = self.status.write();
        let failure = match &*status {
            Status::Open(database) => database.failure().map(Error::again),
            _ => None,
        };
        if let Some(failure) = failure {
            Backoff::check(reopening.last.as_ref())?;
            reopening.closes(&failure);
            let broken = std::mem::replace(&mut *status, Status::Broken);
            drop(status);
            if let Status::Open(database) = broken {
                wait_until_unshared(database).cursors.end();
            }
        } else {
            // Another thread has already closed or reopened it.
            drop(status);
        }
        self.reopen_if_broken(&mut reopening)
    }

    /// Reopens the database if it refuses writes and a file can be written to its folder. Returns whether it was
    /// reopened.
    ///
    /// # Errors
    /// `Closed`, `Io`, `DiskFull`, `Corrupt`.
    pub fn recover(&self) -> Result<bool> {
        if self.current()?.is_some_and(|database| database.check_writable().is_ok()) {
            return Ok(false);
        }
        let before = self.reopened();
        self.writable()?;
        Ok(self.reopened() > before)
    }

    /// The database for writing, unless it has to be reopened or is closed. Does not wait.
    pub fn ready(&self) -> Option<Arc<Database>> {
        match &*self.status.try_read()? {
            Status::Open(database) if database.failure().is_none() => Some(Arc::clone(database)),
            _ => None,
        }
    }

    fn current(&self) -> Result<Option<Arc<Database>>> {
        match &*self.status.read() {
            Status::Open(database) => Ok(Some(Arc::clone(database))),
            Status::Broken => Ok(None),
            Status::Closed => Err(closed()),
        }
    }

    /// The database, opened again if it is broken.
    fn reopen_if_broken(&self, reopening: &mut Reopening) -> Result<Arc<Database>> {
        if let Some(database) = self.current()? {
            return Ok(database);
        }
        let folder = reopening.folder.as_ref().ok_or_else(closed)?;
        Backoff::check(reopening.refused.as_ref())?;
        let database = folder.check().and_then(|_| Database::open(&folder.data(), &self.options, &self.filters));
        let database = database.inspect_err(|error| {
            tracing::error!(folder = %folder.named().display(), %error, "reopening the database failed");
            reopening.refused = Backoff::starting_now(error, REOPEN_BACKOFF);
        })?;
        tracing::warn!(folder = %folder.named().display(), "the database was reopened after a failed write");
        let mut status = self.status.write();
        // Raised before the new database can be read, so that a snapshot taken after the new number was read is not of
        // the old database.
        self.reopened.fetch_add(1, Ordering::SeqCst);
        *status = Status::Open(Arc::clone(&database));
        drop(status);
        Ok(database)
    }

    /// Closes the database and then the folder. `finish` is called when no other thread uses the database. Closing
    /// again does nothing.
    ///
    /// # Errors
    /// Those of `finish`. The error of the last reopening, if the database could not be reopened after a failure, and
    /// `Io` if the folder was removed or replaced; `finish` is not called then.
    pub fn close(&self, finish: impl FnOnce(&Database) -> Result<()>) -> Result<()> {
        let mut reopening = self.reopening.lock();
        if let Ok(Some(database)) = self.current() {
            database.end_long_calls();
        }
        let Some(folder) = reopening.folder.take() else { return Ok(()) };
        let status = std::mem::replace(&mut *self.status.write(), Status::Closed);
        // The factory may hold this store, and a cycle would keep both in memory.
        self.filters.set(None);
        let database = match status {
            Status::Open(database) => wait_until_unshared(database),
            Status::Closed => return Ok(()),
            Status::Broken => return reopening.refused.as_ref().map_or(Ok(()), |refused| Err(refused.error.again())),
        };
        database.cursors.end();
        let finished = folder.check_unreplaced().and_then(|()| finish(&database));
        database.end_all_compactions();
        let left = database.files_left_at_the_end();
        drop(database);
        folder.check_unreplaced()?;
        left.remove();
        finished?;
        if folder.is_copy() {
            return Ok(());
        }
        if let Err(error) = folder.empty_journals() {
            tracing::warn!(
                folder = %folder.named().display(), %error,
                "the journals could not be emptied; the next start replays them"
            );
        }
        if let Err(error) = folder.list_files() {
            tracing::warn!(
                folder = %folder.named().display(), %error,
                "the list of files could not be written; the next start may miss damage"
            );
        }
        Ok(())
    }
}

/// Waits until no other thread uses the database. Calls in progress end; new ones must not be able to get it.
fn wait_until_unshared(mut database: Arc<Database>) -> Database {
    loop {
        match Arc::try_unwrap(database) {
            Ok(alone) => return alone,
            Err(shared) => database = shared,
        }
        std::thread::sleep(POLL_INTERVAL);
    }
}
