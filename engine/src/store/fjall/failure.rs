//! Conversion of the errors of fjall and of the operating system: their kind, and the remedy.

use std::io;
use std::path::Path;

use fjall::{JournalRecoveryError, LsmError};

use crate::error::{Error, ErrorKind};

/// Whether fjall refused a write because an earlier one or a worker failed. It does so until it is reopened.
pub(super) fn is_poisoned(error: &fjall::Error) -> bool {
    matches!(error, fjall::Error::Poisoned)
}

/// Whether a database refuses all writes until it is reopened.
pub(super) fn refuses_writes(database: &fjall::Database) -> bool {
    database.persist(fjall::PersistMode::Buffer).is_err()
}

/// Converts an error of fjall. `doing` describes the action that failed.
pub(super) fn failed(doing: &str, error: fjall::Error) -> Error {
    let (kind, remedy) = classify(&error);
    Error::new(kind, format!("{doing} failed: {remedy} ({})", reason(&error))).with_source(error)
}

/// The reason in words. The texts of fjall's own errors are those of Rust's `Debug`.
fn reason(error: &fjall::Error) -> String {
    let words = match error {
        fjall::Error::Io(error) | fjall::Error::Storage(LsmError::Io(error)) => return error.to_string(),
        fjall::Error::Storage(LsmError::ChecksumMismatch { .. })
        | fjall::Error::JournalRecovery(JournalRecoveryError::ChecksumMismatch) => {
            "what was read does not have the checksum that was stored with it"
        }
        fjall::Error::Storage(LsmError::Decompress(_)) | fjall::Error::Decompress(_) => {
            "a block cannot be decompressed"
        }
        fjall::Error::Storage(LsmError::InvalidVersion(_)) | fjall::Error::InvalidVersion(_) => {
            "a file has a format version that is not known"
        }
        fjall::Error::Storage(LsmError::Unrecoverable) | fjall::Error::Unrecoverable => {
            "a file is missing or cannot be read"
        }
        fjall::Error::Storage(LsmError::InvalidTag((what, tag))) | fjall::Error::InvalidTag((what, tag)) => {
            return format!("{what} has the unknown tag {tag}");
        }
        fjall::Error::Storage(LsmError::InvalidTrailer) | fjall::Error::InvalidTrailer => "a file has no valid end",
        fjall::Error::Storage(LsmError::InvalidHeader(what)) => return format!("{what} has no valid beginning"),
        fjall::Error::Storage(LsmError::Utf8(_)) => "a name is not UTF-8",
        fjall::Error::JournalRecovery(JournalRecoveryError::InsufficientLength) => "a batch of a journal is incomplete",
        fjall::Error::JournalRecovery(JournalRecoveryError::TooManyItems) => "a batch of a journal is too long",
        fjall::Error::JournalRecovery(JournalRecoveryError::InvalidFileName) => "a file among the journals is not one",
        fjall::Error::Poisoned => "the store refuses writes after a failure",
        fjall::Error::KeyspaceDeleted => "the space does not exist any more",
        fjall::Error::Locked => "the folder is locked",
        _ => return error.to_string(),
    };
    words.to_owned()
}

/// Converts an error of opening the database in a folder. A file that is missing or too short is damage.
pub(super) fn failed_opening(folder: &Path, error: fjall::Error) -> Error {
    let doing = format!("opening the data in {}", folder.display());
    match &error {
        // fjall seeks to offsets from the end of a file. In a file that is too short, that is an invalid input.
        fjall::Error::Io(io) | fjall::Error::Storage(LsmError::Io(io))
            if matches!(io.kind(), io::ErrorKind::NotFound | io::ErrorKind::InvalidInput) =>
        {
            Error::new(
                ErrorKind::Corrupt,
                format!("{doing} failed: a file is missing or truncated; restore the folder from a backup ({io})"),
            )
            .with_source(error)
        }
        _ => failed(&doing, error),
    }
}

/// Converts an error of the operating system. `doing` describes the action that failed.
pub(crate) fn failed_io(doing: &str, error: io::Error) -> Error {
    let (kind, remedy) = classify_io(&error);
    Error::new(kind, format!("{doing} failed: {remedy} ({error})")).with_source(error)
}

/// The kind and the remedy of an error.
fn classify(error: &fjall::Error) -> (ErrorKind, &'static str) {
    const CORRUPT: (ErrorKind, &str) =
        (ErrorKind::Corrupt, "the data is damaged; restore the data folder from a backup");
    match error {
        fjall::Error::Io(error) | fjall::Error::Storage(LsmError::Io(error)) => classify_io(error),
        fjall::Error::Locked => (ErrorKind::Locked, "another process uses the data folder; stop it"),
        fjall::Error::KeyspaceDeleted => (ErrorKind::Stale, "the space has been dropped; look up the table again"),
        fjall::Error::Poisoned => (ErrorKind::Io, "an earlier write failed; try again"),
        fjall::Error::JournalRecovery(
            JournalRecoveryError::InsufficientLength
            | JournalRecoveryError::TooManyItems
            | JournalRecoveryError::ChecksumMismatch
            | JournalRecoveryError::InvalidFileName,
        )
        | fjall::Error::Storage(_)
        | fjall::Error::InvalidVersion(_)
        | fjall::Error::Decompress(_)
        | fjall::Error::InvalidTrailer
        | fjall::Error::InvalidTag(_)
        | fjall::Error::Unrecoverable => CORRUPT,
        _ => (ErrorKind::Io, "see the cause"),
    }
}

fn classify_io(error: &io::Error) -> (ErrorKind, &'static str) {
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge => (
            ErrorKind::DiskFull,
            // A copy of the data may be on another disk.
            "the disk is full, or a limit on file sizes was reached; free space or raise it",
        ),
        io::ErrorKind::PermissionDenied => {
            (ErrorKind::Io, "the user of this process has no permission; allow it to read and write there")
        }
        io::ErrorKind::ReadOnlyFilesystem => (
            ErrorKind::Io,
            "the file system is read-only; remount it for writing, or copy a backup from a read-only medium first",
        ),
        io::ErrorKind::NotADirectory => (
            ErrorKind::Io,
            "a database is a folder, and this path names a file or leads through one; name another path",
        ),
        io::ErrorKind::UnexpectedEof | io::ErrorKind::InvalidData => {
            (ErrorKind::Corrupt, "a file is truncated or altered; restore the data folder from a backup")
        }
        // Files are read and written without waiting, so only the start of a thread fails with it.
        io::ErrorKind::WouldBlock => (
            ErrorKind::Io,
            "the system provides no further thread; raise the limit on processes (ulimit -u, or TasksMax= in systemd)",
        ),
        _ if is_open_files_limit(error) => (
            ErrorKind::Io,
            "the limit on open files is reached; raise it (ulimit -n, or LimitNOFILE= in systemd), or close connections",
        ),
        _ => (ErrorKind::Io, "check the disk and the system log"),
    }
}

/// Whether an error says that the process, or the machine, has too many open files.
#[cfg(unix)]
fn is_open_files_limit(error: &io::Error) -> bool {
    use rustix::io::Errno;
    error.raw_os_error().is_some_and(|code| code == Errno::MFILE.raw_os_error() || code == Errno::NFILE.raw_os_error())
}

#[cfg(not(unix))]
fn is_open_files_limit(_: &io::Error) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::failed_io;

    #[test]
    fn limits_of_the_system_are_named() {
        for (kind, limit) in
            [(io::ErrorKind::WouldBlock, "ulimit -u"), (io::ErrorKind::StorageFull, "the disk is full")]
        {
            let told = failed_io("starting the thread t", io::Error::from(kind)).to_string();
            assert!(told.starts_with("starting the thread t failed: ") && told.contains(limit), "{told}");
        }
    }
}
