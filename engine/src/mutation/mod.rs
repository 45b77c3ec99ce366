//! Write requests: puts, deletes, increments, appends and checks.

mod validate;

use bytes::Bytes;

pub use crate::compare_op::CompareOp;
pub use crate::durability::Durability;
pub use validate::{TOO_LARGE_FOR_CLIENT, check_put_family, check_timestamp};
pub(crate) use validate::{cell_bytes, check_family_of_increment, negative_timestamp};

/// One cell of a [`Put`].
pub type PutCell = PutCellOf<Bytes>;

/// Writes cells of one row.
pub type Put = PutOf<Bytes>;

/// One cell of a put, whose byte strings have the type `B`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PutCellOf<B> {
    /// The family's name.
    pub family: B,
    /// The qualifier, which may be empty.
    pub qualifier: B,
    /// Milliseconds since 1970; [`crate::LATEST`]: the time at which the mutation is applied.
    pub timestamp: i64,
    /// The value, which may be empty.
    pub value: B,
}

/// A put, whose byte strings have the type `B`: `Bytes`, or `&[u8]` if they belong to a message.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PutOf<B> {
    /// The row key.
    pub row: B,
    /// At least one cell. Of several cells with the same column and timestamp, the last one is stored.
    pub cells: Vec<PutCellOf<B>>,
    /// The TTL of each cell, in milliseconds from its timestamp (HBase's `_ttl` attribute).
    pub ttl_ms: Option<i64>,
    /// The durability of the write.
    pub durability: Durability,
}

/// The scope of a [`Marker`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MarkerKind {
    /// One version of a column: the one with the timestamp, or with [`crate::LATEST`] the newest one (the k-th such
    /// marker of a delete: the k-th newest).
    Version,
    /// All versions of a column up to the timestamp.
    Column,
    /// All cells of a family up to the timestamp.
    Family,
    /// All cells of a family with exactly the timestamp.
    FamilyVersion,
}

/// One delete marker of a [`Delete`].
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Marker {
    /// The family's name.
    pub family: Bytes,
    /// The qualifier; ignored for family markers.
    pub qualifier: Bytes,
    /// The scope.
    pub kind: MarkerKind,
    /// Milliseconds since 1970; [`crate::LATEST`]: the time at which the mutation is applied.
    pub timestamp: i64,
}

/// Hides cells of one row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delete {
    /// The row key.
    pub row: Bytes,
    /// The delete markers to write; empty: the delete hides all cells of the row up to `timestamp`.
    pub markers: Vec<Marker>,
    /// The timestamp up to which the row is hidden if `markers` is empty.
    pub timestamp: i64,
    /// The TTL of the markers themselves, in milliseconds from their timestamp.
    pub ttl_ms: Option<i64>,
    /// The durability of the write.
    pub durability: Durability,
}

impl Delete {
    /// A delete that hides the whole row as of the time at which it is applied.
    pub fn row(row: impl Into<Bytes>) -> Self {
        Self {
            row: row.into(),
            markers: Vec::new(),
            timestamp: crate::LATEST,
            ttl_ms: None,
            durability: Durability::UseDefault,
        }
    }
}

/// A put or a delete, for operations that apply several mutations to one row atomically.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Mutation {
    /// Writes cells.
    Put(Put),
    /// Hides cells.
    Delete(Delete),
}

impl<B: AsRef<[u8]>> PutOf<B> {
    /// The bytes of its cells: row, family, qualifier and value of each.
    pub(crate) fn bytes(&self) -> usize {
        let of_cell = |c: &PutCellOf<B>| c.family.as_ref().len() + c.qualifier.as_ref().len() + c.value.as_ref().len();
        self.cells.iter().map(|cell| self.row.as_ref().len() + of_cell(cell)).sum()
    }
}

impl Delete {
    /// The bytes of its delete markers: row, family and qualifier of each.
    pub(crate) fn bytes(&self) -> usize {
        self.markers.iter().map(|m| self.row.len() + m.family.len() + m.qualifier.len()).sum()
    }
}

impl Mutation {
    /// The row that it changes.
    pub fn row(&self) -> &Bytes {
        match self {
            Self::Put(p) => &p.row,
            Self::Delete(d) => &d.row,
        }
    }

    /// The bytes of its cells; see [`Put::bytes`] and [`Delete::bytes`].
    pub(crate) fn bytes(&self) -> usize {
        match self {
            Self::Put(put) => put.bytes(),
            Self::Delete(delete) => delete.bytes(),
        }
    }

    /// The families that it names.
    pub(crate) fn families(&self) -> impl Iterator<Item = &Bytes> {
        let (cells, markers) = match self {
            Self::Put(put) => (&put.cells[..], &[][..]),
            Self::Delete(delete) => (&[][..], &delete.markers[..]),
        };
        cells.iter().map(|cell| &cell.family).chain(markers.iter().map(|marker| &marker.family))
    }

    /// The durability of the write.
    pub fn durability(&self) -> Durability {
        match self {
            Self::Put(p) => p.durability,
            Self::Delete(d) => d.durability,
        }
    }
}

/// Adds to counters of one row atomically.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Increment {
    /// The row key.
    pub row: Bytes,
    /// Family, qualifier, amount; at least one. If a column is named twice, both results are computed from the old
    /// value, and the later one is stored.
    pub columns: Vec<(Bytes, Bytes, i64)>,
    /// The TTL of the new cells, in milliseconds; `None`: that of the old cell.
    pub ttl_ms: Option<i64>,
    /// The durability of the write.
    pub durability: Durability,
}

/// Appends to values of one row atomically.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Append {
    /// The row key.
    pub row: Bytes,
    /// Family, qualifier, bytes to append; at least one.
    pub columns: Vec<(Bytes, Bytes, Bytes)>,
    /// The TTL of the new cells, in milliseconds; `None`: that of the old cell.
    pub ttl_ms: Option<i64>,
    /// The durability of the write.
    pub durability: Durability,
}

/// The condition of a checked write: compares a value with the newest visible version of one column, the **given value
/// on the left**.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Check {
    /// The row key.
    pub row: Bytes,
    /// The family's name.
    pub family: Bytes,
    /// The qualifier, which may be empty.
    pub qualifier: Bytes,
    /// `value op stored`.
    pub op: CompareOp,
    /// The value to compare. `None` or empty: tests whether the cell is absent or empty (HBase's
    /// `HRegion.checkAndMutate`).
    pub value: Option<Bytes>,
}
