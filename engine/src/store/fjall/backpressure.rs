//! Backpressure: a write waits for flushes and compactions before it locks rows, and only for those of the spaces that
//! it writes to.
//!
//! fjall itself waits inside a commit if a space has four sealed memtables or twenty runs in its first level. That wait
//! has no limit, the write is already visible, and it does not end if the responsible worker has failed. Therefore such
//! a commit is not begun: the transaction unlocks its rows, waits, and starts over.
//!
//! fjall does not limit the total size of the memtables of all spaces. They are summed up after every few MiB of
//! writes, and the largest are flushed.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use fjall::{AbstractTree, Keyspace};
use parking_lot::Mutex;

use super::database::{Database, WORKERS};
use super::fence::Fences;
use super::options::MEMTABLE_BYTES;
use super::pace::PacedWait;
use super::requested_compaction;
use super::space::{SEALED_MAX, Space};
use super::version_changes::VersionChanges;
use crate::error::{Error, ErrorKind, Result};

/// The longest wait of a write for flushes and compactions.
const WAIT_MAX: Duration = Duration::from_secs(30);

/// The interval at which a waiting write checks whether it may continue.
pub(super) const WAIT_STEP: Duration = Duration::from_millis(2);

/// The time after which a write that waits for a compaction runs it on its own thread. fjall drops requests while its
/// queue is full.
const COMPACTION_PATIENCE: Duration = Duration::from_millis(500);

/// The largest size of memtables that have been written to files and have not been freed, in bytes.
///
/// fjall frees a memtable that has been flushed when the next one is sealed. A compaction keeps the memtables that its
/// space had when it began; besides those of the workers, one may run for a call.
pub(crate) fn memtables_in_use(write_buffer_bytes: u64) -> u64 {
    let of_space = (SEALED_MAX as u64 + 1) * MEMTABLE_BYTES;
    let of_compaction = write_buffer_bytes.saturating_mul(2).min(of_space);
    write_buffer_bytes.saturating_add(of_compaction.saturating_mul(WORKERS as u64))
}

/// The largest size of a file that a compaction writes, in bytes: fjall's default.
const COMPACTED_FILE_BYTES: u64 = 64 << 20;

/// The largest size of the blocks that compactions have read and not freed, in bytes.
///
/// The index of a file that is being written refers to the last key of each block. A key that is stored completely,
/// such as that of a block with one cell, refers to the block from which it was read. Such a block stays in memory
/// until the file is complete.
pub(crate) fn held_by_compactions() -> u64 {
    COMPACTED_FILE_BYTES * WORKERS as u64
}

/// The total size of the memtables of all spaces.
pub(super) struct Pressure {
    pub bound_bytes: u64,
    /// The total size when it was last computed.
    counted_bytes: AtomicU64,
    /// Bytes written since then.
    uncounted_bytes: AtomicU64,
    /// All bytes written since the database was opened.
    pub written_bytes: AtomicU64,
    changes: Arc<VersionChanges>,
    sealing: Mutex<()>,
    compacting: Mutex<()>,
    fences: Arc<Fences>,
}

/// Counters of writes that waited.
#[derive(Default)]
pub(super) struct Waits {
    pub begun: AtomicU64,
    pub now: AtomicU64,
    pub given_up: AtomicU64,
    pub took_ns: AtomicU64,
}

/// The wait of one write, which is counted when it is dropped.
pub(super) struct Wait<'a> {
    waits: &'a Waits,
    began: Instant,
}

impl Waits {
    /// Begins a wait.
    pub fn begin(&self) -> Wait<'_> {
        self.begun.fetch_add(1, Ordering::Relaxed);
        self.now.fetch_add(1, Ordering::Relaxed);
        Wait { waits: self, began: Instant::now() }
    }
}

impl Wait<'_> {
    /// The time waited so far.
    pub fn elapsed(&self) -> Duration {
        self.began.elapsed()
    }

    /// Fails with `Busy` if the wait has taken too long.
    pub fn check(&self) -> Result<()> {
        if self.elapsed() <= WAIT_MAX {
            return Ok(());
        }
        self.waits.given_up.fetch_add(1, Ordering::Relaxed);
        Err(Error::new(
            ErrorKind::Busy,
            format!(
                "the disk has not kept up with writes for {} s; nothing was written by this call, try again later",
                WAIT_MAX.as_secs()
            ),
        ))
    }
}

impl Drop for Wait<'_> {
    fn drop(&mut self) {
        let took_ns = u64::try_from(self.began.elapsed().as_nanos()).unwrap_or(u64::MAX);
        self.waits.took_ns.fetch_add(took_ns, Ordering::Relaxed);
        self.waits.now.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Pressure {
    /// `bound_bytes` is the limit on the total size of memtables.
    pub fn new(bound_bytes: u64, fences: Arc<Fences>, changes: Arc<VersionChanges>) -> Self {
        Self {
            bound_bytes,
            counted_bytes: AtomicU64::new(0),
            uncounted_bytes: AtomicU64::new(0),
            written_bytes: AtomicU64::new(0),
            changes,
            sealing: Mutex::new(()),
            compacting: Mutex::new(()),
            fences,
        }
    }

    /// Flushes large memtables that recovery has filled. fjall would flush them only at later commits, which may have
    /// to wait for that.
    pub fn recovered(&self, spaces: &[Space]) {
        for space in spaces {
            if space.active_bytes() >= MEMTABLE_BYTES / 16 {
                self.seal_or_warn(space);
            }
        }
        self.write_largest(spaces);
    }

    /// Counts a commit that wrote `bytes` to the spaces `touched`, before another one begins: the caller must hold
    /// `committing`. `is_full`: whether any of their memtables is. Returns a wait for the writer.
    pub fn wrote(&self, touched: &[Space], bytes: u64, is_full: bool) -> Option<PacedWait> {
        self.written_bytes.fetch_add(bytes, Ordering::Relaxed);
        self.uncounted_bytes.fetch_add(bytes, Ordering::AcqRel);
        if is_full {
            self.changes.expect();
            self.fences.insert_in_full(touched);
        }
        let waits = touched.iter().filter_map(|space| space.reserve(bytes / touched.len() as u64));
        waits.reduce(PacedWait::or_longer)
    }

    /// If much has been written since the memtables were counted, counts them, and seals the largest if they exceed the
    /// bound. `all` returns all spaces.
    pub fn bound(&self, all: impl FnOnce() -> Vec<Space>) {
        if self.has_uncounted()
            && let Some(_sealing) = self.sealing.try_lock()
        {
            self.write_largest(&all());
        }
    }

    /// Whether the memtables have to be counted again because of the amount written since they were last counted.
    fn has_uncounted(&self) -> bool {
        self.uncounted_bytes.load(Ordering::Acquire) >= self.bound_bytes / 32
    }

    /// Whether no memtable is being flushed, or about to be, and no compaction is about to end. fjall syncs and
    /// replaces a large journal before a flush, and a list of files at the end of both, and no commit can proceed
    /// meanwhile.
    pub fn is_settled(&self) -> bool {
        // If much has been written, a commit that may wait has to count the memtables.
        !self.has_uncounted() && !self.changes.are_expected()
    }

    /// Seals a memtable, so that a worker flushes it. It gets a fence if the keyspace should have them.
    pub fn seal(&self, keyspace: &Keyspace) -> fjall::Result<()> {
        if !self.fences.are_wanted(keyspace) {
            return self.seal_as_it_is(keyspace);
        }
        let _committing = self.fences.committing.lock();
        self.fences.insert(keyspace);
        self.seal_as_it_is(keyspace)
    }

    /// Seals a memtable with the pairs that it has.
    pub fn seal_as_it_is(&self, keyspace: &Keyspace) -> fjall::Result<()> {
        // Before and after, so that no thread finds everything settled in between.
        self.changes.expect();
        let sealed = keyspace.rotate_memtable();
        self.changes.expect();
        sealed.map(|_| ())
    }

    /// Seals the memtable of a space. Returns whether that succeeded.
    fn seal_or_warn(&self, space: &Space) -> bool {
        let sealed = self.seal(&space.keyspace);
        sealed.inspect_err(|error| tracing::warn!(%error, "a memtable could not be sealed")).is_ok()
    }

    /// Whether a commit of `bytes` to the spaces `touched` may begin. `all` returns all spaces.
    pub fn admits(&self, touched: &[Space], bytes: u64, all: impl FnOnce() -> Vec<Space>) -> bool {
        if touched.iter().any(|space| space.is_crowded(bytes)) {
            return false;
        }
        if self.estimate() <= self.bound_bytes.saturating_mul(2) {
            return true;
        }
        let all = all();
        if self.count(&all) <= self.bound_bytes.saturating_mul(2) {
            return true;
        }
        // The total is too large, but each space has a share that other spaces cannot use up. The shares add up to the
        // bound.
        let share = self.bound_bytes / (all.len() as u64).max(16);
        touched.iter().all(|space| space.examine().all() <= share)
    }

    /// Reduces the pressure for a waiting write: requests flushes of the largest memtables.
    pub fn relieve(&self, touched: &[Space], all: &[Space]) {
        if let Some(_sealing) = self.sealing.try_lock() {
            self.write_largest(all);
            for space in touched.iter().filter(|space| space.is_full()) {
                self.seal_or_warn(space);
            }
        }
    }

    /// An upper bound of the total size of memtables, active and sealed ones.
    fn estimate(&self) -> u64 {
        self.counted_bytes.load(Ordering::Acquire).saturating_add(self.uncounted_bytes.load(Ordering::Acquire))
    }

    /// Computes the total size of memtables, in bytes.
    pub fn count(&self, spaces: &[Space]) -> u64 {
        let uncounted = self.uncounted_bytes.load(Ordering::Acquire);
        let counted = spaces.iter().map(|space| space.examine().all()).sum();
        self.counted_bytes.store(counted, Ordering::Release);
        // Bytes written in the meantime count twice until the next call. Concurrent calls may subtract the same bytes.
        let left = |now: u64| Some(now.saturating_sub(uncounted));
        let _ = self.uncounted_bytes.fetch_update(Ordering::AcqRel, Ordering::Acquire, left);
        counted
    }

    /// If the total size is above the bound, seals the largest memtables until the unsealed ones take half the bound.
    fn write_largest(&self, spaces: &[Space]) {
        if self.count(spaces) <= self.bound_bytes {
            return;
        }
        let mut sizes: Vec<(u64, &Space)> = spaces.iter().map(|space| (space.active_bytes(), space)).collect();
        let mut active: u64 = sizes.iter().map(|(size, _)| size).sum();
        if active <= self.bound_bytes {
            // The sealed memtables are being flushed already.
            return;
        }
        sizes.sort_by_key(|(size, _)| std::cmp::Reverse(*size));
        for (size, space) in sizes {
            if active <= self.bound_bytes / 2 || !self.seal_or_warn(space) {
                break;
            }
            active -= size;
        }
    }
}

impl Database {
    /// Compacts the spaces of a write that has waited for a while, if they have too many runs and no other thread
    /// compacts.
    pub fn compact_for_writes(&self, touched: &[Space], waited: Duration) {
        if waited < COMPACTION_PATIENCE || self.inner.active_compactions() > 0 {
            return;
        }
        let Some(_compacting) = self.pressure.compacting.try_lock() else { return };
        for space in touched.iter().filter(|space| space.has_many_runs()) {
            self.compact_first_level(space);
        }
    }

    fn compact_first_level(&self, space: &Space) {
        // The new files are in no list yet, and would be removed without it. It is refused if the database is being
        // closed or reopened.
        let Ok(_call) = self.begin_long_call() else { return };
        let watermark = self.inner.supervisor.snapshot_tracker.get_seqno_safe_to_gc();
        let compacted = requested_compaction::run(&space.keyspace, false, &Arc::default(), watermark, || {
            let strategy = Arc::new(fjall::compaction::Leveled::default());
            requested_compaction::step(|| Ok(space.keyspace.tree.compact(strategy, watermark)?))
        });
        if let Err(error) = compacted {
            tracing::warn!(%error, "a compaction for which writes are waiting failed");
        }
    }
}
