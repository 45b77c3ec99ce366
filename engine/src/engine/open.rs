//! Who has which folder open: a process opens one only once, however often it is asked to.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock};

use parking_lot::Mutex;

use super::Core;
use crate::catalog::Catalog;
use crate::clock::SystemClock;
use crate::config::{Limits, Options};
use crate::error::{Error, ErrorKind, Result};
use crate::store::MemoryStore;
use crate::store::Store;

/// The folders that are open, by canonical path. Held while one is opened or closed, so that nobody meets a half-open one.
static FOLDERS: LazyLock<Mutex<HashMap<PathBuf, Folder>>> = LazyLock::new(Mutex::default);

struct Folder {
    core: Arc<Core>,
    options: Options,
    openers: usize,
}

/// One opening of a database. Closes when told to, at the latest when it is dropped.
pub(crate) struct Opener {
    core: Arc<Core>,
    folder: Option<PathBuf>,
    closed: AtomicBool,
}

impl Opener {
    fn new(core: Arc<Core>, folder: Option<PathBuf>) -> Arc<Self> {
        Arc::new(Self { core, folder, closed: AtomicBool::new(false) })
    }

    /// The database.
    pub(crate) fn core(&self) -> &Core {
        &self.core
    }

    /// The database, if this opening still stands.
    ///
    /// # Errors
    /// `Closed`.
    pub(crate) fn live(&self) -> Result<&Core> {
        if self.closed.load(Ordering::Acquire) {
            return Err(Error::new(ErrorKind::Closed, "the database has been closed: open it again to use it"));
        }
        Ok(&self.core)
    }

    pub(super) fn close(&self) -> Result<()> {
        if self.closed.swap(true, Ordering::AcqRel) {
            return Ok(());
        }
        let Some(path) = &self.folder else { return self.core.store.close() };
        let mut folders = FOLDERS.lock();
        match folders.get_mut(path) {
            Some(folder) if folder.openers > 1 => {
                folder.openers -= 1;
                Ok(())
            }
            _ => {
                folders.remove(path);
                self.core.store.close()
            }
        }
    }
}

impl Drop for Opener {
    fn drop(&mut self) {
        if let Err(error) = self.close() {
            tracing::warn!(%error, "closing the database failed");
        }
    }
}

/// Opens a folder, or shares it with whoever in this process has it open.
pub(super) fn folder(path: &Path, options: Options) -> Result<Arc<Opener>> {
    let io =
        |e| Error::new(ErrorKind::Io, format!("the data folder {} cannot be made: {e}", path.display())).with_source(e);
    std::fs::create_dir_all(path).map_err(io)?;
    let path = path.canonicalize().map_err(io)?;
    let mut folders = FOLDERS.lock();
    if let Some(folder) = folders.get_mut(&path) {
        if !folder.options.same(&options) {
            return Err(Error::invalid(format!(
                "the data folder {} is open in this process with other options: close it first, or give the same ones",
                path.display()
            )));
        }
        folder.openers += 1;
        return Ok(Opener::new(Arc::clone(&folder.core), Some(path)));
    }
    let core: Arc<Core> = if true { todo!() } else { memory(options.clone())?.core.clone() };
    folders.insert(path.clone(), Folder { core: Arc::clone(&core), options, openers: 1 });
    Ok(Opener::new(core, Some(path)))
}

/// A database without a disk.
pub(super) fn memory(options: Options) -> Result<Arc<Opener>> {
    let clock = options.clock.unwrap_or_else(|| Arc::new(SystemClock));
    Ok(Opener::new(core(Arc::new(MemoryStore::new(clock)), options.limits)?, None))
}

/// A database over a store that is open.
pub(super) fn over(store: Arc<dyn Store>, limits: Limits) -> Result<Arc<Opener>> {
    Ok(Opener::new(core(store, limits)?, None))
}

fn core(store: Arc<dyn Store>, limits: Limits) -> Result<Arc<Core>> {
    let catalog = Catalog::open(Arc::clone(&store))?;
    Ok(Arc::new(Core { store, catalog, limits }))
}
