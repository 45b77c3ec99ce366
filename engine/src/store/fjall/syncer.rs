//! Group commit: one sync of the journal serves all writes that wait for it. A thread that waits for a sync and finds
//! none in progress syncs the journal itself. The thread of this module syncs it for writes that have arrived
//! meanwhile, for writes whose threads do not wait, and at an interval for writes that need no sync.
//!
//! A sync through fjall holds the lock that every commit needs, so that all writes would wait for the disk. Therefore
//! commits only hand their bytes to the operating system, and the file of the journal is synced through a file
//! descriptor of its own.
//!
//! A sync of the newest journal covers every commit that has returned. The bytes of a commit were written to the
//! journal that was active then. If that is still active, it is the newest one, and it is synced. Otherwise fjall has
//! rotated it: fjall syncs a journal, data and metadata, before it creates the next one. So the bytes were durable
//! before a newer journal existed. If the journal has been removed, its data is in files, which fjall syncs first. The
//! name of a journal is made durable before it is synced for the first time, because fjall may accept commits when it
//! has failed to do that.
//!
//! The operating system reports a failed write of a page once to each descriptor that was open then. If fjall has
//! already been told, a descriptor that is opened later is not. So the journal is opened when the database is, and
//! after the first sync of any other journal, fjall is asked whether it still accepts commits.

use std::collections::VecDeque;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use fjall::PersistMode;
use parking_lot::{Condvar, Mutex, MutexGuard};

use super::failure::{self, failed_io};
use super::gathering::Gathering;
use crate::blocking;
use crate::error::{Error, ErrorKind, Result, panic_text};
use crate::store::journal::{self, Content, SyncedFile, SyncedJournal};
use crate::store::{JournalSync, SyncEnded, sync_folder};

/// A sync that takes less than this, in nanoseconds, may delay an event loop.
const SHORT_NS: u64 = 2_000_000;

/// How long the thread that syncs the journal looks for the next request before it sleeps. A client that waits for each
/// of its writes usually sends the next one within this time. Waking a sleeping thread would take longer than most
/// other steps of such a write.
const LOOK: Duration = Duration::from_micros(200);

/// The journal is synced at the latest after this number of bytes. fjall syncs it too before each flush, and holds the
/// lock of the journal meanwhile, so that all writes wait until everything that is not on the disk yet has been
/// written.
const UNSYNCED_BYTES: u64 = 4 << 20;

/// The longest pause between two syncs for writes that need none.
const PAUSE_MAX: Duration = Duration::from_micros(800);

/// The number of syncs without a look after one that found no request.
const LOOK_AGAIN: u32 = 64;

/// The error after which a database accepts no writes.
pub(super) type Failure = OnceLock<Error>;

/// Syncs the journal of one open database.
pub(super) struct Syncer {
    queue: Arc<SyncQueue>,
    thread: Option<JoinHandle<()>>,
}

/// The writers that wait for a sync. Writers may keep it after the database was closed.
pub(super) struct SyncQueue {
    data: PathBuf,
    journals: Mutex<Journals>,
    /// The time after which a write is synced in the background. `None` leaves it to the operating system.
    interval: Option<Duration>,
    state: Mutex<SyncState>,
    /// Wakes the thread when a sync is needed.
    wanted: Condvar,
    /// Wakes writers when a sync has ended.
    ended: Condvar,
    /// Whether a commit has returned since the last sync began.
    dirty: AtomicBool,
    /// The bytes in the journal that have been written since the last sync began, by commits that do not wait for one.
    unsynced: AtomicU64,
    /// When the sync in progress began, in nanoseconds since `created`; 0 if there is none. Changed while `state` is
    /// locked.
    began_ns: AtomicU64,
    /// How long the last sync took, in nanoseconds.
    took_ns: AtomicU64,
    created: Instant,
    /// The number of writes that have been handed over to the thread, because their writers do not wait themselves.
    /// Changed while `state` is locked.
    handed_over: AtomicU64,
    pub syncs: AtomicU64,
    failure: Arc<Failure>,
    /// The database, until it is closed.
    database: Mutex<Option<fjall::Database>>,
}

#[derive(Default)]
struct SyncState {
    /// The number of requests for a sync.
    requested: u64,
    /// The number of these requests, from the first one, whose commits are durable.
    synced: u64,
    /// The functions to call when requests have been served, in the order of the requests.
    callbacks: VecDeque<(u64, SyncEnded)>,
    dirty_since: Option<Instant>,
    failed: Option<Error>,
    stopped: bool,
}

impl Syncer {
    /// Starts the thread for the journal in a folder. A failed sync is recorded as the failure of the database.
    pub fn start(
        data: &Path,
        interval: Option<Duration>,
        failure: Arc<Failure>,
        database: Option<fjall::Database>,
    ) -> Result<Self> {
        let mut journals = Journals::in_folder(data);
        if let Err(error) = journals.open_newest() {
            // The first sync tries again. A database that is only read needs none.
            tracing::debug!(%error, "the journal could not be opened to be synced");
        }
        let queue = Arc::new(SyncQueue {
            data: data.to_owned(),
            journals: Mutex::new(journals),
            interval,
            state: Mutex::default(),
            wanted: Condvar::new(),
            ended: Condvar::new(),
            dirty: AtomicBool::new(false),
            unsynced: AtomicU64::new(0),
            began_ns: AtomicU64::new(0),
            took_ns: AtomicU64::new(u64::MAX),
            created: Instant::now(),
            handed_over: AtomicU64::new(0),
            syncs: AtomicU64::new(0),
            failure,
            database: Mutex::new(database),
        });
        let queue_of_thread = Arc::clone(&queue);
        let thread = std::thread::Builder::new()
            .name("hjall-sync".to_owned())
            .spawn(move || queue_of_thread.run())
            .map_err(|error| failed_io("starting the thread that syncs the journal", error))?;
        Ok(Self { queue, thread: Some(thread) })
    }

    /// The queue, which may outlive the database.
    pub fn queue(&self) -> &Arc<SyncQueue> {
        &self.queue
    }
}

impl Drop for Syncer {
    fn drop(&mut self) {
        self.queue.state.lock().stopped = true;
        self.queue.wanted.notify_one();
        if self.thread.take().is_some_and(|thread| thread.join().is_err()) {
            tracing::error!("the thread that syncs the journal panicked");
        }
        *self.queue.database.lock() = None;
        // Writers that still wait sync the journal themselves.
        self.queue.ended.notify_all();
    }
}

impl SyncQueue {
    /// Registers a commit that does not wait for a sync, with its bytes in the journal.
    pub fn wrote(&self, bytes: u64) {
        if self.interval.is_none() {
            return;
        }
        let before = self.unsynced.fetch_add(bytes, Ordering::Relaxed);
        let is_much = before < UNSYNCED_BYTES && before + bytes >= UNSYNCED_BYTES;
        if !is_much && (self.dirty.load(Ordering::SeqCst) || self.dirty.swap(true, Ordering::SeqCst)) {
            return;
        }
        self.state.lock().dirty_since.get_or_insert_with(Instant::now);
        self.wanted.notify_one();
    }

    /// Checks that the newest journal is still the file to which commits are written.
    ///
    /// # Errors
    /// `Io`: it was removed or replaced.
    pub fn check_journal(&self) -> Result<()> {
        let journals = self.journals.lock();
        let Some(newest) = &journals.newest else { return Ok(()) };
        // It may have been removed after others have followed, which are found when the next sync begins.
        let has_followers = || match journals.newest_number() {
            Ok(number) => Ok(number > newest.number),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(error),
        };
        // The next opening reports a folder that is missing.
        let is_lost = || Ok(!newest.is_at_its_path()? && self.data.try_exists()? && !has_followers()?);
        match is_lost() {
            Ok(false) => Ok(()),
            Ok(true) => Err(Error::new(
                ErrorKind::Io,
                format!(
                    "writes are refused, because the journal {} was removed or replaced while this process had it open: \
                     what was written since the last sync is only in this process; stop it without killing it, so that \
                     it writes its data to files, and start it again",
                    newest.path.display()
                ),
            )),
            Err(error) => Err(failed_io("checking the journal", error)),
        }
    }

    /// Whether a sync that may take long is in progress. A file system may delay writes to the journal meanwhile.
    pub fn delays_writes(&self) -> bool {
        let began = self.began_ns.load(Ordering::Relaxed);
        began != 0
            && (self.took_ns.load(Ordering::Relaxed) >= SHORT_NS || self.now_ns().saturating_sub(began) >= SHORT_NS)
    }

    fn now_ns(&self) -> u64 {
        u64::try_from(self.created.elapsed().as_nanos()).unwrap_or(u64::MAX)
    }

    /// Whether a sync is in progress. Changes while `state` is locked.
    fn is_syncing(&self) -> bool {
        self.began_ns.load(Ordering::Relaxed) != 0
    }

    /// Syncs the journal for all requests so far. No other sync may be in progress.
    fn sync(&self, state: &mut MutexGuard<'_, SyncState>) {
        let target = state.requested;
        state.dirty_since = None;
        // Cleared before the sync begins: a commit that finds it still set was written before, and this sync covers it.
        self.dirty.store(false, Ordering::SeqCst);
        self.unsynced.store(0, Ordering::Relaxed);
        let began = self.now_ns().max(1);
        self.began_ns.store(began, Ordering::Relaxed);
        let synced = MutexGuard::unlocked(state, || self.sync_journals());
        self.began_ns.store(0, Ordering::Relaxed);
        self.took_ns.store(self.now_ns().saturating_sub(began), Ordering::Relaxed);
        self.syncs.fetch_add(1, Ordering::Relaxed);
        let served = match synced {
            Ok(()) => {
                state.synced = target;
                state.callbacks.partition_point(|(ticket, _)| *ticket <= target)
            }
            Err(error) => {
                tracing::error!(%error, "syncing the journal failed");
                // After a failed sync, the operating system may count unwritten pages as clean, and a second sync would
                // report success. The database must be reopened, which writes the journal again.
                self.failure.get_or_init(|| error.again());
                state.failed = Some(error);
                self.wanted.notify_one();
                state.callbacks.len()
            }
        };
        self.ended.notify_all();
        if served > 0 {
            let failed = state.failed.as_ref().map(Error::again);
            let callbacks: Vec<_> = state.callbacks.drain(..served).collect();
            MutexGuard::unlocked(state, || {
                for (_, ended) in callbacks {
                    call_back(ended, failed.as_ref().map_or(Ok(()), |error| Err(error.again())));
                }
            });
        }
    }

    fn sync_journals(&self) -> Result<()> {
        let opened = self.journals.lock().sync().map_err(failed)?;
        match &*self.database.lock() {
            Some(database) if opened => {
                database.persist(PersistMode::Buffer).map_err(|error| failure::failed("syncing the journal", error))
            }
            _ => Ok(()),
        }
    }

    /// Looks for the next request for a short time, and while there are no writes that need no sync, which use the
    /// processors better. Returns whether there was one.
    fn look(&self, state: &mut MutexGuard<'_, SyncState>) -> bool {
        let next = self.handed_over.load(Ordering::Relaxed) + 1;
        self.look_for(state, next, Instant::now() + LOOK)
    }

    /// Looks until this number of writes has been handed over, if that happens before a time and while there are no
    /// writes that need no sync. Returns whether it has happened.
    fn look_for(&self, state: &mut MutexGuard<'_, SyncState>, handed_over: u64, until: Instant) -> bool {
        MutexGuard::unlocked(state, || {
            while self.handed_over.load(Ordering::Relaxed) < handed_over {
                if self.dirty.load(Ordering::Relaxed) || Instant::now() >= until {
                    return false;
                }
                std::thread::yield_now();
            }
            true
        })
    }

    fn run(&self) {
        let mut state = self.state.lock();
        // The syncs until the thread looks for the next request again.
        let mut pause = 0;
        let mut handed_over = 0;
        let mut gathering = Gathering::default();
        while state.failed.is_none() {
            if self.is_syncing() {
                // The writer that syncs the journal wakes this thread if there are further requests.
                self.ended.wait(&mut state);
                continue;
            }
            if state.requested == state.synced {
                if state.stopped {
                    return;
                }
                let now_handed_over = self.handed_over.load(Ordering::Relaxed);
                if now_handed_over != handed_over && self.took_ns.load(Ordering::Relaxed) < SHORT_NS {
                    handed_over = now_handed_over;
                    if pause > 0 {
                        pause -= 1;
                    } else {
                        if !self.look(&mut state) {
                            pause = LOOK_AGAIN;
                        }
                        continue;
                    }
                }
                let is_much = self.unsynced.load(Ordering::Relaxed) >= UNSYNCED_BYTES;
                let interval = if is_much { Some(Duration::ZERO) } else { self.interval };
                let due = state.dirty_since.zip(interval).map(|(since, interval)| since + interval);
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
            if self.lets_others_write(&mut state) && self.gathers(&mut state, &mut gathering) {
                let began = self.handed_over.load(Ordering::Relaxed);
                self.sync(&mut state);
                let ended = self.handed_over.load(Ordering::Relaxed);
                gathering.synced(began, ended, Instant::now(), self.took_ns.load(Ordering::Relaxed));
            }
        }
    }

    /// Waits until the writers that the last sync has served have sent their next writes, so that the next sync serves
    /// all of them. Returns whether a sync may begin then.
    fn gathers(&self, state: &mut MutexGuard<'_, SyncState>, gathering: &mut Gathering) -> bool {
        let handed_over = self.handed_over.load(Ordering::Relaxed);
        if let Some(until) = gathering.until(handed_over, Instant::now())
            && !state.stopped
        {
            let is_complete = self.look_for(state, gathering.expected(), until);
            gathering.waited(is_complete);
        }
        !self.is_syncing() && state.failed.is_none()
    }

    /// Pauses before a sync if there are writes that need none: while the journal is synced, the file system delays
    /// them, and a writer that waits for each of its syncs would have the journal synced all the time. The pause is
    /// twice as long as the last sync, and there is none if syncs take long. Returns whether a sync may begin then.
    fn lets_others_write(&self, state: &mut MutexGuard<'_, SyncState>) -> bool {
        let took_ns = self.took_ns.load(Ordering::Relaxed);
        if self.dirty.load(Ordering::Relaxed) && took_ns < SHORT_NS && !state.stopped {
            let pause = Duration::from_nanos(2 * took_ns).min(PAUSE_MAX);
            MutexGuard::unlocked(state, || std::thread::sleep(pause));
        }
        !self.is_syncing() && state.failed.is_none()
    }
}

impl JournalSync for SyncQueue {
    fn wait(&self) -> Result<()> {
        blocking::may_wait();
        let mut state = self.state.lock();
        state.requested += 1;
        let ticket = state.requested;
        if !self.is_syncing() && state.failed.is_none() && !state.stopped {
            self.sync(&mut state);
            if state.requested > state.synced {
                self.wanted.notify_one();
            }
        }
        self.ended.wait_while(&mut state, |state| state.synced < ticket && state.failed.is_none() && !state.stopped);
        if state.synced >= ticket {
            return Ok(());
        }
        if let Some(error) = &state.failed {
            return Err(error.again());
        }
        drop(state);
        sync_after_close(&self.data)
    }

    fn sync_here(&self) -> Option<Result<()>> {
        let mut state = self.state.lock();
        if self.is_syncing() || state.failed.is_some() || state.stopped {
            return None;
        }
        state.requested += 1;
        let ticket = state.requested;
        self.sync(&mut state);
        if state.requested > state.synced {
            self.wanted.notify_one();
        }
        match &state.failed {
            Some(error) if state.synced < ticket => Some(Err(error.again())),
            _ => Some(Ok(())),
        }
    }

    fn when_ended(&self, writes: usize, ended: SyncEnded) {
        let mut state = self.state.lock();
        if let Some(error) = &state.failed {
            let error = error.again();
            drop(state);
            return call_back(ended, Err(error));
        }
        if state.stopped {
            drop(state);
            let data = self.data.clone();
            return on_another_thread(move || call_back(ended, sync_after_close(&data)));
        }
        state.requested += 1;
        self.handed_over.fetch_add(writes as u64, Ordering::Relaxed);
        let ticket = state.requested;
        state.callbacks.push_back((ticket, ended));
        // Otherwise the thread is woken at the end of the sync in progress, which may not cover this request.
        if !self.is_syncing() {
            self.wanted.notify_one();
        }
    }
}

/// Calls the function that waits for a sync. Its panic must not end the thread, which syncs for other writers, too.
fn call_back(ended: SyncEnded, synced: Result<()>) {
    if let Err(panic) = catch_unwind(AssertUnwindSafe(|| ended(synced))) {
        let reason = panic_text(&*panic).unwrap_or("no message");
        tracing::error!(reason, "a function that is called at the end of a sync panicked");
    }
}

/// Syncs the journal for a commit after which the database was closed or reopened, when the thread has ended or is
/// about to. The folder may have been emptied since, or belong to another process, so nothing is noted.
fn sync_after_close(data: &Path) -> Result<()> {
    let mut journals = Journals { synced: None, ..Journals::in_folder(data) };
    journals.sync().map(|_| ()).map_err(failed)
}

/// Runs a function that may wait for a disk, if possible on a thread of its own.
fn on_another_thread(run: impl FnOnce() + Send + 'static) {
    let run = Arc::new(Mutex::new(Some(run)));
    let of_thread = Arc::clone(&run);
    let take = |run: &Mutex<Option<_>>| run.lock().take();
    let started = std::thread::Builder::new().name("hjall-sync-last".to_owned()).spawn(move || {
        if let Some(run) = take(&of_thread) {
            run();
        }
    });
    if started.is_err()
        && let Some(run) = take(&run)
    {
        run();
    }
}

fn failed(error: io::Error) -> Error {
    failed_io("syncing the journal", error)
}

/// The journals of a folder that may contain commits that are not durable.
///
/// fjall numbers journals consecutively. If a rotation fails after it has created the next journal, that one stays
/// empty, and a commit that has waited for the rotation goes into the old one. So the journal before the newest one is
/// synced too, until the newest one has content. From then on, fjall never uses the older one.
struct Journals {
    data: PathBuf,
    newest: Option<OpenJournal>,
    /// The journal before the newest one, while the newest one is empty.
    before: Option<File>,
    /// The end of the journal that was the newest one before. It is on disk after the next sync.
    complete: Option<SyncedJournal>,
    /// Says how far journals have been synced. `None` if that must not be changed.
    synced: Option<SyncedFile>,
}

/// A journal, which is open to be synced.
struct OpenJournal {
    number: u64,
    file: File,
    content: Content,
    path: PathBuf,
    /// The path of the journal that fjall will create next.
    next: PathBuf,
}

impl Journals {
    fn in_folder(data: &Path) -> Self {
        Self {
            data: data.to_owned(),
            newest: None,
            before: None,
            complete: None,
            synced: Some(SyncedFile::in_folder(data)),
        }
    }

    /// Makes all commits so far durable. Returns whether a journal was opened for that.
    fn sync(&mut self) -> io::Result<bool> {
        let is_newest = match &self.newest {
            Some(newest) => !newest.next.try_exists()? && newest.is_at_its_path()?,
            None => false,
        };
        if !is_newest {
            self.open_newest()?;
        }
        let Some(OpenJournal { number, file, content, .. }) = &mut self.newest else { return Err(none()) };
        if self.before.is_some() && has_content(file)? {
            self.before = None;
        }
        // Replaying a journal needs its data and its length, which are both synced.
        if let Some(before) = &self.before {
            before.sync_data()?;
        }
        let newest = content.describe(file, *number);
        file.sync_data()?;
        let Some(synced) = &mut self.synced else { return Ok(!is_newest) };
        if self.complete.is_some() {
            let data = &self.data;
            synced.retain(|number| data.join(journal::name(number)).exists());
        }
        for journal in self.complete.take().into_iter().chain(newest).filter(|journal| journal.bytes > 0) {
            synced.note(journal);
        }
        Ok(!is_newest)
    }

    fn open_newest(&mut self) -> io::Result<()> {
        loop {
            let number = self.newest_number()?;
            if let Some(newest) = &self.newest
                && number <= newest.number
                && !newest.is_at_its_path()?
            {
                // fjall goes on writing to the file that it has open.
                return Err(io::Error::other(format!("{} was removed or replaced", newest.path.display())));
            }
            // The journal may be removed meanwhile, if there is a newer one.
            let Some(mut file) = self.open(number)? else {
                if self.newest_number()? == number {
                    return Err(none());
                }
                continue;
            };
            self.before = match number.checked_sub(1) {
                Some(before) => self.open(before)?,
                None => None,
            };
            // fjall accepts commits although it could not make the name of a new journal durable, until the failure is
            // known to all threads.
            sync_folder(&self.data)?;
            self.complete = match &mut self.newest {
                Some(OpenJournal { number, file, content, .. }) => content.describe(file, *number),
                None => None,
            };
            let (path, next) = (self.path(number), self.path(number + 1));
            self.newest = Some(OpenJournal { number, content: Content::of(&mut file)?, file, path, next });
            return Ok(());
        }
    }

    fn open(&self, number: u64) -> io::Result<Option<File>> {
        match OpenOptions::new().read(true).write(true).open(self.path(number)) {
            Ok(file) => Ok(Some(file)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn path(&self, number: u64) -> PathBuf {
        self.data.join(journal::name(number))
    }

    fn newest_number(&self) -> io::Result<u64> {
        let mut newest = None;
        for entry in fs::read_dir(&self.data)? {
            let name = entry?.file_name();
            newest = newest.max(name.to_str().and_then(|name| name.strip_suffix(".jnl")?.parse().ok()));
        }
        newest.ok_or_else(none)
    }
}

fn none() -> io::Error {
    io::Error::new(io::ErrorKind::NotFound, "the data folder has no journal")
}

impl OpenJournal {
    /// Whether the path still names this file. Somebody may have deleted the folder, or replaced the file.
    #[cfg(unix)]
    fn is_at_its_path(&self) -> io::Result<bool> {
        use std::os::unix::fs::MetadataExt;
        let of = |metadata: &fs::Metadata| (metadata.dev(), metadata.ino());
        match fs::metadata(&self.path) {
            Ok(found) => Ok(of(&found) == of(&self.file.metadata()?)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// An open file can neither be removed nor replaced here.
    #[cfg(not(unix))]
    fn is_at_its_path(&self) -> io::Result<bool> {
        Ok(true)
    }
}

/// Whether a commit has been written to a journal, whose first byte is then not 0.
fn has_content(mut file: &File) -> io::Result<bool> {
    let mut first = [0];
    file.seek(SeekFrom::Start(0))?;
    Ok(file.read(&mut first)? == 1 && first[0] != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Syncing only the newest journal relies on fjall's numbering: a rotated journal has a lower number than the
    /// active one.
    #[test]
    fn the_newest_journal_is_the_one_that_takes_commits() {
        let folder = tempfile::TempDir::new().unwrap();
        for number in [9, 10] {
            fs::write(folder.path().join(format!("{number}.jnl")), b"").unwrap();
            let mut journals = Journals::in_folder(folder.path());
            journals.sync().unwrap();
            assert_eq!(
                journals.newest.map(|newest| newest.next),
                Some(folder.path().join(format!("{}.jnl", number + 1)))
            );
        }
    }

    #[test]
    fn the_journal_before_an_empty_one_is_synced_too() {
        let folder = tempfile::TempDir::new().unwrap();
        let journal = |number: u64| folder.path().join(format!("{number}.jnl"));
        fs::write(journal(7), [1, 2]).unwrap();
        let mut journals = Journals::in_folder(folder.path());
        journals.sync().unwrap();
        assert!(journals.before.is_none());
        // What a failed rotation leaves.
        for content in [&[][..], &[0; 100]] {
            fs::write(journal(8), content).unwrap();
            journals.sync().unwrap();
            assert!(
                journals.before.is_some() && journals.newest.as_ref().is_some_and(|newest| newest.next == journal(9))
            );
        }
        fs::write(journal(8), [1, 2]).unwrap();
        journals.sync().unwrap();
        assert!(journals.before.is_none());
        for _ in 0..2 {
            fs::rename(journal(8), journal(8).with_extension("moved")).unwrap();
            assert!(journals.sync().is_err(), "the journal was removed, and an older one is left");
            fs::write(journal(8), [1, 2]).unwrap();
            assert!(journals.sync().is_err(), "it was replaced");
            fs::remove_file(journal(8)).unwrap();
            fs::rename(journal(8).with_extension("moved"), journal(8)).unwrap();
            journals.sync().unwrap();
        }
        fs::remove_file(journal(7)).unwrap();
        journals.sync().unwrap();
        fs::remove_file(journal(8)).unwrap();
        assert!(journals.sync().is_err(), "the folder has been deleted");
    }

    #[test]
    fn a_rotated_journal_is_noticed() {
        let folder = tempfile::TempDir::new().unwrap();
        let mut journals = Journals::in_folder(folder.path());
        assert!(journals.sync().is_err());
        for number in 0..3_u64 {
            fs::write(folder.path().join(format!("{number}.jnl")), b"").unwrap();
            if number == 2 {
                fs::remove_file(folder.path().join("1.jnl")).unwrap();
            }
            journals.sync().unwrap();
            let next = folder.path().join(format!("{}.jnl", number + 1));
            assert!(journals.newest.as_ref().is_some_and(|newest| newest.next == next));
        }
    }

    /// Requests made before a sync begins share it. A later one has its own, even if the database was closed in
    /// between.
    #[test]
    fn waiting_writers_share_syncs() {
        let folder = tempfile::TempDir::new().unwrap();
        fs::write(folder.path().join("0.jnl"), b"").unwrap();
        let syncer = Syncer::start(folder.path(), None, Arc::default(), None).unwrap();
        let queue = Arc::clone(syncer.queue());
        assert!(!queue.journals.lock().sync().unwrap(), "the journal has been opened with the database");
        {
            let mut state = queue.state.lock();
            state.requested += 8;
            queue.wanted.notify_one();
            queue.ended.wait_while(&mut state, |state| state.synced < 8);
        }
        assert_eq!(queue.syncs.load(Ordering::Relaxed), 1);
        queue.wait().unwrap();
        assert_eq!(queue.syncs.load(Ordering::Relaxed), 2);
        drop(syncer);
        queue.wait().unwrap();
    }

    #[test]
    fn a_panic_of_one_that_is_told_keeps_the_others_served() {
        let folder = tempfile::TempDir::new().unwrap();
        fs::write(folder.path().join("0.jnl"), b"").unwrap();
        let syncer = Syncer::start(folder.path(), None, Arc::default(), None).unwrap();
        let queue = syncer.queue();
        let (told, ended) = std::sync::mpsc::channel();
        for _ in 0..3 {
            queue.when_ended(1, Box::new(|_| panic!("intended by the test")));
            let told = told.clone();
            queue.when_ended(1, Box::new(move |synced| told.send(synced.is_ok()).unwrap()));
            assert_eq!(ended.recv_timeout(Duration::from_secs(60)), Ok(true));
        }
        let thread = syncer.thread.as_ref().unwrap();
        assert!(!thread.is_finished());
    }

    #[test]
    fn much_is_synced_before_the_interval_has_passed() {
        let folder = tempfile::TempDir::new().unwrap();
        fs::write(folder.path().join("0.jnl"), b"").unwrap();
        let interval = Some(Duration::from_secs(3_600));
        let syncer = Syncer::start(folder.path(), interval, Arc::default(), None).unwrap();
        let queue = syncer.queue();
        for round in 0..3 {
            queue.wrote(UNSYNCED_BYTES - 1);
            queue.wrote(1);
            let mut state = queue.state.lock();
            queue.ended.wait_while(&mut state, |_| queue.syncs.load(Ordering::Relaxed) <= round);
        }
        assert_eq!(queue.syncs.load(Ordering::Relaxed), 3);
    }

    #[test]
    fn the_end_of_a_sync_is_told_to_those_that_do_not_wait() {
        let folder = tempfile::TempDir::new().unwrap();
        fs::write(folder.path().join("0.jnl"), b"").unwrap();
        let failure = Arc::<Failure>::default();
        let syncer = Syncer::start(folder.path(), None, Arc::clone(&failure), None).unwrap();
        let queue = Arc::clone(syncer.queue());
        let (told, ended) = std::sync::mpsc::channel();
        let request = |queue: &SyncQueue, number: u32| {
            let told = told.clone();
            queue.when_ended(1, Box::new(move |synced| told.send((number, synced.is_ok())).unwrap()));
        };
        for number in 0..100 {
            request(&queue, number);
            if number % 10 == 0 {
                queue.wait().unwrap();
            }
        }
        let all: Vec<_> = ended.iter().take(100).collect();
        assert!(all.iter().all(|(_, synced)| *synced));
        assert!(queue.syncs.load(Ordering::Relaxed) <= 110);
        // Requests of a syncer that stops are served.
        request(&queue, 100);
        drop(syncer);
        request(&queue, 101);
        assert_eq!(ended.iter().take(2).max(), Some((101, true)));

        let syncer = Syncer::start(folder.path(), None, Arc::clone(&failure), None).unwrap();
        let queue = Arc::clone(syncer.queue());
        fs::remove_file(folder.path().join("0.jnl")).unwrap();
        for number in 0..2 {
            request(&queue, number);
            assert_eq!(ended.recv().unwrap(), (number, false));
        }
        assert!(failure.get().is_some() && queue.wait().is_err());
    }
}
