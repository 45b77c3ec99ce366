//! Discovery of columns that the caller did not name.
//!
//! The schema must be known before the first batch, so a first pass over the scan collects the columns.

use std::collections::BTreeSet;

use bytes::Bytes;
use hjall_engine::read::Watch;
use hjall_engine::request::{Columns, Scan};
use hjall_engine::{Row, Scanner, Table};

use super::codec::Codec;
use super::error::TransferError;
use super::layout::ColumnSpec;

/// The columns that the caller requested: one column, all columns of a family, or all columns.
#[derive(Debug, Clone)]
pub struct ColumnRequest {
    /// `None` for all families.
    pub family: Option<Bytes>,
    /// `None` for all qualifiers.
    pub qualifier: Option<Bytes>,
    /// The decoder.
    pub codec: Codec,
}

/// The number of rows read in one step.
const STEP: usize = 1024;

/// The size up to which the rows are kept, so that the scan need not read them again: their cells, and a guess for the
/// rest of each cell.
const KEPT_BYTES_MAX: usize = 128 << 20;
const CELL_BYTES: usize = 128;

/// The largest number of columns in a result.
const COLUMNS_MAX: usize = 4096;

/// The columns that a scan has to read.
pub fn columns_of(requested: &[ColumnRequest]) -> Columns {
    let mut columns = Columns::all();
    if requested.iter().any(|a| a.family.is_none()) {
        return columns;
    }
    let of_family = |whole: bool| requested.iter().filter(move |a| a.qualifier.is_none() == whole);
    for (family, qualifier) in of_family(false).map(|a| (a.family.clone(), a.qualifier.clone())) {
        columns.add_column(family.unwrap_or_default(), qualifier.unwrap_or_default());
    }
    // Families come last, because a whole family replaces single columns of it.
    for family in of_family(true).map(|a| a.family.clone()) {
        columns.add_family(family.unwrap_or_default());
    }
    columns
}

/// The columns, if each of them is named by family and qualifier.
pub fn all_named(requested: &[ColumnRequest]) -> Option<Vec<ColumnSpec>> {
    let one = |a: &ColumnRequest| {
        Some(ColumnSpec { family: a.family.clone()?, qualifier: a.qualifier.clone()?, codec: a.codec })
    };
    requested.iter().map(one).collect()
}

/// A pass over a scan that collects its columns.
pub struct Discovery {
    scanner: Scanner,
    found: BTreeSet<(Bytes, Bytes)>,
    /// The rows read so far; `None` if they are not wanted or too large.
    kept: Option<Vec<Row>>,
    kept_bytes: usize,
}

impl Discovery {
    /// Opens the scan; `watch` can end it. With `keep`, the rows are kept unless they are too large.
    ///
    /// # Errors
    /// Those of opening a scan.
    pub fn begin(table: &Table, scan: &Scan, watch: Watch, keep: bool) -> Result<Self, TransferError> {
        let mut scanner = table.scan(scan.clone())?;
        scanner.watch(watch);
        Ok(Self { scanner, found: BTreeSet::new(), kept: keep.then(Vec::new), kept_bytes: 0 })
    }

    /// Reads some rows; returns `false` at the end of the scan.
    ///
    /// # Errors
    /// Those of the scan, and `ValueError` for too many columns.
    pub fn step(&mut self) -> Result<bool, TransferError> {
        let rows = self.scanner.next(STEP)?;
        for cell in rows.iter().flat_map(|row| &row.cells) {
            let column = (cell.family.clone(), cell.qualifier.clone());
            if !self.found.contains(&column) {
                // Copied, because a slice would keep the whole block alive from which it was read.
                self.found.insert((Bytes::copy_from_slice(&column.0), Bytes::copy_from_slice(&column.1)));
                if self.found.len() > COLUMNS_MAX {
                    return Err(TransferError::Argument(format!(
                        "the scan has more than {COLUMNS_MAX} columns: select some with columns=, or use \
                         layout=\"cells\""
                    )));
                }
            }
        }
        let has_more = rows.len() == STEP;
        if let Some(kept) = &mut self.kept {
            let bytes = |row: &Row| row.cells.iter().map(|cell| CELL_BYTES + cell.value.len()).sum::<usize>();
            self.kept_bytes += rows.iter().map(bytes).sum::<usize>();
            kept.extend(rows);
            if self.kept_bytes > KEPT_BYTES_MAX {
                self.kept = None;
            }
        }
        Ok(has_more)
    }

    /// Takes all rows of the scan, if they were kept.
    pub fn take_rows(&mut self) -> Option<Vec<Row>> {
        self.kept.take()
    }

    /// The columns in the order of the request. The columns of a family or table are in HBase's order.
    pub fn finish(self, requested: &[ColumnRequest]) -> Vec<ColumnSpec> {
        let mut columns: Vec<ColumnSpec> = Vec::new();
        let named = |a: &ColumnRequest, family: &Bytes, qualifier: &Bytes| {
            a.family.as_ref() == Some(family) && a.qualifier.as_ref() == Some(qualifier)
        };
        for a in requested {
            if let (Some(family), Some(qualifier)) = (&a.family, &a.qualifier) {
                columns.push(ColumnSpec { family: family.clone(), qualifier: qualifier.clone(), codec: a.codec });
                continue;
            }
            for (family, qualifier) in &self.found {
                let here = a.family.as_ref().is_none_or(|f| f == family);
                let elsewhere = requested.iter().any(|other| named(other, family, qualifier))
                    || columns.iter().any(|c| c.family == family && c.qualifier == qualifier);
                if here && !elsewhere {
                    columns.push(ColumnSpec { family: family.clone(), qualifier: qualifier.clone(), codec: a.codec });
                }
            }
        }
        columns
    }
}
