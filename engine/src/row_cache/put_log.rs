//! The puts of a cached row that have not been merged into it.

use bytes::Bytes;

use super::row::allocated;
use crate::store::{Pair, SpaceId};

/// The number of bytes before the key of each put.
const HEAD: usize = size_of::<SpaceId>() + 2 * size_of::<u32>();

/// Cells that were put, in the order of their writes, in one allocation. Each is the number of its space (8 bytes), the
/// lengths of key and value (4 bytes each), key and value.
#[derive(Default)]
pub(super) struct PutLog {
    bytes: Vec<u8>,
    puts: usize,
}

impl PutLog {
    /// Adds a cell.
    pub(super) fn add(&mut self, space: SpaceId, key: &[u8], value: &[u8]) {
        self.bytes.reserve(HEAD + key.len() + value.len());
        self.bytes.extend_from_slice(&space.to_le_bytes());
        // Stores accept no longer keys and values.
        for part in [key, value] {
            self.bytes.extend_from_slice(&u32::try_from(part.len()).unwrap_or(u32::MAX).to_le_bytes());
        }
        self.bytes.extend_from_slice(key);
        self.bytes.extend_from_slice(value);
        self.puts += 1;
    }

    /// Adds the cells of later writes.
    pub(super) fn append(&mut self, later: Self) {
        if self.is_empty() {
            *self = later;
            return;
        }
        self.bytes.extend_from_slice(&later.bytes);
        self.puts += later.puts;
    }

    pub(super) fn is_empty(&self) -> bool {
        self.puts == 0
    }

    /// The number of cells.
    pub(super) fn puts(&self) -> usize {
        self.puts
    }

    /// The memory that the log takes in addition to its own size, in bytes.
    pub(super) fn bytes(&self) -> usize {
        allocated(self.bytes.capacity())
    }

    /// The cells: their spaces, keys and values.
    pub(super) fn iter(&self) -> impl Iterator<Item = (SpaceId, &[u8], &[u8])> {
        let mut rest = &self.bytes[..];
        std::iter::from_fn(move || {
            let (head, cell) = rest.split_first_chunk::<HEAD>()?;
            let [s0, s1, s2, s3, s4, s5, s6, s7, k0, k1, k2, k3, v0, v1, v2, v3] = *head;
            let length = |bytes| u32::from_le_bytes(bytes) as usize;
            let (key, cell) = cell.split_at_checked(length([k0, k1, k2, k3]))?;
            let (value, others) = cell.split_at_checked(length([v0, v1, v2, v3]))?;
            rest = others;
            Some((SpaceId::from_le_bytes([s0, s1, s2, s3, s4, s5, s6, s7]), key, value))
        })
    }

    /// The cells as the store returns them, in one allocation.
    pub(super) fn to_pairs(&self) -> Vec<(SpaceId, Pair)> {
        let mut rest = Bytes::copy_from_slice(&self.bytes);
        let mut pairs = Vec::with_capacity(self.puts);
        for (space, key, value) in self.iter() {
            let _ = rest.split_to(HEAD);
            pairs.push((space, (rest.split_to(key.len()), rest.split_to(value.len()))));
        }
        pairs
    }
}
