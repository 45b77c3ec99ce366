//! Keys of cells inside a space: the only place that knows their layout (drawn in docs/data-model.md).
//!
//! ```text
//! row (n × 9)   0   !kind (1)   !timestamp (8)                         family markers
//! row (n × 9)   1   qualifier (n × 9)   !kind (1)   !timestamp (8)     cells and markers of columns
//! ```
//! Rows, then columns stand in HBase's order (unsigned bytes, the shorter first), family markers ahead of all columns of their row. Inside a
//! column the kinds stand apart, widest marker first and values last, each newest first. HBase mixes them by time; here a read learns from the first
//! key what the newest column marker hides, goes straight to the time it wants, and never walks markers to find values. Raw reads mix them again.

mod group;
#[cfg(test)]
mod tests;

use bytes::{BufMut, Bytes, BytesMut};

use crate::cell::CellKind;
use crate::error::{Error, ErrorKind, Result};

/// The longest key a store takes, in bytes.
pub const KEY_LENGTH_MAX: usize = 65_535;

const SECTION_FAMILY: u8 = 0;
const SECTION_COLUMN: u8 = 1;
const SUFFIX: usize = 9;

/// The beginning that all keys of a row share and no other key has.
pub fn row_prefix(row: &[u8]) -> Bytes {
    let mut out = BytesMut::with_capacity(group::encoded_len(row.len()));
    group::put(&mut out, row);
    out.freeze()
}

fn with_byte(prefix: &[u8], byte: u8) -> Bytes {
    let mut out = BytesMut::with_capacity(prefix.len() + 1);
    out.put_slice(prefix);
    out.put_u8(byte);
    out.freeze()
}

/// The first key behind all keys of the row with this prefix.
pub fn row_end(row_prefix: &[u8]) -> Bytes {
    with_byte(row_prefix, SECTION_COLUMN + 1)
}

/// The first key of the columns of the row with this prefix: family markers end here.
pub fn columns_start(row_prefix: &[u8]) -> Bytes {
    with_byte(row_prefix, SECTION_COLUMN)
}

/// The beginning that all family markers of the row with this prefix share and no other key has.
pub fn family_prefix(row_prefix: &[u8]) -> Bytes {
    with_byte(row_prefix, SECTION_FAMILY)
}

/// The beginning that all keys of a column share and no other key has.
pub fn column_prefix(row_prefix: &[u8], qualifier: &[u8]) -> Bytes {
    let mut out = BytesMut::with_capacity(row_prefix.len() + 1 + group::encoded_len(qualifier.len()) + SUFFIX);
    out.put_slice(row_prefix);
    out.put_u8(SECTION_COLUMN);
    group::put(&mut out, qualifier);
    out.freeze()
}

/// A qualifier as it stands in keys.
pub fn as_part(qualifier: &[u8]) -> Bytes {
    let mut out = BytesMut::with_capacity(group::encoded_len(qualifier.len()));
    group::put(&mut out, qualifier);
    out.freeze()
}

/// The same taken out of a key.
pub fn part(encoded: &[u8]) -> Bytes {
    group::take(encoded)
}

/// The beginning of a column's keys, of a qualifier as it stands in keys.
pub fn column_with(row_prefix: &[u8], part: &[u8]) -> Bytes {
    let mut out = BytesMut::with_capacity(row_prefix.len() + 1 + part.len());
    out.put_slice(row_prefix);
    out.put_u8(SECTION_COLUMN);
    out.put_slice(part);
    out.freeze()
}

/// The first key behind all keys with this prefix of a column or of a row's family markers.
pub fn prefix_end(prefix: &[u8]) -> Bytes {
    // No kind is 0, so no inverted one is 0xFF.
    with_byte(prefix, 0xFF)
}

/// The first key of that kind, behind this prefix of a column or of a row's family markers, whose timestamp is at most `timestamp`.
pub fn at(prefix: &[u8], kind: CellKind, timestamp: i64) -> Bytes {
    let mut out = BytesMut::with_capacity(prefix.len() + SUFFIX);
    out.put_slice(prefix);
    put_suffix(&mut out, kind, timestamp);
    out.freeze()
}

/// The first key behind all keys of that kind behind this prefix of a column or of a row's family markers.
pub fn kind_end(prefix: &[u8], kind: CellKind) -> Bytes {
    // The next inverted kind; no two kinds are that close.
    with_byte(prefix, !kind.code() + 1)
}

fn put_suffix(out: &mut BytesMut, kind: CellKind, timestamp: i64) {
    out.put_u8(!kind.code());
    out.put_u64(!(timestamp as u64));
}

/// The key of a cell. `qualifier` does not count for family markers.
///
/// # Errors
/// `InvalidArgument` if row and qualifier together are too long: every row takes qualifiers of at least 24 KiB.
pub fn cell_key(row: &[u8], qualifier: &[u8], timestamp: i64, kind: CellKind) -> Result<Bytes> {
    let family = kind.is_family_marker();
    let len = group::encoded_len(row.len()) + 1 + if family { 0 } else { group::encoded_len(qualifier.len()) } + SUFFIX;
    if len > KEY_LENGTH_MAX {
        return Err(Error::new(
            ErrorKind::InvalidArgument,
            format!(
                "row of {} bytes and qualifier of {} bytes are too long together: their key would take {len} bytes, at most \
                 {KEY_LENGTH_MAX} are allowed",
                row.len(),
                qualifier.len()
            ),
        ));
    }
    let mut out = BytesMut::with_capacity(len);
    group::put(&mut out, row);
    if family {
        out.put_u8(SECTION_FAMILY);
    } else {
        out.put_u8(SECTION_COLUMN);
        group::put(&mut out, qualifier);
    }
    put_suffix(&mut out, kind, timestamp);
    Ok(out.freeze())
}

/// The error for a key that is none of ours.
pub fn damaged(key: &[u8]) -> Error {
    let message = format!("a stored key of {} bytes is not a cell's: the data folder is damaged", key.len());
    Error::new(ErrorKind::Corrupt, message)
}

/// How long the row's prefix at the head of a stored key is.
///
/// # Errors
/// `Corrupt` if it is none of ours.
pub fn row_prefix_len(key: &[u8]) -> Result<usize> {
    group::end(key).ok_or_else(|| damaged(key))
}

/// The prefix and the row at the head of a stored key, both in one piece of memory.
///
/// # Errors
/// `Corrupt` if it is none of ours.
pub fn row_at(key: &[u8]) -> Result<(Bytes, Bytes)> {
    let prefix = &key[..row_prefix_len(key)?];
    let mut both = Vec::with_capacity(prefix.len() + group::decoded_len(prefix));
    both.extend_from_slice(prefix);
    group::take_into(&mut both, prefix);
    let mut row = Bytes::from(both);
    let prefix = row.split_to(prefix.len());
    Ok((prefix, row))
}

/// How long the column's prefix at the head of a stored key is, whose row's prefix has that length; `None` for family markers.
///
/// # Errors
/// `Corrupt` if it is none of ours.
pub fn column_prefix_len(key: &[u8], row_prefix_len: usize) -> Result<Option<usize>> {
    match key.get(row_prefix_len) {
        Some(&SECTION_FAMILY) => Ok(None),
        Some(&SECTION_COLUMN) => {
            let len = key.get(row_prefix_len + 1..).and_then(group::end).ok_or_else(|| damaged(key))?;
            Ok(Some(row_prefix_len + 1 + len))
        }
        _ => Err(damaged(key)),
    }
}

/// Whether a key of the row with this prefix is of one of its columns, not a family marker.
pub fn is_of_column(key: &[u8], row_prefix: &[u8]) -> bool {
    key.get(row_prefix.len()) == Some(&SECTION_COLUMN)
}

/// The qualifier of the column with this prefix, whose row's prefix has that length.
pub fn qualifier_of(column_prefix: &[u8], row_prefix_len: usize) -> Bytes {
    column_prefix.get(row_prefix_len + 1..).map(group::take).unwrap_or_default()
}

/// Kind and timestamp of a stored key, given the length of its column's prefix, or of its prefix as a family marker.
///
/// # Errors
/// `Corrupt` if it is none of ours.
pub fn kind_and_time(key: &[u8], prefix_len: usize) -> Result<(CellKind, i64)> {
    let parts = || {
        let (kind, time) = key.get(prefix_len..)?.split_first()?;
        let time = u64::from_be_bytes(time.try_into().ok()?);
        Some((CellKind::from_code(!kind)?, !time as i64))
    };
    parts().ok_or_else(|| damaged(key))
}
