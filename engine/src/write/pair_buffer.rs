//! Memory for the keys and values of puts.
//!
//! A pair has one allocation, or shares a larger one with other pairs of its transaction and its space. Allocations of
//! their own would take more time than the rest of the encoding, for writes and again for flushes, which clone every
//! key and value.

use bytes::{Bytes, BytesMut};

use crate::cell::CellKind;
use crate::key;
use crate::store::SpaceId;
use crate::value;

/// The size of an allocation that pairs share, in bytes. A pair that is referred to keeps all of it in memory, as a
/// value that was read from a file keeps its block.
const CHUNK_BYTES: usize = 16 << 10;
/// A longer pair has an allocation of its own, so that little of the shared ones remains unused.
const SHARED_MAX: usize = CHUNK_BYTES / 8;

/// A put of a cell, without its row.
pub(super) struct NewCell<'a> {
    /// The space of the family.
    pub space: SpaceId,
    /// The qualifier.
    pub qualifier: &'a [u8],
    /// The timestamp, in milliseconds since 1970.
    pub timestamp: i64,
    /// The cell's own TTL, in milliseconds.
    pub ttl_ms: Option<i64>,
    /// The position in the write order, in families that need it.
    pub sequence: Option<u64>,
    /// The caller's bytes.
    pub value: &'a [u8],
}

/// Encodes pairs.
pub(crate) struct PairBuffer {
    chunk: BytesMut,
    /// The space whose pairs share the chunks. Pairs of another one would keep them in memory after they have been
    /// flushed, because each space has its own memtable.
    space: Option<SpaceId>,
    /// The bytes of the pairs that are expected.
    expected: usize,
    /// The prefix of the current row, and the rest of a pair that is being encoded.
    scratch: Vec<u8>,
    row_prefix: usize,
    /// Whether the row has the only pair.
    is_single: bool,
}

impl PairBuffer {
    /// A buffer for pairs that take about this number of bytes together.
    pub(super) fn for_bytes(expected: usize) -> Self {
        Self { chunk: BytesMut::new(), space: None, expected, scratch: Vec::new(), row_prefix: 0, is_single: false }
    }

    /// Begins a row of this number of pairs, which take about this number of bytes together.
    pub(super) fn begin_row(&mut self, row: &[u8], pairs: usize, bytes: usize) {
        self.is_single = pairs == 1 && self.expected == 0;
        self.expected = self.expected.max(bytes);
        self.scratch.clear();
        self.scratch.reserve_exact(if self.is_single { bytes } else { bytes.min(SHARED_MAX) });
        key::put_row_prefix(&mut self.scratch, row);
        self.row_prefix = self.scratch.len();
    }

    /// Encodes the key and the value of a put to the current row.
    pub(super) fn pair(&mut self, new: &NewCell<'_>) -> (Bytes, Bytes) {
        let NewCell { space, qualifier, timestamp, ttl_ms, sequence, value } = *new;
        let Self { chunk, space: shared, expected, scratch, row_prefix, is_single } = self;
        scratch.truncate(*row_prefix);
        key::put_rest(scratch, qualifier, timestamp, CellKind::Put);
        let key_len = scratch.len();
        let len = key_len + value::encoded_len(ttl_ms, sequence, value);
        let left = expected.saturating_sub(len);
        let mut pair: Bytes = if *is_single {
            value::put(scratch, ttl_ms, sequence, value);
            std::mem::take(scratch).into()
        } else if len > SHARED_MAX || *shared.get_or_insert(space) != space {
            let mut own = Vec::with_capacity(len);
            own.extend_from_slice(scratch);
            value::put(&mut own, ttl_ms, sequence, value);
            own.into()
        } else {
            if chunk.capacity() < len {
                *chunk = BytesMut::with_capacity(len.max((*expected).min(CHUNK_BYTES)));
            }
            value::put(scratch, ttl_ms, sequence, value);
            chunk.extend_from_slice(scratch);
            chunk.split().freeze()
        };
        *expected = left;
        (pair.split_to(key_len), pair)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::key::cell_key;

    fn cell<'a>(space: SpaceId, qualifier: &'a [u8], value: &'static [u8]) -> NewCell<'a> {
        NewCell { space, qualifier, timestamp: 7, ttl_ms: None, sequence: None, value }
    }

    /// Where the pairs of this buffer are in memory, and whether they have the layout of keys and values.
    fn pairs(mut buffer: PairBuffer, rows: &[&str], cells: &[NewCell<'_>]) -> Vec<(Bytes, Bytes)> {
        let mut pairs = Vec::new();
        for row in rows {
            buffer.begin_row(row.as_bytes(), cells.len(), cells.iter().map(|cell| 64 + cell.value.len()).sum());
            for new in cells {
                let (key, value) = buffer.pair(new);
                assert_eq!(key, cell_key(row.as_bytes(), new.qualifier, new.timestamp, CellKind::Put).unwrap());
                assert_eq!(value, value::encode(new.ttl_ms, new.sequence, new.value));
                pairs.push((key, value));
            }
        }
        pairs
    }

    #[test]
    fn pairs_are_encoded_as_single_keys_and_values_are() {
        static LONG: [u8; 3 * SHARED_MAX] = [b'v'; 3 * SHARED_MAX];
        let long_row = "r".repeat(3_000);
        let rows = ["", "row", "12345678", &long_row, "row"];
        let with_all = NewCell { ttl_ms: Some(5), sequence: Some(9), ..cell(1, b"all", b"v") };
        let cells =
            [cell(1, b"", b""), cell(1, b"q", b"value"), cell(2, b"q", b"value"), cell(1, b"q", &LONG), with_all];
        for expected in [0, 100, 10 * CHUNK_BYTES] {
            pairs(PairBuffer::for_bytes(expected), &rows, &cells);
            for one in &cells {
                pairs(PairBuffer::for_bytes(expected), &rows, std::slice::from_ref(one));
            }
        }
    }

    #[test]
    fn pairs_of_one_space_share_memory_and_those_of_another_do_not() {
        let all = pairs(PairBuffer::for_bytes(10_000), &["a", "b"], &[cell(1, b"q", b"v"), cell(2, b"q", b"v")]);
        let next = |a: &(Bytes, Bytes), b: &(Bytes, Bytes)| a.1.as_ptr_range().end == b.0.as_ptr();
        assert!(next(&all[0], &all[2]));
        assert!(!next(&all[0], &all[1]) && !next(&all[1], &all[2]) && !next(&all[1], &all[3]));
    }
}
