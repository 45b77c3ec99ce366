//! Hash tables whose keys contain their hash.

use std::hash::{BuildHasherDefault, Hasher};

/// The state of hash tables whose keys pass their own hash to [`Hasher::write_u64`]. That hash must be keyed, because
/// clients choose the rows.
pub(crate) type BuildPrehashed = BuildHasherDefault<Prehashed>;

/// The hasher of such a table.
#[derive(Default)]
pub(crate) struct Prehashed(u64);

impl Hasher for Prehashed {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(*byte);
        }
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }
}
