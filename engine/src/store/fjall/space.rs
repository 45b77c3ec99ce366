//! A space of an open database, and the size of its memtables.

use std::collections::VecDeque;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Weak};
use std::time::Instant;

use fjall::{AbstractTree, Keyspace};
use lsm_tree::Memtable;
use parking_lot::{Mutex, RwLock};

use super::flushed_memtables::FlushedMemtables;
use super::options::MEMTABLE_BYTES;
use super::pace::{Pace, PacedWait};
use super::read_merge::RunReads;
use super::row_filters::RowFilters;
use super::super_version::SuperVersion;
use super::version_changes::ReplacedFiles;

/// The number of sealed memtables at which writes of the space wait. At 4, fjall waits inside the commit, without a
/// limit.
pub(super) const SEALED_MAX: usize = 3;

/// The number of runs in the first level at which writes of the space wait. fjall slows commits down at 20 and stops
/// them at 30.
pub(super) const FIRST_LEVEL_RUNS_MAX: usize = 18;

/// A space. Copies must be short-lived, because a handle keeps the database open.
#[derive(Clone)]
pub(super) struct Space {
    pub keyspace: Keyspace,
    pub run_reads: Arc<RunReads>,
    pub row_filters: Arc<RowFilters>,
    pace: Arc<Pace>,
    memory: Arc<Mutex<Memory>>,
    newest: Arc<RwLock<Option<Arc<SuperVersion>>>>,
    /// The pairs from this sequence number on are recent; see `recent_garbage.rs`.
    pub recent_from: Arc<AtomicU64>,
}

/// The memtables when they were last examined.
///
/// fjall does not report the sizes of sealed memtables. But a memtable is sealed only if it has pairs, and each commit
/// examines the memtables here. Between two examinations at most one memtable is sealed, and its size is the one last
/// seen.
struct Memory {
    active_id: u64,
    /// Weak, because a table may not be written again after its memtable has been flushed.
    active: Weak<Memtable>,
    active_bytes: u64,
    /// Sizes of the sealed memtables, the oldest first.
    sealed_bytes: VecDeque<u64>,
    flushed: Arc<FlushedMemtables>,
}

/// The sizes of the memtables of a space, in bytes.
#[derive(Debug, Clone, Copy)]
pub(super) struct MemtableBytes {
    /// The size of the active memtable.
    pub active: u64,
    /// The total size of the sealed memtables.
    pub sealed: u64,
}

impl MemtableBytes {
    /// The total size of all memtables.
    pub fn all(self) -> u64 {
        self.active + self.sealed
    }

    /// Whether the active memtable is so large that fjall seals it as soon as a worker is idle.
    pub fn is_full(self) -> bool {
        self.active > MEMTABLE_BYTES
    }
}

impl Space {
    /// A space that has just been opened, or has not been committed to yet. Recovery may have created active and sealed
    /// memtables. `seqno` is at least that of every pair of the space.
    pub fn new(keyspace: Keyspace, flushed: &Arc<FlushedMemtables>, seqno: u64) -> Self {
        let active = keyspace.tree.active_memtable();
        let sealed_bytes = keyspace.tree.version_memtable_size_sum().saturating_sub(active.size());
        let count = keyspace.tree.sealed_memtable_count();
        // One entry for each memtable. The last one has the bytes of all, because they are flushed together.
        let sealed_bytes = (0..count).map(|n| if n + 1 == count { sealed_bytes } else { 0 }).collect();
        let flushed = Arc::clone(flushed);
        let memory = Memory {
            active_id: active.id(),
            active_bytes: active.size(),
            active: Arc::downgrade(&active),
            sealed_bytes,
            flushed,
        };
        let row_filters = Arc::<RowFilters>::default();
        let newest = SuperVersion::current(&keyspace.tree, &row_filters, None);
        let newest = newest.map(|newest| Arc::new(newest.cover_from(seqno)));
        Self {
            keyspace,
            run_reads: Arc::default(),
            row_filters,
            pace: Arc::default(),
            memory: Arc::new(Mutex::new(memory)),
            newest: Arc::new(RwLock::new(newest)),
            recent_from: Arc::new(AtomicU64::new(seqno)),
        }
    }

    /// The super version, if a snapshot with this sequence number can be read from it. The snapshot must have been
    /// taken before.
    pub fn super_version(&self, seqno: u64) -> Option<Arc<SuperVersion>> {
        self.newest.read().clone().filter(|newest| newest.covers(seqno))
    }

    fn first_level_runs(&self) -> usize {
        self.newest.read().as_ref().map_or_else(|| self.keyspace.tree.l0_run_count(), |newest| newest.first_level_runs)
    }

    /// Notes a commit of `bytes`. Returns a wait for its writer.
    pub fn reserve(&self, bytes: u64) -> Option<PacedWait> {
        let runs = self.first_level_runs();
        if Pace::is_needed(runs) { self.pace.reserve(runs, bytes, Instant::now()) } else { None }
    }

    /// Whether the writer of a commit of `bytes` would have to wait.
    pub fn requires_wait(&self, bytes: u64) -> bool {
        let runs = self.first_level_runs();
        Pace::is_needed(runs) && self.pace.requires_wait(runs, bytes, Instant::now())
    }

    /// Whether the super version has to be renewed.
    pub fn is_outdated(&self) -> bool {
        let newest = self.newest.read().clone();
        newest.map_or_else(|| self.keyspace.tree.sealed_memtable_count() == 0, |it| it.is_outdated(&self.keyspace.tree))
    }

    /// The current super version, for [`Self::renew`].
    pub fn current(&self) -> Option<SuperVersion> {
        let before = self.newest.read().clone();
        SuperVersion::current(&self.keyspace.tree, &self.row_filters, before.as_deref())
    }

    /// Renews the super version, unless a commit or an ingestion has renewed it since `current` was found. The caller
    /// must hold the lock of commits; `seqno` is that of the next view.
    pub fn renew(&self, current: SuperVersion, seqno: u64, replaced: &ReplacedFiles) {
        let is_later =
            |newest: &Arc<SuperVersion>| newest.active.id() > current.active.id() || newest.version > current.version;
        if !self.newest.read().as_ref().is_some_and(is_later) {
            self.replace(Some(current.cover_from(seqno)), replaced);
        }
    }

    /// Renews the super version if a memtable has been sealed, and examines the memtables. Must be called after each
    /// commit, before that becomes visible. The caller must hold the lock of commits; `seqno` is that of the next view.
    pub fn committed(&self, seqno: u64, replaced: &ReplacedFiles) -> MemtableBytes {
        let active = self.keyspace.tree.active_memtable();
        if self.newest.read().as_ref().is_none_or(|newest| newest.active.id() != active.id()) {
            self.ingested(seqno, replaced);
        }
        self.examine_with(&active)
    }

    /// Renews the super version after an ingestion into the space. Otherwise as [`Self::committed`].
    pub fn ingested(&self, seqno: u64, replaced: &ReplacedFiles) {
        self.replace(self.current().map(|current| current.cover_from(seqno)), replaced);
    }

    fn replace(&self, newest: Option<SuperVersion>, replaced: &ReplacedFiles) {
        let before = std::mem::replace(&mut *self.newest.write(), newest.map(Arc::new));
        if !Pace::is_needed(self.first_level_runs()) {
            self.pace.forget();
        }
        let list = self.newest.read().as_ref().map(|newest| newest.version);
        if let Some(before) = before.filter(|before| Some(before.version) != list) {
            replaced.add(&self.keyspace.tree, before.active.id(), before.runs.clone());
        }
    }

    /// Examines the memtables.
    pub fn examine(&self) -> MemtableBytes {
        self.examine_with(&self.keyspace.tree.active_memtable())
    }

    fn examine_with(&self, active: &Arc<Memtable>) -> MemtableBytes {
        let mut memory = self.memory.lock();
        if active.id() != memory.active_id {
            let sealed = memory.active_bytes;
            memory.sealed_bytes.push_back(sealed);
            memory.active_id = active.id();
            if let Some(sealed) = std::mem::replace(&mut memory.active, Arc::downgrade(active)).upgrade() {
                memory.flushed.free_later(sealed);
            }
        }
        memory.active_bytes = active.size();
        let sealed = self.keyspace.tree.sealed_memtable_count();
        while memory.sealed_bytes.len() > sealed {
            memory.sealed_bytes.pop_front();
        }
        MemtableBytes { active: memory.active_bytes, sealed: memory.sealed_bytes.iter().sum() }
    }

    /// The size of the active memtable, in bytes.
    pub fn active_bytes(&self) -> u64 {
        self.keyspace.tree.active_memtable().size()
    }

    /// Whether a commit of `bytes` may reach the number of sealed memtables or of runs at which fjall waits inside the
    /// commit. An active memtable above its limit counts as sealed, because fjall seals it as soon as a worker is idle.
    pub fn is_crowded(&self, bytes: u64) -> bool {
        let active = self.active_bytes();
        let full = active > MEMTABLE_BYTES;
        let fills = if full { bytes > MEMTABLE_BYTES } else { active.saturating_add(bytes) > MEMTABLE_BYTES };
        let sealed = self.keyspace.tree.sealed_memtable_count();
        sealed >= SEALED_MAX
            || (sealed > 0 && sealed + usize::from(full) + usize::from(fills) > SEALED_MAX)
            || self.has_many_runs()
    }

    /// Whether the active memtable is so large that fjall seals it as soon as a worker is idle.
    pub fn is_full(&self) -> bool {
        self.active_bytes() > MEMTABLE_BYTES
    }

    /// Whether no memtable is being flushed or about to be.
    pub fn is_settled(&self) -> bool {
        self.keyspace.tree.sealed_memtable_count() == 0 && !self.is_full() && self.newest.read().is_some()
    }

    /// Whether the space has too many runs in its first level, so that it needs a compaction.
    pub fn has_many_runs(&self) -> bool {
        self.keyspace.tree.l0_run_count() >= FIRST_LEVEL_RUNS_MAX
    }
}

/// Whether a major compaction, for which the minor ones of its space wait, should be aborted in favour of writes.
pub(super) fn has_nearly_too_many_runs(keyspace: &Keyspace) -> bool {
    keyspace.tree.l0_run_count() >= FIRST_LEVEL_RUNS_MAX - 4
}
