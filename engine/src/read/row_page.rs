//! Rows of a scan in memory that they share, for callers that encode them.

use bytes::Bytes;

use super::budget::{Budget, Gathered};
use super::reused_row::{CellPlace, CellSink, RowSink};
use crate::cell::{Cell, CellKind, Row};
use crate::error::Result;
use crate::key;

/// Whole rows that a scan has read ([`Scanner::fetch_page_for`](super::Scanner::fetch_page_for)). Their cells are
/// values.
#[derive(Debug, Default)]
pub struct RowPage {
    /// The row keys, one after the other.
    keys: Vec<u8>,
    rows: Vec<StoredRow>,
    cells: Vec<StoredCell>,
    /// The qualifiers of cells.
    qualifiers: Vec<u8>,
    /// The families of cells, which are few.
    families: Vec<Bytes>,
    bytes: usize,
}

/// A row. It begins where the row before it ends.
#[derive(Debug, Clone, Copy)]
struct StoredRow {
    key_end: usize,
    cells_end: usize,
}

#[derive(Debug)]
struct StoredCell {
    family: usize,
    /// The bounds of the qualifier. Cells may share it.
    qualifier: (usize, usize),
    timestamp: i64,
    value: Bytes,
}

/// A row of a [`RowPage`].
#[derive(Debug, Clone, Copy)]
pub struct PageRow<'a> {
    page: &'a RowPage,
    key: &'a [u8],
    cells: &'a [StoredCell],
}

/// A cell of a [`PageRow`].
#[derive(Debug, Clone, Copy)]
pub struct PageCell<'a> {
    /// As in [`Cell`].
    pub family: &'a [u8],
    /// As in [`Cell`].
    pub qualifier: &'a [u8],
    /// As in [`Cell`].
    pub timestamp: i64,
    /// As in [`Cell`].
    pub value: &'a Bytes,
}

impl RowPage {
    /// The number of rows.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The sum of [`Row::bytes`].
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// The rows, in the order of the scan.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = PageRow<'_>> {
        (0..self.rows.len()).map(|at| {
            let StoredRow { key_end, cells_end } = self.rows[at];
            let start = self.end_of_rows(at);
            PageRow {
                page: self,
                key: &self.keys[start.key_end..key_end],
                cells: &self.cells[start.cells_end..cells_end],
            }
        })
    }

    /// The same rows, each in its own memory.
    pub fn into_rows(self) -> Vec<Row> {
        self.rows().map(|row| row.to_row()).collect()
    }

    /// Where the first `rows` rows end.
    fn end_of_rows(&self, rows: usize) -> StoredRow {
        rows.checked_sub(1).map_or(StoredRow { key_end: 0, cells_end: 0 }, |last| self.rows[last])
    }

    fn family(&mut self, name: &Bytes) -> usize {
        let known = |family: &Bytes| family == name;
        match self.cells.last() {
            // Mostly the family of the cell before.
            Some(last) if known(&self.families[last.family]) => last.family,
            _ => self.families.iter().position(known).unwrap_or_else(|| {
                self.families.push(name.clone());
                self.families.len() - 1
            }),
        }
    }
}

impl<'a> PageRow<'a> {
    /// The row key.
    pub fn key(&self) -> &'a [u8] {
        self.key
    }

    /// The cells, in HBase's order.
    pub fn cells(&self) -> impl ExactSizeIterator<Item = PageCell<'a>> + Clone + use<'a> {
        let page = self.page;
        self.cells.iter().map(move |cell| PageCell {
            family: &page.families[cell.family],
            qualifier: &page.qualifiers[cell.qualifier.0..cell.qualifier.1],
            timestamp: cell.timestamp,
            value: &cell.value,
        })
    }

    fn to_row(self) -> Row {
        let key = Bytes::copy_from_slice(self.key);
        let cell = |cell: &StoredCell| Cell {
            row: key.clone(),
            family: self.page.families[cell.family].clone(),
            qualifier: Bytes::copy_from_slice(&self.page.qualifiers[cell.qualifier.0..cell.qualifier.1]),
            timestamp: cell.timestamp,
            kind: CellKind::Put,
            value: cell.value.clone(),
        };
        Row { cells: self.cells.iter().map(cell).collect(), key, partial: false }
    }
}

/// A page that is being read, within the budget of a call.
pub(super) struct PageReader<'a> {
    page: RowPage,
    budget: &'a dyn Budget,
    gathered: Gathered<'a>,
    row_bytes: usize,
}

impl<'a> PageReader<'a> {
    pub(super) fn new(budget: &'a dyn Budget) -> Self {
        Self { page: RowPage::default(), budget, gathered: Gathered::new(budget), row_bytes: 0 }
    }

    /// The rows that have been ended.
    pub(super) fn page(&self) -> &RowPage {
        &self.page
    }

    /// The page.
    pub(super) fn finish(mut self) -> RowPage {
        self.drop_unfinished();
        self.page
    }

    fn drop_unfinished(&mut self) {
        let StoredRow { key_end, cells_end } = self.page.end_of_rows(self.page.rows.len());
        self.page.keys.truncate(key_end);
        self.page.cells.truncate(cells_end);
    }

    /// The length of the key of the row that is being read.
    fn key_len(&self) -> usize {
        self.page.keys.len() - self.page.end_of_rows(self.page.rows.len()).key_end
    }
}

impl CellSink for PageReader<'_> {
    #[inline]
    fn value(
        &mut self,
        CellPlace { family, encoded, .. }: CellPlace<'_>,
        _qualifier: impl FnOnce() -> Bytes,
        timestamp: i64,
        value: Bytes,
    ) -> Result<()> {
        self.plain_value(family, encoded, timestamp, value)
    }

    fn cell(&mut self, cell: Cell) -> Result<()> {
        let encoded = key::as_part(&cell.qualifier);
        self.plain_value(&cell.family, &encoded, cell.timestamp, cell.value)
    }
}

impl RowSink for PageReader<'_> {
    fn begin_row(&mut self, prefix: &[u8]) {
        self.drop_unfinished();
        key::append_row(&mut self.page.keys, prefix);
        (self.gathered, self.row_bytes) = (Gathered::new(self.budget), 0);
    }

    #[inline]
    fn plain_value(&mut self, family: &Bytes, encoded: &[u8], timestamp: i64, value: Bytes) -> Result<()> {
        let (row, own) = (self.key_len(), family.len() + key::part_len(encoded) + value.len());
        self.gathered.add_bytes(row, own)?;
        self.row_bytes += row + own;
        let page = &mut self.page;
        let family = page.family(family);
        let start = page.qualifiers.len();
        key::append_part(&mut page.qualifiers, encoded);
        page.cells.push(StoredCell { family, qualifier: (start, page.qualifiers.len()), timestamp, value });
        Ok(())
    }

    fn end_row(&mut self) -> Result<bool> {
        let cells_end = self.page.cells.len();
        if cells_end == self.page.end_of_rows(self.page.rows.len()).cells_end {
            return Ok(false);
        }
        self.gathered.settle()?;
        self.page.rows.push(StoredRow { key_end: self.page.keys.len(), cells_end });
        self.page.bytes += self.row_bytes;
        Ok(true)
    }

    fn last_key(&self) -> &[u8] {
        let rows = self.page.rows.len();
        &self.page.keys[self.page.end_of_rows(rows.saturating_sub(1)).key_end..self.page.end_of_rows(rows).key_end]
    }

    fn last_bytes(&self) -> usize {
        self.row_bytes
    }
}
