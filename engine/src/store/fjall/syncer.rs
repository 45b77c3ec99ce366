//! Makes the journal durable. One thread syncs for all who wait, together, and at an interval for those who do not wait.
//!
//! fjall's own sync holds the lock that every commit needs, so that all writes would wait for the disk. Here commits only hand their bytes to
//! the operating system, and the journal's file is synced through a file descriptor of our own.
//!
//! Syncing the newest journal covers every commit that returned before. A commit's bytes were handed over to the journal that was the active
//! one. If it still is, it is the newest, and this sync covers it. If not, fjall has rotated it: it syncs a journal, data and metadata,
//! before it creates the next one, whose name it makes durable before it takes commits; so the bytes were durable before a newer journal
//! could be seen. If the journal is gone, what was in it has been written to files, which fjall syncs before it removes a journal.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};

use super::failure::failed_io;
use crate::error::{Error, ErrorKind, Result};

/// Why a database takes no more writes.
pub(super) type Failure = OnceLock<(ErrorKind, String)>;

/// Syncs the journal of one open database.
pub(super) struct Syncer {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

/// What writers and the thread share; writers may keep it longer than the database is open.
pub(super) struct Shared {
    data: PathBuf,
    /// How long a write may stay unsynced; `None`: as long as the operating system likes.
    interval: Option<Duration>,
    state: Mutex<State>,
    /// Signals the thread: there is something to sync.
    wanted: Condvar,
    /// Signals the writers: a sync has ended.
    ended: Condvar,
    /// Whether there were commits since the last sync began.
    dirty: AtomicBool,
    pub syncs: AtomicU64,
    failure: Arc<Failure>,
}

#[derive(Default)]
struct State {
    /// Writers that have asked for a sync, counted.
    requested: u64,
    /// Of these, the earliest ones whose commits are durable, counted.
    synced: u64,
    dirty_since: Option<Instant>,
    failed: Option<(ErrorKind, String)>,
    stopped: bool,
}

impl Syncer {
    /// Starts the thread for the journal in a folder. A sync that fails is recorded as the failure of the database.
    pub fn start(data: &Path, interval: Option<Duration>, failure: Arc<Failure>) -> Result<Self> {
        let shared = Arc::new(Shared {
            data: data.to_owned(),
            interval,
            state: Mutex::default(),
            wanted: Condvar::new(),
            ended: Condvar::new(),
            dirty: AtomicBool::new(false),
            syncs: AtomicU64::new(0),
            failure,
        });
        let ours = Arc::clone(&shared);
        let thread = std::thread::Builder::new()
            .name("hjall-sync".to_owned())
            .spawn(move || ours.run())
            .map_err(|error| failed_io("starting the thread that syncs the journal", error))?;
        Ok(Self { shared, thread: Some(thread) })
    }

    /// The part that outlives the database.
    pub fn shared(&self) -> &Arc<Shared> {
        &self.shared
    }
}

impl Drop for Syncer {
    fn drop(&mut self) {
        self.shared.state.lock().stopped = true;
        self.shared.wanted.notify_one();
        if self.thread.take().is_some_and(|thread| thread.join().is_err()) {
            tracing::error!("the thread that syncs the journal panicked");
        }
        // Whoever still waits syncs by itself.
        self.shared.ended.notify_all();
    }
}

impl Shared {
    /// Takes note of a commit that does not wait for the disk.
    pub fn wrote(&self) {
        if self.interval.is_none() || self.dirty.load(Ordering::SeqCst) || self.dirty.swap(true, Ordering::SeqCst) {
            return;
        }
        self.state.lock().dirty_since.get_or_insert_with(Instant::now);
        self.wanted.notify_one();
    }

    /// Waits until every commit that has returned is durable.
    ///
    /// # Errors
    /// `Io`, `DiskFull`: syncing failed; whether the commit is durable is open.
    pub fn wait(&self) -> Result<()> {
        let mut state = self.state.lock();
        state.requested += 1;
        let ticket = state.requested;
        self.wanted.notify_one();
        self.ended.wait_while(&mut state, |state| state.synced < ticket && state.failed.is_none() && !state.stopped);
        if state.synced >= ticket {
            return Ok(());
        }
        if let Some((kind, message)) = &state.failed {
            return Err(Error::new(*kind, message.clone()));
        }
        // The database has been closed or reopened since the commit; the thread is gone or about to go.
        drop(state);
        Journal::in_folder(&self.data).sync().map_err(failed)
    }

    fn run(&self) {
        let mut journal = Journal::in_folder(&self.data);
        let mut state = self.state.lock();
        loop {
            if state.requested == state.synced {
                if state.stopped {
                    return;
                }
                let due = state.dirty_since.zip(self.interval).map(|(since, interval)| since + interval);
                match due {
                    None => {
                        self.wanted.wait(&mut state);
                        continue;
                    }
                    Some(due) if due > Instant::now() => {
                        self.wanted.wait_until(&mut state, due);
                        continue;
                    }
                    Some(_) => {}
                }
            }
            let target = state.requested;
            state.dirty_since = None;
            // Before the sync begins: a commit that finds this still set has been handed over, and this sync covers it.
            self.dirty.store(false, Ordering::SeqCst);
            drop(state);
            let synced = journal.sync();
            self.syncs.fetch_add(1, Ordering::Relaxed);
            state = self.state.lock();
            match synced {
                Ok(()) => state.synced = target,
                Err(error) => {
                    let error = failed(error);
                    tracing::error!(%error, "syncing the journal failed");
                    let failure = (error.kind(), error.message().to_owned());
                    // What the operating system did not write may be lost to it: only what is read back counts.
                    self.failure.get_or_init(|| failure.clone());
                    state.failed = Some(failure);
                    self.ended.notify_all();
                    return;
                }
            }
            self.ended.notify_all();
        }
    }
}

fn failed(error: io::Error) -> Error {
    failed_io("syncing the journal", error)
}

/// The newest journal of a folder.
struct Journal<'a> {
    data: &'a Path,
    /// The one that was synced last, by its number.
    open: Option<(u64, File)>,
}

impl<'a> Journal<'a> {
    fn in_folder(data: &'a Path) -> Self {
        Self { data, open: None }
    }

    fn sync(&mut self) -> io::Result<()> {
        loop {
            let number = self.newest()?;
            if let Some((_, file)) = self.open.as_ref().filter(|(open, _)| *open == number) {
                // Data and length are all that reading it back needs.
                return file.sync_data();
            }
            match OpenOptions::new().write(true).open(self.data.join(format!("{number}.jnl"))) {
                Ok(file) => self.open = Some((number, file)),
                // Removed since: there is a newer one.
                Err(error) if error.kind() == io::ErrorKind::NotFound && self.newest()? != number => {}
                Err(error) => return Err(error),
            }
        }
    }

    fn newest(&self) -> io::Result<u64> {
        let mut newest = None;
        for entry in fs::read_dir(self.data)? {
            let name = entry?.file_name();
            newest = newest.max(name.to_str().and_then(|name| name.strip_suffix(".jnl")?.parse().ok()));
        }
        newest.ok_or_else(|| io::Error::new(io::ErrorKind::NotFound, "the data folder has no journal"))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// fjall's promise, on which syncing only the newest journal rests: a rotated journal is named lower than the active one.
    #[test]
    fn the_newest_journal_is_the_one_that_takes_commits() {
        let folder = tempfile::TempDir::new().unwrap();
        for number in [9, 10] {
            fs::write(folder.path().join(format!("{number}.jnl")), b"").unwrap();
            let mut journal = Journal::in_folder(folder.path());
            journal.sync().unwrap();
            assert_eq!(journal.open.map(|(number, _)| number), Some(number));
        }
    }

    #[test]
    fn a_rotated_journal_is_noticed() {
        let folder = tempfile::TempDir::new().unwrap();
        let mut journal = Journal::in_folder(folder.path());
        assert!(journal.sync().is_err());
        for number in 0..3_u64 {
            fs::write(folder.path().join(format!("{number}.jnl")), b"").unwrap();
            if number == 2 {
                fs::remove_file(folder.path().join("1.jnl")).unwrap();
            }
            journal.sync().unwrap();
            assert_eq!(journal.open.as_ref().map(|(number, _)| *number), Some(number));
        }
    }

    /// All that have asked when a sync begins share it; one that asks later, even of a database that was closed since, has its own.
    #[test]
    fn waiting_writers_share_syncs() {
        let folder = tempfile::TempDir::new().unwrap();
        fs::write(folder.path().join("0.jnl"), b"").unwrap();
        let syncer = Syncer::start(folder.path(), None, Arc::default()).unwrap();
        let shared = Arc::clone(syncer.shared());
        {
            let mut state = shared.state.lock();
            state.requested += 8;
            shared.wanted.notify_one();
            shared.ended.wait_while(&mut state, |state| state.synced < 8);
        }
        assert_eq!(shared.syncs.load(Ordering::Relaxed), 1);
        shared.wait().unwrap();
        assert_eq!(shared.syncs.load(Ordering::Relaxed), 2);
        drop(syncer);
        shared.wait().unwrap();
    }
}
