//! The one place that holds an open database, so that it can be closed, and opened anew in place.
//!
//! After a failed write (or a failed worker) fjall refuses every write until it is opened anew. The next write does that, once in a while
//! only: on a disk that stays full it would not help, and it ends every cursor.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use parking_lot::{Mutex, RwLock};

use super::compaction_filter::LateFilterFactory;
use super::database::Database;
use super::options::StoreOptions;
use crate::error::{Error, ErrorKind, Result};
use crate::store::closed;
use crate::store::folder::Folder;

/// How often waiting for the last call under way looks.
const ALONE_STEP: Duration = Duration::from_micros(200);

/// Between two openings in place.
const REST: Duration = Duration::from_millis(100);

/// Holds the database of a folder.
pub(super) struct Holder {
    options: StoreOptions,
    pub filters: Arc<LateFilterFactory>,
    /// Locked only to copy the pointer: who has a copy keeps the database open as long.
    status: RwLock<Status>,
    /// Held while the database is opened anew or closed. Nobody waits for it with a copy of the pointer in hand.
    turning: Mutex<Turning>,
    reopened: AtomicU64,
    path: PathBuf,
}

enum Status {
    Open(Arc<Database>),
    /// Writes had failed, and opening anew failed too.
    Broken,
    Closed,
}

struct Turning {
    /// `None`: closed.
    folder: Option<Folder>,
    /// When it was last opened anew, and why.
    last: Option<Rest>,
    /// When that was last tried in vain, and why.
    refused: Option<Rest>,
}

/// Something that is not to be tried again at once.
struct Rest {
    since: Instant,
    kind: ErrorKind,
    message: String,
}

impl Rest {
    fn from_now(kind: ErrorKind, message: String) -> Option<Self> {
        Some(Self { since: Instant::now(), kind, message })
    }

    /// The error of those who come too early for another try.
    fn over(rest: Option<&Self>) -> Result<()> {
        match rest {
            Some(rest) if rest.since.elapsed() < REST => Err(Error::new(rest.kind, rest.message.clone())),
            _ => Ok(()),
        }
    }
}

impl Holder {
    /// Opens the folder's database.
    pub fn open(folder: Folder, options: StoreOptions) -> Result<Self> {
        let filters = Arc::new(LateFilterFactory::default());
        let path = folder.data();
        folder.check()?;
        let database = Database::open(&folder.data(), &options, &filters)?;
        folder.finish()?;
        Ok(Self {
            options,
            filters,
            status: RwLock::new(Status::Open(Arc::new(database))),
            turning: Mutex::new(Turning { folder: Some(folder), last: None, refused: None }),
            reopened: AtomicU64::new(0),
            path,
        })
    }

    /// How often it was opened anew after a failed write.
    pub fn reopened(&self) -> u64 {
        self.reopened.load(Ordering::SeqCst)
    }

    /// The folder of its files.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The database, to read.
    pub fn database(&self) -> Result<Arc<Database>> {
        match self.present()? {
            Some(database) => Ok(database),
            None => self.open_again(&mut self.turning.lock()),
        }
    }

    /// The database, to write: opened anew if writes to it have failed.
    pub fn writable(&self) -> Result<Arc<Database>> {
        let database = self.database()?;
        if database.failure().is_none() {
            return Ok(database);
        }
        drop(database);
        let mut turning = self.turning.lock();
        // Reads go on until everything that takes long has ended.
        if let Some(failed) = self.present()?.filter(|database| database.failure().is_some()) {
            Rest::over(turning.last.as_ref())?;
            failed.end_all_compactions();
            failed.end_long_calls();
        }
        let mut status = self.status.write();
        let failed = match &*status {
            Status::Open(database) => database.failure().cloned(),
            _ => None,
        };
        if let Some((kind, message)) = failed {
            Rest::over(turning.last.as_ref())?;
            turning.last = Rest::from_now(kind, message);
            let broken = std::mem::replace(&mut *status, Status::Broken);
            drop(status);
            if let Status::Open(database) = broken {
                when_alone(database).cursors.end();
            }
        } else {
            // Somebody else was here before.
            drop(status);
        }
        self.open_again(&mut turning)
    }

    fn present(&self) -> Result<Option<Arc<Database>>> {
        match &*self.status.read() {
            Status::Open(database) => Ok(Some(Arc::clone(database))),
            Status::Broken => Ok(None),
            Status::Closed => Err(closed()),
        }
    }

    /// The database, opened if it is broken.
    fn open_again(&self, turning: &mut Turning) -> Result<Arc<Database>> {
        if let Some(database) = self.present()? {
            return Ok(database);
        }
        let folder = turning.folder.as_ref().ok_or_else(closed)?;
        Rest::over(turning.refused.as_ref())?;
        let database = folder.check().and_then(|()| Database::open(&folder.data(), &self.options, &self.filters));
        let database = database.inspect_err(|error| {
            tracing::error!(%error, "the database could not be opened anew");
            turning.refused = Rest::from_now(error.kind(), error.message().to_owned());
        });
        let database = Arc::new(database?);
        tracing::warn!(folder = %folder.data().display(), "the database was opened anew after a failed write");
        let mut status = self.status.write();
        // Raised before the new database can be read: no snapshot of the old one is taken after the new number was seen.
        self.reopened.fetch_add(1, Ordering::SeqCst);
        *status = Status::Open(Arc::clone(&database));
        drop(status);
        Ok(database)
    }

    /// Lets go of the database, after `finish` has had it to itself, and then of the folder. Once is enough, more is nothing.
    pub fn close(&self, finish: impl FnOnce(&Database) -> Result<()>) -> Result<()> {
        let mut turning = self.turning.lock();
        if let Ok(Some(database)) = self.present() {
            database.end_long_calls();
        }
        let Some(folder) = turning.folder.take() else { return Ok(()) };
        let status = std::mem::replace(&mut *self.status.write(), Status::Closed);
        // It may well hold this store.
        self.filters.set(None);
        let Status::Open(database) = status else { return Ok(()) };
        let database = when_alone(database);
        database.cursors.end();
        let finished = finish(&database);
        database.end_all_compactions();
        drop(database);
        finished?;
        if let Err(error) = folder.empty_journal() {
            tracing::warn!(%error, "the journal could not be emptied; the next start reads it");
        }
        if let Err(error) = folder.list_files() {
            tracing::warn!(%error, "the files could not be listed; the next start does not notice if one is missing");
        }
        Ok(())
    }
}

/// Waits until nobody else has the database in hand: calls that are under way end, new ones do not get it any more.
fn when_alone(mut database: Arc<Database>) -> Database {
    loop {
        match Arc::try_unwrap(database) {
            Ok(alone) => return alone,
            Err(shared) => database = shared,
        }
        std::thread::sleep(ALONE_STEP);
    }
}
