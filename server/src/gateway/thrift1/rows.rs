//! Replies that consist of rows. They are written without building the structs of the contract.

use std::cmp::Ordering;

use hjall_engine::{Cell, Row};
use hjall_idl::hbase1::GetRowResult;
use thrift::protocol::{TSerializable, TType};

use super::convert;
use crate::wire::fault::Fault;
use crate::wire::reply::Output;
use crate::wire::writer::{WriteWith, Writer};

/// A list of rows, in the order of the reply.
#[derive(Debug, Default)]
pub struct Rows {
    rows: Vec<Row>,
    /// Whether the columns of a row are a list in the order of cells, instead of a map.
    sorted: bool,
}

impl Rows {
    /// Rows whose columns are maps. Of several cells of a column the last one is kept, as in HBase.
    pub fn mapped(rows: Vec<Row>) -> Self {
        Self { rows, sorted: false }
    }

    /// Rows whose columns are lists.
    pub fn sorted(rows: Vec<Row>) -> Self {
        Self { rows, sorted: true }
    }

    /// Writes the result of a method that returns these rows.
    ///
    /// # Errors
    /// The reply exceeds its limit.
    pub fn write(self, output: &mut Output<'_>) -> Result<(), Fault> {
        let Self { rows, sorted } = self;
        if !sorted && !rows.iter().all(has_distinct_ascending_columns) {
            // A map is needed to order the columns and to find those that occur twice. All these methods have results
            // of the same form.
            let success = Some(rows.iter().map(convert::row).collect());
            let result = GetRowResult { success, io: None };
            return Ok(output.generated(|output| result.write_to_out_protocol(output))?);
        }
        output.append(&Head(rows.len()))?;
        for row in rows {
            // Each row is dropped as soon as it has been written.
            match sorted {
                true => output.append(&SortedRow(&row))?,
                false => output.append(&MappedRow(&row))?,
            }
        }
        Ok(output.append(&End)?)
    }
}

/// Writes the result of a method that returns one row, whose columns are a map.
///
/// # Errors
/// The reply exceeds its limit.
pub fn write_row(row: &Row, output: &mut Output<'_>) -> Result<(), Fault> {
    if !has_distinct_ascending_columns(row) {
        return Rows::mapped(vec![row.clone()]).write(output);
    }
    Ok(output.append(&OneRow(row))?)
}

/// Whether the columns of a row have different names, in ascending order. The engine orders cells by family and
/// qualifier, which differs from the order of names if the name of a family begins with that of another one.
fn has_distinct_ascending_columns(row: &Row) -> bool {
    row.cells.windows(2).all(|pair| compare_columns(&pair[0], &pair[1]) == Ordering::Less)
}

fn compare_columns(a: &Cell, b: &Cell) -> Ordering {
    if a.family == b.family {
        return a.qualifier.cmp(&b.qualifier);
    }
    let name = |cell: &Cell| [&cell.family[..], b":", &cell.qualifier].concat();
    name(a).cmp(&name(b))
}

/// The beginning of the result: the header of the list of rows.
struct Head(usize);

impl WriteWith for Head {
    fn write(&self, writer: &mut impl Writer) {
        writer.field(0, 0, TType::List);
        writer.list(TType::Struct, self.0);
    }
}

/// The end of the result.
struct End;

impl WriteWith for End {
    fn write(&self, writer: &mut impl Writer) {
        writer.stop();
    }
}

/// The result with one row, or with none if it has no cells.
struct OneRow<'a>(&'a Row);

impl WriteWith for OneRow<'_> {
    fn write(&self, writer: &mut impl Writer) {
        let Self(row) = self;
        Head(usize::from(!row.cells.is_empty())).write(writer);
        if !row.cells.is_empty() {
            MappedRow(row).write(writer);
        }
        End.write(writer);
    }
}

/// A `TRowResult` with a map of columns.
struct MappedRow<'a>(&'a Row);

impl WriteWith for MappedRow<'_> {
    fn write(&self, writer: &mut impl Writer) {
        let Self(row) = self;
        writer.field(0, 1, TType::String);
        writer.bytes(&[&row.key]);
        writer.field(1, 2, TType::Map);
        writer.map(TType::Struct, row.cells.len());
        for cell in &row.cells {
            writer.bytes(&[&cell.family, b":", &cell.qualifier]);
            write_cell(writer, cell);
        }
        writer.stop();
    }
}

/// A `TRowResult` with a list of columns.
struct SortedRow<'a>(&'a Row);

impl WriteWith for SortedRow<'_> {
    fn write(&self, writer: &mut impl Writer) {
        let Self(row) = self;
        writer.field(0, 1, TType::String);
        writer.bytes(&[&row.key]);
        writer.field(1, 3, TType::List);
        writer.list(TType::Struct, row.cells.len());
        for cell in &row.cells {
            writer.field(0, 1, TType::String);
            writer.bytes(&[&cell.family, b":", &cell.qualifier]);
            writer.field(1, 2, TType::Struct);
            write_cell(writer, cell);
            writer.stop();
        }
        writer.stop();
    }
}

/// A `TCell`.
#[inline]
fn write_cell(writer: &mut impl Writer, cell: &Cell) {
    writer.field(0, 1, TType::String);
    writer.bytes(&[&cell.value]);
    writer.field(1, 2, TType::I64);
    writer.i64(cell.timestamp);
    writer.stop();
}
