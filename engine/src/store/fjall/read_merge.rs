//! Merging of files for reads.
//!
//! A read of a space merges its sorted runs: the memtables, those of the first level, and one of each further level.
//! fjall merges the first level when a flush finds at least four files there, and does nothing after the last flush, so
//! a load leaves many runs. They are merged here once reads have spent about as much work on them as merging them
//! takes. Reads therefore take at most about twice the work that they would take if the runs had been merged in time,
//! and a space that is not read costs nothing.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use fjall::compaction::Leveled;
use fjall::{AbstractTree, Keyspace};

use super::row_filters;
use super::space::Space;
use super::statistics::disk_free_bytes;

/// The bytes that a compaction reads and writes in the time in which a read searches one run, about 2 µs.
const BYTES_PER_RUN: u64 = 256;

/// The space on the disk that a merge for reads leaves to writes, in bytes: that of a journal.
const ROOM_BYTES: u64 = 64 << 20;

/// Number of compactions in a row. Each either merges the first level, or moves what is too much in a level to the
/// next one.
const STEPS_MAX: usize = 64;

/// What reads have spent on the runs of a space.
#[derive(Default)]
pub(super) struct RunReads {
    /// Ranges that have been opened since the last examination.
    opened: AtomicU64,
    /// The bytes that could have been merged during the searches of superfluous runs.
    spent_bytes: AtomicU64,
}

impl RunReads {
    /// Counts a range that is read.
    pub fn count(&self) {
        self.opened.fetch_add(1, Ordering::Relaxed);
    }

    /// Starts again from zero.
    pub fn reset(&self) {
        self.opened.store(0, Ordering::Relaxed);
        self.spent_bytes.store(0, Ordering::Relaxed);
    }
}

/// Whether reads have spent enough on the runs of a space for merging them. Has to be called at short intervals,
/// because it assumes that all reads since the last call met the runs that there are now.
pub(super) fn is_due(space: &Space) -> bool {
    row_filters::forget_replaced(space);
    let opened = space.run_reads.opened.swap(0, Ordering::Relaxed);
    if opened == 0 {
        return false;
    }
    let tree = &space.keyspace.tree;
    let (version, active) = (tree.current_version(), usize::from(space.active_bytes() > 0));
    let new_runs = version.l0().run_count() + tree.sealed_memtable_count() + active;
    let superfluous = new_runs.saturating_sub(1) as u64;
    let spent = opened.saturating_mul(superfluous).saturating_mul(BYTES_PER_RUN);
    let spent = space.run_reads.spent_bytes.fetch_add(spent, Ordering::Relaxed).saturating_add(spent);
    let memory = space.examine().all();
    let next = version.iter_levels().skip(1).find(|level| !level.is_empty()).map_or(0, |level| level.size());
    let merged = memory + version.l0().size() + next;
    superfluous > 0 && spent >= merged && has_room(&space.keyspace, 2 * merged)
}

/// Whether a disk has room for a compaction, and for as much again. A flush that fails would end writes, and reads must
/// not be the reason for that.
fn has_room(keyspace: &Keyspace, bytes: u64) -> bool {
    disk_free_bytes(keyspace.path()).is_none_or(|free| free >= bytes.saturating_add(ROOM_BYTES))
}

/// Merges the first level of a keyspace, and moves what is too much in a level to the next one, until that leaves the
/// files as they are. `compact` runs one step.
pub(super) fn merge(
    keyspace: &Keyspace,
    mut compact: impl FnMut(Arc<Leveled>) -> fjall::Result<()>,
) -> fjall::Result<()> {
    for _ in 0..STEPS_MAX {
        let before = keyspace.tree.current_version().id();
        compact(Arc::new(strategy()))?;
        if keyspace.tree.current_version().id() == before {
            break;
        }
    }
    Ok(())
}

/// fjall's strategy, which merges two files of the first level instead of four. The second level then gets half the
/// size; the factor makes the sizes of the others those of fjall's default, so that its own compactions leave them.
fn strategy() -> Leveled {
    Leveled::default().with_l0_threshold(2).with_level_ratio_policy(vec![20.0, 10.0])
}
