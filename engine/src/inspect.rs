//! Checks of everything that a family stores, for `verify`.

use bytes::Bytes;

use crate::cell::CellKind;
use crate::error::{Error, ErrorKind, Result};
use crate::key;
use crate::quote;
use crate::store::{Order, Snapshot, SpaceId};
use crate::value::Value;

/// Pairs between two reports.
const REPORT_PAIRS: u64 = 10_000;

/// The totals of what was read of a family.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Inspected {
    /// Cells and delete markers.
    pub cells: u64,
    /// Bytes of keys and values.
    pub bytes: u64,
}

/// Reads every pair of a space and checks that keys and values can be decoded and that keys ascend. The store checks
/// the checksums of the blocks that it reads.
///
/// # Errors
/// `Corrupt` at the first damage, with its position; those of the store and of `report`, which is called at intervals.
pub(crate) fn inspect(
    snapshot: &dyn Snapshot,
    space: SpaceId,
    report: &mut dyn FnMut(Inspected) -> Result<()>,
) -> Result<Inspected> {
    let mut inspected = Inspected::default();
    let mut previous = Bytes::new();
    let mut cursor = snapshot.scan(space, b"", b"", Order::Ascending, 1000)?;
    while let Some((stored_key, stored)) = cursor.next()? {
        inspected.cells += 1;
        inspected.bytes += (stored_key.len() + stored.len()) as u64;
        let checked = check_key(&stored_key).and_then(|()| Value::decode(stored).map(|_| ()));
        checked.map_err(|error| at(&stored_key, inspected.cells, error.message()))?;
        if stored_key <= previous {
            return Err(at(&stored_key, inspected.cells, "a stored key is not greater than the one before it"));
        }
        previous = stored_key;
        if inspected.cells.is_multiple_of(REPORT_PAIRS) {
            report(inspected)?;
        }
    }
    Ok(inspected)
}

fn check_key(stored: &[u8]) -> Result<()> {
    let row_len = key::row_prefix_len(stored)?;
    let column_len = key::column_prefix_len(stored, row_len)?;
    let (kind, _) = key::kind_and_time(stored, column_len.unwrap_or(row_len + 1))?;
    let is_family = matches!(kind, CellKind::DeleteFamily | CellKind::DeleteFamilyVersion);
    if is_family == column_len.is_none() { Ok(()) } else { Err(key::damaged(stored)) }
}

fn at(stored_key: &[u8], number: u64, what: &str) -> Error {
    let row = key::row_at(stored_key).map_or_else(|_| stored_key.to_vec(), |(_, row)| row.to_vec());
    Error::new(ErrorKind::Corrupt, format!("{what} (cell {number}, row {:?})", quote::utf8(&row).to_string()))
}
