//! The checks that HBase's client makes before it sends a request. Gateways call them early; tables call them again.

use bytes::Bytes;

use super::{Append, Delete, Increment, Marker, Mutation, PutCellOf, PutOf};
use crate::error::{Error, ErrorKind, Result};
use crate::name::FAMILY_LENGTH_MAX;
use crate::quote;
use crate::request::check_row;

/// The bytes of a serialised cell in addition to its row, family, qualifier and value: lengths, timestamp and type.
const CELL_FIXED_BYTES: usize = 20;

/// The text of HBase's client for a cell that exceeds its size limit.
pub const TOO_LARGE_FOR_CLIENT: &str = "KeyValue size too large";

/// The bytes of a qualifier that a message shows.
const QUALIFIER_SHOWN_MAX: usize = 64;

/// Checks a timestamp that a mutation gives.
///
/// # Errors
/// `InvalidArgument` if it is negative.
pub fn check_timestamp(timestamp: i64) -> Result<()> {
    if timestamp < 0 { Err(negative_timestamp(timestamp)) } else { Ok(()) }
}

/// The error for a negative timestamp.
pub(crate) fn negative_timestamp(timestamp: i64) -> Error {
    Error::invalid(format!("Timestamp cannot be negative. ts={timestamp}"))
        .with_remedy("send milliseconds since 1970, or none for the time of the server")
}

/// Checks the family of a cell to put.
///
/// # Errors
/// `InvalidArgument` if it is empty or too long.
pub fn check_put_family(family: &[u8]) -> Result<()> {
    check_family_form(family)
}

fn check_family_form(family: &[u8]) -> Result<()> {
    match family.len() {
        0 => Err(Error::invalid("Family cannot be null")
            .with_remedy("a column must name its family, as in \"family:qualifier\"")),
        n if n > FAMILY_LENGTH_MAX => Err(Error::invalid(format!("Family > {FAMILY_LENGTH_MAX}")).with_remedy(
            format_args!("the name of a family has {n} bytes and may have at most {FAMILY_LENGTH_MAX}; shorten it"),
        )),
        _ => Ok(()),
    }
}

/// The serialised length of a cell, in bytes, as HBase counts it.
pub(crate) fn cell_bytes(row: &[u8], family: &[u8], qualifier: &[u8], value: &[u8]) -> i64 {
    i64::try_from(CELL_FIXED_BYTES + row.len() + family.len() + qualifier.len() + value.len()).unwrap_or(i64::MAX)
}

impl<B: AsRef<[u8]>> PutOf<B> {
    /// Checks the form: a row, and at least one cell, each with the name of a family.
    ///
    /// # Errors
    /// `InvalidArgument` with HBase's text.
    pub fn validate(&self) -> Result<()> {
        check_row(self.row.as_ref())?;
        self.cells.iter().try_for_each(|c| check_family_form(c.family.as_ref()))?;
        if !self.cells.is_empty() {
            return Ok(());
        }
        let row = quote::binary(self.row.as_ref());
        Err(Error::invalid("No columns to insert")
            .with_remedy(format_args!("the put of row {row} has no values; send at least one")))
    }

    /// Checks that no cell exceeds the size limit of HBase's client (`limit` in bytes; 0 or less: no limit). The limit
    /// applies to single puts, lists of puts and `checkAndPut`, but not to row mutations.
    ///
    /// # Errors
    /// `InvalidArgument` with HBase's text.
    pub fn check_cell_bytes(&self, limit: i64) -> Result<()> {
        let too_large = |PutCellOf { family, qualifier, value, .. }: &PutCellOf<B>| {
            cell_bytes(self.row.as_ref(), family.as_ref(), qualifier.as_ref(), value.as_ref()) > limit
        };
        match self.cells.iter().find(|cell| limit > 0 && too_large(cell)) {
            Some(cell) => Err(Error::invalid(TOO_LARGE_FOR_CLIENT).with_remedy(format_args!(
                "the value of {}:{} has {} bytes, and a cell with its row and column may have at \
                 most {limit}: split the value",
                quote::utf8(cell.family.as_ref()),
                quote::binary(&cell.qualifier.as_ref()[..cell.qualifier.as_ref().len().min(QUALIFIER_SHOWN_MAX)]),
                cell.value.as_ref().len()
            ))),
            None => Ok(()),
        }
    }

    /// The first negative timestamp, if any. HBase's servers fail on it.
    pub(crate) fn negative_timestamp(&self) -> Option<i64> {
        self.cells.iter().map(|c| c.timestamp).find(|t| *t < 0)
    }
}

impl Delete {
    /// Checks the form: a row, and timestamps that are not negative. The table checks the families.
    ///
    /// # Errors
    /// `InvalidArgument` with HBase's text.
    pub fn validate(&self) -> Result<()> {
        check_row(&self.row)?;
        if self.markers.is_empty() {
            check_timestamp(self.timestamp)?;
        }
        self.markers.iter().try_for_each(Marker::validate)
    }

    /// Whether a marker has the empty family. In a batch, HBase's servers cannot read such a delete.
    pub fn lacks_family(&self) -> bool {
        self.markers.iter().any(|marker| marker.family.is_empty())
    }
}

impl Marker {
    /// Checks the form: a timestamp that is not negative, and a family that is not too long.
    ///
    /// # Errors
    /// `InvalidArgument` with HBase's text.
    pub fn validate(&self) -> Result<()> {
        check_timestamp(self.timestamp)?;
        if self.family.len() > FAMILY_LENGTH_MAX { check_family_form(&self.family) } else { Ok(()) }
    }
}

impl Mutation {
    /// Checks the form, as for single puts and deletes.
    ///
    /// # Errors
    /// `InvalidArgument` with HBase's text.
    pub fn validate(&self) -> Result<()> {
        match self {
            Self::Put(put) => put.validate(),
            Self::Delete(delete) => delete.validate(),
        }
    }
}

fn no_columns(what: &str, row: &Bytes) -> Error {
    Error::invalid(format!("Invalid arguments to {what} of row {}, zero columns specified", quote::binary(row)))
        .with_remedy("name at least one column")
}

impl Increment {
    /// Checks the form: a row and at least one column.
    ///
    /// # Errors
    /// `InvalidArgument` with HBase's text; `Unprocessable` for an empty family, which only HBase's server checks.
    pub fn validate(&self) -> Result<()> {
        check_row(&self.row)?;
        if self.columns.is_empty() {
            return Err(no_columns("increment", &self.row));
        }
        self.columns.iter().try_for_each(|(family, ..)| check_family_of_increment(family))
    }
}

/// Checks the form of a family's name in an increment.
pub(crate) fn check_family_of_increment(family: &[u8]) -> Result<()> {
    if family.is_empty() {
        return Err(Error::new(
            ErrorKind::Unprocessable,
            "an increment must name the family of each column, as in \"family:qualifier\"",
        ));
    }
    check_family_form(family)
}

impl Append {
    /// Checks the form: a row and at least one column, each with the name of a family.
    ///
    /// # Errors
    /// `InvalidArgument` with HBase's text.
    pub fn validate(&self) -> Result<()> {
        check_row(&self.row)?;
        self.columns.iter().try_for_each(|(family, ..)| check_family_form(family))?;
        if self.columns.is_empty() { Err(no_columns("append", &self.row)) } else { Ok(()) }
    }
}
