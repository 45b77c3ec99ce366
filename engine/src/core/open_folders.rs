//! The registry of folders that this process has open. Later openers of a folder share the value that the first one
//! created, and the last one to close the folder closes the value.

use std::collections::BTreeMap;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::{fs, io};

use parking_lot::Mutex;

use crate::error::{Error, Result};
use crate::store::{failed_io, private_folder};

/// Open folders by canonical path, so that links and relative paths to one folder are equal. Meant for a `static`.
///
/// The process id is a part of the key: a forked child cannot use the entries that it inherits.
pub(crate) struct OpenFolders<T>(Mutex<BTreeMap<FolderKey, Arc<FolderEntry<T>>>>);

/// A process and a folder.
type FolderKey = (u32, PathBuf);

/// The entry of one folder. Locked while the folder is being opened or closed; `None` while it is closed.
type FolderEntry<T> = Mutex<Option<Counted<T>>>;

/// A value and the number of its openers.
struct Counted<T> {
    value: Arc<T>,
    openers: usize,
}

impl<T> OpenFolders<T> {
    /// An empty registry.
    pub const fn new() -> Self {
        Self(Mutex::new(BTreeMap::new()))
    }

    /// Opens a folder with `open`. If the folder is open already, shares its value if `fits` accepts it.
    ///
    /// # Errors
    /// `InvalidArgument` if the folder is open and its value does not fit; `Io`; those of `open`.
    pub fn open(
        &'static self,
        path: &Path,
        fits: impl FnOnce(&T) -> bool,
        open: impl FnOnce(&Path) -> Result<T>,
    ) -> Result<Opened<T>> {
        let failed = |error| failed_io(&format!("opening the data folder {}", path.display()), error);
        refuse_dangling_link(path)?;
        // Only an existing folder has a canonical path.
        private_folder::create_unless_exists(path).map_err(failed)?;
        let path = path.canonicalize().map_err(failed)?;
        let key = (std::process::id(), path);
        let path = &key.1;
        let entry = Arc::clone(self.0.lock().entry(key.clone()).or_default());
        let mut present = entry.lock();
        let value = match &mut *present {
            Some(counted) if fits(&counted.value) => {
                counted.openers += 1;
                Arc::clone(&counted.value)
            }
            Some(_) => {
                return Err(Error::invalid(format!(
                    "the data folder {} is open in this process with other options; close it first, or use the \
                     same options",
                    path.display()
                )));
            }
            None => {
                let opened = open(path).inspect_err(|_| self.forget(&key, &entry));
                let value = Arc::new(opened?);
                *present = Some(Counted { value: Arc::clone(&value), openers: 1 });
                value
            }
        };
        drop(present);
        Ok(Opened { value, folders: self, key, entry, open: AtomicBool::new(true) })
    }

    /// Removes an empty entry that no other thread waits for. The caller holds the lock of the entry.
    fn forget(&self, key: &FolderKey, entry: &Arc<FolderEntry<T>>) {
        let mut entries = self.0.lock();
        // The references of this map and of the caller.
        if Arc::strong_count(entry) == 2 {
            entries.remove(key);
        }
    }
}

/// A folder cannot be created through a link.
fn refuse_dangling_link(path: &Path) -> Result<()> {
    let is_absent = fs::metadata(path).is_err_and(|error| error.kind() == io::ErrorKind::NotFound);
    let Ok(target) = fs::read_link(path) else { return Ok(()) };
    if !is_absent {
        return Ok(());
    }
    Err(Error::invalid(format!(
        "the data folder {} is a symbolic link to {}, which does not exist; create that folder, mount its disk, or name \
         another path",
        path.display(),
        target.display()
    )))
}

/// A shared reference to an open folder's value, held by one opener.
pub(crate) struct Opened<T: 'static> {
    value: Arc<T>,
    folders: &'static OpenFolders<T>,
    key: FolderKey,
    entry: Arc<FolderEntry<T>>,
    open: AtomicBool,
}

impl<T> Opened<T> {
    /// Closes this reference. Calls `close` if it was the folder's last one. Closing again does nothing.
    pub fn close(&self, close: impl FnOnce(&T) -> Result<()>) -> Result<()> {
        // The entry is locked first, so that a concurrent second call waits until the first one has ended.
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
