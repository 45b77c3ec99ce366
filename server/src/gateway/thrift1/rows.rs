//! Replies that consist of rows. They are written without building the structs of the contract.

use std::cmp::Ordering;

use hjall_engine::read::{PageCell, RememberedRow, RowPage};
use hjall_engine::{Cell, CellRef, Row};
use hjall_idl::hbase1::GetRowResult;
use thrift::protocol::{TSerializable, TType};

use super::convert;
use crate::wire::fault::Fault;
use crate::wire::reply::Output;
use crate::wire::writer::{WriteWith, Writer};

/// A list of rows, in the order of the reply.
#[derive(Debug)]
pub struct Rows {
    rows: Content,
    /// Whether the columns of a row are a list in the order of cells, instead of a map.
    sorted: bool,
}

#[derive(Debug)]
enum Content {
    Rows(Vec<Row>),
    Page(RowPage),
}

impl Default for Rows {
    fn default() -> Self {
        Self::mapped(Vec::new())
    }
}

impl Rows {
    /// Rows whose columns are maps. Of several cells of a column the last one is kept, as in HBase.
    pub fn mapped(rows: Vec<Row>) -> Self {
        Self { rows: Content::Rows(rows), sorted: false }
    }

    /// A page of a scan. `sorted`: the columns are lists, in the order of cells.
    pub fn page(page: RowPage, sorted: bool) -> Self {
        Self { rows: Content::Page(page), sorted }
    }

    /// Rows of a scan. `sorted`: as for [`Self::page`].
    pub fn scanned(rows: Vec<Row>, sorted: bool) -> Self {
        Self { rows: Content::Rows(rows), sorted }
    }

    /// Writes the result of a method that returns these rows.
    ///
    /// # Errors
    /// The reply exceeds its limit.
    pub fn write(self, output: &mut Output<'_>) -> Result<(), Fault> {
        let Self { rows, sorted } = self;
        match rows {
            Content::Rows(rows) => write_rows(rows, sorted, output),
            Content::Page(page) => {
                if !sorted && !page.rows().all(|row| are_distinct_and_ascending(row.cells().map(Column::from))) {
                    return write_rows(page.into_rows(), sorted, output);
                }
                output.append(&Head(page.len()))?;
                for row in page.rows() {
                    append_row(row.key(), row.cells().map(Column::from), sorted, output)?;
                }
                Ok(output.append(&End)?)
            }
        }
    }
}

fn write_rows(rows: Vec<Row>, sorted: bool, output: &mut Output<'_>) -> Result<(), Fault> {
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
        append_row(&row.key, row.cells.iter().map(Column::from), sorted, output)?;
    }
    Ok(output.append(&End)?)
}

#[inline]
fn append_row<'a>(
    key: &[u8],
    columns: impl ExactSizeIterator<Item = Column<'a>> + Clone,
    sorted: bool,
    output: &mut Output<'_>,
) -> Result<(), Fault> {
    match sorted {
        true => output.append(&SortedRow(key, columns))?,
        false => output.append(&MappedRow(key, columns))?,
    }
    Ok(())
}

/// Writes the result of a method that returns one row, whose columns are a map.
///
/// # Errors
/// The reply exceeds its limit.
pub fn write_row(row: &Row, output: &mut Output<'_>) -> Result<(), Fault> {
    if !has_distinct_ascending_columns(row) {
        return Rows::mapped(vec![row.clone()]).write(output);
    }
    Ok(output.append(&OneRow(&row.key, row.cells.iter().map(Column::from)))?)
}

/// As [`write_row`], for an answer that may be packed.
///
/// # Errors
/// As for [`write_row`].
pub fn write_remembered(row: &RememberedRow, output: &mut Output<'_>) -> Result<(), Fault> {
    let packed = match row {
        RememberedRow::Packed(packed) => packed,
        RememberedRow::Shared(row) => return write_row(row, output),
        RememberedRow::Own(row) => return write_row(row, output),
    };
    if !are_distinct_and_ascending(packed.cells().map(Column::from)) {
        return write_row(&packed.to_row(|_, _| true), output);
    }
    Ok(output.append(&OneRow(packed.key(), packed.cells().map(Column::from)))?)
}

/// A cell as replies contain it.
#[derive(Clone, Copy)]
struct Column<'a> {
    family: &'a [u8],
    qualifier: &'a [u8],
    value: &'a [u8],
    timestamp: i64,
}

impl<'a> From<&'a Cell> for Column<'a> {
    #[inline]
    fn from(cell: &'a Cell) -> Self {
        let Cell { family, qualifier, value, timestamp, .. } = cell;
        Self { family, qualifier, value, timestamp: *timestamp }
    }
}

impl<'a> From<CellRef<'a>> for Column<'a> {
    #[inline]
    fn from(CellRef { family, qualifier, value, timestamp }: CellRef<'a>) -> Self {
        Self { family, qualifier, value, timestamp }
    }
}

impl<'a> From<PageCell<'a>> for Column<'a> {
    #[inline]
    fn from(PageCell { family, qualifier, value, timestamp }: PageCell<'a>) -> Self {
        Self { family, qualifier, value, timestamp }
    }
}

/// Whether the columns of a row have different names, in ascending order. The engine orders cells by family and
/// qualifier, which differs from the order of names if the name of a family begins with that of another one.
fn has_distinct_ascending_columns(row: &Row) -> bool {
    are_distinct_and_ascending(row.cells.iter().map(Column::from))
}

#[inline]
fn are_distinct_and_ascending<'a>(mut columns: impl Iterator<Item = Column<'a>>) -> bool {
    let Some(mut before) = columns.next() else { return true };
    columns.all(|column| compare_columns(&std::mem::replace(&mut before, column), &column) == Ordering::Less)
}

fn compare_columns(a: &Column<'_>, b: &Column<'_>) -> Ordering {
    if a.family == b.family {
        return a.qualifier.cmp(b.qualifier);
    }
    let name = |column: &Column<'_>| [column.family, b":", column.qualifier].concat();
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
struct OneRow<'a, C>(&'a [u8], C);

impl<'a, C: ExactSizeIterator<Item = Column<'a>> + Clone> WriteWith for OneRow<'_, C> {
    fn write(&self, writer: &mut impl Writer) {
        let Self(key, columns) = self;
        Head(usize::from(columns.len() > 0)).write(writer);
        if columns.len() > 0 {
            MappedRow(key, columns.clone()).write(writer);
        }
        End.write(writer);
    }
}

/// A `TRowResult` with a map of columns.
struct MappedRow<'a, C>(&'a [u8], C);

impl<'a, C: ExactSizeIterator<Item = Column<'a>> + Clone> WriteWith for MappedRow<'_, C> {
    #[inline]
    fn write(&self, writer: &mut impl Writer) {
        let Self(key, columns) = self;
        writer.field(0, 1, TType::String);
        writer.bytes(&[key]);
        writer.field(1, 2, TType::Map);
        writer.map(TType::Struct, columns.len());
        for column in columns.clone() {
            writer.bytes(&[column.family, b":", column.qualifier]);
            write_cell(writer, column);
        }
        writer.stop();
    }
}

/// A `TRowResult` with a list of columns.
struct SortedRow<'a, C>(&'a [u8], C);

impl<'a, C: ExactSizeIterator<Item = Column<'a>> + Clone> WriteWith for SortedRow<'_, C> {
    #[inline]
    fn write(&self, writer: &mut impl Writer) {
        let Self(key, columns) = self;
        writer.field(0, 1, TType::String);
        writer.bytes(&[key]);
        writer.field(1, 3, TType::List);
        writer.list(TType::Struct, columns.len());
        for column in columns.clone() {
            writer.field(0, 1, TType::String);
            writer.bytes(&[column.family, b":", column.qualifier]);
            writer.field(1, 2, TType::Struct);
            write_cell(writer, column);
            writer.stop();
        }
        writer.stop();
    }
}

/// A `TCell`.
#[inline]
fn write_cell(writer: &mut impl Writer, column: Column<'_>) {
    writer.field(0, 1, TType::String);
    writer.bytes(&[column.value]);
    writer.field(1, 2, TType::I64);
    writer.i64(column.timestamp);
    writer.stop();
}
