//! One space of an open database, and how much of it is in memory.

use std::collections::VecDeque;
use std::sync::Arc;

use fjall::{AbstractTree, Keyspace};
use parking_lot::Mutex;

use super::options::MEMTABLE_BYTES;

/// Sealed memtables at which writes of the space wait. fjall makes a commit wait at 4, without a bound and inside the commit.
const SEALED_MAX: usize = 3;

/// Runs of the first level at which writes of the space wait. fjall slows commits down at 20 and stops them at 30.
const FIRST_LEVEL_RUNS_MAX: usize = 18;

/// A space. Short-lived copies only: a handle keeps the database open.
#[derive(Clone)]
pub(super) struct Space {
    pub keyspace: Keyspace,
    memory: Arc<Mutex<Memory>>,
}

/// The memtables as they were seen last.
///
/// fjall does not tell the size of sealed memtables. But a memtable is sealed only if it has pairs, and pairs come from commits, each of which
/// looks here: between two looks at most one memtable is sealed, and its size is the one that was seen last.
struct Memory {
    active_id: u64,
    active_bytes: u64,
    /// Sizes of the sealed memtables, the oldest first.
    sealed_bytes: VecDeque<u64>,
}

impl Space {
    /// A space as it was opened. Recovery may have left memtables of both kinds.
    pub fn new(keyspace: Keyspace) -> Self {
        let active = keyspace.tree.active_memtable();
        let sealed_bytes = keyspace.tree.version_memtable_size_sum().saturating_sub(active.size());
        let count = keyspace.tree.sealed_memtable_count();
        // One entry for each memtable, of which the first has the bytes of all: they are written out together.
        let sealed_bytes = (0..count).map(|n| if n + 1 == count { sealed_bytes } else { 0 }).collect();
        let memory = Memory { active_id: active.id(), active_bytes: active.size(), sealed_bytes };
        Self { keyspace, memory: Arc::new(Mutex::new(memory)) }
    }

    /// Bytes in memory that are not in files yet.
    pub fn unwritten_bytes(&self) -> u64 {
        let mut memory = self.memory.lock();
        let active = self.keyspace.tree.active_memtable();
        if active.id() != memory.active_id {
            let sealed = memory.active_bytes;
            memory.sealed_bytes.push_back(sealed);
            memory.active_id = active.id();
        }
        memory.active_bytes = active.size();
        let sealed = self.keyspace.tree.sealed_memtable_count();
        while memory.sealed_bytes.len() > sealed {
            memory.sealed_bytes.pop_front();
        }
        memory.active_bytes + memory.sealed_bytes.iter().sum::<u64>()
    }

    /// Bytes of the memtable that takes writes.
    pub fn active_bytes(&self) -> u64 {
        self.keyspace.tree.active_memtable().size()
    }

    /// Whether a commit of `bytes` may find as many sealed memtables or runs of the first level as make fjall wait inside the commit. A memtable
    /// above the limit counts as sealed: fjall seals it as soon as a worker is free.
    pub fn is_crowded(&self, bytes: u64) -> bool {
        let active = self.active_bytes();
        let full = active > MEMTABLE_BYTES;
        let fills = if full { bytes > MEMTABLE_BYTES } else { active.saturating_add(bytes) > MEMTABLE_BYTES };
        let sealed = self.keyspace.tree.sealed_memtable_count();
        sealed >= SEALED_MAX
            || (sealed > 0 && sealed + usize::from(full) + usize::from(fills) > SEALED_MAX)
            || self.has_many_runs()
    }

    /// Whether only a compaction can make room.
    pub fn has_many_runs(&self) -> bool {
        self.keyspace.tree.l0_run_count() >= FIRST_LEVEL_RUNS_MAX
    }
}

/// Whether a major compaction, which keeps minor ones of its space waiting, should give way to writes.
pub(super) fn has_nearly_too_many_runs(keyspace: &Keyspace) -> bool {
    keyspace.tree.l0_run_count() >= FIRST_LEVEL_RUNS_MAX - 4
}
