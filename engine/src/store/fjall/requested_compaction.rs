//! Requested compactions, as opposed to those that fjall's workers start. They can be paced and stopped.
//!
//! fjall runs a compaction on the calling thread. Therefore the compaction filter finds the request in a thread-local
//! variable. It aborts the compaction by returning an error.
//!
//! fjall leaves the output of an aborted compaction in the folder until the next opening. This module finds and removes
//! such files. No other files of the space are created meanwhile: minor compactions wait for the major one, and flushes
//! wait for their lock. The files of ingestions are spared.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use fjall::{AbstractTree, Keyspace, LsmError, SeqNo};
use parking_lot::Mutex;

use super::failure::failed;
use super::space::has_nearly_too_many_runs;
use super::statistics::check_room;
use crate::error::{Error, ErrorKind, Result};
use crate::store::CompactionControl;
use crate::store::compaction_control::gave_way;
use crate::store::file_names::FILES_FOLDER;

/// The filter reports its progress and checks whether it should stop each time it has read this number of bytes.
const REPORT_BYTES: u64 = 256 << 10;

thread_local! {
    static RUN: RefCell<Option<Run>> = const { RefCell::new(None) };
}

/// The folders of the keyspaces into which ingestions are in progress.
static INGESTING: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Keeps an aborted compaction of a keyspace from removing the files of an ingestion, until it is dropped.
pub(super) struct IngestionInProgress(PathBuf);

impl IngestionInProgress {
    /// To be called before the ingestion begins.
    pub fn in_keyspace(keyspace: &Keyspace) -> Self {
        let path = keyspace.path().to_path_buf();
        INGESTING.lock().push(path.clone());
        Self(path)
    }
}

impl Drop for IngestionInProgress {
    fn drop(&mut self) {
        let mut ingesting = INGESTING.lock();
        if let Some(at) = ingesting.iter().position(|path| *path == self.0) {
            ingesting.swap_remove(at);
        }
    }
}

/// A requested compaction, for its filter.
#[derive(Clone)]
pub(super) struct Run {
    pub major: bool,
    /// Older versions that are not below this sequence number are kept.
    pub watermark: SeqNo,
    /// Whether the step has ended.
    pub step: Arc<AtomicBool>,
    keyspace: Keyspace,
    control: Arc<CompactionControl>,
    /// Files with greater numbers were created after the compaction began.
    first_file: u64,
    unreported_bytes: u64,
    reported: Instant,
}

/// The requested compaction of this thread, until it is dropped: also if it panics, since the thread may go on.
struct Running;

impl Running {
    fn begin(run: Run) -> Self {
        RUN.set(Some(run));
        Self
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        RUN.set(None);
    }
}

/// The outcome of a compaction that did not fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ended {
    Complete,
    /// Nothing was changed, because files that are newer than the fence had been added before it began.
    Unfenced,
    /// Nothing was changed, because the rules of the space are about to change.
    Paused,
}

/// Why a compaction was aborted, and the files that it left.
#[derive(Debug)]
struct Interrupted {
    error: Error,
    /// Why it can begin again at once.
    ended: Option<Ended>,
    left: Vec<PathBuf>,
}

impl std::fmt::Display for Interrupted {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.error.fmt(f)
    }
}

impl std::error::Error for Interrupted {}

impl Run {
    /// The requested compaction that runs on this thread.
    pub fn of_this_thread() -> Option<Self> {
        RUN.with_borrow(Clone::clone)
    }

    /// Counts bytes read. Sleeps as the pace demands, and fails if the compaction should end.
    pub fn advance(&mut self, bytes: usize) -> std::result::Result<(), LsmError> {
        self.unreported_bytes += bytes as u64;
        if self.unreported_bytes < REPORT_BYTES {
            return Ok(());
        }
        let advanced = self.control.advance(self.unreported_bytes, self.reported);
        (self.unreported_bytes, self.reported) = (0, Instant::now());
        let error = match advanced {
            Err(error) => error,
            Ok(()) if let Err(error) = check_room(self.keyspace.path(), &self.control) => error,
            Ok(()) if self.major && has_nearly_too_many_runs(&self.keyspace) => too_many_writes(),
            Ok(()) => return Ok(()),
        };
        Err(self.interrupted(error))
    }

    /// The error that ends the compaction because the database is being closed or reopened.
    pub fn give_way(&self) -> LsmError {
        self.interrupted(gave_way())
    }

    /// The error that ends the compaction because there is no fence.
    pub fn unfenced(&self) -> LsmError {
        self.aborted(too_many_writes(), Some(Ended::Unfenced))
    }

    /// The error that ends the compaction because the rules of the space are about to change.
    pub fn paused(&self) -> LsmError {
        let why =
            "the compaction begins again, because the rules of its family are being changed; the data is unchanged";
        self.aborted(Error::new(ErrorKind::Busy, why), Some(Ended::Paused))
    }

    fn interrupted(&self, error: Error) -> LsmError {
        self.aborted(error, None)
    }

    fn aborted(&self, error: Error, ended: Option<Ended>) -> LsmError {
        // Other than during a major compaction, another compaction of the space may be creating files.
        let left = if self.major { self.unregistered_files() } else { Vec::new() };
        LsmError::Io(io::Error::other(Interrupted { error, ended, left }))
    }

    /// The files that this compaction, which must be a major one, has created so far.
    fn unregistered_files(&self) -> Vec<PathBuf> {
        let tree = &self.keyspace.tree;
        let _flushing = tree.get_flush_lock();
        let registered: BTreeSet<u64> = tree.current_version().iter_tables().map(|table| table.id()).collect();
        let is_left = |path: &Path| {
            let number = path.file_name().and_then(|name| name.to_str()?.parse::<u64>().ok());
            number.is_some_and(|number| number > self.first_file && !registered.contains(&number))
        };
        let entries = std::fs::read_dir(self.keyspace.path().join(FILES_FOLDER));
        let paths = entries.into_iter().flatten().filter_map(|entry| Some(entry.ok()?.path()));
        let left = paths.filter(|path| is_left(path)).collect();
        // Checked after the folder was read: an ingestion that begins later has no files in the list, and one that was
        // in progress cannot have ended, because its end needs the lock of flushes.
        let is_ingesting = INGESTING.lock().iter().any(|path| path == self.keyspace.path());
        if is_ingesting { Vec::new() } else { left }
    }
}

/// The error of a major compaction that was aborted in favour of writes.
pub(super) fn too_many_writes() -> Error {
    Error::new(
        ErrorKind::Busy,
        "the major compaction was aborted because writes need minor compactions; the data is unchanged, try again \
         when there are fewer writes",
    )
}

/// Runs a compaction of a space on this thread under `control`. `watermark`: that of `compact`, or a smaller one.
pub(super) fn run(
    keyspace: &Keyspace,
    major: bool,
    control: &Arc<CompactionControl>,
    watermark: SeqNo,
    compact: impl FnOnce() -> fjall::Result<()>,
) -> Result<Ended> {
    control.advance(0, Instant::now())?;
    let running = Running::begin(Run {
        major,
        watermark,
        step: Arc::default(),
        keyspace: keyspace.clone(),
        control: Arc::clone(control),
        first_file: keyspace.tree.get_next_table_id(),
        unreported_bytes: 0,
        reported: Instant::now(),
    });
    let done = compact();
    drop(running);
    let error = match done {
        Ok(()) => return Ok(Ended::Complete),
        Err(fjall::Error::Storage(LsmError::Io(error)) | fjall::Error::Io(error)) => error,
        Err(error) => return Err(failed("compacting", error)),
    };
    let Interrupted { error, ended, left } = error.downcast().map_err(|error| failed("compacting", error.into()))?;
    for file in left {
        if let Err(error) = std::fs::remove_file(&file) {
            tracing::warn!(file = %file.display(), %error, "a file of an aborted compaction was not removed yet");
        }
    }
    ended.ok_or(error)
}

/// Runs one of the compactions of a [`run`], which has replaced files when this returns, or has failed.
pub(super) fn step<T>(compact: impl FnOnce() -> T) -> T {
    struct Step(Arc<AtomicBool>);
    impl Drop for Step {
        fn drop(&mut self) {
            self.0.store(true, Ordering::Release);
        }
    }
    let step = Step(Arc::default());
    RUN.with_borrow_mut(|run| run.iter_mut().for_each(|run| run.step = Arc::clone(&step.0)));
    compact()
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use super::*;
    use crate::store::fjall::test_database::open;

    #[test]
    fn a_panic_ends_the_compaction_of_its_thread() {
        let folder = tempfile::tempdir().unwrap();
        let (_holder, _database, keyspace) = open(&folder);
        let mut was_running = false;
        let compact = || {
            was_running = Run::of_this_thread().is_some();
            panic!("intended by the test");
        };
        let ran = catch_unwind(AssertUnwindSafe(|| run(&keyspace, true, &Arc::default(), 0, compact)));
        assert!(ran.is_err() && was_running);
        assert!(Run::of_this_thread().is_none());
    }
}
