//! Discovery of columns that the caller did not name.
//!
//! A result that is kept in memory discovers its columns while it is read. A consumer of a stream must know them before
//! the first batch: if the result is too large to be kept until then, the rows are read a second time.

use bytes::Bytes;
use hjall_engine::request::Columns;

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

/// The decoder of a column that was met; `None` if it was not requested.
pub fn codec_of(requested: &[ColumnRequest], family: &[u8], qualifier: &[u8]) -> Option<Codec> {
    let is_of = |given: &Option<Bytes>, name: &[u8]| given.as_ref().is_none_or(|given| given == name);
    let matching = || requested.iter().filter(|a| is_of(&a.family, family) && is_of(&a.qualifier, qualifier));
    matching().find(|a| a.qualifier.is_some()).or_else(|| matching().next()).map(|a| a.codec)
}

/// Checks the number of discovered columns.
///
/// # Errors
/// `ValueError`: there are too many.
pub fn check_number(columns: usize) -> Result<(), TransferError> {
    if columns <= COLUMNS_MAX {
        return Ok(());
    }
    Err(TransferError::Argument(format!(
        "the scan has more than {COLUMNS_MAX} columns: select some with columns=, or use layout=\"cells\""
    )))
}

/// The columns of the result in the order of the request, given the columns that were met, which have their decoders.
/// The columns of a family or table are in HBase's order.
pub fn in_order(mut found: Vec<ColumnSpec>, requested: &[ColumnRequest]) -> Vec<ColumnSpec> {
    found.sort_by(|a, b| (&a.family, &a.qualifier).cmp(&(&b.family, &b.qualifier)));
    let is_named = |column: &ColumnSpec| {
        requested
            .iter()
            .any(|a| a.family.as_ref() == Some(&column.family) && a.qualifier.as_ref() == Some(&column.qualifier))
    };
    let mut columns: Vec<ColumnSpec> = Vec::new();
    for a in requested {
        if let (Some(family), Some(qualifier)) = (&a.family, &a.qualifier) {
            columns.push(ColumnSpec { family: family.clone(), qualifier: qualifier.clone(), codec: a.codec });
            continue;
        }
        let is_of_request = |column: &&ColumnSpec| a.family.as_ref().is_none_or(|family| *family == column.family);
        let (of_request, others) = found.into_iter().partition(|column| is_of_request(&column));
        found = others;
        let of_request: Vec<ColumnSpec> = of_request;
        columns.extend(of_request.into_iter().filter(|column| !is_named(column)));
    }
    columns
}
