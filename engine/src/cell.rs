//! Cells: what a table holds and a read returns.

use bytes::Bytes;

/// The newest possible timestamp; in a mutation it means "the time at which it is applied" (HBase's
/// `HConstants.LATEST_TIMESTAMP`).
pub const LATEST: i64 = i64::MAX;

/// The kind of a cell. The numbers are HBase's and order cells with the same timestamp (higher sorts first).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum CellKind {
    /// A value.
    Put = 4,
    /// Hides exactly one version of a column.
    Delete = 8,
    /// Hides all cells of a family with exactly its timestamp.
    DeleteFamilyVersion = 10,
    /// Hides all versions of a column up to its timestamp.
    DeleteColumn = 12,
    /// Hides all cells of a family up to its timestamp.
    DeleteFamily = 14,
}

impl CellKind {
    /// The kind with this number; `None` if no stored cell has it.
    pub fn from_code(code: u8) -> Option<Self> {
        Some(match code {
            4 => Self::Put,
            8 => Self::Delete,
            10 => Self::DeleteFamilyVersion,
            12 => Self::DeleteColumn,
            14 => Self::DeleteFamily,
            _ => return None,
        })
    }

    /// HBase's number.
    pub fn code(self) -> u8 {
        self as u8
    }

    /// Whether it covers a family rather than one column (its qualifier is then empty).
    pub fn is_family_marker(self) -> bool {
        matches!(self, Self::DeleteFamily | Self::DeleteFamilyVersion)
    }

    /// Whether it hides other cells.
    pub fn is_marker(self) -> bool {
        self != Self::Put
    }
}

/// One cell. Timestamps are milliseconds since 1970; everything else is bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cell {
    /// The row key, 1 to 32,767 bytes.
    pub row: Bytes,
    /// The family's name.
    pub family: Bytes,
    /// The qualifier, which may be empty.
    pub qualifier: Bytes,
    /// Milliseconds since 1970, or any other number that the writer chose.
    pub timestamp: i64,
    /// A value, or (raw reads only) a delete marker.
    pub kind: CellKind,
    /// The value; empty for markers.
    pub value: Bytes,
}

impl Cell {
    /// The bytes of row, family, qualifier and value together.
    pub fn bytes(&self) -> usize {
        self.row.len() + self.family.len() + self.qualifier.len() + self.value.len()
    }
}

/// A value that belongs to another object. The fields are as in [`Cell`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "the fields are those of Cell")]
pub struct CellRef<'a> {
    pub family: &'a [u8],
    pub qualifier: &'a [u8],
    pub timestamp: i64,
    pub value: &'a [u8],
}

/// Cells of one row in HBase's order: family, qualifier ascending, timestamp descending.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Row {
    /// The row key; empty if there are no cells.
    pub key: Bytes,
    /// The cells; empty if the row does not exist.
    pub cells: Vec<Cell>,
    /// More cells of the same row may follow in the next result (scans with a batch size). As in HBase, a full piece is
    /// partial even if all cells stored after it are hidden, in excess or filtered out. A piece that is not full, or
    /// not partial, is the last one of its row.
    pub partial: bool,
}

impl Row {
    /// The bytes of all cells; see [`Cell::bytes`].
    pub fn bytes(&self) -> usize {
        self.cells.iter().map(Cell::bytes).sum()
    }

    /// The memory that the row uses, in bytes: the row, its cells, and what they contain. The row key, which the cells
    /// share, counts once.
    pub fn memory_bytes(&self) -> usize {
        let cell = |cell: &Cell| size_of::<Cell>() + cell.family.len() + cell.qualifier.len() + cell.value.len();
        size_of::<Self>() + self.key.len() + self.cells.iter().map(cell).sum::<usize>()
    }
}
