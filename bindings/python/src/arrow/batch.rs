//! Fills record batches from a scan, with a bounded number of rows in memory.

use arrow_array::builder::StringBuilder;
use arrow_array::{ArrayRef, RecordBatch, RecordBatchOptions};
use arrow_schema::SchemaRef;
use hjall_engine::read::{Stop, Watch};
use hjall_engine::{Cell, Row, Scanner};
use std::sync::Arc;

use super::codec::Codec;
use super::decode::{self, ColumnBuilder};
use super::error::TransferError;
use super::layout::{self, KeyColumn, Layout};

/// Rows fetched from the engine at once. The engine reads 2 MiB at a time, so this much is held in addition to the
/// batch.
const FETCH_ROWS: usize = 1024;

/// A batch ends when its values exceed this size, because offsets inside a batch have 32 bits.
const BYTES_MAX: usize = 64 << 20;

/// The batches of one scan.
pub struct Batches {
    scanner: Scanner,
    schema: SchemaRef,
    key: Option<Box<dyn ColumnBuilder>>,
    key_codec: Codec,
    builders: Builders,
    /// The number of rows in a full batch.
    rows_max: usize,
    /// Whether a value that its decoder cannot read becomes a null instead of an error.
    null_on_error: bool,
    /// Rows fetched but not yet in a batch, in reverse order.
    pending: Vec<Row>,
    ended: bool,
}

enum Builders {
    Rows(Vec<BatchColumn>),
    Cells {
        names: StringBuilder,
        name: String,
        times: Box<dyn ColumnBuilder>,
        values: Box<dyn ColumnBuilder>,
        codec: Codec,
    },
}

/// A column of the batches. Columns are kept in the order of a row's cells.
struct BatchColumn {
    named: layout::ColumnSpec,
    /// The position in the batch, not counting the key.
    position: usize,
    values: Box<dyn ColumnBuilder>,
    times: Option<Box<dyn ColumnBuilder>>,
}

impl Batches {
    /// Makes the batches of a scan, without reading anything.
    pub fn new(
        scanner: Scanner,
        schema: SchemaRef,
        key: &KeyColumn,
        layout: &Layout,
        rows_max: usize,
        null_on_error: bool,
    ) -> Self {
        let builders = match layout {
            Layout::Rows { columns, timestamps } => {
                let batch_column = |(position, named): (usize, &layout::ColumnSpec)| BatchColumn {
                    named: named.clone(),
                    position,
                    values: decode::builder(named.codec),
                    times: timestamps.then(|| decode::builder(Codec::CellTime)),
                };
                let mut batch_columns: Vec<_> = columns.iter().enumerate().map(batch_column).collect();
                batch_columns
                    .sort_by(|a, b| (&a.named.family, &a.named.qualifier).cmp(&(&b.named.family, &b.named.qualifier)));
                Builders::Rows(batch_columns)
            }
            Layout::Cells { values } => Builders::Cells {
                names: StringBuilder::new(),
                name: String::new(),
                times: decode::builder(Codec::CellTime),
                values: decode::builder(*values),
                codec: *values,
            },
        };
        let key_codec = key.codec;
        let key = key.name.as_ref().map(|_| decode::builder(key_codec));
        Self { scanner, schema, key, key_codec, builders, rows_max, null_on_error, pending: Vec::new(), ended: false }
    }

    /// Takes all rows of the scan, which have been read already.
    pub fn use_rows(&mut self, mut rows: Vec<Row>) {
        rows.reverse();
        self.pending = rows;
        self.ended = true;
    }

    /// The schema of every batch.
    pub fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// Sets a function that is called every few hundred cells and can end the scan.
    pub fn watch(&mut self, watch: Watch) {
        self.scanner.watch(watch);
    }

    /// A flag with which another thread can stop the scan.
    pub fn stopper(&self) -> Stop {
        self.scanner.stopper()
    }

    /// The next batch, or `None` at the end. After an error there are no more batches.
    ///
    /// # Errors
    /// Those of the scan, and `DecodeError` for a value that its decoder cannot read, unless such values become nulls.
    pub fn next(&mut self) -> Result<Option<RecordBatch>, TransferError> {
        let (mut rows, mut bytes) = (0, 0);
        while rows < self.rows_max && bytes < BYTES_MAX {
            let Some(row) = self.take()? else { break };
            bytes += row.key.len() + row.cells.iter().map(|cell| cell.value.len()).sum::<usize>();
            rows += match self.append(&row) {
                Ok(rows) => rows,
                Err(fault) => {
                    self.ended = true;
                    self.pending.clear();
                    return Err(fault);
                }
            };
        }
        if rows == 0 { Ok(None) } else { self.finish(rows).map(Some) }
    }

    fn take(&mut self) -> Result<Option<Row>, TransferError> {
        if self.pending.is_empty() && !self.ended {
            match self.scanner.next(FETCH_ROWS) {
                Ok(rows) => {
                    self.ended = rows.len() < FETCH_ROWS;
                    self.pending = rows;
                    self.pending.reverse();
                }
                Err(error) => {
                    self.ended = true;
                    return Err(error.into());
                }
            }
        }
        Ok(self.pending.pop())
    }

    /// Appends a row of the table and returns the number of rows that it adds to the batch.
    fn append(&mut self, row: &Row) -> Result<usize, TransferError> {
        let null_on_error = self.null_on_error;
        let rows = match &mut self.builders {
            Builders::Rows(batch_columns) => {
                append_row(batch_columns, row, null_on_error)?;
                1
            }
            Builders::Cells { names, name, times, values, codec } => {
                for cell in &row.cells {
                    name.clear();
                    layout::write_name(name, &cell.family, &cell.qualifier);
                    names.append_value(&name);
                    // The decoder of timestamps never fails.
                    let _ = times.append(&[], cell.timestamp);
                    append_cell(&mut **values, *codec, cell, null_on_error)?;
                }
                row.cells.len()
            }
        };
        if let Some(key) = &mut self.key {
            for _ in 0..rows {
                key.append(&row.key, 0).map_err(|_| TransferError::key(&row.key, self.key_codec))?;
            }
        }
        Ok(rows)
    }

    fn finish(&mut self, rows: usize) -> Result<RecordBatch, TransferError> {
        let mut columns: Vec<ArrayRef> = Vec::from_iter(self.key.as_mut().map(|key| key.finish()));
        match &mut self.builders {
            Builders::Rows(batch_columns) => {
                let mut done: Vec<_> = batch_columns
                    .iter_mut()
                    .map(|batch_column| {
                        (
                            batch_column.position,
                            batch_column.values.finish(),
                            batch_column.times.as_mut().map(|times| times.finish()),
                        )
                    })
                    .collect();
                done.sort_by_key(|(position, ..)| *position);
                columns.extend(done.into_iter().flat_map(|(_, values, times)| std::iter::once(values).chain(times)));
            }
            Builders::Cells { names, times, values, .. } => {
                columns.extend([Arc::new(names.finish()) as ArrayRef, times.finish(), values.finish()]);
            }
        }
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        Ok(RecordBatch::try_new_with_options(Arc::clone(&self.schema), columns, &options)?)
    }
}

/// Appends one row. Both its cells and the columns are in HBase's order. Of several versions, the newest is used.
fn append_row(batch_columns: &mut [BatchColumn], row: &Row, null_on_error: bool) -> Result<(), TransferError> {
    let mut cells = row.cells.iter().peekable();
    for batch_column in batch_columns {
        let column = (&batch_column.named.family[..], &batch_column.named.qualifier[..]);
        while cells.next_if(|cell| (&cell.family[..], &cell.qualifier[..]) < column).is_some() {}
        match cells.next_if(|cell| (&cell.family[..], &cell.qualifier[..]) == column) {
            Some(cell) => {
                append_cell(&mut *batch_column.values, batch_column.named.codec, cell, null_on_error)?;
                if let Some(times) = &mut batch_column.times {
                    let _ = times.append(&[], cell.timestamp);
                }
            }
            None => {
                batch_column.values.append_null();
                if let Some(times) = &mut batch_column.times {
                    times.append_null();
                }
            }
        }
    }
    Ok(())
}

fn append_cell(
    values: &mut dyn ColumnBuilder,
    codec: Codec,
    cell: &Cell,
    null_on_error: bool,
) -> Result<(), TransferError> {
    match values.append(&cell.value, cell.timestamp) {
        Err(_) if null_on_error => {
            values.append_null();
            Ok(())
        }
        Err(_) => Err(TransferError::value(cell, codec)),
        Ok(()) => Ok(()),
    }
}
