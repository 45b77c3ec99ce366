//! An open fjall database: its spaces, its commits, and the view that readers take.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use fjall::{AbstractTree, Keyspace, PersistMode, Readable};
use parking_lot::{Mutex, RwLock};

use super::clock_mark::{Beginning, MARK_KEY, RESERVED};
use super::compaction_filter::{LateFilterFactory, SpaceFilterFactory};
use super::cursors::Cursors;
use super::failure::{failed, is_poisoned, refuses_writes};
use super::options::{self, StoreOptions};
use super::pressure::Pressure;
use super::requested_compaction;
use crate::error::{Error, ErrorKind, Result};
use crate::store::running::Write;
use crate::store::{CATALOG_SPACE, CompactionControl, SpaceId, SpaceOptions, no_such_space};

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
    spaces: RwLock<BTreeMap<SpaceId, Keyspace>>,
    /// What readers see: everything up to the last whole commit.
    view: RwLock<Arc<fjall::Snapshot>>,
    /// Held while a commit is applied. fjall numbers the end of a flush like a write and makes it visible at once; a snapshot of its own
    /// taken while another commit is half applied would show that half.
    committing: Mutex<()>,
    /// Why writes are refused from here on.
    failure: OnceLock<(ErrorKind, String)>,
    pub cursors: Cursors,
    pub pressure: Pressure,
    pub inner: fjall::Database,
}

impl Database {
    /// Opens or makes the database in this folder.
    pub fn open(folder: &Path, options: &StoreOptions, filters: &Arc<LateFilterFactory>) -> Result<Self> {
        let filters = Arc::clone(filters);
        let inner = fjall::Database::builder(folder)
            .cache_size(options.cache_bytes())
            .worker_threads(WORKERS)
            .max_journaling_size(JOURNAL_BYTES_MAX)
            .max_cached_files(Some(OPEN_FILES_MAX))
            .with_compaction_filter_factories(Arc::new(move |name| {
                let space = name.parse().ok()?;
                Some(Arc::new(SpaceFilterFactory { space, filters: Arc::clone(&filters) }))
            }))
            .open()
            .map_err(|error| failed(&format!("opening the data in {}", folder.display()), error))?;
        let mut spaces = BTreeMap::new();
        for name in inner.list_keyspace_names() {
            let space = name.parse().map_err(|_| {
                Error::new(ErrorKind::Corrupt, format!("{} holds \"{}\", which is no space", folder.display(), &*name))
            })?;
            spaces.insert(space, open_keyspace(&inner, space, &SpaceOptions::default())?);
        }
        if let std::collections::btree_map::Entry::Vacant(catalog) = spaces.entry(CATALOG_SPACE) {
            catalog.insert(open_keyspace(&inner, CATALOG_SPACE, &SpaceOptions::default())?);
        }
        Ok(Self {
            spaces: RwLock::new(spaces),
            view: RwLock::new(Arc::new(inner.snapshot())),
            committing: Mutex::new(()),
            failure: OnceLock::new(),
            cursors: Cursors::default(),
            pressure: Pressure::new(options.write_buffer_bytes),
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
    pub fn set_beginning(&self, beginning: Beginning) -> Result<()> {
        let catalog = self.keyspace(CATALOG_SPACE)?;
        let _committing = self.committing.lock();
        let mut batch = self.inner.batch().durability(Some(PersistMode::Buffer));
        batch.insert(&catalog, MARK_KEY, beginning.encode());
        batch.commit().map_err(|error| self.fail(error))?;
        self.look_again();
        Ok(())
    }

    /// A space's handle. Nobody keeps one, or the database could not close.
    pub fn keyspace(&self, space: SpaceId) -> Result<Keyspace> {
        self.spaces.read().get(&space).cloned().ok_or_else(|| no_such_space(space))
    }

    /// All handles.
    pub fn keyspaces(&self) -> Vec<Keyspace> {
        self.spaces.read().values().cloned().collect()
    }

    /// The numbers of all spaces, ascending.
    pub fn space_ids(&self) -> Vec<SpaceId> {
        self.spaces.read().keys().copied().collect()
    }

    /// Makes a space.
    pub fn create(&self, space: SpaceId, options: &SpaceOptions) -> Result<()> {
        let mut spaces = self.spaces.write();
        if let std::collections::btree_map::Entry::Vacant(vacant) = spaces.entry(space) {
            vacant.insert(open_keyspace(&self.inner, space, options)?);
        }
        Ok(())
    }

    /// Drops a space.
    pub fn remove(&self, space: SpaceId) -> Result<()> {
        let keyspace = {
            // fjall takes writes to a dropped space without a word: from here on no commit can name it.
            let _committing = self.committing.lock();
            self.spaces.write().remove(&space)
        };
        let Some(keyspace) = keyspace else { return Ok(()) };
        self.pressure.dropped(&keyspace);
        self.inner.delete_keyspace(keyspace).map_err(|error| failed(&format!("dropping space {space}"), error))
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

    /// Commits these writes, all or none.
    pub fn commit(&self, writes: Vec<Write>, mode: PersistMode) -> Result<()> {
        let mut touched: Vec<Keyspace> = Vec::with_capacity(1);
        let mut bytes = 0;
        {
            let _committing = self.committing.lock();
            // `batch` alone would do for handing the journal over, but says so nowhere.
            let mut batch = self.inner.batch().durability(Some(mode));
            let mut last = None;
            for Write { space, key, value } in writes {
                if space == CATALOG_SPACE && &key[..] >= RESERVED {
                    return Err(Error::invalid("keys of the catalog that begin with 0xff are the store's own"));
                }
                // The writes are in order of their spaces.
                if last != Some(space) {
                    touched.push(self.keyspace(space)?);
                    last = Some(space);
                }
                let Some(keyspace) = touched.last() else { continue };
                bytes += key.len() as u64 + value.as_ref().map_or(0, |value| value.len() as u64) + 64;
                match value {
                    Some(value) => batch.insert(keyspace, key, value),
                    None => batch.remove(keyspace, key),
                }
            }
            batch.commit().map_err(|error| self.fail(error))?;
            self.look_again();
        }
        self.pressure.wrote(&self.inner, &touched, bytes, || self.keyspaces());
        Ok(())
    }

    /// Remembers that a write failed: fjall takes no more.
    fn fail(&self, error: fjall::Error) -> Error {
        // What is refused after a failure has not been tried; what has been tried may show after all.
        let doing = if is_poisoned(&error) { "writing (nothing was written)" } else { "writing" };
        let error = failed(doing, error);
        tracing::error!(%error, "a write failed");
        self.failure.get_or_init(|| (error.kind(), error.message().to_owned()));
        error
    }

    /// Why it takes no more writes, if that is so.
    pub fn failure(&self) -> Option<&(ErrorKind, String)> {
        self.failure.get()
    }

    /// Writes a space's memory to files and waits for it.
    pub fn flush(&self, keyspace: &Keyspace) -> Result<()> {
        keyspace.rotate_memtable().map_err(|error| failed("writing memory to files", error))?;
        self.wait_for_files(keyspace)
    }

    fn wait_for_files(&self, keyspace: &Keyspace) -> Result<()> {
        let began = Instant::now();
        let mut rounds = 0_u32;
        while keyspace.tree.sealed_memtable_count() > 0 {
            std::thread::sleep(Duration::from_micros(500));
            rounds += 1;
            // Only a living worker ends the wait.
            if rounds.is_multiple_of(200) && (refuses_writes(&self.inner) || began.elapsed() > FLUSH_MAX) {
                return Err(Error::new(ErrorKind::Io, "writing memory to files failed: see the log, then try again"));
            }
        }
        Ok(())
    }

    /// Writes everything to files.
    pub fn flush_all(&self) -> Result<()> {
        let keyspaces = self.keyspaces();
        for keyspace in &keyspaces {
            keyspace.rotate_memtable().map_err(|error| failed("writing memory to files", error))?;
        }
        keyspaces.iter().try_for_each(|keyspace| self.wait_for_files(keyspace))
    }

    /// Makes the journal durable.
    pub fn sync(&self) -> Result<()> {
        self.inner.persist(PersistMode::SyncAll).map_err(|error| failed("syncing the journal", error))
    }

    /// Compacts a space: all of it, or what fjall finds worth it.
    pub fn compact(&self, keyspace: &Keyspace, major: bool, control: &Arc<CompactionControl>) -> Result<()> {
        // The files only: what is still in memory has to be there first, or the compaction would not cover every pair.
        self.flush(keyspace)?;
        self.view();
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
            batch.commit().map_err(|error| self.fail(error))?;
            self.look_again();
        }
        catalog.rotate_memtable().map_err(|error| failed("writing memory to files", error))?;
        Ok(())
    }
}

fn open_keyspace(inner: &fjall::Database, space: SpaceId, options: &SpaceOptions) -> Result<Keyspace> {
    inner
        .keyspace(&space.to_string(), || options::keyspace(options))
        .map_err(|error| failed(&format!("opening space {space}"), error))
}
