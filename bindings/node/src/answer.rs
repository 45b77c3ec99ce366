//! Writing answers, for `node/lib/embedded/answer.js` to read: numbers little-endian, byte strings behind their length (u32).

use hjall_engine::{Cell, Error, Row};

use crate::columns::{Columns, RowColumns};

/// The first byte of an answer that is one.
const DONE: u8 = 0;
/// The first byte of an answer that says what went wrong.
const FAILED: u8 = 1;
/// In place of a column's number: its name follows.
const NAMED: u32 = u32::MAX;

/// An answer being written.
pub struct Answer<'a> {
    out: Vec<u8>,
    columns: &'a Columns,
}

impl<'a> Answer<'a> {
    /// An empty answer in memory that was used before.
    pub fn new(mut memory: Vec<u8>, columns: &'a Columns) -> Self {
        memory.clear();
        memory.push(DONE);
        Self { out: memory, columns }
    }

    /// The bytes of what was written, or of what went wrong.
    pub fn finish(mut self, result: Result<(), Error>) -> Vec<u8> {
        if let Err(error) = result {
            self.out.clear();
            self.out.push(FAILED);
            self.error(&error);
        }
        self.out
    }

    /// How many bytes there are.
    pub fn len(&self) -> usize {
        self.out.len()
    }

    /// One byte.
    pub fn u8(&mut self, value: u8) {
        self.out.push(value);
    }

    /// Four bytes.
    pub fn u32(&mut self, value: u32) {
        self.out.extend_from_slice(&value.to_le_bytes());
    }

    /// Four bytes at a place that was written before.
    pub fn u32_at(&mut self, at: usize, value: u32) {
        if let Some(place) = self.out.get_mut(at..at + 4) {
            place.copy_from_slice(&value.to_le_bytes());
        }
    }

    /// Eight bytes.
    pub fn i64(&mut self, value: i64) {
        self.out.extend_from_slice(&value.to_le_bytes());
    }

    /// A byte string.
    pub fn bytes(&mut self, value: &[u8]) {
        self.u32(u32::try_from(value.len()).unwrap_or(u32::MAX));
        self.out.extend_from_slice(value);
    }

    /// How many there are, and each.
    pub fn list<T>(&mut self, values: impl ExactSizeIterator<Item = T>, mut write: impl FnMut(&mut Self, T)) {
        self.u32(u32::try_from(values.len()).unwrap_or(u32::MAX));
        for value in values {
            write(self, value);
        }
    }

    /// An error: its kind, its message, and the messages of what lay beneath.
    pub fn error(&mut self, error: &Error) {
        self.bytes(crate::error::name(error.kind()).as_bytes());
        self.bytes(error.message().as_bytes());
        let mut causes = Vec::new();
        let mut beneath = std::error::Error::source(error);
        while let Some(cause) = beneath {
            causes.push(cause.to_string());
            beneath = cause.source();
        }
        self.list(causes.iter(), |out, cause| out.bytes(cause.as_bytes()));
    }

    /// A row: length of the key (u16), whether more of the row follows (u8), number of cells (u32), bytes of all that follows (u32), the key, the cells.
    pub fn row(&mut self, row: &Row) {
        self.out.extend_from_slice(&u16::try_from(row.key.len()).unwrap_or(u16::MAX).to_le_bytes());
        self.u8(u8::from(row.partial));
        self.u32(u32::try_from(row.cells.len()).unwrap_or(u32::MAX));
        let place = self.out.len();
        self.u32(0);
        self.out.extend_from_slice(&row.key);
        let columns = self.columns;
        let mut columns = columns.row();
        for cell in &row.cells {
            self.cell(cell, &mut columns);
        }
        let behind = self.out.len() - place - 4;
        self.u32_at(place, u32::try_from(behind).unwrap_or(u32::MAX));
    }

    /// A cell: its column's number (u32), timestamp (i64), kind (u8), length of its value (u32), the column's name if it has no number, the value.
    fn cell(&mut self, cell: &Cell, columns: &mut RowColumns<'_>) {
        let number = columns.number(&cell.family, &cell.qualifier);
        let mut head = [0; 17];
        head[..4].copy_from_slice(&number.unwrap_or(NAMED).to_le_bytes());
        head[4..12].copy_from_slice(&cell.timestamp.to_le_bytes());
        head[12] = cell.kind.code();
        head[13..].copy_from_slice(&u32::try_from(cell.value.len()).unwrap_or(u32::MAX).to_le_bytes());
        self.out.extend_from_slice(&head);
        if number.is_none() {
            self.bytes(&cell.family);
            self.bytes(&cell.qualifier);
        }
        self.out.extend_from_slice(&cell.value);
    }
}
