//! Back-pressure: a write waits for the disk before it takes rows, never inside a commit, and only for the spaces that it writes to.
//!
//! fjall makes a commit wait inside, without a bound and with the write already visible, when a space has four memtables to be written out or
//! twenty runs in its first level, and waits on even if the thread that should end the wait has failed. Here a commit is not begun then: the
//! transaction gives its rows back, waits, and begins again.
//! The memory of all spaces together, which fjall does not bound, is counted after every few MiB written; the largest are written out.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use fjall::{AbstractTree, Database};
use parking_lot::Mutex;

use super::options::MEMTABLE_BYTES;
use super::requested_compaction;
use super::space::Space;
use crate::error::{Error, ErrorKind, Result};

/// How long a write waits for the disk to catch up.
const WAIT_MAX: Duration = Duration::from_secs(30);

/// How often a waiting write looks.
pub(super) const WAIT_STEP: Duration = Duration::from_millis(2);

/// After this time a write that waits for a compaction runs it by itself: fjall forgets requests when its queue is full.
const COMPACTION_PATIENCE: Duration = Duration::from_millis(500);

/// The memory of all spaces that is not in files yet.
pub(super) struct Pressure {
    pub bound_bytes: u64,
    /// All of it when it was counted last.
    counted_bytes: AtomicU64,
    /// Written since.
    uncounted_bytes: AtomicU64,
    sealing: Mutex<()>,
    compacting: Mutex<()>,
}

/// How often and how long writes waited for the disk.
#[derive(Default)]
pub(super) struct Waits {
    pub begun: AtomicU64,
    pub now: AtomicU64,
    pub given_up: AtomicU64,
    pub took_ns: AtomicU64,
}

/// One write's wait, counted at its end however it ends.
pub(super) struct Wait<'a> {
    waits: &'a Waits,
    began: Instant,
}

impl Waits {
    /// A wait that begins now.
    pub fn begin(&self) -> Wait<'_> {
        self.begun.fetch_add(1, Ordering::Relaxed);
        self.now.fetch_add(1, Ordering::Relaxed);
        Wait { waits: self, began: Instant::now() }
    }
}

impl Wait<'_> {
    /// How long it has taken so far.
    pub fn elapsed(&self) -> Duration {
        self.began.elapsed()
    }

    /// `Busy` once it has taken too long.
    pub fn check(&self) -> Result<()> {
        if self.elapsed() <= WAIT_MAX {
            return Ok(());
        }
        self.waits.given_up.fetch_add(1, Ordering::Relaxed);
        Err(Error::new(
            ErrorKind::Busy,
            format!("the disk has not caught up with writing for {} s; try again later", WAIT_MAX.as_secs()),
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
    /// With this bound over all memtables.
    pub fn new(bound_bytes: u64) -> Self {
        Self {
            bound_bytes,
            counted_bytes: AtomicU64::new(0),
            uncounted_bytes: AtomicU64::new(0),
            sealing: Mutex::new(()),
            compacting: Mutex::new(()),
        }
    }

    /// Writes out what recovery left in memory: only later commits would do so, and they may have to wait for it.
    pub fn recovered(&self, spaces: &[Space]) {
        for space in spaces {
            if space.active_bytes() >= MEMTABLE_BYTES / 16 {
                seal(space);
            }
        }
        self.write_largest(spaces);
    }

    /// Takes note of a commit that wrote `bytes` to the spaces `touched`; `all` lists every space.
    pub fn wrote(&self, touched: &[Space], bytes: u64, all: impl FnOnce() -> Vec<Space>) {
        for space in touched {
            space.unwritten_bytes();
        }
        if self.uncounted_bytes.fetch_add(bytes, Ordering::AcqRel) + bytes >= self.bound_bytes / 32
            && let Some(_sealing) = self.sealing.try_lock()
        {
            self.write_largest(&all());
        }
    }

    /// Whether a commit of `bytes` to each of these spaces may go on.
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
        // There is too much in memory, but not of these: each space has a share that the others cannot take from it. All shares together are as
        // much as the bound.
        let share = self.bound_bytes / (all.len() as u64).max(16);
        touched.iter().all(|space| space.unwritten_bytes() <= share)
    }

    /// Relieves these spaces on behalf of a waiting write: requests flushes of the largest memtables, and compacts a space that no
    /// other thread compacts.
    pub fn relieve(&self, database: &Database, touched: &[Space], all: &[Space], waited: Duration) {
        if let Some(_sealing) = self.sealing.try_lock() {
            self.write_largest(all);
            for space in touched.iter().filter(|space| space.active_bytes() > MEMTABLE_BYTES) {
                seal(space);
            }
        }
        if waited < COMPACTION_PATIENCE || database.active_compactions() > 0 {
            return;
        }
        let Some(_compacting) = self.compacting.try_lock() else { return };
        for space in touched.iter().filter(|space| space.has_many_runs()) {
            let watermark = database.supervisor.snapshot_tracker.get_seqno_safe_to_gc();
            let compacted = requested_compaction::run(&space.keyspace, false, &Arc::default(), || {
                let strategy = Arc::new(fjall::compaction::Leveled::default());
                Ok(space.keyspace.tree.compact(strategy, watermark)?)
            });
            if let Err(error) = compacted {
                tracing::warn!(%error, "compacting a space whose writes wait for it failed");
            }
        }
    }

    /// What is in memory and not in files yet, sealed or not; at most, since it was counted last.
    fn estimate(&self) -> u64 {
        self.counted_bytes.load(Ordering::Acquire).saturating_add(self.uncounted_bytes.load(Ordering::Acquire))
    }

    /// Counts what is in memory and not in files yet.
    pub fn count(&self, spaces: &[Space]) -> u64 {
        let uncounted = self.uncounted_bytes.load(Ordering::Acquire);
        let counted = spaces.iter().map(Space::unwritten_bytes).sum();
        self.counted_bytes.store(counted, Ordering::Release);
        // What is written meanwhile counts twice until the next time. Two who count at once may take the same bytes off.
        let left = |now: u64| Some(now.saturating_sub(uncounted));
        let _ = self.uncounted_bytes.fetch_update(Ordering::AcqRel, Ordering::Acquire, left);
        counted
    }

    /// With the memory of all spaces above the bound, seals the largest until half the bound is left unsealed.
    fn write_largest(&self, spaces: &[Space]) {
        if self.count(spaces) <= self.bound_bytes {
            return;
        }
        let mut sizes: Vec<(u64, &Space)> = spaces.iter().map(|space| (space.active_bytes(), space)).collect();
        let mut active: u64 = sizes.iter().map(|(size, _)| size).sum();
        if active <= self.bound_bytes {
            // The rest is being written already.
            return;
        }
        sizes.sort_by_key(|(size, _)| std::cmp::Reverse(*size));
        for (size, space) in sizes {
            if active <= self.bound_bytes / 2 || !seal(space) {
                break;
            }
            active -= size;
        }
    }
}

/// Seals a space's memtable, so that a worker writes it to a file.
fn seal(space: &Space) -> bool {
    space
        .keyspace
        .rotate_memtable()
        .inspect_err(|error| tracing::warn!(%error, "the memory of a space could not be sealed for writing it out"))
        .is_ok()
}
