//! The registry of folders that this process has open. A second opener of a folder shares what the first opened; the last to close closes it.

use std::collections::BTreeMap;
use std::fs;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;

use crate::error::{Error, Result};
use crate::store::failed_io;

/// Open folders by canonical path, so that links and relative paths to one folder are equal. Meant for a `static`.
///
/// The process id is a part of the key: a forked child cannot use the entries that it inherits.
pub(crate) struct OpenFolders<T>(Mutex<BTreeMap<FolderKey, Arc<Entry<T>>>>);

/// A process and a folder.
type FolderKey = (u32, PathBuf);

/// One folder. Locked while the folder is being opened or closed.
type Entry<T> = Mutex<Option<Present<T>>>;

struct Present<T> {
    value: Arc<T>,
    openers: usize,
}

impl<T> OpenFolders<T> {
    /// An empty registry.
    pub const fn new() -> Self {
        Self(Mutex::new(BTreeMap::new()))
    }

    /// Opens a folder with `open`, or shares what is open already if it `fits`; it is an error if it does not.
    pub fn open(
        &'static self,
        path: &Path,
        fits: impl FnOnce(&T) -> bool,
        open: impl FnOnce(&Path) -> Result<T>,
    ) -> Result<Opened<T>> {
        let failed = |error| failed_io(&format!("opening the data folder {}", path.display()), error);
        // Only what exists has a canonical path.
        fs::create_dir_all(path).map_err(failed)?;
        let path = path.canonicalize().map_err(failed)?;
        let key = (std::process::id(), path);
        let path = &key.1;
        let entry = Arc::clone(self.0.lock().entry(key.clone()).or_default());
        let mut present = entry.lock();
        let value = match &mut *present {
            Some(present) if fits(&present.value) => {
                present.openers += 1;
                Arc::clone(&present.value)
            }
            Some(_) => {
                return Err(Error::invalid(format!(
                    "the data folder {} is open in this process with other options; close it first, or open it with the same",
                    path.display()
                )));
            }
            None => {
                let opened = open(path).inspect_err(|_| self.forget(&key, &entry));
                let value = Arc::new(opened?);
                *present = Some(Present { value: Arc::clone(&value), openers: 1 });
                value
            }
        };
        drop(present);
        Ok(Opened { value, folders: self, key, entry, open: AtomicBool::new(true) })
    }

    /// Removes an empty entry that no other thread waits for. The caller holds the lock of the entry.
    fn forget(&self, key: &FolderKey, entry: &Arc<Entry<T>>) {
        let mut entries = self.0.lock();
        // This map's, and the caller's.
        if Arc::strong_count(entry) == 2 {
            entries.remove(key);
        }
    }
}

/// One opener's share.
pub(crate) struct Opened<T: 'static> {
    value: Arc<T>,
    folders: &'static OpenFolders<T>,
    key: FolderKey,
    entry: Arc<Entry<T>>,
    open: AtomicBool,
}

impl<T> Opened<T> {
    /// Gives this share up; with the last one, `close` is called. Once is enough, more is nothing.
    pub fn close(&self, close: impl FnOnce(&T) -> Result<()>) -> Result<()> {
        // The entry first: a second caller waits until the first one is through.
        let mut present = self.entry.lock();
        if !self.open.swap(false, Ordering::AcqRel) {
            return Ok(());
        }
        let Some(shared) = &mut *present else { return Ok(()) };
        shared.openers -= 1;
        if shared.openers > 0 {
            return Ok(());
        }
        *present = None;
        let closed = close(&self.value);
        self.folders.forget(&self.key, &self.entry);
        closed
    }
}

impl<T> Deref for Opened<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}
