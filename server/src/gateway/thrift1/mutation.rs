//! Converts a list of `Mutation`s to at most one put and one delete for each row.

use bytes::Bytes;
use hjall_engine::mutation::{Delete, Durability, Marker, MarkerKind, Put, PutCell, check_put_family, check_timestamp};
use hjall_engine::quote;
use hjall_engine::request::check_row;
use hjall_engine::{Error, Result};
use hjall_idl::hbase1::Mutation;

use super::column::Column;
use super::convert::sent;
use super::error::{Answer, declared};
use crate::gateway::context::CallContext;
use crate::gateway::markers::Markers;
use crate::wire::fault::Fault;

/// The effect of a put whose column has no qualifier. `mutateRow` and `mutateRows` differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BareFamily {
    /// The put is ignored.
    Ignored,
    /// The request is malformed.
    Refused,
}

/// The changes of one row.
pub struct RowChanges {
    /// Cells to write, which may be empty.
    pub put: Put,
    /// Markers to write, which may be empty. Without markers, it has no row.
    pub delete: Delete,
}

impl RowChanges {
    /// An empty set of changes.
    ///
    /// # Errors
    /// `InvalidArgument` for an invalid row or timestamp.
    pub fn new(row: Vec<u8>, timestamp: i64) -> Result<Self> {
        check_row(&row)?;
        check_timestamp(timestamp)?;
        let row = Bytes::from(row);
        let put = Put { row, ..Put::default() };
        Ok(Self { put, delete: Delete { timestamp, ..Delete::row(Bytes::new()) } })
    }

    /// Adds a list of mutations, until HBase's gateway refuses one. `raise` is for malformed ones.
    pub fn add(
        mut self,
        mutations: impl IntoIterator<Item = Answer<NamedMutation>>,
        bare_family: BareFamily,
        raise: fn(Error) -> Fault,
    ) -> Answer<Self> {
        let mut markers = Markers::default();
        for mutation in mutations {
            let NamedMutation { column, mutation } = mutation?;
            // The last put determines the durability of all puts, and the last delete that of all deletes.
            let durability =
                if mutation.write_to_w_a_l.unwrap_or(true) { Durability::SyncWal } else { Durability::SkipWal };
            if mutation.is_delete.unwrap_or(false) {
                let marker = marker(column, self.delete.timestamp);
                marker.validate().map_err(raise)?;
                markers.add(marker);
                self.delete.durability = durability;
            } else {
                self.add_cell(column, mutation.value.unwrap_or_default().into(), bare_family).map_err(raise)?;
                self.put.durability = durability;
            }
        }
        self.delete.markers = markers.into_distinct();
        if !self.put.cells.is_empty() {
            self.put.validate().map_err(raise)?;
        }
        if !self.delete.markers.is_empty() {
            self.delete.row = self.put.row.clone();
            self.delete.validate().map_err(raise)?;
        }
        Ok(self)
    }

    fn add_cell(&mut self, column: Column, value: Bytes, bare_family: BareFamily) -> Result<()> {
        let timestamp = self.delete.timestamp;
        match (column.qualifier, bare_family) {
            (Some(qualifier), _) => {
                check_put_family(&column.family)?;
                self.put.cells.push(PutCell { family: column.family, qualifier, timestamp, value });
            }
            (None, BareFamily::Ignored) => {}
            (None, BareFamily::Refused) => {
                return Err(Error::invalid("Invalid famAndQf provided.").with_remedy(format_args!(
                    "the column \"{}\" has no colon; send family:qualifier",
                    quote::utf8(&column.family)
                )));
            }
        }
        Ok(())
    }
}

/// A mutation with its parsed column.
pub struct NamedMutation {
    column: Column,
    mutation: Mutation,
}

impl NamedMutation {
    /// Parses the column. Without one, HBase's gateway fails with a null pointer exception.
    pub fn new(mut mutation: Mutation) -> Answer<Self> {
        let column = sent(mutation.column.take(), "column")?;
        Ok(Self { column: Column::parse(column), mutation })
    }

    /// Parses the columns of a list, one by one.
    pub fn all(
        context: &CallContext<'_>,
        mutations: Vec<Mutation>,
    ) -> Answer<impl Iterator<Item = Answer<Self>> + use<>> {
        context.scope.claim_list::<(Self, PutCell)>(mutations.len()).map_err(declared)?;
        Ok(mutations.into_iter().map(Self::new))
    }
}

/// A marker that deletes all versions of a column, or a family if the column has no qualifier.
pub fn marker(column: Column, timestamp: i64) -> Marker {
    let kind = if column.qualifier.is_some() { MarkerKind::Column } else { MarkerKind::Family };
    Marker { family: column.family, qualifier: column.qualifier.unwrap_or_default(), kind, timestamp }
}
