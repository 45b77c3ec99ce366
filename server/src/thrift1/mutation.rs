//! The puts and deletes that a list of `Mutation`s becomes: at most one of each for a row.

use bytes::Bytes;
use hjall_engine::mutation::{Delete, Durability, Marker, MarkerKind, Put, PutCell};
use hjall_engine::request::check_row;
use hjall_engine::{Error, Result};
use hjall_idl::hbase1::Mutation;

use super::column::Column;
use super::error::{Answer, sent};
use crate::checks;
use crate::fault::Fault;

/// What a put of a family without a column means; mutateRow and mutateRows differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BareFamily {
    /// Nothing is put.
    Ignored,
    /// The request is malformed.
    Refused,
}

/// The changes of one row.
pub struct RowChanges {
    /// Cells to write, possibly none.
    pub put: Put,
    /// Markers to write; with none of them there is nothing to delete.
    pub delete: Delete,
}

impl RowChanges {
    /// An empty set of changes.
    ///
    /// # Errors
    /// `InvalidArgument` for a row or a timestamp that cannot be.
    pub fn new(row: Vec<u8>, timestamp: i64) -> Result<Self> {
        check_row(&row)?;
        checks::timestamp(timestamp)?;
        let row = Bytes::from(row);
        let put = Put { row: row.clone(), ..Put::default() };
        Ok(Self { put, delete: Delete { timestamp, ..Delete::row(row) } })
    }

    /// Adds a mutation; `refuse` says where a malformed one is reported.
    pub fn add(&mut self, mutation: Mutation, bare_family: BareFamily, refuse: fn(Error) -> Fault) -> Answer<()> {
        let column = Column::parse(sent(mutation.column, "column")?);
        // The last put decides for all puts, and the last delete for all deletes.
        let durability =
            if mutation.write_to_w_a_l.unwrap_or(true) { Durability::SyncWal } else { Durability::SkipWal };
        if mutation.is_delete.unwrap_or(false) {
            self.add_marker(column).map_err(refuse)?;
            self.delete.durability = durability;
        } else {
            let value = mutation.value.unwrap_or_default();
            self.add_cell(column, value.into(), bare_family).map_err(refuse)?;
            self.put.durability = durability;
        }
        Ok(())
    }

    fn add_cell(&mut self, column: Column, value: Bytes, bare_family: BareFamily) -> Result<()> {
        let Some(qualifier) = column.qualifier else {
            return match bare_family {
                BareFamily::Ignored => Ok(()),
                BareFamily::Refused => Err(Error::invalid("Invalid famAndQf provided.")),
            };
        };
        self.put.cells.push(put_cell(column.family, qualifier, self.delete.timestamp, value)?);
        Ok(())
    }

    fn add_marker(&mut self, column: Column) -> Result<()> {
        let marker = marker(column, self.delete.timestamp)?;
        if marker.kind == MarkerKind::Family {
            self.delete.markers.retain(|other| other.family != marker.family);
        }
        if !self.delete.markers.contains(&marker) {
            self.delete.markers.push(marker);
        }
        Ok(())
    }
}

/// A cell to write (HBase's cell builder checks its family).
///
/// # Errors
/// `InvalidArgument` for a family that is empty or does not fit.
pub fn put_cell(family: Bytes, qualifier: Bytes, timestamp: i64, value: Bytes) -> Result<PutCell> {
    if family.is_empty() {
        return Err(Error::invalid("Family cannot be null"));
    }
    checks::family(&family)?;
    Ok(PutCell { family, qualifier, timestamp, value })
}

/// What deletes a column, all its versions, or a whole family.
///
/// # Errors
/// `InvalidArgument` for a family that does not fit. An empty one does, and no table has it.
pub fn marker(column: Column, timestamp: i64) -> Result<Marker> {
    checks::family(&column.family)?;
    let kind = if column.qualifier.is_some() { MarkerKind::Column } else { MarkerKind::Family };
    Ok(Marker { family: column.family, qualifier: column.qualifier.unwrap_or_default(), kind, timestamp })
}
