//! Folders that this process has open: a second opener of the same folder shares what the first one opened, and the last to close closes it.

use std::collections::BTreeMap;
use std::fs;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;

use super::fjall::failed_io;
use crate::error::{Error, Result};

/// What is open, by canonical path: links and relative paths lead to the same. Meant for a `static`.
///
/// A process that was forked meets its parent's entries, which are of no use to it: so the process is a part of the key.
pub(crate) struct OpenFolders<T>(Mutex<BTreeMap<Place, Arc<Slot<T>>>>);

/// A process and a folder.
type Place = (u32, PathBuf);

/// One folder. Locked while it is opened and closed, so that nobody meets it half-way.
type Slot<T> = Mutex<Option<Present<T>>>;

struct Present<T> {
    value: Arc<T>,
    openers: usize,
}

impl<T> OpenFolders<T> {
    /// None.
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
        let place = (std::process::id(), path);
        let path = &place.1;
        let slot = Arc::clone(self.0.lock().entry(place.clone()).or_default());
        let mut present = slot.lock();
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
                let opened = open(path).inspect_err(|_| self.forget(&place, &slot));
                let value = Arc::new(opened?);
                *present = Some(Present { value: Arc::clone(&value), openers: 1 });
                value
            }
        };
        drop(present);
        Ok(Opened { value, folders: self, place, slot, open: AtomicBool::new(true) })
    }

    /// Removes an empty slot that nobody else is waiting for. Called with the slot locked.
    fn forget(&self, place: &Place, slot: &Arc<Slot<T>>) {
        let mut slots = self.0.lock();
        // This map's, and the caller's.
        if Arc::strong_count(slot) == 2 {
            slots.remove(place);
        }
    }
}

/// One opener's share.
pub(crate) struct Opened<T: 'static> {
    value: Arc<T>,
    folders: &'static OpenFolders<T>,
    place: Place,
    slot: Arc<Slot<T>>,
    open: AtomicBool,
}

impl<T> Opened<T> {
    /// Whether this opener has not closed it yet.
    pub fn is_open(&self) -> bool {
        self.open.load(Ordering::Acquire)
    }

    /// Gives this share up; with the last one, `close` is called. Once is enough, more is nothing.
    pub fn close(&self, close: impl FnOnce(&T) -> Result<()>) -> Result<()> {
        // The slot first: a second caller waits until the first one is through.
        let mut present = self.slot.lock();
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
        self.folders.forget(&self.place, &self.slot);
        closed
    }
}

impl<T> Deref for Opened<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}
