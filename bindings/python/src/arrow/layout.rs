//! The layout of batches: the columns, their names and their decoders.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::Arc;

use arrow_schema::{Field, Schema, SchemaRef};
use bytes::Bytes;

use super::codec::Codec;

/// The arrangement of cells in batches.
#[derive(Debug, Clone)]
pub enum Layout {
    /// Each row of the table is a row of the batch, with the columns of the table.
    Rows {
        /// The columns, in the order of the batch.
        columns: Vec<ColumnSpec>,
        /// Whether each column is followed by a column with the timestamps of its cells.
        timestamps: bool,
    },
    /// Each cell is a row of the batch, with the columns row key, column, timestamp and value.
    Cells {
        /// The decoder of the values.
        values: Codec,
    },
}

/// A column of the table that is a column of the batches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ColumnSpec {
    /// The family's name.
    pub family: Bytes,
    /// The qualifier.
    pub qualifier: Bytes,
    /// The decoder.
    pub codec: Codec,
}

/// The row key as the first column of the batches.
#[derive(Debug, Clone)]
pub struct KeyColumn {
    /// The name of the column; `None` leaves the row key out.
    pub name: Option<String>,
    /// The decoder.
    pub codec: Codec,
}

impl Layout {
    /// The schema of the batches.
    ///
    /// # Errors
    /// If two columns have the same name, the error is that name.
    pub fn schema(&self, key: &KeyColumn) -> Result<SchemaRef, String> {
        let mut fields = Vec::from_iter(key.name.as_ref().map(|name| Field::new(name, key.codec.data_type(), false)));
        match self {
            Self::Rows { columns, timestamps } => {
                for column in columns {
                    let name = name(&column.family, &column.qualifier);
                    let time =
                        timestamps.then(|| Field::new(format!("{name}.timestamp"), Codec::CellTime.data_type(), true));
                    fields.push(Field::new(name, column.codec.data_type(), true));
                    fields.extend(time);
                }
            }
            Self::Cells { values } => {
                fields.push(Field::new("column", Codec::Text.data_type(), false));
                fields.push(Field::new("timestamp", Codec::CellTime.data_type(), false));
                fields.push(Field::new("value", values.data_type(), true));
            }
        }
        let mut seen = BTreeMap::new();
        match fields.iter().find(|field| seen.insert(field.name().clone(), ()).is_some()) {
            Some(twice) => Err(twice.name().clone()),
            None => Ok(Arc::new(Schema::new(fields))),
        }
    }
}

/// A column's name as text, `family:qualifier`. Bytes that are not valid UTF-8 and control characters of ASCII are
/// written as `\xNN`: Arrow's C interface cannot represent a name with a NUL.
pub fn name(family: &[u8], qualifier: &[u8]) -> String {
    let mut out = String::with_capacity(family.len() + 1 + qualifier.len());
    write_name(&mut out, family, qualifier);
    out
}

/// Appends a column's name, as returned by [`name`], to a string.
pub fn write_name(out: &mut String, family: &[u8], qualifier: &[u8]) {
    escape(out, family);
    out.push(':');
    escape(out, qualifier);
}

fn escape(out: &mut String, bytes: &[u8]) {
    let write_byte = |out: &mut String, byte: u8| {
        // Writing to a string cannot fail.
        let _ = write!(out, "\\x{byte:02X}");
    };
    for chunk in bytes.utf8_chunks() {
        for text in chunk.valid().split_inclusive(|c: char| c.is_ascii_control()) {
            match text.as_bytes() {
                [before @ .., last] if last.is_ascii_control() => {
                    out.push_str(&text[..before.len()]);
                    write_byte(out, *last);
                }
                _ => out.push_str(text),
            }
        }
        chunk.invalid().iter().for_each(|byte| write_byte(out, *byte));
    }
}
