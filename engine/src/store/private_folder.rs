//! Folders that only the user of the process can read.

use std::fs::{self, DirBuilder};
use std::io::{self, ErrorKind};
use std::path::Path;

use super::sync_folder;

/// Creates a folder with mode 0700; the folder must not exist.
pub(crate) fn create(path: &Path) -> io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::DirBuilderExt;
        DirBuilder::new().mode(0o700).create(path)
    }
    #[cfg(not(unix))]
    DirBuilder::new().create(path)
}

/// Creates a folder with mode 0700, and its parents with the usual mode, unless it exists. Makes the names of what it
/// has created durable.
pub(crate) fn create_unless_exists(path: &Path) -> io::Result<()> {
    let created = match create(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            create_durably(parent_of(path))?;
            create(path)
        }
        created => created,
    };
    match created {
        Err(error) if error.kind() == ErrorKind::AlreadyExists && path.is_dir() => Ok(()),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Err(ErrorKind::NotADirectory.into()),
        Ok(()) => sync_parent(path),
        Err(error) => Err(error),
    }
}

/// Creates a folder and its parents with the usual mode, unless they exist. Makes the names of what it has created
/// durable: a file system need not do that when a file in such a folder is synced.
pub(crate) fn create_durably(path: &Path) -> io::Result<()> {
    match fs::create_dir(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            create_durably(parent_of(path))?;
            fs::create_dir(path)?;
        }
        Err(error) if error.kind() == ErrorKind::AlreadyExists && path.is_dir() => return Ok(()),
        created => created?,
    }
    sync_parent(path)
}

/// A relative path of one name is in the current folder.
fn parent_of(path: &Path) -> &Path {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// The user may be allowed to create a folder in the parent, and not to open the parent.
fn sync_parent(path: &Path) -> io::Result<()> {
    match sync_folder(parent_of(path)) {
        Err(error) if error.kind() == ErrorKind::PermissionDenied => Ok(()),
        synced => synced,
    }
}

/// Logs a warning if other users can access a folder.
#[cfg(unix)]
pub(super) fn warn_if_accessible(path: &Path) {
    use std::os::unix::fs::PermissionsExt;
    let Ok(mode) = fs::metadata(path).map(|found| found.permissions().mode() & 0o777) else { return };
    if mode & 0o077 != 0 {
        tracing::warn!(
            folder = %path.display(),
            mode = format!("{mode:04o}"),
            "other users of this machine can access the data folder; restrict it with chmod 700"
        );
    }
}

/// Does nothing: this platform has other permissions.
#[cfg(not(unix))]
pub(super) fn warn_if_accessible(_path: &Path) {}
