//! Keys of cells inside a space. No other module knows their layout, which docs/storage-layout.md describes.
//!
//! ```text
//! row (n × 9)   0   !kind (1)   !timestamp (8)                         family markers
//! row (n × 9)   1   qualifier (n × 9)   !kind (1)   !timestamp (8)     cells and markers of columns
//! ```
//! Rows, and columns within a row, are in HBase's order: as unsigned bytes, a prefix before its extensions. The family
//! markers of a row precede its columns. Within a column, keys are ordered by kind, widest marker first and values
//! last, and within a kind newest first. HBase orders them by timestamp alone. Here the first key of a column shows
//! what the newest column marker hides, a read can seek to the timestamp it wants, and finding values takes no steps
//! over markers. Raw reads restore HBase's order.

mod group;
#[cfg(test)]
mod tests;

use bytes::{BufMut, Bytes, BytesMut};

use crate::cell::CellKind;
use crate::error::{Error, ErrorKind, Result};

/// The length of the longest key that a store accepts, in bytes.
pub const KEY_LENGTH_MAX: usize = 65_535;

const SECTION_FAMILY: u8 = 0;
const SECTION_COLUMN: u8 = 1;
const SUFFIX: usize = 9;

/// The prefix of exactly the keys of a row.
pub fn row_prefix(row: &[u8]) -> Bytes {
    let mut out = BytesMut::with_capacity(group::encoded_len(row.len()));
    group::put(&mut out, row);
    out.freeze()
}

/// Appends the prefix of a row.
pub fn put_row_prefix(out: &mut Vec<u8>, row: &[u8]) {
    group::put(out, row);
}

fn with_byte(prefix: &[u8], byte: u8) -> Bytes {
    let mut out = BytesMut::with_capacity(prefix.len() + 1);
    out.put_slice(prefix);
    out.put_u8(byte);
    out.freeze()
}

/// The first key after all keys of the row with this prefix.
pub fn row_end(row_prefix: &[u8]) -> Bytes {
    with_byte(row_prefix, SECTION_COLUMN + 1)
}

/// The first key of the columns of the row with this prefix, which is the end of the family markers.
pub fn columns_start(row_prefix: &[u8]) -> Bytes {
    with_byte(row_prefix, SECTION_COLUMN)
}

/// The prefix of exactly the family markers of the row with this prefix.
pub fn family_prefix(row_prefix: &[u8]) -> Bytes {
    with_byte(row_prefix, SECTION_FAMILY)
}

/// The prefix of exactly the keys of a column.
pub fn column_prefix(row_prefix: &[u8], qualifier: &[u8]) -> Bytes {
    let mut out = BytesMut::with_capacity(row_prefix.len() + 1 + group::encoded_len(qualifier.len()) + SUFFIX);
    out.put_slice(row_prefix);
    out.put_u8(SECTION_COLUMN);
    group::put(&mut out, qualifier);
    out.freeze()
}

/// A qualifier as it is encoded in keys.
pub fn as_part(qualifier: &[u8]) -> Bytes {
    let mut out = BytesMut::with_capacity(group::encoded_len(qualifier.len()));
    group::put(&mut out, qualifier);
    out.freeze()
}

/// The encoded qualifier of a key.
pub fn part(encoded: &[u8]) -> Bytes {
    group::take(encoded)
}

/// The prefix of a column's keys, given its encoded qualifier.
pub fn column_with(row_prefix: &[u8], part: &[u8]) -> Bytes {
    let mut out = BytesMut::with_capacity(row_prefix.len() + 1 + part.len());
    out.put_slice(row_prefix);
    out.put_u8(SECTION_COLUMN);
    out.put_slice(part);
    out.freeze()
}

/// The first key after all keys with this prefix of a column or of a row's family markers.
pub fn prefix_end(prefix: &[u8]) -> Bytes {
    // No kind is 0, so no inverted kind is 0xFF.
    with_byte(prefix, 0xFF)
}

/// The first key of a kind whose timestamp is at most `timestamp`, with this prefix of a column or of a row's family
/// markers.
pub fn at(prefix: &[u8], kind: CellKind, timestamp: i64) -> Bytes {
    let mut out = BytesMut::with_capacity(prefix.len() + SUFFIX);
    out.put_slice(prefix);
    put_suffix(&mut out, kind, timestamp);
    out.freeze()
}

/// The first key after all keys of a kind, with this prefix of a column or of a row's family markers.
pub fn kind_end(prefix: &[u8], kind: CellKind) -> Bytes {
    // The next inverted kind. No two kinds are adjacent.
    with_byte(prefix, !kind.code() + 1)
}

/// Kind and timestamp of a key of a column, given the length of the prefix of its row; `None` if it is the key of a
/// family marker, or not in this layout. Does not check the qualifier.
pub fn version_of_column(key: &[u8], row_prefix_len: usize) -> Option<(CellKind, i64)> {
    let (column, suffix) = key.get(row_prefix_len..)?.split_last_chunk::<SUFFIX>()?;
    let [kind, time @ ..] = *suffix;
    (column.first() == Some(&SECTION_COLUMN)).then_some(())?;
    Some((CellKind::from_code(!kind)?, !u64::from_be_bytes(time) as i64))
}

fn put_suffix(out: &mut impl BufMut, kind: CellKind, timestamp: i64) {
    out.put_u8(!kind.code());
    out.put_u64(!(timestamp as u64));
}

/// The key of a cell. `qualifier` is ignored for family markers.
///
/// # Errors
/// `InvalidArgument` if row and qualifier together are too long. Any row can have qualifiers of 24 KiB.
pub fn cell_key(row: &[u8], qualifier: &[u8], timestamp: i64, kind: CellKind) -> Result<Bytes> {
    let mut out = BytesMut::with_capacity(cell_key_len(row, qualifier, kind)?);
    group::put(&mut out, row);
    put_rest(&mut out, qualifier, timestamp, kind);
    Ok(out.freeze())
}

/// The length of [`cell_key`].
///
/// # Errors
/// Those of [`cell_key`].
pub fn cell_key_len(row: &[u8], qualifier: &[u8], kind: CellKind) -> Result<usize> {
    let family = kind.is_family_marker();
    let len = group::encoded_len(row.len()) + 1 + if family { 0 } else { group::encoded_len(qualifier.len()) } + SUFFIX;
    if len > KEY_LENGTH_MAX { Err(too_long(row, qualifier, len)) } else { Ok(len) }
}

#[cold]
fn too_long(row: &[u8], qualifier: &[u8], len: usize) -> Error {
    Error::new(
        ErrorKind::InvalidArgument,
        format!(
            "row of {} bytes and qualifier of {} bytes are too long together: their key would take {len} bytes, at most \
             {KEY_LENGTH_MAX} are allowed",
            row.len(),
            qualifier.len()
        ),
    )
    .with_remedy("shorten the row key or the qualifier")
}

/// Appends the part of [`cell_key`] that follows the prefix of the row, without the check of its length.
pub fn put_rest(out: &mut impl BufMut, qualifier: &[u8], timestamp: i64, kind: CellKind) {
    if kind.is_family_marker() {
        out.put_u8(SECTION_FAMILY);
    } else {
        out.put_u8(SECTION_COLUMN);
        group::put(out, qualifier);
    }
    put_suffix(out, kind, timestamp);
}

/// The error for a key that is not in this layout.
pub fn damaged(key: &[u8]) -> Error {
    let message = format!("a stored key of {} bytes is not the key of a cell: the data folder is damaged", key.len());
    Error::new(ErrorKind::Corrupt, message)
}

/// The length of the row's prefix of a stored key.
///
/// # Errors
/// `Corrupt` if the key is not in this layout.
pub fn row_prefix_len(key: &[u8]) -> Result<usize> {
    group::end(key).ok_or_else(|| damaged(key))
}

/// The row's prefix and the row of a stored key, in one allocation.
///
/// # Errors
/// `Corrupt` if the key is not in this layout.
pub fn row_at(key: &[u8]) -> Result<(Bytes, Bytes)> {
    let prefix = &key[..row_prefix_len(key)?];
    let mut both = Vec::with_capacity(prefix.len() + group::decoded_len(prefix));
    both.extend_from_slice(prefix);
    group::take_into(&mut both, prefix);
    let mut row = Bytes::from(both);
    let prefix = row.split_to(prefix.len());
    Ok((prefix, row))
}

/// Appends the row with this prefix of keys.
pub fn append_row(out: &mut Vec<u8>, row_prefix: &[u8]) {
    group::take_into(out, row_prefix);
}

/// The number of bytes of the part that [`append_part`] appends.
pub fn part_len(encoded: &[u8]) -> usize {
    group::decoded_len(encoded)
}

/// Whether the qualifier of a column's prefix is this one.
pub fn is_of_qualifier(column_prefix: &[u8], row_prefix_len: usize, qualifier: &[u8]) -> bool {
    column_prefix.get(row_prefix_len + 1..).is_some_and(|encoded| group::is_of(encoded, qualifier))
}

/// Appends the qualifier of a key, given in its encoding.
pub fn append_part(out: &mut Vec<u8>, encoded: &[u8]) {
    group::take_into(out, encoded);
}

/// The length of the column's prefix of a stored key, given the length of its row's prefix; `None` for family markers.
///
/// # Errors
/// `Corrupt` if the key is not in this layout.
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

/// Whether a key of the row with this prefix belongs to a column, and not to a family marker.
pub fn is_of_column(key: &[u8], row_prefix: &[u8]) -> bool {
    key.get(row_prefix.len()) == Some(&SECTION_COLUMN)
}

/// The qualifier of the column with this prefix, given the length of the row's prefix.
pub fn qualifier_of(column_prefix: &[u8], row_prefix_len: usize) -> Bytes {
    column_prefix.get(row_prefix_len + 1..).map(group::take).unwrap_or_default()
}

/// Kind and timestamp of a stored key, given the length of its prefix (of the column or of the family markers).
///
/// # Errors
/// `Corrupt` if the key is not in this layout.
pub fn kind_and_time(key: &[u8], prefix_len: usize) -> Result<(CellKind, i64)> {
    let parts = || {
        let (kind, time) = key.get(prefix_len..)?.split_first()?;
        let time = u64::from_be_bytes(time.try_into().ok()?);
        Some((CellKind::from_code(!kind)?, !time as i64))
    };
    parts().ok_or_else(|| damaged(key))
}
