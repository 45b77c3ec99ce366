//! The limit on the size of a cell, as in HBase's servers (`hbase.server.keyvalue.maxsize`).

use crate::catalog::TableState;
use crate::error::{Error, ErrorKind, Result};
use crate::mutation::cell_bytes;
use crate::mutation::{Delete, PutCellOf, PutOf};
use crate::quote;
use crate::region;

/// The bytes that an HBase server adds to a cell's serialised length.
const SERVER_EXTRA_BYTES: i64 = 4;
const SPLIT_IT: &str = "store it in several columns or rows";

fn check(limit: i64, row: &[u8], family: &[u8], qualifier: &[u8], value: &[u8]) -> Result<()> {
    let size = cell_bytes(row, family, qualifier, value) + SERVER_EXTRA_BYTES;
    if limit <= 0 || size <= limit {
        return Ok(());
    }
    let name = format!("{}/{}:{}", quote::binary(row), quote::utf8(family), shown(qualifier));
    Err(Error::new(ErrorKind::CellTooLarge, format!("Cell[{name}] with size {size} exceeds limit of {limit} bytes"))
        .with_remedy(SPLIT_IT))
}

/// A qualifier in an error message, truncated, because the qualifier itself may be too large.
fn shown(qualifier: &[u8]) -> String {
    const SHOWN_BYTES: usize = 64;
    let mut text = quote::binary(&qualifier[..qualifier.len().min(SHOWN_BYTES)]).to_string();
    if qualifier.len() > SHOWN_BYTES {
        text.push('…');
    }
    text
}

/// Checks the cells of a put.
pub(super) fn check_put<B: AsRef<[u8]>>(limit: i64, put: &PutOf<B>) -> Result<()> {
    let checked =
        |c: &PutCellOf<B>| check(limit, put.row.as_ref(), c.family.as_ref(), c.qualifier.as_ref(), c.value.as_ref());
    put.cells.iter().try_for_each(checked)
}

/// Checks the markers of a delete.
pub(super) fn check_delete(limit: i64, delete: &Delete) -> Result<()> {
    delete.markers.iter().try_for_each(|m| check(limit, &delete.row, &m.family, &m.qualifier, &[]))
}

/// Checks the operand of an increment or append.
pub(super) fn check_delta(limit: i64, row: &[u8], family: &[u8], qualifier: &[u8], delta: &[u8]) -> Result<()> {
    check(limit, row, family, qualifier, delta)
}

/// Checks the new cell of an increment or append.
pub(super) fn check_result(
    limit: i64,
    table: &TableState,
    row: &[u8],
    family: &[u8],
    qualifier: &[u8],
    value: &[u8],
) -> Result<()> {
    let size = cell_bytes(row, family, qualifier, value) + SERVER_EXTRA_BYTES;
    if limit <= 0 || size <= limit {
        return Ok(());
    }
    let region = region::locate(table.regions(), row).map(|r| r.name(table.name())).unwrap_or_default();
    Err(Error::new(
        ErrorKind::CellTooLarge,
        format!("Cell with size {size} exceeds limit of {limit} bytes in region {}", quote::binary(&region)),
    )
    .with_remedy(format_args!(
        "what {}/{}:{} would become is too large; {SPLIT_IT}",
        quote::binary(row),
        quote::utf8(family),
        shown(qualifier)
    )))
}
