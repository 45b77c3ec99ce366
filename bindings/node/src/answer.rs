//! Writing answers, which `node/lib/embedded/answer.js` reads: little-endian numbers, and byte strings preceded by
//! their length (u32).

use hjall_engine::{Cell, Error, Row};

use crate::columns::{Columns, RowColumns};
use crate::vocabulary::{CELL_HEADER_BYTES, ErrorKind, NAMED, Outcome, ROW_HEADER_BYTES};

/// An answer being written.
pub struct Answer<'a> {
    out: Vec<u8>,
    columns: &'a Columns,
}

impl<'a> Answer<'a> {
    /// Starts a successful answer in `memory`, whose content is discarded.
    pub fn new(mut memory: Vec<u8>, columns: &'a Columns) -> Self {
        memory.clear();
        memory.push(Outcome::Done.into());
        Self { out: memory, columns }
    }

    /// The bytes of the answer: what was written, or the error.
    pub fn finish(self, result: Result<(), Error>) -> Vec<u8> {
        match result {
            Ok(()) => self.out,
            Err(error) => self.failed(&error),
        }
    }

    /// The bytes of an answer that is an error.
    pub fn failed(mut self, error: &Error) -> Vec<u8> {
        self.out.clear();
        self.code(Outcome::Failed);
        self.error(error);
        self.out
    }

    /// Length of the answer so far, in bytes.
    pub fn len(&self) -> usize {
        self.out.len()
    }

    /// A number of the vocabulary (u8).
    pub fn code(&mut self, value: impl Into<u8>) {
        self.out.push(value.into());
    }

    /// A boolean, as 0 or 1 (u8).
    pub fn flag(&mut self, value: bool) {
        self.out.push(u8::from(value));
    }

    /// A 32-bit number.
    pub fn u32(&mut self, value: u32) {
        self.out.extend_from_slice(&value.to_le_bytes());
    }

    /// Overwrites a 32-bit number at `at`.
    pub fn u32_at(&mut self, at: usize, value: u32) {
        if let Some(place) = self.out.get_mut(at..at + 4) {
            place.copy_from_slice(&value.to_le_bytes());
        }
    }

    /// A signed 64-bit number.
    pub fn i64(&mut self, value: i64) {
        self.out.extend_from_slice(&value.to_le_bytes());
    }

    /// A byte string, after its length (u32).
    pub fn bytes(&mut self, value: &[u8]) {
        self.u32(u32::try_from(value.len()).unwrap_or(u32::MAX));
        self.out.extend_from_slice(value);
    }

    /// A list: its length (u32), then each element.
    pub fn list<T>(&mut self, values: impl ExactSizeIterator<Item = T>, mut write: impl FnMut(&mut Self, T)) {
        self.u32(u32::try_from(values.len()).unwrap_or(u32::MAX));
        for value in values {
            write(self, value);
        }
    }

    /// An error: its kind (u8), its readable message, the Java class and the message of HBase's exception, and the
    /// messages of its causes, outermost first.
    pub fn error(&mut self, error: &Error) {
        self.code(ErrorKind::from(error.kind()));
        self.bytes(error.plain().as_bytes());
        self.bytes(error.kind().java_class().as_bytes());
        self.bytes(error.message().as_bytes());
        let mut causes = Vec::new();
        let mut source = std::error::Error::source(error);
        while let Some(cause) = source {
            causes.push(cause.to_string());
            source = cause.source();
        }
        self.list(causes.iter(), |out, cause| out.bytes(cause.as_bytes()));
    }

    /// A row: its header (see [`ROW_HEADER_BYTES`]), its key, its cells.
    pub fn row(&mut self, row: &Row) {
        let mut header = [0; ROW_HEADER_BYTES];
        header[..2].copy_from_slice(&u16::try_from(row.key.len()).unwrap_or(u16::MAX).to_le_bytes());
        header[2] = u8::from(row.partial);
        header[3..7].copy_from_slice(&u32::try_from(row.cells.len()).unwrap_or(u32::MAX).to_le_bytes());
        self.out.extend_from_slice(&header);
        let begin = self.out.len();
        self.out.extend_from_slice(&row.key);
        let columns = self.columns;
        let mut columns = columns.row();
        for cell in &row.cells {
            self.cell(cell, &mut columns);
        }
        // The last field of the header, known only now.
        self.u32_at(begin - 4, u32::try_from(self.out.len() - begin).unwrap_or(u32::MAX));
    }

    /// A cell: its header (see [`CELL_HEADER_BYTES`]), its column's name if the column has no number, its value.
    fn cell(&mut self, cell: &Cell, columns: &mut RowColumns<'_>) {
        let number = columns.number(&cell.family, &cell.qualifier);
        let mut header = [0; CELL_HEADER_BYTES];
        header[..4].copy_from_slice(&number.unwrap_or(NAMED).to_le_bytes());
        header[4..12].copy_from_slice(&cell.timestamp.to_le_bytes());
        header[12] = cell.kind.code();
        header[13..].copy_from_slice(&u32::try_from(cell.value.len()).unwrap_or(u32::MAX).to_le_bytes());
        self.out.extend_from_slice(&header);
        if number.is_none() {
            self.bytes(&cell.family);
            self.bytes(&cell.qualifier);
        }
        self.out.extend_from_slice(&cell.value);
    }
}
