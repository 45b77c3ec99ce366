//! Who has which database open: a process opens a folder only once, however often it is asked to.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::Core;
use crate::catalog::Catalog;
use crate::clock::SystemClock;
use crate::config::{Limits, Options};
use crate::error::{Error, ErrorKind, Result};
use crate::read::HotRows;
use crate::store::shared::{OpenFolders, Opened};
use crate::store::{FjallStore, MemoryStore, Store};
use crate::write::Forgetting;

/// The databases that are open in folders.
static FOLDERS: OpenFolders<(Core, Options)> = OpenFolders::new();

/// One opening of a database: what engines, tables and scanners hold on to. Closes when told to, at the latest when it is dropped.
pub(crate) struct Handle {
    place: Place,
    closed: AtomicBool,
}

/// Where a database is.
enum Place {
    /// In a folder, shared with whoever else in this process has it open.
    Folder(Opened<(Core, Options)>),
    /// In a store that nobody else has.
    Own(Box<Core>),
}

impl Handle {
    fn new(place: Place) -> Arc<Self> {
        Arc::new(Self { place, closed: AtomicBool::new(false) })
    }

    /// The database, whether this opening still stands or not.
    pub(crate) fn core(&self) -> &Core {
        match &self.place {
            Place::Folder(opened) => &opened.0,
            Place::Own(core) => core,
        }
    }

    /// The database, if this opening still stands.
    ///
    /// # Errors
    /// `Closed`.
    pub(crate) fn live(&self) -> Result<&Core> {
        if self.closed.load(Ordering::Acquire) {
            return Err(Error::new(ErrorKind::Closed, "the database has been closed: open it again to use it"));
        }
        Ok(self.core())
    }

    pub(super) fn close(&self) -> Result<()> {
        if self.closed.swap(true, Ordering::AcqRel) {
            return Ok(());
        }
        match &self.place {
            Place::Folder(opened) => opened.close(|(core, _)| core.store.close()),
            Place::Own(core) => core.store.close(),
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

/// Opens a folder, or shares it with whoever in this process has it open.
pub(super) fn folder(path: &Path, options: Options) -> Result<Arc<Handle>> {
    let wanted = options.clone();
    let opened = FOLDERS.open(
        path,
        |(_, open)| open.same(&wanted),
        |path| Ok((core(FjallStore::open(path, options.for_store())?, options.limits, options.hot_bytes())?, options)),
    )?;
    Ok(Handle::new(Place::Folder(opened)))
}

/// A database without a disk.
pub(super) fn memory(options: Options) -> Result<Arc<Handle>> {
    let hot_bytes = options.hot_bytes();
    let clock = options.clock.unwrap_or_else(|| Arc::new(SystemClock));
    Ok(Handle::new(Place::Own(Box::new(core(Arc::new(MemoryStore::new(clock)), options.limits, hot_bytes)?))))
}

/// A database over a store that is open.
pub(super) fn over(store: Arc<dyn Store>, limits: Limits) -> Result<Arc<Handle>> {
    Ok(Handle::new(Place::Own(Box::new(core(store, limits, Options::default().hot_bytes())?))))
}

fn core(store: Arc<dyn Store>, limits: Limits, hot_bytes: usize) -> Result<Core> {
    let catalog = Catalog::open(Arc::clone(&store))?;
    store.set_retainer(Arc::new(Forgetting::new(catalog.rules(), &store)));
    Ok(Core { store, catalog, limits, hot: HotRows::new(hot_bytes) })
}
