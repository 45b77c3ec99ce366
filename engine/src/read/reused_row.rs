//! A row that is read into the memory of the row before it, for callers that copy what they need from each row.

use std::collections::HashMap;

use bytes::Bytes;

use super::budget::{Gathered, Unlimited};
use crate::cell::{Cell, Row};
use crate::error::Result;
use crate::key;

/// Where the cells of a row go.
pub(super) trait CellSink {
    /// Takes a value without a TTL. `qualifier` returns the qualifier.
    ///
    /// # Errors
    /// Those of a row that is too large.
    fn value(
        &mut self,
        place: CellPlace<'_>,
        qualifier: impl FnOnce() -> Bytes,
        timestamp: i64,
        value: Bytes,
    ) -> Result<()>;

    /// Takes any cell.
    ///
    /// # Errors
    /// As for [`Self::value`].
    fn cell(&mut self, cell: Cell) -> Result<()>;
}

/// The column of a cell in its table.
pub(super) struct CellPlace<'a> {
    pub(super) row: &'a Bytes,
    pub(super) family: &'a Bytes,
    /// The qualifier as it is encoded in keys.
    pub(super) encoded: &'a [u8],
}

/// A row that is read into the memory of the row before it ([`Scanner::each_row`](super::Scanner::each_row)). The
/// columns of all rows are numbered, so that a caller compares the names of each column once.
#[derive(Debug, Default)]
pub struct ReusedRow {
    key: Bytes,
    cells: Vec<NumberedCell>,
    bytes: usize,
    numbers: ColumnNumbers,
}

/// A cell of a [`ReusedRow`].
#[derive(Debug, Clone)]
pub struct NumberedCell {
    /// The index of its column in [`ReusedRow::columns`].
    pub column: usize,
    /// As in [`Cell`].
    pub timestamp: i64,
    /// As in [`Cell`].
    pub value: Bytes,
}

impl ReusedRow {
    /// The row key.
    pub fn key(&self) -> &Bytes {
        &self.key
    }

    /// The cells, in HBase's order.
    pub fn cells(&self) -> &[NumberedCell] {
        &self.cells
    }

    /// Family and qualifier of the columns of all rows that have been read, in the order in which they were
    /// encountered.
    pub fn columns(&self) -> &[(Bytes, Bytes)] {
        &self.numbers.columns
    }

    /// Forgets the columns. The next row gets new numbers. For callers that do not keep numbers, since a table can have
    /// any number of columns.
    pub fn forget_columns(&mut self) {
        self.cells.clear();
        self.numbers = ColumnNumbers::default();
    }

    /// As [`Row::bytes`].
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Begins the next row: its cells. The key is still that of the row before.
    pub(super) fn begin(&mut self) -> ReusedCells<'_> {
        self.cells.clear();
        self.bytes = 0;
        ReusedCells { row: self, gathered: Gathered::new(&Unlimited), before: None }
    }

    /// Ends a row. Returns `false` if the row has no cells and is not counted.
    pub(super) fn finish(&mut self, key: Bytes) -> bool {
        if self.cells.is_empty() {
            return false;
        }
        self.key = key;
        true
    }

    /// Takes a row that has been read.
    pub(super) fn fill(&mut self, row: Row) -> Result<()> {
        let mut cells = self.begin();
        row.cells.into_iter().try_for_each(|cell| cells.cell(cell))?;
        self.finish(row.key);
        Ok(())
    }
}

/// The cells of a row that is being read.
pub(super) struct ReusedCells<'a> {
    row: &'a mut ReusedRow,
    gathered: Gathered<'static>,
    /// The column of the last cell.
    before: Option<usize>,
}

impl ReusedCells<'_> {
    #[inline]
    fn push(&mut self, CellPlace { row, family, encoded }: CellPlace<'_>, timestamp: i64, value: Bytes) -> Result<()> {
        let column = self.row.numbers.of(self.before, family, encoded);
        let own = family.len() + self.row.numbers.columns[column].1.len() + value.len();
        self.gathered.add_bytes(row.len(), own)?;
        self.row.bytes += row.len() + own;
        self.before = Some(column);
        self.row.cells.push(NumberedCell { column, timestamp, value });
        Ok(())
    }
}

impl CellSink for ReusedCells<'_> {
    #[inline]
    fn value(
        &mut self,
        place: CellPlace<'_>,
        _qualifier: impl FnOnce() -> Bytes,
        timestamp: i64,
        value: Bytes,
    ) -> Result<()> {
        self.push(place, timestamp, value)
    }

    fn cell(&mut self, cell: Cell) -> Result<()> {
        let encoded = key::as_part(&cell.qualifier);
        let place = CellPlace { row: &cell.row, family: &cell.family, encoded: &encoded };
        self.push(place, cell.timestamp, cell.value)
    }
}

/// The numbers of columns.
#[derive(Debug, Default)]
struct ColumnNumbers {
    /// The columns, indexed by number.
    columns: Vec<(Bytes, Bytes)>,
    /// The encoded qualifiers, indexed by number.
    encoded: Vec<Bytes>,
    /// The numbers, keyed by family and encoded qualifier.
    numbers: HashMap<(Bytes, Bytes), usize>,
    /// The column that followed each column in the last row that had it. Rows mostly have the same columns.
    next: Vec<usize>,
    /// The first column of the last row.
    first: usize,
}

impl ColumnNumbers {
    /// The number of a column, which follows the column `before` in its row.
    #[inline]
    fn of(&mut self, before: Option<usize>, family: &Bytes, encoded: &[u8]) -> usize {
        let expected = before.map_or(self.first, |before| self.next[before]);
        let is_expected = self.encoded.get(expected).is_some_and(|known| known[..] == *encoded)
            && self.columns.get(expected).is_some_and(|(known, _)| known == family);
        if is_expected { expected } else { self.look_up(before, family, encoded) }
    }

    fn look_up(&mut self, before: Option<usize>, family: &Bytes, encoded: &[u8]) -> usize {
        let encoded = Bytes::copy_from_slice(encoded);
        let new = self.columns.len();
        let number = *self.numbers.entry((family.clone(), encoded.clone())).or_insert(new);
        if number == new {
            self.columns.push((family.clone(), key::part(&encoded)));
            self.encoded.push(encoded);
            self.next.push(new + 1);
        }
        match before {
            Some(before) => self.next[before] = number,
            None => self.first = number,
        }
        number
    }
}
