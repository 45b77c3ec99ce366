//! Folders that only the user of the process can read.

use std::fs::{self, DirBuilder};
use std::io::{self, ErrorKind};
use std::path::Path;

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

/// Creates a folder with mode 0700, and its parents with the usual mode, unless it exists.
pub(crate) fn create_unless_exists(path: &Path) -> io::Result<()> {
    let created = match create(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            path.parent().map_or(Ok(()), fs::create_dir_all)?;
            create(path)
        }
        created => created,
    };
    match created {
        Err(error) if error.kind() == ErrorKind::AlreadyExists && path.is_dir() => Ok(()),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Err(ErrorKind::NotADirectory.into()),
        created => created,
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
