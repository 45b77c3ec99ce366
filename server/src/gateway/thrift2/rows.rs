//! Replies that consist of rows. They are written without building the structs of the contract.

use hjall_engine::{Cell, Row};
use thrift::protocol::TType;

use crate::wire::fault::Fault;
use crate::wire::reply::Output;
use crate::wire::writer::{WriteWith, Writer};

/// One row.
#[derive(Debug, Default)]
pub struct OneRow(pub Row);

impl OneRow {
    /// Writes the result of a method that returns this row.
    ///
    /// # Errors
    /// The reply exceeds its limit.
    pub fn write(self, output: &mut Output<'_>) -> Result<(), Fault> {
        write_row(&self.0, output)
    }
}

/// Writes the result of a method that returns one row.
///
/// # Errors
/// The reply exceeds its limit.
pub fn write_row(row: &Row, output: &mut Output<'_>) -> Result<(), Fault> {
    Ok(output.append(&OneResult(row))?)
}

/// A list of rows.
#[derive(Debug, Default)]
pub struct Rows(pub Vec<Row>);

impl Rows {
    /// Writes the result of a method that returns these rows.
    ///
    /// # Errors
    /// The reply exceeds its limit.
    pub fn write(self, output: &mut Output<'_>) -> Result<(), Fault> {
        output.append(&Head(Some(self.0.len())))?;
        for row in self.0 {
            // Each row is dropped as soon as it has been written.
            output.append(&ResultStruct(&row))?;
        }
        Ok(output.append(&End)?)
    }
}

/// The beginning of the result: the header of one row, or of a list of rows.
struct Head(Option<usize>);

impl WriteWith for Head {
    fn write(&self, writer: &mut impl Writer) {
        match self.0 {
            None => writer.field(0, 0, TType::Struct),
            Some(rows) => {
                writer.field(0, 0, TType::List);
                writer.list(TType::Struct, rows);
            }
        }
    }
}

/// The end of the result.
struct End;

impl WriteWith for End {
    fn write(&self, writer: &mut impl Writer) {
        writer.stop();
    }
}

/// The result with one row.
struct OneResult<'a>(&'a Row);

impl WriteWith for OneResult<'_> {
    fn write(&self, writer: &mut impl Writer) {
        Head(None).write(writer);
        ResultStruct(self.0).write(writer);
        End.write(writer);
    }
}

/// A `TResult` as HBase writes it: the key only with cells, the flags always.
struct ResultStruct<'a>(&'a Row);

impl WriteWith for ResultStruct<'_> {
    fn write(&self, writer: &mut impl Writer) {
        let Self(row) = self;
        let mut previous = 0;
        if let Some(first) = row.cells.first() {
            writer.field(0, 1, TType::String);
            writer.bytes(&[&first.row]);
            previous = 1;
        }
        writer.field(previous, 2, TType::List);
        writer.list(TType::Struct, row.cells.len());
        row.cells.iter().for_each(|cell| write_column_value(writer, cell));
        writer.bool_field(2, 3, false);
        writer.bool_field(3, 4, row.partial);
        writer.stop();
    }
}

/// A `TColumnValue`.
#[inline]
fn write_column_value(writer: &mut impl Writer, cell: &Cell) {
    writer.field(0, 1, TType::String);
    writer.bytes(&[&cell.family]);
    writer.field(1, 2, TType::String);
    writer.bytes(&[&cell.qualifier]);
    writer.field(2, 3, TType::String);
    writer.bytes(&[&cell.value]);
    writer.field(3, 4, TType::I64);
    writer.i64(cell.timestamp);
    writer.field(4, 6, TType::I08);
    writer.i8(cell.kind.code() as i8);
    writer.stop();
}
