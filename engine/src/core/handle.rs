//! One opening of a database. A process opens a folder once; further openings share it.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::Core;
use super::open_folders::{OpenFolders, Opened};
use crate::clock::SystemClock;
use crate::config::Options;
use crate::error::{Error, ErrorKind, Result};
use crate::store::{FjallStore, MemoryStore, Store, StoreOptions};

/// The databases that this process has open in folders.
static FOLDERS: OpenFolders<FolderCore> = OpenFolders::new();

/// A database in a folder, and the options that it was opened with.
struct FolderCore {
    core: Core,
    options: Options,
}

/// One opening of a database, held by engines, tables and scanners. Closed explicitly, or when the last of them is
/// dropped.
pub(crate) struct Handle {
    owner: Owner,
    closed: AtomicBool,
}

/// Who owns the database.
enum Owner {
    /// All openings of its folder in this process.
    Folder(Opened<FolderCore>),
    /// This handle.
    Own(Box<Core>),
}

impl Handle {
    /// Opens the database in a folder, or shares it if this process has it open. Each opening for reading only has its
    /// own view.
    ///
    /// # Errors
    /// `InvalidArgument` if it is open with other options; those of [`FjallStore::open`] and [`Core::open`].
    pub(crate) fn open(path: &Path, options: Options) -> Result<Arc<Self>> {
        options.check()?;
        if options.read_only {
            let core = Core::open(FjallStore::open(path, options.for_store())?, &options)?;
            return Ok(Self::new(Owner::Own(Box::new(core))));
        }
        let wanted = options.clone();
        let opened = FOLDERS.open(
            path,
            |open| open.options.same(&wanted),
            |path| {
                let store = FjallStore::open(path, options.for_store())?;
                Ok(FolderCore { core: Core::open(store, &options)?, options })
            },
        )?;
        Ok(Self::new(Owner::Folder(opened)))
    }

    /// Opens the copy that a backup has made of a database.
    ///
    /// # Errors
    /// Those of [`FjallStore::open`] and [`Core::open`].
    pub(crate) fn open_copy(path: &Path) -> Result<Arc<Self>> {
        let core = Core::open(FjallStore::open(path, StoreOptions::for_copy())?, &Options::for_copy())?;
        Ok(Self::new(Owner::Own(Box::new(core))))
    }

    /// Opens an empty database in memory.
    pub(crate) fn memory(options: Options) -> Result<Arc<Self>> {
        options.check()?;
        if options.read_only {
            return Err(Error::invalid(
                "a database in memory cannot be opened for reading only, because it begins empty; open the folder of a \
                 database",
            ));
        }
        let clock = options.clock.clone().unwrap_or_else(|| Arc::new(SystemClock));
        let core = Core::open(Arc::new(MemoryStore::new(clock)), &options)?;
        Ok(Self::new(Owner::Own(Box::new(core))))
    }

    /// Opens the database in a store.
    pub(crate) fn with_store(store: Arc<dyn Store>) -> Result<Arc<Self>> {
        let core = Core::open(store, &Options::default())?;
        Ok(Self::new(Owner::Own(Box::new(core))))
    }

    fn new(owner: Owner) -> Arc<Self> {
        Arc::new(Self { owner, closed: AtomicBool::new(false) })
    }

    /// The database, even if this opening has been closed.
    pub(crate) fn core(&self) -> &Core {
        match &self.owner {
            Owner::Folder(opened) => &opened.core,
            Owner::Own(core) => core,
        }
    }

    /// The database, unless this opening has been closed.
    ///
    /// # Errors
    /// `Closed`.
    pub(crate) fn live(&self) -> Result<&Core> {
        if self.is_closed() { Err(Self::closed()) } else { Ok(self.core()) }
    }

    /// The error of a call after this opening has been closed.
    pub(crate) fn closed() -> Error {
        Error::new(ErrorKind::Closed, "the database has been closed; open it and start again")
    }

    /// Whether this opening has been closed.
    pub(crate) fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Acquire)
    }

    /// Closes this opening, and with the last one the database. Idempotent.
    ///
    /// # Errors
    /// `Io` if something could not be written.
    pub(crate) fn close(&self) -> Result<()> {
        if self.closed.swap(true, Ordering::AcqRel) {
            return Ok(());
        }
        match &self.owner {
            Owner::Folder(opened) => opened.close(|open| open.core.store.close()),
            Owner::Own(core) => core.store.close(),
        }
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        if let Err(error) = self.close() {
            tracing::warn!(%error, "closing the database failed");
        }
    }
}
