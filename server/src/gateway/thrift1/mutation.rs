//! Converts a list of `Mutation`s to at most one put and one delete for each row.

use bytes::Bytes;
use hjall_engine::mutation::{Delete, Durability, Marker, MarkerKind, Put, PutCell, check_timestamp};
use hjall_engine::quote;
use hjall_engine::request::check_row;
use hjall_engine::{Error, Result};
use hjall_idl::hbase1::Mutation;

use super::column::Column;
use super::convert::sent;
use super::error::{Answer, declared};
use crate::gateway::context::CallContext;
use crate::gateway::markers::Markers;

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

    /// Adds a list of mutations.
    ///
    /// # Errors
    /// `InvalidArgument` if HBase's gateway refuses one of them.
    pub fn add(mut self, mutations: impl IntoIterator<Item = NamedMutation>, bare_family: BareFamily) -> Result<Self> {
        let mut markers = Markers::default();
        for NamedMutation { column, mutation } in mutations {
            // The last put determines the durability of all puts, and the last delete that of all deletes.
            let durability =
                if mutation.write_to_w_a_l.unwrap_or(true) { Durability::SyncWal } else { Durability::SkipWal };
            if mutation.is_delete.unwrap_or(false) {
                markers.add(marker(column, self.delete.timestamp));
                self.delete.durability = durability;
            } else {
                self.add_cell(column, mutation.value.unwrap_or_default().into(), bare_family)?;
                self.put.durability = durability;
            }
        }
        self.delete.markers = markers.into_distinct();
        if !self.put.cells.is_empty() {
            self.put.validate()?;
        }
        if !self.delete.markers.is_empty() {
            self.delete.row = self.put.row.clone();
            self.delete.validate()?;
        }
        Ok(self)
    }

    fn add_cell(&mut self, column: Column, value: Bytes, bare_family: BareFamily) -> Result<()> {
        let timestamp = self.delete.timestamp;
        match (column.qualifier, bare_family) {
            (Some(qualifier), _) => self.put.cells.push(PutCell { family: column.family, qualifier, timestamp, value }),
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
        Ok(Self::of(column, mutation))
    }

    /// Parses the columns of a list. Fails if one has none, before any is parsed.
    pub fn all(context: &CallContext<'_>, mutations: Vec<Mutation>) -> Answer<impl Iterator<Item = Self> + use<>> {
        context.scope.claim_list::<(Self, PutCell)>(mutations.len()).map_err(declared)?;
        mutations.iter().try_for_each(|mutation| sent(mutation.column.as_ref(), "column").map(|_| ()))?;
        Ok(mutations.into_iter().map(|mut mutation| Self::of(mutation.column.take().unwrap_or_default(), mutation)))
    }

    fn of(column: Vec<u8>, mutation: Mutation) -> Self {
        Self { column: Column::parse(column), mutation }
    }
}

/// A marker that deletes all versions of a column, or a family if the column has no qualifier.
pub fn marker(column: Column, timestamp: i64) -> Marker {
    let kind = if column.qualifier.is_some() { MarkerKind::Column } else { MarkerKind::Family };
    Marker { family: column.family, qualifier: column.qualifier.unwrap_or_default(), kind, timestamp }
}
