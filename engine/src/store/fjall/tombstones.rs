//! Which spaces have tombstones, so that reads of a few pairs can do without an upper bound.
//!
//! An upper bound costs a second search in every file: an index block, a data block and the decoding of its last
//! restart interval. Without it a read ends at the first key past its range instead. fjall skips tombstones on the way
//! to that key, however many there are, so this is only done in a space whose files have none. Compactions leave them
//! where they drop cells, until the files below have been compacted too.

use std::sync::atomic::{AtomicU64, Ordering};

use fjall::{AbstractTree, Keyspace};

use crate::store::SpaceId;

const SLOTS: usize = 256;

/// The last answers by space. An outdated answer costs time, never correctness.
pub(super) struct Tombstones {
    /// Space (31 bits), version of its files (32 bits), whether they have tombstones (1 bit).
    slots: [AtomicU64; SLOTS],
}

impl Default for Tombstones {
    fn default() -> Self {
        Self { slots: [const { AtomicU64::new(0) }; SLOTS] }
    }
}

impl Tombstones {
    /// Whether the files of a space have tombstones. Counts them once for each version of the files. Not for the
    /// catalog's space, whose number stands for an empty slot.
    pub fn are_in(&self, space: SpaceId, keyspace: &Keyspace) -> bool {
        let version = keyspace.tree.current_version().id();
        let state = (space << 33) | ((version & 0xffff_ffff) << 1);
        let slot = &self.slots[usize::try_from(space).unwrap_or(0) % SLOTS];
        let known = slot.load(Ordering::Relaxed);
        if known & !1 == state {
            return known & 1 == 1;
        }
        let found = keyspace.tree.tombstone_count() > 0;
        slot.store(state | u64::from(found), Ordering::Relaxed);
        found
    }
}
