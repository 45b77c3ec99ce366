//! What HBase's client library refuses before it sends anything, for both gateways.

use hjall_engine::mutation::Put;
use hjall_engine::{Error, Result};

/// `hbase.client.keyvalue.maxsize`: the largest cell that is sent, in bytes.
pub const CELL_BYTES_MAX: usize = 10_485_760;

/// The longest family name that fits into a cell, in bytes.
const FAMILY_BYTES_MAX: usize = 127;

/// Bytes of HBase's serialised cell beside row, family, qualifier and value: lengths, timestamp and type.
const CELL_BYTES_FIXED: usize = 20;

/// A timestamp given to a put or delete (HBase's constructors of them).
///
/// # Errors
/// `InvalidArgument` if it is negative.
pub fn timestamp(timestamp: i64) -> Result<()> {
    match timestamp {
        ..0 => Err(Error::invalid(format!("Timestamp cannot be negative. ts={timestamp}"))),
        _ => Ok(()),
    }
}

/// The family of a cell or marker that is to be written (HBase's `KeyValue`).
///
/// # Errors
/// `InvalidArgument` if it does not fit.
pub fn family(family: &[u8]) -> Result<()> {
    match family.len() {
        ..=FAMILY_BYTES_MAX => Ok(()),
        _ => Err(Error::invalid(format!("Family > {FAMILY_BYTES_MAX}"))),
    }
}

/// A put about to be sent, by itself or in a list (HBase's `ConnectionUtils.validatePut`).
///
/// # Errors
/// `InvalidArgument` if it has no cells or too large a cell.
pub fn put(put: &Put) -> Result<()> {
    if put.cells.is_empty() {
        return Err(Error::invalid("No columns to insert"));
    }
    let bytes = |fixed: usize, parts: [usize; 3]| parts.into_iter().fold(fixed, usize::saturating_add);
    let fixed = CELL_BYTES_FIXED + put.row.len();
    match put.cells.iter().find(|c| bytes(fixed, [c.family.len(), c.qualifier.len(), c.value.len()]) > CELL_BYTES_MAX) {
        Some(_) => Err(Error::invalid("KeyValue size too large")),
        None => Ok(()),
    }
}
