//! A cache of which spaces have tombstones. Reads of spaces without tombstones do not need an upper bound.
//!
//! An upper bound costs a second search in every file: an index block, a data block and the decoding of its last
//! restart interval. Without it, a read ends at the first key past its range. fjall skips any number of tombstones on
//! the way to that key, so the bound is omitted only in spaces whose files have none. Compactions leave a tombstone
//! where they drop a cell, until the files below have been compacted too.

use std::sync::atomic::{AtomicU64, Ordering};

use fjall::{AbstractTree, Keyspace};

use crate::store::SpaceId;

/// The number of entries of the cache.
const ENTRIES: usize = 256;

/// The last known answers. An outdated answer affects speed only.
pub(super) struct Tombstones {
    /// The space (31 bits), the version of its files (32 bits), and whether they have tombstones (1 bit).
    entries: [AtomicU64; ENTRIES],
}

impl Default for Tombstones {
    fn default() -> Self {
        Self { entries: [const { AtomicU64::new(0) }; ENTRIES] }
    }
}

impl Tombstones {
    /// Whether the files of a space have tombstones. Counts them once for each version of the files. Must not be called
    /// for the space of the catalog, whose number stands for an empty entry.
    pub fn are_in(&self, space: SpaceId, keyspace: &Keyspace) -> bool {
        let version = keyspace.tree.current_version().id();
        let state = (space << 33) | ((version & 0xffff_ffff) << 1);
        let entry = &self.entries[usize::try_from(space).unwrap_or(0) % ENTRIES];
        let known = entry.load(Ordering::Relaxed);
        if known & !1 == state {
            return known & 1 == 1;
        }
        let has_tombstones = keyspace.tree.tombstone_count() > 0;
        entry.store(state | u64::from(has_tombstones), Ordering::Relaxed);
        has_tombstones
    }
}
