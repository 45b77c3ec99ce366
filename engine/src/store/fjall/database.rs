//! An open fjall database: its spaces, its commits, and the snapshot that readers share.

use std::collections::BTreeMap;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock, Weak};
use std::time::Duration;

use fjall::{AbstractTree, Keyspace, PersistMode};
use parking_lot::{Mutex, MutexGuard, RwLock};
use smallvec::SmallVec;

use super::backpressure::Pressure;
use super::clock_mark::{ClockMark, HighWaterMark, MARK_KEY, RESERVED};
use super::compaction_filter::{AbortFlags, DeferredFilterFactory, SpaceFilterFactory};
use super::cursors::Cursors;
use super::dead_versions::DeadVersions;
use super::failure::{failed, failed_io, failed_opening, is_poisoned, refuses_writes};
use super::fence::Fences;
use super::flushed_memtables::FlushedMemtables;
use super::load::{self, LoadQueue};
use super::open_files;
use super::options::{self, MEMTABLE_BYTES, StoreOptions};
use super::pace::PacedWait;
use super::read_merge::RunReads;
use super::rewrite::{self, Rewrites};
use super::row_filters::FilterMaker;
use super::space::Space;
use super::statistics::disk_free_bytes;
use super::super_version::SuperVersion;
use super::syncer::{self, Failure, Syncer};
use super::tombstones::Tombstones;
use super::version_changes::{ReplacedFiles, VersionChanges, VersionThread};
use crate::error::{Error, ErrorKind, Result, panic_text};
use crate::store::active_transaction::Write;
use crate::store::file_names::{CURRENT_FILE, list_number};
use crate::store::{
    CATALOG_SPACE, CompactionControl, SpaceId, SpaceOptions, corruption, folder, index_copy, no_such_space,
};

/// fjall's first worker thread only flushes, and spins while a compaction is requested and no other worker is idle.
/// With two other workers that is rare.
pub(super) const WORKERS: usize = 3;

/// The limit on the total size of the journals. Above it, fjall flushes the memtables that the oldest journal is needed
/// for. After a crash the journals are replayed at some hundred MB per second.
const JOURNAL_BYTES_MAX: u64 = 256 << 20;

/// The increment that every opening adds to fjall's sequence numbers; see [`Database::prepare_index`].
pub(in crate::store) const SEQUENCE_GAP: u64 = 1 << 32;

/// An open database. The fields are dropped in this order: handles before the database that they belong to.
pub(super) struct Database {
    pub(super) spaces: RwLock<BTreeMap<SpaceId, Space>>,
    pub(super) rewrites: Rewrites,
    /// Held while a space is created or dropped, which syncs files. Reads and writes of other spaces do not wait for
    /// it.
    pub(super) creating: Mutex<SequenceStored>,
    /// The snapshot that readers share. It contains complete commits only.
    view: RwLock<Arc<fjall::Snapshot>>,
    /// Held while a commit is applied. The end of a flush makes all sequence numbers up to its own visible, so a fjall
    /// snapshot that is taken during a commit may contain only a part of it.
    pub(super) committing: Arc<Mutex<()>>,
    pub(super) fences: Arc<Fences>,
    pub(super) dead_versions: Arc<DeadVersions>,
    /// The error of the first failure, after which fjall accepts no writes.
    failure: Arc<Failure>,
    /// Syncs the journal for commits.
    syncer: Syncer,
    /// The stored mark. Shared, so that a thread can wait for it without a handle of the database, for which a
    /// reopening would wait.
    pub mark: Arc<ClockMark>,
    pub cursors: Cursors,
    pub tombstones: Tombstones,
    pub filter_maker: FilterMaker,
    pub(super) flushed: Arc<FlushedMemtables>,
    pub(super) changes: Arc<VersionChanges>,
    pub(super) replaced_files: ReplacedFiles,
    /// `None` if the database is opened for reading only: then nothing changes.
    version_thread: OnceLock<VersionThread>,
    pub pressure: Pressure,
    /// Tells running compactions to end.
    pub(super) give_way: Arc<AbortFlags>,
    pub(super) filters: Arc<DeferredFilterFactory>,
    /// The controls of requested compactions.
    pub(super) controls: Mutex<Vec<Weak<CompactionControl>>>,
    /// The number of flushes and requested compactions in progress.
    pub(super) long_calls: AtomicUsize,
    /// The bulk loads in progress.
    pub(super) loads: Mutex<Vec<Weak<LoadQueue>>>,
    /// Whether the view must not be renewed, because the commit of a bulk load has failed.
    is_frozen: AtomicBool,
    pub(super) path: PathBuf,
    pub inner: fjall::Database,
}

/// How long a commit may wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Patience {
    /// Without a limit, for locks that other threads may hold while they use the disk.
    Unlimited,
    /// At most as long as a commit of another thread usually takes.
    Short,
}

impl Patience {
    const SHORT: Duration = Duration::from_millis(1);

    /// Locks a mutex; `None` if that would take too long.
    pub fn lock<T>(self, mutex: &Mutex<T>) -> Option<MutexGuard<'_, T>> {
        match self {
            Self::Unlimited => Some(mutex.lock()),
            Self::Short => mutex.try_lock_for(Self::SHORT),
        }
    }
}

/// The outcome of a commit, unless the commit itself failed.
pub(super) enum Committed {
    /// Everything is written. Contains a wait for the writer, after it has unlocked its rows.
    Whole(Option<PacedWait>),
    /// Nothing is written, because the commit would have had to wait for longer than its patience.
    Occupied,
    /// Nothing is written, because one of its spaces has too many memtables to flush or files to compact.
    Crowded,
    /// Nothing is written, because the database has failed before and must be reopened.
    Refused(Error),
}

/// Whether this opening has stored a sequence number; see [`Database::prepare_index`].
#[derive(Default)]
pub(super) struct SequenceStored(bool);

impl Database {
    /// Opens the database in this folder, or creates it.
    pub fn open(folder: &Path, options: &StoreOptions, filters: &Arc<DeferredFilterFactory>) -> Result<Arc<Self>> {
        let database = Arc::new(Self::open_alone(folder, options, filters)?);
        // Opening may have completed a bulk load.
        database.changes.expect();
        database.follow_changes();
        if !options.read_only {
            let _ = database.version_thread.set(VersionThread::start(&database)?);
        }
        Ok(database)
    }

    fn open_alone(folder: &Path, options: &StoreOptions, filters: &Arc<DeferredFilterFactory>) -> Result<Self> {
        let (give_way, fences) = (Arc::new(AbortFlags::default()), Arc::new(Fences::default()));
        let changes = Arc::new(VersionChanges::default());
        let dead_versions = Arc::<DeadVersions>::default();
        let inner = open_fjall(folder, options, filters, &give_way, &fences, &changes, &dead_versions)?;
        inner.supervisor.seqno.fetch_max(inner.supervisor.seqno.get() + SEQUENCE_GAP);
        let catalog = open_keyspace(&inner, &CATALOG_SPACE.to_string(), &SpaceOptions::default())?;
        let (current, others) = rewrite::current_names(&inner, &catalog)?;
        let (mut spaces, flushed) = (BTreeMap::new(), Arc::default());
        let seqno = inner.supervisor.snapshot_tracker.get();
        for (space, name) in current {
            let keyspace = open_keyspace(&inner, &name, &SpaceOptions::default())?;
            fences.add(&keyspace);
            spaces.insert(space, Space::new(keyspace, &flushed, seqno));
        }
        let open = |name: &str| open_keyspace(&inner, name, &SpaceOptions::default());
        load::complete(&inner, &catalog, &spaces, options.read_only, open)?;
        let mark = catalog.get(MARK_KEY).map_err(|error| failed("reading the store's mark", error))?;
        let mark = mark.map_or(Ok(HighWaterMark::NEW), |bytes| HighWaterMark::decode(&bytes))?;
        let tracker = inner.supervisor.snapshot_tracker.clone();
        dead_versions.opened(tracker.get().saturating_sub(1), move || tracker.get_seqno_safe_to_gc());
        dead_versions.observe(&inner);
        let failure = Arc::new(Failure::new());
        let seqno = inner.supervisor.seqno.clone();
        fences.number_by(move || seqno.next());
        let pressure = Pressure::new(options.write_buffer_bytes, Arc::clone(&fences), Arc::clone(&changes));
        if !options.read_only {
            for (number, space) in &spaces {
                corruption::mark_space(space.keyspace.path(), *number)?;
            }
            corruption::sync_spaces(folder)?;
            pressure.recovered(&spaces.values().cloned().collect::<Vec<_>>());
        }
        let database = Self {
            spaces: RwLock::new(spaces),
            rewrites: Rewrites::default(),
            creating: Mutex::default(),
            view: RwLock::new(Arc::new(inner.snapshot())),
            committing: Arc::clone(&fences.committing),
            fences,
            dead_versions,
            syncer: Syncer::start(folder, options.sync_interval, Arc::clone(&failure), Some(inner.clone()))?,
            failure,
            mark: Arc::new(ClockMark::at(mark)),
            cursors: Cursors::default(),
            tombstones: Tombstones::default(),
            filter_maker: FilterMaker::new(options.row_prefix, options.cache_bytes()),
            flushed,
            changes,
            replaced_files: ReplacedFiles::default(),
            version_thread: OnceLock::new(),
            pressure,
            give_way,
            filters: Arc::clone(filters),
            controls: Mutex::default(),
            long_calls: AtomicUsize::new(0),
            loads: Mutex::default(),
            is_frozen: AtomicBool::new(false),
            path: folder.to_owned(),
            inner,
        };
        if !options.read_only {
            database.drop_others(&others)?;
        }
        Ok(database)
    }

    /// Stores a mark.
    pub fn write_mark(&self, mark: HighWaterMark, patience: Patience) -> Result<Committed> {
        let catalog = self.keyspace(CATALOG_SPACE)?;
        let committed = {
            let Some(_committing) = self.lock_commits(patience) else { return Ok(Committed::Occupied) };
            self.commit_mark(&catalog, mark.encode())
        };
        self.outcome(committed)
    }

    /// Whether a commit would not wait for a disk now, as far as is known.
    pub fn commits_at_once(&self) -> bool {
        // fjall locks its list of spaces, which commits read, while it creates one.
        self.failure.get().is_none()
            && !self.syncer().delays_writes()
            && !self.creating.is_locked()
            && self.pressure.is_settled()
    }

    /// Keeps other threads from committing. `None` if that would take longer than `patience`.
    fn lock_commits(&self, patience: Patience) -> Option<MutexGuard<'_, ()>> {
        let may_lock = || patience == Patience::Unlimited || self.commits_at_once();
        if !may_lock() {
            return None;
        }
        let committing = patience.lock(&self.committing)?;
        may_lock().then_some(committing)
    }

    /// Commits the encoded mark. The caller has locked `committing`.
    fn commit_mark(&self, catalog: &Keyspace, mark: impl Into<fjall::UserValue>) -> fjall::Result<()> {
        let mut batch = self.inner.batch().durability(Some(PersistMode::Buffer));
        batch.insert(catalog, MARK_KEY, mark);
        let committed = batch.commit();
        self.renew_view();
        committed
    }

    /// The handle of a space. Callers must not keep it, because it keeps the database open.
    pub fn keyspace(&self, space: SpaceId) -> Result<Keyspace> {
        self.look_up(space, |space| space.keyspace.clone())
    }

    fn look_up<T>(&self, space: SpaceId, get: impl FnOnce(&Space) -> T) -> Result<T> {
        self.spaces.read().get(&space).map(get).ok_or_else(|| no_such_space(space))
    }

    /// The handle of a space for a snapshot with this sequence number.
    pub fn keyspace_at(&self, space: SpaceId, seqno: u64) -> Result<Keyspace> {
        let current = self.keyspace(space)?;
        Ok(self.rewrites.replaced(space, seqno).unwrap_or(current))
    }

    /// As [`Self::keyspace_at`], for a read of a range, which has to be counted. With the super version, if the
    /// snapshot can be read from it.
    pub fn keyspace_for_range(
        &self,
        space: SpaceId,
        seqno: u64,
    ) -> Result<(Keyspace, Arc<RunReads>, Option<Arc<SuperVersion>>)> {
        let current = self.look_up(space, Space::clone)?;
        match self.rewrites.replaced(space, seqno) {
            Some(replaced) => Ok((replaced, current.run_reads, None)),
            None => {
                let newest = current.super_version(seqno);
                Ok((current.keyspace, current.run_reads, newest))
            }
        }
    }

    /// A space for a read of a row by a snapshot with this sequence number; `None` if that reads a replaced keyspace.
    pub fn space_for_row(&self, space: SpaceId, seqno: u64) -> Result<Option<Space>> {
        let current = self.look_up(space, Space::clone)?;
        Ok(self.rewrites.replaced(space, seqno).is_none().then_some(current))
    }

    /// A space; `None` if it does not exist.
    pub fn space(&self, space: SpaceId) -> Option<Space> {
        self.spaces.read().get(&space).cloned()
    }

    /// All spaces.
    pub fn spaces(&self) -> Vec<Space> {
        self.spaces.read().values().cloned().collect()
    }

    /// The spaces of these writes, which must be ordered by space, and the target of a rewriting of one of them.
    pub fn spaces_of(&self, writes: &[Write]) -> Result<SmallVec<[Space; 1]>> {
        // Before the lock of `spaces`, which the end of a rewriting takes while it holds that of the target.
        let target = self.rewrites.target_of(writes.iter().map(|write| write.space));
        let spaces = self.spaces.read();
        let mut touched = SmallVec::new();
        let mut last = None;
        for Write { space, .. } in writes {
            if last != Some(*space) {
                touched.push(spaces.get(space).cloned().ok_or_else(|| no_such_space(*space))?);
                last = Some(*space);
            }
        }
        touched.extend(target);
        Ok(touched)
    }

    /// The numbers of all spaces, ascending.
    pub fn space_ids(&self) -> Vec<SpaceId> {
        self.spaces.read().keys().copied().collect()
    }

    /// Creates a space. Does nothing if it exists.
    pub fn create(&self, space: SpaceId, options: &SpaceOptions) -> Result<()> {
        let mut creating = self.creating.lock();
        if self.spaces.read().contains_key(&space) {
            return Ok(());
        }
        self.prepare_index(&mut creating)?;
        let created = Space::new(
            open_keyspace(&self.inner, &space.to_string(), options)?,
            &self.flushed,
            self.inner.supervisor.snapshot_tracker.get(),
        );
        corruption::mark_space(created.keyspace.path(), space)?;
        corruption::sync_spaces(&self.path)?;
        self.fences.add(&created.keyspace);
        self.spaces.write().insert(space, created);
        Ok(())
    }

    /// Prepares a change of fjall's index of spaces: copies its list of files, and stores, durably and once in an
    /// opening, a sequence number that is greater than all of earlier openings.
    ///
    /// Must be called before fjall changes its index of spaces. When fjall opens a database, it continues after the
    /// sequence numbers in its journals and spaces, but ignores those in the index. Suppose that a space without writes
    /// was dropped, and a crash followed: the tombstone of the entry would have a greater number than the entry of the
    /// next space, which is given the same id, and the following opening would remove that space with its data.
    pub(super) fn prepare_index(&self, stored: &mut SequenceStored) -> Result<()> {
        index_copy::save(&self.path)?;
        if !stored.0 {
            self.rewrite_mark()?;
            self.sync()?;
            stored.0 = true;
        }
        Ok(())
    }

    /// Drops a space. Does nothing if it does not exist.
    pub fn remove(&self, space: SpaceId) -> Result<()> {
        let mut creating = self.creating.lock();
        self.prepare_index(&mut creating)?;
        let removed = {
            // fjall accepts writes to a dropped space silently. Without an entry, no later commit can use the space.
            let _committing = self.committing.lock();
            self.spaces.write().remove(&space)
        };
        drop(creating);
        let Some(removed) = removed else { return Ok(()) };
        self.drop_replaced_of(space)?;
        let mut creating = self.creating.lock();
        self.prepare_index(&mut creating)?;
        self.fences.remove(&removed.keyspace);
        self.dead_versions.forget(removed.keyspace.name());
        self.forget_changes(&removed.keyspace);
        corruption::unmark_space(removed.keyspace.path())?;
        self.inner
            .delete_keyspace(removed.keyspace)
            .map_err(|error| failed(&format!("dropping space {space}"), error))?;
        drop(creating);
        // Without its record, a keyspace with another name than the space's could not be recognised. If this fails, the
        // record stays, which does no harm.
        if let Err(error) = self.remove_record(space) {
            tracing::debug!(space, %error, "the record of a dropped space was not removed");
        }
        Ok(())
    }

    /// A snapshot of everything committed so far. It contains complete commits only.
    pub fn view(&self) -> Arc<fjall::Snapshot> {
        let view = Arc::clone(&self.view.read());
        if view.seqno() == self.inner.supervisor.snapshot_tracker.get() || self.is_frozen.load(Ordering::Acquire) {
            return view;
        }
        // Either a commit is being applied, and `view` is still the latest complete state. Or a flush or compaction has
        // replaced files, and a new view releases them.
        match self.committing.try_lock() {
            Some(_committing) => self.renew_view(),
            None => view,
        }
    }

    /// Whether nothing has been written that this view does not see. It may change at any time.
    pub fn is_newest(&self, view: &fjall::Snapshot) -> bool {
        !self.committing.is_locked() && view.seqno() == self.inner.supervisor.snapshot_tracker.get()
    }

    /// Replaces the view with a new snapshot. The caller must hold `committing`.
    pub(super) fn renew_view(&self) -> Arc<fjall::Snapshot> {
        if self.is_frozen.load(Ordering::Acquire) {
            return Arc::clone(&self.view.read());
        }
        let view = Arc::new(self.inner.snapshot());
        *self.view.write() = Arc::clone(&view);
        view
    }

    /// Commits these writes atomically, and takes them out of the vector. They must be ordered by space. If the outcome
    /// is `Occupied` or `Crowded`, they are left in it. `bytes` is their size, as [`bytes_of`] computes it.
    pub fn commit(&self, writes: &mut Vec<Write>, bytes: u64, patience: Patience) -> Result<Committed> {
        let mut wait = None;
        let committed = {
            let Some(_committing) = self.lock_commits(patience) else { return Ok(Committed::Occupied) };
            if self.is_frozen.load(Ordering::Acquire) {
                return Ok(Committed::Refused(self.failed_before()));
            }
            let touched = self.spaces_of(writes)?;
            // Checked again, because another commit may have filled a space. fjall must not wait inside a commit while
            // this lock is held.
            if !self.pressure.admits(&touched, bytes, || self.spaces()) {
                return Ok(Committed::Crowded);
            }
            if patience == Patience::Short && touched.iter().any(|space| space.requires_wait(bytes)) {
                return Ok(Committed::Crowded);
            }
            if writes.iter().any(|write| write.space == CATALOG_SPACE && &write.key[..] >= RESERVED) {
                return Err(Error::invalid("keys of space 0 that begin with 0xff are reserved for the store"));
            }
            let deletes = writes.iter().any(|write| write.space != CATALOG_SPACE && write.value.is_none());
            let keyspaces = || touched.iter().map(|space| &**space.keyspace.name());
            if deletes {
                self.dead_versions.are_being_deleted(keyspaces());
            }
            let committed = self.apply(writes, &touched);
            let seqno = self.inner.supervisor.snapshot_tracker.get();
            if deletes && committed.is_ok() {
                self.dead_versions.have_been_deleted(keyspaces(), seqno.saturating_sub(1));
            }
            let mut is_full = false;
            for space in &touched {
                is_full |= space.committed(seqno, &self.replaced_files).is_full();
            }
            self.renew_view();
            if committed.is_ok() {
                wait = self.pressure.wrote(&touched, bytes, is_full);
            }
            committed
        };
        if committed.is_ok() && patience == Patience::Unlimited {
            self.pressure.bound(|| self.spaces());
        }
        Ok(match self.outcome(committed)? {
            Committed::Whole(_) => Committed::Whole(wait),
            refused => refused,
        })
    }

    /// Hands writes to the operating system and makes them visible, and takes them out of the vector. `touched`: their
    /// spaces. The caller has locked `committing`.
    fn apply(&self, writes: &mut Vec<Write>, touched: &[Space]) -> fjall::Result<()> {
        self.record_rows(writes, touched);
        let rewriting = self.rewrites.current();
        let rewriting = rewriting.as_ref().and_then(|current| current.as_ref());
        if let ([_], [Space { keyspace, .. }], None) = (&writes[..], touched, rewriting)
            && let Some(Write { key, value, .. }) = writes.pop()
        {
            // A single write needs no batch. Keyspaces have been created without `manual_journal_persist`, so fjall
            // hands it to the operating system.
            return match value {
                Some(value) => keyspace.insert(key, value),
                None => keyspace.remove(key),
            };
        }
        // This is also the default, but not a documented one: the writes are handed to the operating system.
        let batch = fjall::OwnedWriteBatch::with_capacity(self.inner.clone(), writes.len());
        let mut batch = batch.durability(Some(PersistMode::Buffer));
        let mut spaces = touched.iter();
        let (mut last, mut keyspace) = (None, None);
        for Write { space, key, value } in writes.drain(..) {
            if last != Some(space) {
                last = Some(space);
                keyspace = spaces.next().map(|space| &space.keyspace);
            }
            let Some(keyspace) = keyspace else { continue };
            if let Some(rewriting) = rewriting
                && rewriting.has_copied(space, &key)
            {
                match &value {
                    Some(value) => batch.insert(&rewriting.target.keyspace, key.clone(), value.clone()),
                    None => batch.remove(&rewriting.target.keyspace, key.clone()),
                }
            }
            match value {
                Some(value) => batch.insert(keyspace, key, value),
                None => batch.remove(keyspace, key),
            }
        }
        batch.commit()
    }

    /// Records the rows of a commit for the filters of memtables.
    fn record_rows(&self, writes: &[Write], touched: &[Space]) {
        let mut spaces = touched.iter();
        let (mut last, mut recorded) = (None, None);
        for Write { space, key, .. } in writes {
            if last != Some(space) {
                last = Some(space);
                let recorded_in = |space: &Space| {
                    space.row_filters.recorded(&space.keyspace.tree.active_memtable(), &self.filter_maker)
                };
                recorded = spaces.next().map(recorded_in);
            }
            if let Some(recorded) = &recorded {
                recorded.record(|| Some(self.filter_maker.hash(self.filter_maker.prefix_of(key)?)));
            }
        }
    }

    /// Keeps the current view, and refuses writes, until the database is reopened: the commit of a bulk load has failed
    /// and may have taken effect in part. The caller must hold `committing`.
    pub(super) fn freeze(&self, error: Error) -> Error {
        self.is_frozen.store(true, Ordering::Release);
        tracing::error!(folder = %self.folder().display(), %error, "the commit of a bulk load failed");
        self.failure.get_or_init(|| error.again());
        error
    }

    /// The outcome of a commit. After a failed one, fjall accepts no writes.
    pub(super) fn outcome(&self, committed: fjall::Result<()>) -> Result<Committed> {
        match committed {
            Ok(()) => Ok(Committed::Whole(None)),
            // A commit that fjall refused because of an earlier failure has not been applied. One that failed itself
            // may have been.
            Err(error) if is_poisoned(&error) => Ok(Committed::Refused(self.failed_before())),
            Err(error) => {
                let error = failed("writing", error);
                tracing::error!(folder = %self.folder().display(), %error, "a write failed");
                self.failure.get_or_init(|| error.again());
                Err(error)
            }
        }
    }

    /// Checks that an earlier write or one of fjall's workers has not failed. A failure is noted, so that the next
    /// write reopens the database.
    ///
    /// # Errors
    /// The failure.
    pub(super) fn check_writable(&self) -> Result<()> {
        if refuses_writes(&self.inner) { Err(self.failed_before()) } else { Ok(()) }
    }

    /// The error of a call that is refused because an earlier write or one of fjall's workers failed. Notes the
    /// failure.
    fn failed_before(&self) -> Error {
        let first = self.failure.get_or_init(|| {
            let error = self.diagnose();
            tracing::error!(folder = %self.folder().display(), %error, "a flush failed");
            error
        });
        first.again()
    }

    /// The data folder, for messages. It may be that of a backup in progress.
    pub(super) fn folder(&self) -> &Path {
        self.path.parent().unwrap_or(&self.path)
    }

    /// Finds out why a worker failed, which fjall does not report, by repeating its flush.
    fn diagnose(&self) -> Error {
        const DOING: &str = "writes are refused, because flushing memory to files";
        if self.path.try_exists().is_ok_and(|exists| !exists) {
            return folder::removed(self.folder());
        }
        for space in self.spaces() {
            let tree = &space.keyspace.tree;
            if tree.sealed_memtable_count() == 0 || !is_list_current(&space.keyspace) {
                continue;
            }
            let watermark = self.inner.supervisor.snapshot_tracker.get_seqno_safe_to_gc();
            if let Err(error) = tree.flush(&tree.get_flush_lock(), watermark) {
                return failed(DOING, error.into());
            }
        }
        if disk_free_bytes(&self.path).is_some_and(|free| free < 4 * MEMTABLE_BYTES) {
            return failed_io(DOING, std::io::Error::from(std::io::ErrorKind::StorageFull));
        }
        let folder = self.folder().display();
        Error::new(
            ErrorKind::Io,
            format!("{DOING} in {folder} failed: check the disk and the system log, then try again"),
        )
    }

    /// The reason why the database accepts no writes; `None` while it accepts them.
    pub fn failure(&self) -> Option<&Error> {
        self.failure.get()
    }

    /// The queue through which commits are made durable.
    pub fn syncer(&self) -> &Arc<syncer::SyncQueue> {
        self.syncer.queue()
    }

    /// Syncs the journal. No write may be in progress.
    pub fn sync(&self) -> Result<()> {
        self.inner.persist(PersistMode::SyncAll).map_err(|error| failed("syncing the journal", error))
    }

    /// Writes the stored mark again, with a new sequence number of fjall.
    pub(super) fn rewrite_mark(&self) -> Result<()> {
        let catalog = self.keyspace(CATALOG_SPACE)?;
        let _committing = self.committing.lock();
        let mark = catalog.get(MARK_KEY).map_err(|error| failed("reading the store's mark", error))?;
        let mark = mark.unwrap_or_else(|| HighWaterMark::NEW.encode().into());
        match self.outcome(self.commit_mark(&catalog, mark))? {
            Committed::Refused(error) => Err(error),
            Committed::Whole(_) | Committed::Crowded | Committed::Occupied => Ok(()),
        }
    }
}

/// Whether the list of files of a keyspace in memory is the one on disk. Otherwise a flush failed after its list had
/// been written, and a repetition would overwrite that list in place.
pub(super) fn is_list_current(keyspace: &Keyspace) -> bool {
    let current = fs::read(keyspace.path().join(CURRENT_FILE));
    current.is_ok_and(|current| list_number(&current) == Some(keyspace.tree.current_version().id()))
}

/// The approximate size of these writes in memory, in bytes.
pub(super) fn bytes_of(writes: &[Write]) -> u64 {
    writes
        .iter()
        .map(|write| write.key.len() as u64 + write.value.as_ref().map_or(0, |value| value.len() as u64) + 64)
        .sum()
}

/// Opens fjall's database in this folder, or creates it. The compactions of its spaces get filters from `filters`.
fn open_fjall(
    folder: &Path,
    options: &StoreOptions,
    filters: &Arc<DeferredFilterFactory>,
    give_way: &Arc<AbortFlags>,
    fences: &Arc<Fences>,
    changes: &Arc<VersionChanges>,
    dead_versions: &Arc<DeadVersions>,
) -> Result<fjall::Database> {
    let (filters, give_way) = (Arc::clone(filters), Arc::clone(give_way));
    let (fences, changes, dead_versions) = (Arc::downgrade(fences), Arc::clone(changes), Arc::clone(dead_versions));
    let builder = fjall::Database::builder(folder)
        .cache_size(options.cache_bytes())
        // Without workers, nothing is flushed or compacted.
        .worker_threads_unchecked(if options.read_only { 0 } else { WORKERS })
        .max_journaling_size(JOURNAL_BYTES_MAX)
        .max_cached_files(Some(options.open_files.unwrap_or_else(open_files::cached_files_max)))
        .with_compaction_filter_factories(Arc::new(move |name| {
            let space = rewrite::space_of(name)?;
            let (filters, give_way) = (Arc::clone(&filters), Arc::clone(&give_way));
            let (keyspace, fences) = (name.to_owned(), AssertUnwindSafe(Weak::clone(&fences)));
            let changes = AssertUnwindSafe(Arc::clone(&changes));
            let dead_versions = AssertUnwindSafe(Arc::clone(&dead_versions));
            Some(Arc::new(SpaceFilterFactory { space, keyspace, fences, filters, give_way, changes, dead_versions }))
        }));
    // fjall panics at some kinds of damage.
    catch_unwind(AssertUnwindSafe(|| builder.open()))
        .map_err(|panic| {
            let why = panic_text(&*panic).unwrap_or("fjall cannot read it");
            let folder = folder.display();
            Error::new(
                ErrorKind::Corrupt,
                format!("the data in {folder} is damaged ({why}); restore the folder from a backup"),
            )
        })?
        .map_err(|error| failed_opening(folder, error))
}

/// Opens or creates the keyspace with this name.
pub(super) fn open_keyspace(inner: &fjall::Database, name: &str, options: &SpaceOptions) -> Result<Keyspace> {
    inner
        .keyspace(name, || options::keyspace(options))
        .map_err(|error| failed(&format!("opening the keyspace {name}"), error))
}
