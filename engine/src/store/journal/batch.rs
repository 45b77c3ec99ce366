//! The format of fjall's journals.
//!
//! ```text
//! batch   start, items, end
//! start   1, number of items (u32), sequence number (u64)
//! item    2, kind (u8), compression (u8), keyspace (u64), length of the key (u16), of the value (u32), of the stored
//!         value (u32); key; stored value
//! clear   4, keyspace (u64); counts as an item
//! end     3, xxh3 of the items (u64), "FJL", 3
//! ```
//! fjall writes no batch without items, and reads such a batch. A repair writes one in place of a journal that is lost.
//!
//! Numbers are little-endian. The start is not covered by the checksum: a wrong number of items is noticed when the
//! items are read, and a wrong sequence number only if it is not between those of the neighbouring batches.

use xxhash_rust::xxh3::Xxh3;

const START: u8 = 1;
const ITEM: u8 = 2;
const END: u8 = 3;
const CLEAR: u8 = 4;

/// The last bytes of a batch.
const TRAILER: &[u8] = b"FJL\x03";

const START_BYTES: usize = 1 + 4 + 8;
const ITEM_HEADER_BYTES: usize = 1 + 1 + 1 + 8 + 2 + 4 + 4;
const CLEAR_BYTES: usize = 1 + 8;

/// The length of the end of a batch.
pub(super) const END_BYTES: usize = 1 + 8 + TRAILER.len();

/// The position of the sequence number in a batch.
pub(super) const SEQUENCE_AT: usize = 1 + 4;

/// fjall's largest sequence number.
const SEQUENCE_MAX: u64 = (1 << 63) - 1;

/// Computes checksums of batches, and counts the work.
#[derive(Default)]
pub(super) struct Checksum {
    hasher: Xxh3,
    /// The bytes of all checksums so far.
    pub hashed: usize,
}

impl Checksum {
    fn update(&mut self, bytes: &[u8]) {
        self.hasher.update(bytes);
        self.hashed += bytes.len();
    }
}

/// The kind of the bytes at the expected position of a batch.
pub(super) enum Decoded {
    /// A batch that fjall can read.
    Batch { sequence: u64, bytes: usize },
    /// A batch without items. fjall does not use its sequence number.
    Empty { bytes: usize },
    /// The beginning of a batch.
    Incomplete,
    /// Not a batch.
    Invalid(Invalid),
}

/// The reason why bytes are not a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Invalid {
    /// The reason, as the end of a sentence about the batch.
    pub reason: &'static str,
    /// The length of the batch, if everything before its end could be read.
    pub bytes: Option<usize>,
}

/// Reads a batch from the beginning of `bytes`.
pub(super) fn decode(bytes: &[u8], checksum: &mut Checksum) -> Decoded {
    let invalid = |reason| Decoded::Invalid(Invalid { reason, bytes: None });
    match bytes.first() {
        None => return Decoded::Incomplete,
        Some(&START) => {}
        Some(_) => return invalid("does not begin with a start marker"),
    }
    let (Some(items), Some(sequence)) = (u32_at(bytes, 1), u64_at(bytes, SEQUENCE_AT)) else {
        return Decoded::Incomplete;
    };
    if items == 0 && !matches!(bytes.get(START_BYTES), None | Some(&END)) {
        return invalid("has no items");
    }
    if sequence > SEQUENCE_MAX {
        return invalid("has an invalid sequence number");
    }
    checksum.hasher.reset();
    let mut at = START_BYTES;
    for _ in 0..items {
        let length = match bytes.get(at) {
            None => return Decoded::Incomplete,
            Some(&ITEM) => match item_bytes(&bytes[at..]) {
                Ok(Some(length)) => length,
                Ok(None) => return Decoded::Incomplete,
                Err(reason) => return invalid(reason),
            },
            Some(&CLEAR) => CLEAR_BYTES,
            Some(&END) => return invalid("has fewer items than its start marker says"),
            Some(_) => return invalid("has an item of unknown kind"),
        };
        let Some(item) = bytes.get(at..at + length) else { return Decoded::Incomplete };
        checksum.update(item);
        at += length;
    }
    let Some(end) = bytes.get(at..at + END_BYTES) else { return Decoded::Incomplete };
    let length = at + END_BYTES;
    let invalid = |reason| Decoded::Invalid(Invalid { reason, bytes: Some(length) });
    if (end[0] == ITEM || end[0] == CLEAR) && end[1 + 8..] != *TRAILER {
        return Decoded::Invalid(Invalid { reason: "has more items than its start marker says", bytes: None });
    }
    if end[0] != END {
        return invalid("does not end with an end marker");
    }
    if end[1 + 8..] != *TRAILER {
        return invalid("does not end with the trailer");
    }
    if u64_at(end, 1) != Some(checksum.hasher.digest()) {
        return invalid("does not match its checksum");
    }
    if items == 0 { Decoded::Empty { bytes: length } } else { Decoded::Batch { sequence, bytes: length } }
}

/// Whether these bytes end like a batch.
pub(super) fn ends_a_batch(bytes: &[u8]) -> bool {
    bytes.last_chunk().is_some_and(|end| checksum_of_end(end).is_some())
}

/// The checksum in the end of a batch; `None` if the bytes are not one.
pub(super) fn checksum_of_end(end: &[u8; END_BYTES]) -> Option<u64> {
    if end[0] == END && end.ends_with(TRAILER) { u64_at(end, 1) } else { None }
}

/// A batch without items, which changes nothing.
pub(super) fn without_items() -> Vec<u8> {
    let mut batch = vec![START];
    batch.extend(0_u32.to_le_bytes());
    batch.extend(0_u64.to_le_bytes());
    batch.push(END);
    batch.extend(Xxh3::new().digest().to_le_bytes());
    batch.extend(TRAILER);
    batch
}

/// Whether a batch may begin here, from the first bytes. Cheap, to try many positions.
pub(super) fn may_begin(bytes: &[u8]) -> bool {
    bytes.first() == Some(&START) && matches!(bytes.get(START_BYTES), Some(&(ITEM | CLEAR)))
}

/// The length of the item at the beginning of `bytes`; `None` if its header is incomplete.
fn item_bytes(bytes: &[u8]) -> Result<Option<usize>, &'static str> {
    let (Some(key), Some(value), Some(stored)) = (u16_at(bytes, 11), u32_at(bytes, 13), u32_at(bytes, 17)) else {
        return Ok(None);
    };
    let (kind, compression) = (bytes[1], bytes[2]);
    match (kind, compression) {
        (0..=2 | 4, 0) if value == stored => {}
        (0..=2 | 4, 1) => {}
        (0..=2 | 4, 0) => return Err("has an item with two different lengths"),
        (0..=2 | 4, _) => return Err("has an item with an unknown compression"),
        _ => return Err("has an item of unknown kind"),
    }
    Ok(Some(ITEM_HEADER_BYTES + usize::from(key) + stored as usize))
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}
