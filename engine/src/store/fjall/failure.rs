//! fjall's errors in our words: who has to act, and on what.

use std::io;
use std::path::Path;

use fjall::{JournalRecoveryError, LsmError};

use crate::error::{Error, ErrorKind};

/// Whether fjall refuses all writes since one of them, or a worker, failed: only opening it anew helps.
pub(super) fn is_poisoned(error: &fjall::Error) -> bool {
    matches!(error, fjall::Error::Poisoned)
}

/// Whether an open database refuses every write until it is opened again.
pub(super) fn refuses_writes(database: &fjall::Database) -> bool {
    database.persist(fjall::PersistMode::Buffer).is_err()
}

/// The error of `doing` something.
pub(super) fn failed(doing: &str, error: fjall::Error) -> Error {
    let (kind, remedy) = judge(&error);
    Error::new(kind, format!("{doing} failed: {remedy} ({error:?})")).with_source(error)
}

/// The error of opening the database in a folder. What fjall looks for and does not find, or finds too short, is damage.
pub(super) fn failed_opening(folder: &Path, error: fjall::Error) -> Error {
    let doing = format!("opening the data in {}", folder.display());
    match &error {
        // The second: an offset before the beginning of a file, counted from its end.
        fjall::Error::Io(io) | fjall::Error::Storage(LsmError::Io(io))
            if matches!(io.kind(), io::ErrorKind::NotFound | io::ErrorKind::InvalidInput) =>
        {
            Error::new(
                ErrorKind::Corrupt,
                format!("{doing} failed: a file is missing or cut; restore the folder from a copy ({error:?})"),
            )
            .with_source(error)
        }
        _ => failed(&doing, error),
    }
}

/// The error of `doing` something with files.
pub(crate) fn failed_io(doing: &str, error: io::Error) -> Error {
    let (kind, remedy) = judge_io(&error);
    Error::new(kind, format!("{doing} failed: {remedy} ({error})")).with_source(error)
}

fn judge(error: &fjall::Error) -> (ErrorKind, &'static str) {
    const CORRUPT: (ErrorKind, &str) =
        (ErrorKind::Corrupt, "what is stored cannot be understood; restore it from a copy");
    match error {
        fjall::Error::Io(error) | fjall::Error::Storage(LsmError::Io(error)) => judge_io(error),
        fjall::Error::Locked => (ErrorKind::Locked, "another process uses it"),
        fjall::Error::KeyspaceDeleted => (ErrorKind::Stale, "it has been dropped"),
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

fn judge_io(error: &io::Error) -> (ErrorKind, &'static str) {
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge => {
            (ErrorKind::DiskFull, "there is no room left where the data lives; make some")
        }
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            (ErrorKind::Io, "the data folder must be readable and writable for this user")
        }
        io::ErrorKind::UnexpectedEof | io::ErrorKind::InvalidData => {
            (ErrorKind::Corrupt, "a file is cut or altered; restore the data folder from a copy")
        }
        _ => (ErrorKind::Io, "look at the disk and the system's log"),
    }
}
