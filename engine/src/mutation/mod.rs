//! What can be asked of a table: writes.

mod validate;

use bytes::Bytes;

pub use crate::compare_op::CompareOp;
pub use crate::durability::Durability;
pub(crate) use validate::cell_bytes;
pub use validate::check_timestamp;

/// One cell of a [`Put`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PutCell {
    /// The family's name.
    pub family: Bytes,
    /// The qualifier, which may be empty.
    pub qualifier: Bytes,
    /// Milliseconds since 1970; [`crate::LATEST`]: when it is applied.
    pub timestamp: i64,
    /// The value, which may be empty.
    pub value: Bytes,
}

/// Writes cells of one row.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Put {
    /// The row key.
    pub row: Bytes,
    /// At least one cell; of several with the same column and timestamp the last one counts.
    pub cells: Vec<PutCell>,
    /// How long each cell lives from its timestamp on, in milliseconds (HBase's `_ttl` attribute).
    pub ttl_ms: Option<i64>,
    /// When it counts as done.
    pub durability: Durability,
}

/// What a [`Marker`] covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MarkerKind {
    /// One version of a column: the given one, or with [`crate::LATEST`] the newest (the k-th such marker: the k-th newest).
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
    /// What it covers.
    pub kind: MarkerKind,
    /// Milliseconds since 1970; [`crate::LATEST`]: when it is applied.
    pub timestamp: i64,
}

/// Hides cells of one row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delete {
    /// The row key.
    pub row: Bytes,
    /// What to hide; empty: every family of the table, up to `timestamp`.
    pub markers: Vec<Marker>,
    /// For the whole row, when there are no markers.
    pub timestamp: i64,
    /// How long the markers themselves live from their timestamp on, in milliseconds.
    pub ttl_ms: Option<i64>,
    /// When it counts as done.
    pub durability: Durability,
}

impl Delete {
    /// Hides the whole row, as of now.
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

/// A put or a delete, for what applies several to one row at once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Mutation {
    /// Writes cells.
    Put(Put),
    /// Hides cells.
    Delete(Delete),
}

impl Mutation {
    /// The row it is for.
    pub fn row(&self) -> &Bytes {
        match self {
            Self::Put(p) => &p.row,
            Self::Delete(d) => &d.row,
        }
    }

    /// When it counts as done.
    pub fn durability(&self) -> Durability {
        match self {
            Self::Put(p) => p.durability,
            Self::Delete(d) => d.durability,
        }
    }
}

/// Adds to counters of one row, all at once.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Increment {
    /// The row key.
    pub row: Bytes,
    /// Family, qualifier, amount; at least one. A column named twice: each from the value before, the later one is stored.
    pub columns: Vec<(Bytes, Bytes, i64)>,
    /// How long the new cells live, in milliseconds; `None`: as the cell before.
    pub ttl_ms: Option<i64>,
    /// When it counts as done.
    pub durability: Durability,
}

/// Appends to values of one row, all at once.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Append {
    /// The row key.
    pub row: Bytes,
    /// Family, qualifier, what to append; at least one.
    pub columns: Vec<(Bytes, Bytes, Bytes)>,
    /// How long the new cells live, in milliseconds; `None`: as the cell before.
    pub ttl_ms: Option<i64>,
    /// When it counts as done.
    pub durability: Durability,
}

/// The condition of a checked write: the newest visible version of one column against a value, the **given value on the left**.
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
    /// `None` or empty: about there being no cell, or an empty one (HBase's `HRegion.checkAndMutate`).
    pub value: Option<Bytes>,
}
