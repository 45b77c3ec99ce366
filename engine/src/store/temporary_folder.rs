//! Temporary folders. Each is locked while it is in use, so that a later process can remove the folder of a process
//! that was killed.

use std::fs::{self, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use super::{FolderLock, private_folder};

/// The beginning of the name of each temporary folder.
const PREFIX: &str = ".hjall-read-";

/// The file by which a folder is locked.
const LOCK_FILE: &str = "LOCK";

/// The number of names that are tried.
const NAMES: usize = 100;

/// Creates a temporary folder, and returns it with its locked file. It is in the first of these folders in which files
/// of `source` can be linked: the system's folder for temporary files, and the parent of `source`. If that is neither,
/// it is in the system's folder. `file` is a file of `source`.
pub(super) fn create(source: &Path, file: &str) -> io::Result<(PathBuf, FolderLock)> {
    let system = std::env::temp_dir();
    let mut failed = None;
    for parent in [system.as_path()].into_iter().chain(source.parent()) {
        remove_stale(parent);
        match create_in(parent) {
            Err(error) => failed = failed.or(Some(error)),
            Ok((path, lock)) => {
                let link = path.join(file);
                if fs::hard_link(source.join(file), &link).is_ok() {
                    return fs::remove_file(&link).map(|()| (path, lock));
                }
                remove(&path);
            }
        }
    }
    create_in(&system).map_err(|error| failed.unwrap_or(error))
}

fn create_in(parent: &Path) -> io::Result<(PathBuf, FolderLock)> {
    static CREATED: AtomicU64 = AtomicU64::new(0);
    let mut refused = None;
    for _ in 0..NAMES {
        let number = CREATED.fetch_add(1, Ordering::Relaxed);
        let path = parent.join(format!("{PREFIX}{}-{number}", std::process::id()));
        match private_folder::create(&path) {
            // A process in another container may have the same id.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => refused = Some(error),
            Err(error) => return Err(error),
            Ok(()) => match FolderLock::take(&path) {
                // Another process may have taken the folder for a stale one, and removed it, until it was locked.
                Ok(lock) if path.join(LOCK_FILE).exists() => return Ok((path, lock)),
                Ok(_) => {}
                Err(error) => refused = Some(io::Error::other(error)),
            },
        }
    }
    Err(refused.unwrap_or_else(|| io::ErrorKind::AlreadyExists.into()))
}

/// Removes a temporary folder, which no other process uses. If that fails, a later opening removes it.
pub(crate) fn remove(path: &Path) {
    if let Err(error) = fs::remove_dir_all(path)
        && error.kind() != io::ErrorKind::NotFound
    {
        tracing::warn!(folder = %path.display(), %error, "a temporary folder was not removed");
    }
}

/// Removes the temporary folders of processes that have ended.
fn remove_stale(parent: &Path) {
    let Ok(entries) = fs::read_dir(parent) else { return };
    for entry in entries.flatten() {
        if !entry.file_name().to_string_lossy().starts_with(PREFIX)
            || !entry.file_type().is_ok_and(|kind| kind.is_dir())
        {
            continue;
        }
        let path = entry.path();
        match OpenOptions::new().read(true).write(true).open(path.join(LOCK_FILE)) {
            Ok(lock) if lock.try_lock().is_ok() => {
                tracing::info!(folder = %path.display(), "removing the temporary folder of a process that has ended");
                remove(&path);
            }
            Ok(_) => {}
            // Its process ended before it locked the folder, or is about to. In that case it uses another name.
            Err(error) if error.kind() == io::ErrorKind::NotFound => _ = fs::remove_dir(&path),
            // Another user's.
            Err(_) => {}
        }
    }
}
