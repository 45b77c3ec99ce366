//! A row that is read into the memory of the row before it, for callers that copy what they need from each row.

use std::collections::HashMap;

use bytes::Bytes;

use super::budget::check_row_bytes;
use crate::cell::{Cell, Row};
use crate::error::Result;
use crate::key;

/// Where the cells of a row go.
pub(super) trait CellSink {
    /// Takes a value without a TTL. `qualifier` returns the qualifier.
    ///
    /// # Errors
    /// Those of a row that is too large, and of the budget.
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

/// Where rows go that are read one after the other, without allocating them. A row that has been begun and not ended,
/// because its read failed, is dropped when the next one begins.
pub(super) trait RowSink: CellSink {
    /// Begins a row with this prefix of keys.
    fn begin_row(&mut self, prefix: &[u8]);

    /// Takes a value without a TTL, as [`CellSink::value`] does.
    ///
    /// # Errors
    /// As for [`CellSink::value`].
    fn plain_value(&mut self, family: &Bytes, encoded: &[u8], timestamp: i64, value: Bytes) -> Result<()>;

    /// Ends the row. Returns `false` if it has no cells: then it is not counted.
    ///
    /// # Errors
    /// That of the budget.
    fn end_row(&mut self) -> Result<bool>;

    /// The key of the last row that has been ended and has cells.
    fn last_key(&self) -> &[u8];

    /// The size of that row, as [`Row::bytes`].
    fn last_bytes(&self) -> usize;
}

/// A row that is read into the memory of the row before it ([`Scanner::each_row`](super::Scanner::each_row)). The
/// columns of all rows are numbered, so that a caller compares the names of each column once.
#[derive(Debug, Default)]
pub struct ReusedRow {
    key: Vec<u8>,
    cells: Vec<NumberedCell>,
    bytes: usize,
    numbers: ColumnNumbers,
    /// The key of the row that is being read.
    next_key: Vec<u8>,
    /// The column of the last cell of that row.
    last_column: Option<usize>,
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
    pub fn key(&self) -> &[u8] {
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

    /// Takes a row that has been read.
    pub(super) fn fill(&mut self, row: Row) -> Result<()> {
        self.begin();
        self.next_key.extend_from_slice(&row.key);
        row.cells.into_iter().try_for_each(|cell| self.cell(cell))?;
        self.end_row().map(|_| ())
    }

    fn begin(&mut self) {
        self.cells.clear();
        self.next_key.clear();
        (self.bytes, self.last_column) = (0, None);
    }

    #[inline]
    fn push(&mut self, family: &Bytes, encoded: &[u8], timestamp: i64, value: Bytes) -> Result<()> {
        let column = self.numbers.of(self.last_column, family, encoded);
        self.bytes += self.next_key.len() + family.len() + self.numbers.columns[column].1.len() + value.len();
        check_row_bytes(self.bytes)?;
        self.last_column = Some(column);
        self.cells.push(NumberedCell { column, timestamp, value });
        Ok(())
    }
}

impl CellSink for ReusedRow {
    #[inline]
    fn value(
        &mut self,
        CellPlace { family, encoded, .. }: CellPlace<'_>,
        _qualifier: impl FnOnce() -> Bytes,
        timestamp: i64,
        value: Bytes,
    ) -> Result<()> {
        self.push(family, encoded, timestamp, value)
    }

    fn cell(&mut self, cell: Cell) -> Result<()> {
        let encoded = key::as_part(&cell.qualifier);
        self.push(&cell.family, &encoded, cell.timestamp, cell.value)
    }
}

impl RowSink for ReusedRow {
    fn begin_row(&mut self, prefix: &[u8]) {
        self.begin();
        key::append_row(&mut self.next_key, prefix);
    }

    #[inline]
    fn plain_value(&mut self, family: &Bytes, encoded: &[u8], timestamp: i64, value: Bytes) -> Result<()> {
        self.push(family, encoded, timestamp, value)
    }

    fn end_row(&mut self) -> Result<bool> {
        if self.cells.is_empty() {
            return Ok(false);
        }
        std::mem::swap(&mut self.key, &mut self.next_key);
        Ok(true)
    }

    fn last_key(&self) -> &[u8] {
        &self.key
    }

    fn last_bytes(&self) -> usize {
        self.bytes
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
