//! How cells become rows of a batch: which columns there are, what they are called and how they are decoded.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::Arc;

use arrow_schema::{Field, Schema, SchemaRef};
use bytes::Bytes;

use super::kind::Kind;

/// The shape of batches.
#[derive(Debug, Clone)]
pub enum Layout {
    /// A row of the table is a row of the batch; columns of the table are its columns.
    Rows {
        /// The columns, in the order in which they stand in the batch.
        columns: Vec<Named>,
        /// Whether each is followed by its cells' timestamps.
        timestamps: bool,
    },
    /// A cell is a row of the batch: key, column, timestamp, value.
    Cells {
        /// How values are decoded.
        values: Kind,
    },
}

/// A column of the table as a column of batches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Named {
    /// The family's name.
    pub family: Bytes,
    /// The qualifier.
    pub qualifier: Bytes,
    /// The decoder.
    pub kind: Kind,
}

/// The row key as the first column of batches.
#[derive(Debug, Clone)]
pub struct Key {
    /// Its name; `None`: it is left out.
    pub name: Option<String>,
    /// Its decoder.
    pub kind: Kind,
}

impl Layout {
    /// The schema of the batches.
    ///
    /// # Errors
    /// The name, if two columns have the same.
    pub fn schema(&self, key: &Key) -> Result<SchemaRef, String> {
        let mut fields = Vec::from_iter(key.name.as_ref().map(|name| Field::new(name, key.kind.data_type(), false)));
        match self {
            Self::Rows { columns, timestamps } => {
                for column in columns {
                    let name = name(&column.family, &column.qualifier);
                    let time =
                        timestamps.then(|| Field::new(format!("{name}.timestamp"), Kind::CellTime.data_type(), true));
                    fields.push(Field::new(name, column.kind.data_type(), true));
                    fields.extend(time);
                }
            }
            Self::Cells { values } => {
                fields.push(Field::new("column", Kind::Text.data_type(), false));
                fields.push(Field::new("timestamp", Kind::CellTime.data_type(), false));
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

/// A column's name as text: `family:qualifier`, bytes that are no UTF-8 as `\xNN`.
pub fn name(family: &[u8], qualifier: &[u8]) -> String {
    let mut out = String::with_capacity(family.len() + 1 + qualifier.len());
    write_name(&mut out, family, qualifier);
    out
}

/// The same at the end of a text.
pub fn write_name(out: &mut String, family: &[u8], qualifier: &[u8]) {
    escape(out, family);
    out.push(':');
    escape(out, qualifier);
}

fn escape(out: &mut String, bytes: &[u8]) {
    for chunk in bytes.utf8_chunks() {
        out.push_str(chunk.valid());
        for byte in chunk.invalid() {
            // Writing to a text cannot fail.
            let _ = write!(out, "\\x{byte:02X}");
        }
    }
}
