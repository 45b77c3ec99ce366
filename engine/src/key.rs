//! Keys of cells inside a space: the only file that knows their layout (drawn in docs/data-model.md).
//!
//! ```text
//! group(row)  section  [group(qualifier)]  !timestamp (8)  !kind (1)
//!             0: family markers, no qualifier
//!             1: cells and markers of columns
//! ```
//! Byte order of keys is HBase's order of cells, except that family markers of a row come before all its columns: a column read need
//! not walk them. `group` cuts bytes into groups of 8, fills the last one with zeros and puts behind each group how many of its bytes count,
//! 9 if more follow: so no encoded text is the beginning of another, order is kept, and growth is bounded by 9/8 plus one group.

use bytes::{BufMut, Bytes, BytesMut};

use crate::cell::CellKind;
use crate::error::{Error, ErrorKind, Result};

/// The longest key a store takes, in bytes.
pub const KEY_LENGTH_MAX: usize = 65_535;

const GROUP: usize = 8;
const MORE: u8 = 9;
const SECTION_FAMILY: u8 = 0;
const SECTION_COLUMN: u8 = 1;
const SUFFIX: usize = 9;

fn group_len(n: usize) -> usize {
    (n / GROUP + 1) * (GROUP + 1)
}

fn put_group(out: &mut BytesMut, bytes: &[u8]) {
    let mut rest = bytes;
    while rest.len() >= GROUP {
        let (head, tail) = rest.split_at(GROUP);
        out.put_slice(head);
        // A full last group is followed by an empty one, so that MORE always means more.
        out.put_u8(MORE);
        rest = tail;
    }
    out.put_slice(rest);
    out.put_bytes(0, GROUP - rest.len());
    out.put_u8(rest.len() as u8);
}

/// Length of the encoded text at the head of `key`, or `None` if it is cut short.
fn group_end(key: &[u8]) -> Option<usize> {
    let mut at = 0;
    loop {
        let marker = *key.get(at + GROUP)?;
        at += GROUP + 1;
        if marker != MORE {
            return Some(at);
        }
    }
}

fn take_group(encoded: &[u8]) -> Bytes {
    let mut out = Vec::with_capacity(encoded.len());
    for group in encoded.chunks_exact(GROUP + 1) {
        let n = usize::from(group[GROUP]).min(GROUP);
        out.extend_from_slice(&group[..n]);
    }
    out.into()
}

/// The beginning that all keys of a row share and no other key has.
pub fn row_prefix(row: &[u8]) -> Bytes {
    let mut out = BytesMut::with_capacity(group_len(row.len()));
    put_group(&mut out, row);
    out.freeze()
}

/// The first key behind all keys of the row with this prefix.
pub fn row_end(row_prefix: &[u8]) -> Bytes {
    let mut out = BytesMut::with_capacity(row_prefix.len() + 1);
    out.put_slice(row_prefix);
    out.put_u8(SECTION_COLUMN + 1);
    out.freeze()
}

/// The first key of the columns of the row with this prefix: family markers end here.
pub fn columns_start(row_prefix: &[u8]) -> Bytes {
    let mut out = BytesMut::with_capacity(row_prefix.len() + 1);
    out.put_slice(row_prefix);
    out.put_u8(SECTION_COLUMN);
    out.freeze()
}

/// The beginning that all keys of a column share and no other key has.
pub fn column_prefix(row_prefix: &[u8], qualifier: &[u8]) -> Bytes {
    let mut out = BytesMut::with_capacity(row_prefix.len() + 1 + group_len(qualifier.len()) + SUFFIX);
    out.put_slice(row_prefix);
    out.put_u8(SECTION_COLUMN);
    put_group(&mut out, qualifier);
    out.freeze()
}

/// The first key behind all keys of the column with this prefix.
pub fn column_end(column_prefix: &[u8]) -> Bytes {
    let mut out = BytesMut::with_capacity(column_prefix.len() + SUFFIX + 1);
    out.put_slice(column_prefix);
    // Timestamps are never negative, so the first byte of an inverted one is at least 0x80; 0xFF ×9 is kind 0 at time 0: no cell.
    out.put_bytes(0xFF, SUFFIX);
    out.freeze()
}

/// The first key in the column with this prefix whose timestamp is at most `timestamp`.
pub fn column_at(column_prefix: &[u8], timestamp: i64) -> Bytes {
    let mut out = BytesMut::with_capacity(column_prefix.len() + SUFFIX);
    out.put_slice(column_prefix);
    out.put_u64(!(timestamp as u64));
    out.freeze()
}

/// The key of a cell. `qualifier` does not count for family markers.
///
/// # Errors
/// `InvalidArgument` if row and qualifier together are too long: every row takes qualifiers of at least 24 KiB.
pub fn cell_key(row: &[u8], qualifier: &[u8], timestamp: i64, kind: CellKind) -> Result<Bytes> {
    let family = kind.is_family_marker();
    let len = group_len(row.len()) + 1 + if family { 0 } else { group_len(qualifier.len()) } + SUFFIX;
    if len > KEY_LENGTH_MAX {
        return Err(Error::new(
            ErrorKind::InvalidArgument,
            format!(
                "row of {} bytes and qualifier of {} bytes are too long together: their key would take {len} bytes, at most {KEY_LENGTH_MAX} are allowed",
                row.len(),
                qualifier.len()
            ),
        ));
    }
    let mut out = BytesMut::with_capacity(len);
    put_group(&mut out, row);
    if family {
        out.put_u8(SECTION_FAMILY);
    } else {
        out.put_u8(SECTION_COLUMN);
        put_group(&mut out, qualifier);
    }
    out.put_u64(!(timestamp as u64));
    out.put_u8(!kind.code());
    Ok(out.freeze())
}

/// A key taken apart; offsets into the key, nothing is copied until asked for.
#[derive(Debug, Clone)]
pub struct CellKey {
    key: Bytes,
    row_end: usize,
    /// Milliseconds since 1970.
    pub timestamp: i64,
    /// What the cell is.
    pub kind: CellKind,
}

impl CellKey {
    /// Takes a key apart.
    ///
    /// # Errors
    /// `Corrupt` if it is none of ours.
    pub fn parse(key: Bytes) -> Result<Self> {
        Self::parts(&key).map(|(row_end, timestamp, kind)| Self { key: key.clone(), row_end, timestamp, kind }).ok_or_else(|| {
            Error::new(ErrorKind::Corrupt, format!("a stored key of {} bytes is not a cell's: the data folder is damaged", key.len()))
        })
    }

    fn parts(key: &[u8]) -> Option<(usize, i64, CellKind)> {
        let row_end = group_end(key)?;
        let section = *key.get(row_end)?;
        let suffix = match section {
            SECTION_FAMILY => row_end + 1,
            SECTION_COLUMN => row_end + 1 + group_end(key.get(row_end + 1..)?)?,
            _ => return None,
        };
        let rest = key.get(suffix..)?;
        let (time, kind) = rest.split_at_checked(8)?;
        let [kind] = kind else { return None };
        let kind = CellKind::from_code(!kind)?;
        if kind.is_family_marker() != (section == SECTION_FAMILY) {
            return None;
        }
        Some((row_end, !u64::from_be_bytes(time.try_into().ok()?) as i64, kind))
    }

    /// The encoded row: equal for all cells of a row.
    pub fn row_prefix(&self) -> &[u8] {
        &self.key[..self.row_end]
    }

    /// The encoded row and column: equal for all cells of a column. Family markers have none of their own.
    pub fn column_prefix(&self) -> &[u8] {
        &self.key[..self.key.len() - SUFFIX]
    }

    /// The row.
    pub fn row(&self) -> Bytes {
        take_group(self.row_prefix())
    }

    /// The qualifier; empty for family markers.
    pub fn qualifier(&self) -> Bytes {
        match self.key.get(self.row_end + 1..self.key.len() - SUFFIX) {
            Some(q) if !self.kind.is_family_marker() => take_group(q),
            _ => Bytes::new(),
        }
    }

    /// The whole key.
    pub fn bytes(&self) -> &Bytes {
        &self.key
    }
}
