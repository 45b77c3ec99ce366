//! Replies that consist of rows. They are written without building the structs of the contract.

use hjall_engine::read::{PageCell, RememberedRow, RowPage};
use hjall_engine::{Cell, CellKind, CellRef, Row};
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
    Ok(output.append(&OneResult(ResultStruct::of(row)))?)
}

/// As [`write_row`], for an answer that may be packed.
///
/// # Errors
/// As for [`write_row`].
pub fn write_remembered(row: &RememberedRow, output: &mut Output<'_>) -> Result<(), Fault> {
    match row {
        RememberedRow::Packed(packed) => {
            let columns = packed.cells().map(Column::from);
            Ok(output.append(&OneResult(ResultStruct { key: packed.key(), columns, partial: false }))?)
        }
        RememberedRow::Shared(row) => write_row(row, output),
        RememberedRow::Own(row) => write_row(row, output),
    }
}

/// A list of rows.
#[derive(Debug)]
pub enum Rows {
    /// Each in its own memory.
    Rows(Vec<Row>),
    /// A page of a scan.
    Page(RowPage),
}

impl Default for Rows {
    fn default() -> Self {
        Self::Rows(Vec::new())
    }
}

impl Rows {
    /// The number of rows.
    pub fn len(&self) -> usize {
        match self {
            Self::Rows(rows) => rows.len(),
            Self::Page(page) => page.len(),
        }
    }

    /// The number of cells, and the bytes of their qualifiers and values.
    pub fn cells_and_bytes(&self) -> (usize, usize) {
        let add = |(cells, bytes), own: usize| (cells + 1, bytes + own);
        match self {
            Self::Rows(rows) => {
                let cells = rows.iter().flat_map(|row| &row.cells);
                cells.map(|cell| cell.qualifier.len() + cell.value.len()).fold((0, 0), add)
            }
            Self::Page(page) => {
                let cells = page.rows().flat_map(|row| row.cells());
                cells.map(|cell| cell.qualifier.len() + cell.value.len()).fold((0, 0), add)
            }
        }
    }

    /// Writes the result of a method that returns these rows.
    ///
    /// # Errors
    /// The reply exceeds its limit.
    pub fn write(self, output: &mut Output<'_>) -> Result<(), Fault> {
        output.append(&Head(Some(self.len())))?;
        match self {
            Self::Rows(rows) => {
                for row in rows {
                    // Each row is dropped as soon as it has been written.
                    output.append(&ResultStruct::of(&row))?;
                }
            }
            Self::Page(page) => {
                for row in page.rows() {
                    let columns = row.cells().map(Column::from);
                    output.append(&ResultStruct { key: row.key(), columns, partial: false })?;
                }
            }
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
struct OneResult<R>(R);

impl<R: WriteWith> WriteWith for OneResult<R> {
    fn write(&self, writer: &mut impl Writer) {
        Head(None).write(writer);
        self.0.write(writer);
        End.write(writer);
    }
}

/// A cell as replies contain it.
#[derive(Clone, Copy)]
struct Column<'a> {
    family: &'a [u8],
    qualifier: &'a [u8],
    value: &'a [u8],
    timestamp: i64,
    kind: CellKind,
}

impl<'a> From<&'a Cell> for Column<'a> {
    #[inline]
    fn from(cell: &'a Cell) -> Self {
        let Cell { family, qualifier, value, timestamp, kind, .. } = cell;
        Self { family, qualifier, value, timestamp: *timestamp, kind: *kind }
    }
}

impl<'a> From<CellRef<'a>> for Column<'a> {
    #[inline]
    fn from(CellRef { family, qualifier, value, timestamp }: CellRef<'a>) -> Self {
        Self { family, qualifier, value, timestamp, kind: CellKind::Put }
    }
}

impl<'a> From<PageCell<'a>> for Column<'a> {
    #[inline]
    fn from(PageCell { family, qualifier, value, timestamp }: PageCell<'a>) -> Self {
        Self { family, qualifier, value, timestamp, kind: CellKind::Put }
    }
}

/// A `TResult` as HBase writes it: the key only with cells, the flags always.
struct ResultStruct<'a, C> {
    key: &'a [u8],
    columns: C,
    partial: bool,
}

impl<'a> ResultStruct<'a, ()> {
    fn of(row: &'a Row) -> ResultStruct<'a, impl ExactSizeIterator<Item = Column<'a>> + Clone> {
        let key = row.cells.first().map(|first| &first.row[..]).unwrap_or_default();
        ResultStruct { key, columns: row.cells.iter().map(Column::from), partial: row.partial }
    }
}

impl<'a, C: ExactSizeIterator<Item = Column<'a>> + Clone> WriteWith for ResultStruct<'_, C> {
    #[inline]
    fn write(&self, writer: &mut impl Writer) {
        let Self { key, columns, partial } = self;
        let mut previous = 0;
        if columns.len() > 0 {
            writer.field(0, 1, TType::String);
            writer.bytes(&[key]);
            previous = 1;
        }
        writer.field(previous, 2, TType::List);
        writer.list(TType::Struct, columns.len());
        columns.clone().for_each(|column| write_column_value(writer, column));
        writer.bool_field(2, 3, false);
        writer.bool_field(3, 4, *partial);
        writer.stop();
    }
}

/// A `TColumnValue`.
#[inline]
fn write_column_value(writer: &mut impl Writer, column: Column<'_>) {
    writer.field(0, 1, TType::String);
    writer.bytes(&[column.family]);
    writer.field(1, 2, TType::String);
    writer.bytes(&[column.qualifier]);
    writer.field(2, 3, TType::String);
    writer.bytes(&[column.value]);
    writer.field(3, 4, TType::I64);
    writer.i64(column.timestamp);
    writer.field(4, 6, TType::I08);
    writer.i8(column.kind.code() as i8);
    writer.stop();
}
