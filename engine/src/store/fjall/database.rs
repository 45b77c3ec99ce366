//! An open fjall database: its spaces, its commits, and the view that readers take.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use fjall::{AbstractTree, Keyspace, PersistMode, Readable};
use parking_lot::{Mutex, RwLock};

use super::clock_mark::{Beginning, MARK_KEY, RESERVED};
use super::compaction_filter::{GiveWay, LateFilterFactory, SpaceFilterFactory};
use super::cursors::Cursors;
use super::failure::{failed, failed_io, failed_opening, is_poisoned, refuses_writes};
use super::options::{self, MEMTABLE_BYTES, StoreOptions};
use super::pressure::Pressure;
use super::requested_compaction;
use super::space::Space;
use super::statistics::disk_free_bytes;
use super::syncer::{self, Failure, Syncer};
use super::tombstones::Tombstones;
use crate::error::{Error, ErrorKind, Result};
use crate::store::compaction_control::gave_way;
use crate::store::running::Write;
use crate::store::{CATALOG_SPACE, CompactionControl, SpaceId, SpaceOptions, damage, no_such_space};

/// fjall's first worker only writes memory to files, and runs in circles while a compaction is wanted that nobody is free to take: with two
/// others that is seldom.
const WORKERS: usize = 3;

/// All journals together; what holds the oldest back is written to files then. After a crash they are read, some hundred MB a second.
const JOURNAL_BYTES_MAX: u64 = 256 << 20;

/// Well below the 1,024 open files that a process is commonly allowed, connections included.
const OPEN_FILES_MAX: usize = 400;

/// How long writing one space's memory to files may take.
const FLUSH_MAX: Duration = Duration::from_secs(600);

/// An open database. The fields go in this order: handles before the database they are of.
pub(super) struct Database {
    spaces: RwLock<BTreeMap<SpaceId, Space>>,
    /// Held while a space is made, which syncs files: readers and writers of other spaces do not wait for it.
    creating: Mutex<()>,
    /// What readers see: everything up to the last whole commit.
    view: RwLock<Arc<fjall::Snapshot>>,
    /// Held while a commit is applied. fjall numbers the end of a flush like a write and makes it visible at once; a snapshot of its own
    /// taken while another commit is half applied would show that half.
    committing: Mutex<()>,
    /// Why writes are refused from here on.
    failure: Arc<Failure>,
    /// Makes commits durable.
    syncer: Syncer,
    pub cursors: Cursors,
    pub tombstones: Tombstones,
    pub pressure: Pressure,
    /// Tells compactions that were asked for to end.
    give_way: Arc<GiveWay>,
    /// Of the compactions that were requested.
    controls: Mutex<Vec<Weak<CompactionControl>>>,
    /// Calls under way that may take long: flushes and compactions.
    long_calls: AtomicUsize,
    path: PathBuf,
    pub inner: fjall::Database,
}

/// How a commit ended.
pub(super) enum Committed {
    /// All is written.
    Whole,
    /// Nothing is written: one of its spaces has too much to be written out or compacted.
    Crowded,
    /// Nothing is written: the database had failed before, and has to be opened anew.
    Refused(Error),
}

/// A flush or a compaction under way.
struct LongCall<'a>(&'a AtomicUsize);

impl Drop for LongCall<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}

impl Database {
    /// Opens or makes the database in this folder.
    pub fn open(folder: &Path, options: &StoreOptions, filters: &Arc<LateFilterFactory>) -> Result<Self> {
        let filters = Arc::clone(filters);
        let give_way = Arc::new(GiveWay::default());
        let ours = Arc::clone(&give_way);
        let builder = fjall::Database::builder(folder)
            .cache_size(options.cache_bytes())
            .worker_threads(WORKERS)
            .max_journaling_size(JOURNAL_BYTES_MAX)
            .max_cached_files(Some(OPEN_FILES_MAX))
            .with_compaction_filter_factories(Arc::new(move |name| {
                let space = name.parse().ok()?;
                Some(Arc::new(SpaceFilterFactory { space, filters: Arc::clone(&filters), give_way: Arc::clone(&ours) }))
            }));
        // fjall asserts some of what it reads.
        let inner = catch_unwind(AssertUnwindSafe(|| builder.open()))
            .map_err(|_| {
                Error::new(
                    ErrorKind::Corrupt,
                    format!(
                        "the data in {} cannot be understood (the log says more); restore the folder from a copy",
                        folder.display()
                    ),
                )
            })?
            .map_err(|error| failed_opening(folder, error))?;
        let mut spaces = BTreeMap::new();
        for name in inner.list_keyspace_names() {
            let space = name.parse().map_err(|_| {
                Error::new(ErrorKind::Corrupt, format!("{} holds \"{}\", which is no space", folder.display(), &*name))
            })?;
            spaces.insert(space, Space::new(open_keyspace(&inner, space, &SpaceOptions::default())?));
        }
        if let std::collections::btree_map::Entry::Vacant(catalog) = spaces.entry(CATALOG_SPACE) {
            catalog.insert(Space::new(open_keyspace(&inner, CATALOG_SPACE, &SpaceOptions::default())?));
        }
        for (number, space) in &spaces {
            damage::mark_space(space.keyspace.path(), *number)?;
        }
        let failure = Arc::new(Failure::new());
        let pressure = Pressure::new(options.write_buffer_bytes);
        pressure.recovered(&spaces.values().cloned().collect::<Vec<_>>());
        Ok(Self {
            spaces: RwLock::new(spaces),
            creating: Mutex::new(()),
            view: RwLock::new(Arc::new(inner.snapshot())),
            committing: Mutex::new(()),
            syncer: Syncer::start(folder, options.sync_interval, Arc::clone(&failure))?,
            failure,
            cursors: Cursors::default(),
            tombstones: Tombstones::default(),
            pressure,
            give_way,
            controls: Mutex::default(),
            long_calls: AtomicUsize::new(0),
            path: folder.to_owned(),
            inner,
        })
    }

    /// Where times and numbers begin.
    pub fn beginning(&self) -> Result<Beginning> {
        let catalog = self.keyspace(CATALOG_SPACE)?;
        let stored = self.view().get(&catalog, MARK_KEY).map_err(|error| failed("reading the store's mark", error))?;
        stored.map_or(Ok(Beginning::NEW), |bytes| Beginning::decode(&bytes))
    }

    /// Stores where times and numbers begin.
    pub fn set_beginning(&self, beginning: Beginning) -> Result<Committed> {
        let catalog = self.keyspace(CATALOG_SPACE)?;
        let committed = {
            let _committing = self.committing.lock();
            let mut batch = self.inner.batch().durability(Some(PersistMode::Buffer));
            batch.insert(&catalog, MARK_KEY, beginning.encode());
            let committed = batch.commit();
            self.look_again();
            committed
        };
        self.judge(committed)
    }

    /// A space's handle. Nobody keeps one, or the database could not close.
    pub fn keyspace(&self, space: SpaceId) -> Result<Keyspace> {
        self.spaces.read().get(&space).map(|space| space.keyspace.clone()).ok_or_else(|| no_such_space(space))
    }

    /// A space, if there is one of that number.
    pub fn space(&self, space: SpaceId) -> Option<Space> {
        self.spaces.read().get(&space).cloned()
    }

    /// All spaces.
    pub fn spaces(&self) -> Vec<Space> {
        self.spaces.read().values().cloned().collect()
    }

    /// The spaces of these writes, which are in order of their spaces.
    pub fn spaces_of(&self, writes: &[Write]) -> Result<Vec<Space>> {
        let spaces = self.spaces.read();
        let mut touched = Vec::with_capacity(1);
        let mut last = None;
        for Write { space, .. } in writes {
            if last != Some(*space) {
                touched.push(spaces.get(space).cloned().ok_or_else(|| no_such_space(*space))?);
                last = Some(*space);
            }
        }
        Ok(touched)
    }

    /// The numbers of all spaces, ascending.
    pub fn space_ids(&self) -> Vec<SpaceId> {
        self.spaces.read().keys().copied().collect()
    }

    /// Makes a space.
    pub fn create(&self, space: SpaceId, options: &SpaceOptions) -> Result<()> {
        let _creating = self.creating.lock();
        if self.spaces.read().contains_key(&space) {
            return Ok(());
        }
        let made = Space::new(open_keyspace(&self.inner, space, options)?);
        damage::mark_space(made.keyspace.path(), space)?;
        self.spaces.write().insert(space, made);
        Ok(())
    }

    /// Drops a space.
    pub fn remove(&self, space: SpaceId) -> Result<()> {
        let _creating = self.creating.lock();
        let removed = {
            // fjall takes writes to a dropped space without a word: from here on no commit can name it.
            let _committing = self.committing.lock();
            self.spaces.write().remove(&space)
        };
        let Some(removed) = removed else { return Ok(()) };
        damage::unmark_space(removed.keyspace.path())?;
        self.inner.delete_keyspace(removed.keyspace).map_err(|error| failed(&format!("dropping space {space}"), error))
    }

    /// Everything committed so far, each commit whole.
    pub fn view(&self) -> Arc<fjall::Snapshot> {
        let view = Arc::clone(&self.view.read());
        if view.seqno() == self.inner.supervisor.snapshot_tracker.get() {
            return view;
        }
        // Either a commit is being applied, and the last view is the newest whole one; or files were written or compacted, and a new view
        // lets go of the old ones.
        match self.committing.try_lock() {
            Some(_committing) => self.look_again(),
            None => view,
        }
    }

    /// Renews the view. Only with `committing` held.
    fn look_again(&self) -> Arc<fjall::Snapshot> {
        let view = Arc::new(self.inner.snapshot());
        *self.view.write() = Arc::clone(&view);
        view
    }

    /// Commits these writes, all or none. They are in order of their spaces.
    pub fn commit(&self, writes: Vec<Write>) -> Result<Committed> {
        let bytes = bytes_of(&writes);
        let touched;
        let committed = {
            let _committing = self.committing.lock();
            touched = self.spaces_of(&writes)?;
            // The last commit may have filled a space, and with this lock held fjall must not be made to wait.
            if !self.pressure.admits(&touched, bytes, || self.spaces()) {
                return Ok(Committed::Crowded);
            }
            // `batch` alone would do for handing the journal over, but says so nowhere.
            let mut batch = self.inner.batch().durability(Some(PersistMode::Buffer));
            let mut spaces = touched.iter();
            let (mut last, mut keyspace) = (None, None);
            for Write { space, key, value } in writes {
                if space == CATALOG_SPACE && &key[..] >= RESERVED {
                    return Err(Error::invalid("keys of the catalog that begin with 0xff are the store's own"));
                }
                if last != Some(space) {
                    last = Some(space);
                    keyspace = spaces.next().map(|space| &space.keyspace);
                }
                let Some(keyspace) = keyspace else { continue };
                match value {
                    Some(value) => batch.insert(keyspace, key, value),
                    None => batch.remove(keyspace, key),
                }
            }
            let committed = batch.commit();
            self.look_again();
            committed
        };
        if committed.is_ok() {
            self.pressure.wrote(&touched, bytes, || self.spaces());
        }
        self.judge(committed)
    }

    /// What came of a commit. After a failure fjall takes no more.
    fn judge(&self, committed: fjall::Result<()>) -> Result<Committed> {
        match committed {
            Ok(()) => Ok(Committed::Whole),
            // What is refused after a failure has not been tried; what has been tried may show after all.
            Err(error) if is_poisoned(&error) => Ok(Committed::Refused(self.failed_before())),
            Err(error) => {
                let error = failed("writing", error);
                tracing::error!(%error, "a write failed");
                self.failure.get_or_init(|| (error.kind(), error.message().to_owned()));
                Err(error)
            }
        }
    }

    /// The error of a call that is refused because a write or a worker failed before.
    fn failed_before(&self) -> Error {
        let (kind, message) = self.failure.get_or_init(|| {
            let error = self.diagnose();
            tracing::error!(%error, "writing memory to files failed");
            (error.kind(), error.message().to_owned())
        });
        Error::new(*kind, message.clone())
    }

    /// Why a worker failed. fjall keeps that to itself: what it failed to do is tried again here.
    fn diagnose(&self) -> Error {
        const DOING: &str = "writing memory to files (this call wrote nothing)";
        for space in self.spaces() {
            let tree = &space.keyspace.tree;
            if tree.sealed_memtable_count() == 0 {
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
        Error::new(ErrorKind::Io, format!("{DOING} failed: look at the disk and the log, then try again"))
    }

    /// Why it takes no more writes, if that is so.
    pub fn failure(&self) -> Option<&(ErrorKind, String)> {
        self.failure.get()
    }

    /// Writes a space's memory to files and waits for it.
    pub fn flush(&self, keyspace: &Keyspace) -> Result<()> {
        let _call = self.begin_long_call()?;
        self.write_out(keyspace)
    }

    fn write_out(&self, keyspace: &Keyspace) -> Result<()> {
        self.seal(keyspace)?;
        self.wait_for_files(keyspace)
    }

    fn seal(&self, keyspace: &Keyspace) -> Result<()> {
        if refuses_writes(&self.inner) {
            return Err(self.failed_before());
        }
        // fjall makes commits wait when four are sealed, also if flushes did that.
        self.wait_for_files(keyspace)?;
        keyspace.rotate_memtable().map(|_| ()).map_err(|error| failed("writing memory to files", error))
    }

    fn wait_for_files(&self, keyspace: &Keyspace) -> Result<()> {
        let began = Instant::now();
        let mut rounds = 0_u32;
        while keyspace.tree.sealed_memtable_count() > 0 {
            std::thread::sleep(Duration::from_micros(500));
            rounds += 1;
            // Only a living worker ends the wait.
            if rounds.is_multiple_of(20) && refuses_writes(&self.inner) {
                return Err(self.failed_before());
            }
            if began.elapsed() > FLUSH_MAX {
                return Err(Error::new(
                    ErrorKind::Io,
                    format!("writing memory to files took more than {} s; look at the disk", FLUSH_MAX.as_secs()),
                ));
            }
        }
        Ok(())
    }

    /// Writes everything to files.
    pub fn flush_all(&self) -> Result<()> {
        let spaces = self.spaces();
        for space in &spaces {
            self.seal(&space.keyspace)?;
        }
        spaces.iter().try_for_each(|space| self.wait_for_files(&space.keyspace))
    }

    /// Ends compactions that were asked for, and returns when no flush and no compaction that was asked for is under way. New ones are refused.
    pub fn end_long_calls(&self) {
        self.give_way.requested();
        for control in self.controls.lock().iter().filter_map(Weak::upgrade) {
            control.give_way();
        }
        while self.long_calls.load(Ordering::Acquire) > 0 {
            std::thread::sleep(Duration::from_micros(200));
        }
    }

    /// Ends fjall's own compactions too: for a database that takes no more writes, because they fail by it.
    pub fn end_all_compactions(&self) {
        self.give_way.all();
    }

    fn begin_long_call(&self) -> Result<LongCall<'_>> {
        self.long_calls.fetch_add(1, Ordering::AcqRel);
        let call = LongCall(&self.long_calls);
        if self.give_way.is_asked() { Err(gave_way()) } else { Ok(call) }
    }

    /// Makes commits durable.
    pub fn syncer(&self) -> &Arc<syncer::Shared> {
        self.syncer.shared()
    }

    /// Makes the journal durable. No write may be in progress.
    pub fn sync(&self) -> Result<()> {
        self.inner.persist(PersistMode::SyncAll).map_err(|error| failed("syncing the journal", error))
    }

    /// Compacts a space: all of it, or what fjall finds worth it.
    pub fn compact(&self, keyspace: &Keyspace, major: bool, control: &Arc<CompactionControl>) -> Result<()> {
        let _call = self.begin_long_call()?;
        // The files only: what is still in memory has to be there first, or the compaction would not cover every pair.
        self.write_out(keyspace)?;
        self.view();
        {
            let mut controls = self.controls.lock();
            controls.retain(|control| control.strong_count() > 0);
            control.begin();
            controls.push(Arc::downgrade(control));
        }
        if self.give_way.is_asked() {
            return Err(gave_way());
        }
        let done = requested_compaction::run(keyspace, major, control, || {
            if major {
                keyspace.major_compact()
            } else {
                let watermark = self.inner.supervisor.snapshot_tracker.get_seqno_safe_to_gc();
                Ok(keyspace.tree.compact(Arc::new(fjall::compaction::Leveled::default()), watermark)?)
            }
        });
        if done.is_ok() && major {
            self.release_replaced_files()?;
        } else {
            self.view();
        }
        done
    }

    /// Makes fjall remove files that compactions have replaced, unless a snapshot still reads them. fjall does so when it seals a memtable
    /// that was written to since, which might not happen for days.
    fn release_replaced_files(&self) -> Result<()> {
        let catalog = self.keyspace(CATALOG_SPACE)?;
        {
            let _committing = self.committing.lock();
            let mark = catalog.get(MARK_KEY).map_err(|error| failed("reading the store's mark", error))?;
            let Some(mark) = mark else { return Ok(()) };
            let mut batch = self.inner.batch().durability(Some(PersistMode::Buffer));
            batch.insert(&catalog, MARK_KEY, mark);
            let committed = batch.commit();
            self.look_again();
            committed.map_err(|error| failed("writing the store's mark", error))?;
        }
        catalog.rotate_memtable().map_err(|error| failed("writing memory to files", error))?;
        Ok(())
    }
}

/// About what these writes take in memory.
pub(super) fn bytes_of(writes: &[Write]) -> u64 {
    writes
        .iter()
        .map(|write| write.key.len() as u64 + write.value.as_ref().map_or(0, |value| value.len() as u64) + 64)
        .sum()
}

fn open_keyspace(inner: &fjall::Database, space: SpaceId, options: &SpaceOptions) -> Result<Keyspace> {
    inner
        .keyspace(&space.to_string(), || options::keyspace(options))
        .map_err(|error| failed(&format!("opening space {space}"), error))
}
