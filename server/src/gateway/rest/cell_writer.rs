//! Cell sets in answers: written row by row.

use std::io::{self, Write};

use base64::display::Base64Display;
use hjall_engine::{Cell, Row};
use prost::Message;

use super::json::BASE64;
use super::{protobuf, xml};
use crate::wire::rest::media::Kind;

/// The most rows of a cell set in a stream of protobuf messages (HBase's `hbase.rest.scan.fetchsize`).
const STREAM_ROWS: usize = 10;
/// The longest message of such a stream, whose length has two bytes.
const STREAM_BYTES_MAX: usize = u16::MAX as usize;

/// Writes rows as one cell set, or as a stream of them.
pub struct CellSetWriter {
    kind: Kind,
    is_stream: bool,
    rows: u64,
    /// Rows of a stream that have not been written yet.
    pending: Vec<protobuf::Row>,
    pending_bytes: usize,
}

impl CellSetWriter {
    /// A cell set in this representation.
    pub(super) fn new(kind: Kind) -> Self {
        Self { kind, is_stream: false, rows: 0, pending: Vec::new(), pending_bytes: 0 }
    }

    /// In protobuf, a stream of cell sets, each preceded by its length in two bytes.
    pub(super) fn stream(kind: Kind) -> Self {
        Self { is_stream: kind.is_protobuf(), ..Self::new(kind) }
    }

    /// Whether nothing has been written.
    pub(super) fn is_empty(&self) -> bool {
        self.rows == 0
    }

    /// Writes a row.
    pub(super) fn row(&mut self, out: &mut dyn Write, row: &Row) -> io::Result<()> {
        self.rows += 1;
        match self.kind {
            Kind::Json => {
                let begin = if self.rows == 1 { "{\"Row\":[" } else { "," };
                write!(out, "{begin}{{\"key\":\"{}\",\"Cell\":[", base64(&row.key))?;
                for (n, cell) in row.cells.iter().enumerate() {
                    let comma = if n == 0 { "" } else { "," };
                    write!(out, "{comma}{{\"column\":\"")?;
                    write_column(out, cell)?;
                    write!(out, "\",\"timestamp\":{},\"$\":\"{}\"}}", cell.timestamp, base64(&cell.value))?;
                }
                out.write_all(b"]}")
            }
            Kind::Xml => {
                if self.rows == 1 {
                    write!(out, "{}<CellSet>", xml::DECLARATION)?;
                }
                write!(out, "<Row key=\"{}\">", base64(&row.key))?;
                for cell in &row.cells {
                    out.write_all(b"<Cell column=\"")?;
                    write_column(out, cell)?;
                    write!(out, "\" timestamp=\"{}\">{}</Cell>", cell.timestamp, base64(&cell.value))?;
                }
                out.write_all(b"</Row>")
            }
            _ if self.is_stream => message(row).try_for_each(|row| self.add(out, row)),
            // The rows of a message may be written one after the other.
            _ => {
                let rows = vec![protobuf::Row {
                    key: Some(row.key.clone()),
                    values: row.cells.iter().map(message_cell).collect(),
                }];
                out.write_all(&protobuf::CellSet { rows }.encode_to_vec())
            }
        }
    }

    /// Ends the cell set.
    pub(super) fn end(&mut self, out: &mut dyn Write) -> io::Result<()> {
        match (self.kind, self.rows) {
            (Kind::Json, 0) => out.write_all(b"{\"Row\":[]}"),
            (Kind::Json, _) => out.write_all(b"]}"),
            (Kind::Xml, 0) => write!(out, "{}<CellSet/>", xml::DECLARATION),
            (Kind::Xml, _) => out.write_all(b"</CellSet>"),
            _ => self.flush(out),
        }
    }

    /// Adds a row to the present message of a stream.
    fn add(&mut self, out: &mut dyn Write, row: protobuf::Row) -> io::Result<()> {
        // A row in a cell set: a tag of one byte, its length, and the row.
        let length = row.encoded_len();
        let bytes = 1 + prost::length_delimiter_len(length) + length;
        if bytes > STREAM_BYTES_MAX {
            let why = "a cell is too large for this representation, whose messages have up to 65535 bytes; ask for JSON or XML";
            return Err(io::Error::new(io::ErrorKind::InvalidData, why));
        }
        if self.pending.len() >= STREAM_ROWS || self.pending_bytes + bytes > STREAM_BYTES_MAX {
            self.flush(out)?;
        }
        self.pending.push(row);
        self.pending_bytes += bytes;
        Ok(())
    }

    /// The bytes of rows that have not been written yet.
    pub(super) fn pending_bytes(&self) -> usize {
        self.pending_bytes
    }

    /// Writes the rows that have not been written yet.
    pub(super) fn flush(&mut self, out: &mut dyn Write) -> io::Result<()> {
        if self.pending.is_empty() {
            return Ok(());
        }
        let message = protobuf::CellSet { rows: std::mem::take(&mut self.pending) }.encode_to_vec();
        self.pending_bytes = 0;
        out.write_all(&u16::try_from(message.len()).unwrap_or(u16::MAX).to_be_bytes())?;
        out.write_all(&message)
    }
}

/// A row as elements of messages: one, or several if it is too long for one message.
fn message(row: &Row) -> impl Iterator<Item = protobuf::Row> + use<> {
    const ROW_BYTES_MAX: usize = 60_000;
    let mut rows: Vec<protobuf::Row> = Vec::new();
    let mut bytes = usize::MAX;
    for cell in &row.cells {
        let cell = message_cell(cell);
        let length = cell.encoded_len() + 4;
        if bytes.saturating_add(length) > ROW_BYTES_MAX {
            rows.push(protobuf::Row { key: Some(row.key.clone()), values: Vec::new() });
            bytes = row.key.len();
        }
        bytes += length;
        if let Some(row) = rows.last_mut() {
            row.values.push(cell);
        }
    }
    rows.into_iter()
}

fn message_cell(cell: &Cell) -> protobuf::Cell {
    protobuf::Cell {
        column: Some(column(cell).into()),
        timestamp: Some(cell.timestamp),
        data: Some(cell.value.clone()),
    }
}

/// `family:qualifier`.
pub(super) fn column(cell: &Cell) -> Vec<u8> {
    [&cell.family[..], b":", &cell.qualifier].concat()
}

fn base64(bytes: &[u8]) -> Base64Display<'_, '_, base64::engine::GeneralPurpose> {
    Base64Display::new(bytes, &BASE64)
}

fn write_column(out: &mut dyn Write, cell: &Cell) -> io::Result<()> {
    write!(out, "{}", base64(&column(cell)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gateway::rest::fixtures::{cell, row, written};

    #[test]
    fn messages_of_a_stream_are_short_enough_for_their_lengths() {
        let long = row((0..40).map(|n| cell(&n.to_string(), &[7; 5000])).collect());
        let short = row(vec![cell("a", b"x")]);
        let mut rows = vec![short.clone(); 25];
        rows.push(long);
        let mut stream = &written(CellSetWriter::stream(Kind::Protobuf), &rows)[..];
        let (mut lengths, mut cells) = (Vec::new(), 0);
        while let Some((length, rest)) = stream.split_first_chunk::<2>() {
            let (message, rest) = rest.split_at(u16::from_be_bytes(*length).into());
            let set = protobuf::CellSet::decode(message).unwrap();
            lengths.push(set.rows.len());
            cells += set.rows.iter().map(|row| row.values.len()).sum::<usize>();
            stream = rest;
        }
        assert_eq!(lengths[..2], [10, 10]);
        assert_eq!(cells, 65);
        let mut out = Vec::new();
        let huge = row(vec![cell("a", &[0; 70_000])]);
        assert!(CellSetWriter::stream(Kind::Protobuf).row(&mut out, &huge).is_err());
        assert!(CellSetWriter::new(Kind::Protobuf).row(&mut out, &huge).is_ok());
    }
}
