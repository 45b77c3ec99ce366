//! The folders of a backup while it is built: the destination, the folder beside it in which the copy grows, and an
//! earlier backup that the new one replaces.
//!
//! ```text
//! DEST.part/UNFINISHED   locked by the process that builds the backup
//! DEST.part/copy         the copy, a data folder, which is moved to DEST when it is complete; then the earlier backup
//! DEST.old               the earlier backup while the new one replaces it, where folders cannot be exchanged
//! ```
//! The earlier backup is locked until the new one replaces it. No other process can open it in that time.
//!
//! If UNFINISHED exists and is not locked, a crash has ended the backup, and the next one removes what it has left. No
//! other folder is ever removed.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use super::backup::is_backup_of;
use crate::error::{Error, ErrorKind, Result};
use crate::store::{FolderLock, failed_io, is_at, is_data_folder, private_folder, sync_folder};

const LOCK_FILE: &str = "UNFINISHED";
const COPY_FOLDER: &str = "copy";

/// A backup that is being built.
pub(super) struct Staging {
    folder: PathBuf,
    /// Where it is built.
    pub(super) work: WorkFolder,
    /// The lock of an earlier backup at the destination, which will be replaced.
    earlier: Option<FolderLock>,
    /// The path of the earlier backup while it is being replaced.
    old: PathBuf,
}

impl Staging {
    /// Begins a backup to a folder. Checks that neither it nor the folder beside it is in use. The destination may be
    /// an earlier incremental backup of the database whose cluster id is `replaced`.
    ///
    /// # Errors
    /// Those of [`super::Engine::backup`] and [`super::Engine::backup_incremental`] for the destination.
    pub(super) fn begin(folder: &Path, replaced: Option<&str>) -> Result<Self> {
        let failed = |error| failed_io(&format!("making the backup {}", folder.display()), error);
        let folder = std::path::absolute(folder).map_err(failed)?;
        let beside = |extension: &str| {
            let mut name = folder.file_name().ok_or_else(|| in_use(&folder))?.to_owned();
            name.push(extension);
            Ok(folder.with_file_name(name))
        };
        let (part, old) = (beside(".part")?, beside(".old")?);
        if let Some(data_folder) = data_folder_around(folder.parent().unwrap_or(&folder)) {
            return Err(Error::invalid(format!(
                "{} is inside the data folder {}, which may hold nothing else; name a destination outside of it",
                folder.display(),
                data_folder.display()
            )));
        }
        if let Some(parent) = part.parent() {
            private_folder::create_durably(parent).map_err(|error| match error.kind() {
                io::ErrorKind::AlreadyExists | io::ErrorKind::NotADirectory => Error::invalid(format!(
                    "{} leads through a file; name a destination inside a folder",
                    folder.display()
                )),
                _ => failed(error),
            })?;
        }
        // From here on, no other backup to this destination is in progress.
        let mut staging = Self { folder, work: WorkFolder::begin(&part)?, earlier: None, old };
        match staging.check(replaced) {
            Ok(earlier) => {
                staging.earlier = earlier;
                Ok(staging)
            }
            Err(error) => {
                staging.work.remove();
                Err(error)
            }
        }
    }

    /// Checks that the destination can be used. Locks an earlier backup there, which will be replaced.
    fn check(&self, replaced: Option<&str>) -> Result<Option<FolderLock>> {
        let Self { folder, old, .. } = self;
        // A crash while the earlier backup was being replaced has left it under its other name.
        if let Some(cluster_id) = replaced
            && !folder.exists()
            && is_backup_of(old, cluster_id)
        {
            let failed = |error| failed_io(&format!("making the backup {}", folder.display()), error);
            fs::rename(old, folder).map_err(failed)?;
        }
        let earlier = check_destination(folder, replaced)?;
        // Left by a crash while an earlier backup was being replaced, or a folder of the user.
        if earlier.is_some() && old.exists() {
            return Err(in_use(old));
        }
        Ok(earlier)
    }

    /// The destination.
    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// The earlier backup at the destination, which will be replaced.
    pub(super) fn earlier(&self) -> Option<&Path> {
        self.earlier.as_ref().map(|_| &*self.folder)
    }

    /// Moves a complete copy to the destination, in place of an earlier backup there. Removes an incomplete one.
    ///
    /// # Errors
    /// That of the copy; `Io` if it cannot be moved.
    pub(super) fn finish(self, copied: Result<()>) -> Result<()> {
        let moved = copied.and_then(|()| self.move_copy());
        self.work.remove();
        moved
    }

    fn move_copy(&self) -> Result<()> {
        let Self { folder, work, earlier, old } = self;
        let failed = |error| failed_io(&format!("moving the backup to {}", folder.display()), error);
        let is_exchanged = earlier.is_some() && exchange(&work.copy(), folder).map_err(failed)?;
        let sets_aside = earlier.is_some() && !is_exchanged;
        if sets_aside {
            fs::rename(folder, old).map_err(failed)?;
        }
        if !is_exchanged && let Err(error) = fs::rename(work.copy(), folder) {
            if sets_aside && let Err(error) = fs::rename(old, folder) {
                tracing::warn!(folder = %old.display(), %error, "the earlier backup was not moved back");
            }
            return Err(failed(error));
        }
        sync_folder(folder.parent().unwrap_or(folder)).map_err(failed)?;
        if !sets_aside {
            return Ok(());
        }
        fs::remove_dir_all(old).map_err(|error| {
            let doing = format!(
                "the backup {} is complete, but removing the earlier one in {}",
                folder.display(),
                old.display()
            );
            failed_io(&doing, error)
        })
    }
}

/// Exchanges two folders, so that neither path is absent in between. Returns whether the system can do that.
#[cfg(any(target_os = "linux", target_os = "macos"))]
fn exchange(a: &Path, b: &Path) -> io::Result<bool> {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    use rustix::io::Errno;

    match renameat_with(CWD, a, CWD, b, RenameFlags::EXCHANGE) {
        Ok(()) => Ok(true),
        Err(Errno::NOSYS | Errno::INVAL | Errno::NOTSUP) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

#[cfg(not(any(target_os = "linux", target_os = "macos")))]
fn exchange(_: &Path, _: &Path) -> io::Result<bool> {
    Ok(false)
}

/// Checks that a destination is free. Locks an earlier backup there of the database with this cluster id.
fn check_destination(folder: &Path, replaced: Option<&str>) -> Result<Option<FolderLock>> {
    if folder.is_symlink() {
        return Err(Error::invalid(format!(
            "{} is a symbolic link, which the backup would replace; name the folder itself",
            folder.display()
        )));
    }
    match fs::read_dir(folder) {
        Ok(_) if replaced.is_some() && is_data_folder(folder) => {
            let lock = FolderLock::take(folder).map_err(|error| match error.kind() {
                ErrorKind::Locked => Error::new(
                    ErrorKind::Locked,
                    format!(
                        "{} is the folder of an open database, or is being restored, verified or replaced; wait until \
                         that has ended, or name another destination",
                        folder.display()
                    ),
                ),
                _ => error,
            })?;
            if !replaced.is_some_and(|cluster_id| is_backup_of(folder, cluster_id)) {
                return Err(Error::invalid(format!(
                    "{} is a data folder, and not an incremental backup of this database, or it has been opened for \
                     writing since it was made; name another destination, or remove the folder if its data is not \
                     needed",
                    folder.display()
                )));
            }
            Ok(Some(lock))
        }
        Ok(mut entries) => {
            if entries.next().is_some() {
                return Err(in_use(folder));
            }
            Ok(None)
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) if error.kind() == io::ErrorKind::NotADirectory => Err(in_use(folder)),
        Err(error) => Err(failed_io(&format!("making the backup {}", folder.display()), error)),
    }
}

fn in_use(path: &Path) -> Error {
    let what = match is_data_folder(path) {
        true => {
            "is not an empty folder but a database, which may be in use; name another destination, or move the \
             database elsewhere first"
        }
        false => "exists and is not an empty folder; name another destination, or empty it",
    };
    Error::invalid(format!("{} {what}", path.display()))
}

/// The data folder that contains a path, which need not exist. The store removes unknown files from its folders.
fn data_folder_around(path: &Path) -> Option<PathBuf> {
    let existing = path.ancestors().find_map(|ancestor| fs::canonicalize(ancestor).ok())?;
    existing.ancestors().find(|ancestor| is_data_folder(ancestor)).map(Path::to_owned)
}

/// The folder in which a backup is built, locked until this value is dropped.
pub(super) struct WorkFolder {
    path: PathBuf,
    lock: File,
}

/// Closing the file would not unlock it while a forked child process has it open.
impl Drop for WorkFolder {
    fn drop(&mut self) {
        if let Err(error) = self.lock.unlock() {
            tracing::warn!(folder = %self.path.display(), %error, "unlocking the folder of a backup failed");
        }
    }
}

impl WorkFolder {
    /// Creates the folder, or takes over one that a crash has left.
    fn begin(path: &Path) -> Result<Self> {
        let failed = |error| failed_io(&format!("making {}", path.display()), error);
        match private_folder::create(path) {
            Err(error) if error.kind() == io::ErrorKind::InvalidFilename => {
                return Err(Error::invalid(format!("{} is too long a name; name another destination", path.display())));
            }
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(failed(error)),
            Err(_) if !is_left_over(path) => return Err(in_use(path)),
            Ok(()) | Err(_) => {}
        }
        let lock = OpenOptions::new().write(true).create(true).truncate(false).open(path.join(LOCK_FILE));
        let lock = lock.map_err(failed)?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(Error::invalid(format!(
                    "another backup is being built in {}; wait until it has ended, or name another destination",
                    path.display()
                )));
            }
            Err(TryLockError::Error(error)) => return Err(failed(error)),
        }
        // Another backup may have ended and removed the file after it was opened here.
        if !is_at(&lock, &path.join(LOCK_FILE)) {
            return Err(in_use(path));
        }
        let work = Self { path: path.to_owned(), lock };
        match fs::remove_dir_all(work.copy()) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(failed(error)),
            _ => {}
        }
        private_folder::create(&work.copy()).map_err(failed)?;
        Ok(work)
    }

    /// The folder of the copy.
    pub(super) fn copy(&self) -> PathBuf {
        self.path.join(COPY_FOLDER)
    }

    /// Removes what has been copied.
    pub(super) fn empty(&self) -> Result<()> {
        let emptied = fs::remove_dir_all(self.copy()).and_then(|()| private_folder::create(&self.copy()));
        emptied.map_err(|error| failed_io(&format!("emptying {}", self.copy().display()), error))
    }

    /// Removes the folder, unless it contains files of others. The lock is removed last, so that the next backup can
    /// take over what is left if this process is killed meanwhile.
    pub(super) fn remove(&self) {
        let copy = match fs::remove_dir_all(self.copy()) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            removed => removed,
        };
        let removed = copy.and_then(|()| fs::remove_file(self.path.join(LOCK_FILE)));
        if let Err(error) = removed.and_then(|()| fs::remove_dir(&self.path)) {
            tracing::warn!(folder = %self.path.display(), %error, "the folder of a backup was not removed");
        }
    }
}

/// Whether a folder is empty, or contains only what a backup that has not ended leaves: an empty lock file and the
/// folder of the copy.
fn is_left_over(path: &Path) -> bool {
    if path.is_symlink() {
        return false;
    }
    let Ok(entries) = fs::read_dir(path) else { return false };
    let mut has_copy = false;
    let mut has_lock = false;
    for entry in entries {
        let Ok((name, metadata)) = entry.and_then(|entry| Ok((entry.file_name(), entry.metadata()?))) else {
            return false;
        };
        if name == LOCK_FILE && metadata.is_file() && metadata.len() == 0 {
            has_lock = true;
        } else if name == COPY_FOLDER && metadata.is_dir() {
            has_copy = true;
        } else {
            return false;
        }
    }
    has_lock || !has_copy
}
