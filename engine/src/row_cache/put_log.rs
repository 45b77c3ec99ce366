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

    /// Removes and returns all cells.
    pub(super) fn take(&mut self) -> Vec<(SpaceId, Pair)> {
        let mut rest = Bytes::from(std::mem::take(&mut self.bytes));
        let mut puts = Vec::with_capacity(std::mem::take(&mut self.puts));
        while let Some((space, lengths)) = rest.split_first_chunk::<8>() {
            let space = SpaceId::from_le_bytes(*space);
            let length = |at: usize| {
                let length = lengths.get(4 * at..)?.first_chunk::<4>()?;
                usize::try_from(u32::from_le_bytes(*length)).ok()
            };
            let (Some(key), Some(value)) = (length(0), length(1)) else { break };
            let _ = rest.split_to(HEAD);
            puts.push((space, (rest.split_to(key), rest.split_to(value))));
        }
        puts
    }
}
