//! Fills record batches from a scan, row by row.

use std::sync::Arc;

use arrow_array::builder::StringBuilder;
use arrow_array::{Array, ArrayRef, RecordBatch, RecordBatchOptions, new_null_array};
use arrow_schema::SchemaRef;
use bytes::Bytes;
use hjall_engine::Scanner;
use hjall_engine::read::{NumberedCell, ReusedRow, Stop, Watch};

use super::codec::Codec;
use super::decode::{self, ColumnBuilder};
use super::discover::{self, ColumnRequest};
use super::error::TransferError;
use super::layout::{self, ColumnSpec, KeyColumn, Layout};

/// Rows that are read at once to discover columns.
const LEARNED_ROWS: usize = 1 << 14;

/// The most columns of the scan whose names are remembered if the batches do not have them as columns.
const NAMES_MAX: usize = 4096;

/// A batch ends when its values exceed this size, because offsets inside a batch have 32 bits.
const BYTES_MAX: usize = 64 << 20;

/// The batches of one scan.
pub struct Batches {
    scanner: Scanner,
    row: ReusedRow,
    filling: Filling,
    /// The number of rows in a full batch.
    rows_max: usize,
    ended: bool,
}

/// A batch, whose columns are in the order of their [`BatchColumn::position`].
pub struct FilledBatch {
    rows: usize,
    key: Option<ArrayRef>,
    /// Values and timestamps.
    columns: Vec<(ArrayRef, Option<ArrayRef>)>,
}

/// A batch that is being filled.
struct Filling {
    rows: usize,
    bytes: usize,
    key: Option<Box<dyn ColumnBuilder>>,
    key_codec: Codec,
    builders: Builders,
    /// Whether a value that its decoder cannot read becomes a null instead of an error.
    null_on_error: bool,
}

enum Builders {
    Rows(RowBuilder),
    Cells {
        names: StringBuilder,
        name: String,
        times: Box<dyn ColumnBuilder>,
        values: Box<dyn ColumnBuilder>,
        codec: Codec,
    },
}

/// Builds the columns of a table's rows.
struct RowBuilder {
    /// In the order of a row's cells.
    columns: Vec<BatchColumn>,
    /// The index in `columns` of each column of the scan, by its number; `None` if it is not part of the batches.
    indexes: Vec<Option<usize>>,
    /// The requests by which columns are added when they are encountered. `None` if the columns are known.
    requests: Option<Vec<ColumnRequest>>,
    timestamps: bool,
}

struct BatchColumn {
    spec: ColumnSpec,
    /// The position in the batch, not counting the key.
    position: usize,
    values: Box<dyn ColumnBuilder>,
    times: Option<Box<dyn ColumnBuilder>>,
}

impl Batches {
    /// Makes the batches of a scan with known columns, without reading anything.
    pub fn new(scanner: Scanner, key: &KeyColumn, layout: &Layout, rows_max: usize, null_on_error: bool) -> Self {
        let builders = match layout {
            Layout::Rows { columns, timestamps } => Builders::Rows(RowBuilder::new(columns, *timestamps)),
            Layout::Cells { values } => Builders::Cells {
                names: StringBuilder::new(),
                name: String::new(),
                times: decode::builder(Codec::CellTime),
                values: decode::builder(*values),
                codec: *values,
            },
        };
        let key_builder = key.name.as_ref().map(|_| decode::builder(key.codec));
        let filling = Filling { rows: 0, bytes: 0, key: key_builder, key_codec: key.codec, builders, null_on_error };
        Self { scanner, row: ReusedRow::default(), filling, rows_max, ended: false }
    }

    /// Makes the batches of a scan whose columns are discovered while it is read. Later batches may have more columns.
    pub fn discovering(
        scanner: Scanner,
        key: &KeyColumn,
        requests: Vec<ColumnRequest>,
        timestamps: bool,
        rows_max: usize,
        null_on_error: bool,
    ) -> Self {
        let layout = Layout::Rows { columns: Vec::new(), timestamps };
        let mut batches = Self::new(scanner, key, &layout, rows_max, null_on_error);
        if let Builders::Rows(builder) = &mut batches.filling.builders {
            builder.requests = Some(requests);
        }
        batches
    }

    /// Sets a function that is called every few hundred cells and can end the scan.
    pub fn watch(&mut self, watch: Watch) {
        self.scanner.watch(watch);
    }

    /// A flag with which another thread can stop the scan.
    pub fn stopper(&self) -> Stop {
        self.scanner.stopper()
    }

    /// The columns of the batches, by position. If they are discovered, those that have been met.
    pub fn columns(&self) -> Vec<ColumnSpec> {
        let Builders::Rows(builder) = &self.filling.builders else { return Vec::new() };
        let mut columns: Vec<_> = builder.columns.iter().collect();
        columns.sort_by_key(|column| column.position);
        columns.into_iter().map(|column| column.spec.clone()).collect()
    }

    /// The next batch, or `None` at the end. After an error there are no more batches.
    ///
    /// # Errors
    /// Those of the scan, `DecodeError` for a value that its decoder cannot read, unless such values become nulls, and
    /// `ValueError` for too many columns.
    pub fn next(&mut self) -> Result<Option<FilledBatch>, TransferError> {
        if self.ended {
            return Ok(None);
        }
        if matches!(self.filling.builders, Builders::Cells { .. }) && self.row.columns().len() > NAMES_MAX {
            self.row.forget_columns();
        }
        let rows_max = self.rows_max;
        self.each_row(|filling, row| {
            filling.append(row)?;
            Ok(filling.rows < rows_max && filling.bytes < BYTES_MAX)
        })?;
        Ok((self.filling.rows > 0).then(|| self.filling.finish()))
    }

    /// Discovers the columns of the next rows, which will not be in a batch. Returns `false` at the end.
    ///
    /// # Errors
    /// Those of the scan, and `ValueError` for too many columns.
    pub fn learn(&mut self) -> Result<bool, TransferError> {
        let mut rows = 0;
        self.each_row(|filling, row| {
            if let Builders::Rows(builder) = &mut filling.builders {
                builder.learn(row.columns(), 0)?;
            }
            rows += 1;
            Ok(rows < LEARNED_ROWS)
        })?;
        Ok(!self.ended)
    }

    /// Passes rows to `take` until it returns `false`, or the end.
    fn each_row(
        &mut self,
        mut take: impl FnMut(&mut Filling, &ReusedRow) -> Result<bool, TransferError>,
    ) -> Result<(), TransferError> {
        let Self { scanner, row, filling, .. } = self;
        let mut failed = None;
        let read = scanner.each_row(row, &mut |row| match take(filling, row) {
            Ok(wants_more) => wants_more,
            Err(fault) => {
                failed = Some(fault);
                false
            }
        });
        let more = failed.map_or_else(|| read.map_err(TransferError::from), Err);
        self.ended = !matches!(more, Ok(true));
        more.map(|_| ())
    }
}

impl FilledBatch {
    /// The memory of the batch, in bytes.
    pub fn memory_bytes(&self) -> usize {
        let columns = self.columns.iter().flat_map(|(values, times)| std::iter::once(values).chain(times));
        self.key.iter().chain(columns).map(|array| array.get_array_memory_size()).sum()
    }

    /// The batch with a schema whose columns are in the order of their positions.
    ///
    /// # Errors
    /// Those of the Arrow library.
    pub fn with_schema(self, schema: &SchemaRef) -> Result<RecordBatch, TransferError> {
        let Self { rows, key, columns } = self;
        let columns = columns.into_iter().flat_map(|(values, times)| std::iter::once(values).chain(times));
        record_batch(schema, key.into_iter().chain(columns).collect(), rows)
    }

    /// The batch with these columns, given the position of each. Columns without a position, or with one that the batch
    /// does not have, become nulls.
    ///
    /// # Errors
    /// Those of the Arrow library.
    pub fn with_columns(
        &self,
        schema: &SchemaRef,
        columns: &[(ColumnSpec, Option<usize>)],
        timestamps: bool,
    ) -> Result<RecordBatch, TransferError> {
        let mut all = Vec::from_iter(self.key.clone());
        for (spec, position) in columns {
            let filled = position.and_then(|position| self.columns.get(position)).cloned();
            let (values, times) = filled.unwrap_or_else(|| {
                let nulls = |codec: Codec| new_null_array(&codec.data_type(), self.rows);
                (nulls(spec.codec), timestamps.then(|| nulls(Codec::CellTime)))
            });
            all.push(values);
            all.extend(times);
        }
        record_batch(schema, all, self.rows)
    }
}

fn record_batch(schema: &SchemaRef, columns: Vec<ArrayRef>, rows: usize) -> Result<RecordBatch, TransferError> {
    let options = RecordBatchOptions::new().with_row_count(Some(rows));
    Ok(RecordBatch::try_new_with_options(Arc::clone(schema), columns, &options)?)
}

impl Filling {
    /// Appends a row of the table, which may be several rows of the batch.
    fn append(&mut self, row: &ReusedRow) -> Result<(), TransferError> {
        let null_on_error = self.null_on_error;
        self.bytes += row.key().len() + row.cells().iter().map(|cell| cell.value.len()).sum::<usize>();
        let rows = match &mut self.builders {
            Builders::Rows(builder) => {
                builder.append(row, self.rows, null_on_error)?;
                1
            }
            Builders::Cells { names, name, times, values, codec } => {
                for cell in row.cells() {
                    let (family, qualifier) = &row.columns()[cell.column];
                    name.clear();
                    layout::write_name(name, family, qualifier);
                    names.append_value(&name);
                    // The decoder of timestamps never fails.
                    let _ = times.append(&[], cell.timestamp);
                    append_cell(&mut **values, *codec, row, cell, null_on_error)?;
                }
                row.cells().len()
            }
        };
        if let Some(key) = &mut self.key {
            for _ in 0..rows {
                key.append(row.key(), 0).map_err(|_| TransferError::key(row.key(), self.key_codec))?;
            }
        }
        self.rows += rows;
        Ok(())
    }

    /// The batch. Begins the next one.
    fn finish(&mut self) -> FilledBatch {
        let rows = std::mem::take(&mut self.rows);
        self.bytes = 0;
        let columns = match &mut self.builders {
            Builders::Rows(builder) => builder.finish(),
            Builders::Cells { names, times, values, .. } => {
                [Arc::new(names.finish()) as ArrayRef, times.finish(), values.finish()]
                    .map(|array| (array, None))
                    .into()
            }
        };
        FilledBatch { rows, key: self.key.as_mut().map(|key| key.finish()), columns }
    }
}

impl RowBuilder {
    fn new(specs: &[ColumnSpec], timestamps: bool) -> Self {
        let column = |(position, spec): (usize, &ColumnSpec)| BatchColumn::new(spec.clone(), position, timestamps);
        let mut columns: Vec<_> = specs.iter().enumerate().map(column).collect();
        columns.sort_by(|a, b| a.name().cmp(&b.name()));
        Self { columns, indexes: Vec::new(), requests: None, timestamps }
    }

    /// Appends a row, the batch having `rows` already. Both its cells and the columns are in HBase's order. Of several
    /// versions, the newest is used.
    fn append(&mut self, row: &ReusedRow, rows: usize, null_on_error: bool) -> Result<(), TransferError> {
        if self.indexes.len() < row.columns().len() {
            self.learn(row.columns(), rows)?;
        }
        let mut next = 0;
        for cell in row.cells() {
            let Some(index) = self.indexes[cell.column].filter(|index| *index >= next) else { continue };
            self.columns[next..index].iter_mut().for_each(BatchColumn::append_null);
            let column = &mut self.columns[index];
            append_cell(&mut *column.values, column.spec.codec, row, cell, null_on_error)?;
            if let Some(times) = &mut column.times {
                let _ = times.append(&[], cell.timestamp);
            }
            next = index + 1;
        }
        self.columns[next..].iter_mut().for_each(BatchColumn::append_null);
        Ok(())
    }

    /// Finds, or adds, the columns of the scan that have been encountered since the last call.
    fn learn(&mut self, columns: &[(Bytes, Bytes)], rows: usize) -> Result<(), TransferError> {
        for (family, qualifier) in &columns[self.indexes.len()..] {
            let found = self.columns.binary_search_by(|column| column.name().cmp(&(&family[..], &qualifier[..])));
            let codec = self.requests.as_ref().and_then(|all| discover::codec_of(all, family, qualifier));
            let index = match (found, codec) {
                (Ok(index), _) => Some(index),
                (Err(_), None) => None,
                (Err(index), Some(codec)) => {
                    self.indexes.iter_mut().flatten().filter(|at| **at >= index).for_each(|at| *at += 1);
                    let spec = ColumnSpec { family: family.clone(), qualifier: qualifier.clone(), codec };
                    let mut column = BatchColumn::new(spec, self.columns.len(), self.timestamps);
                    (0..rows).for_each(|_| column.append_null());
                    self.columns.insert(index, column);
                    discover::check_number(self.columns.len())?;
                    Some(index)
                }
            };
            self.indexes.push(index);
        }
        Ok(())
    }

    fn finish(&mut self) -> Vec<(ArrayRef, Option<ArrayRef>)> {
        let finish = |column: &mut BatchColumn| {
            (column.position, (column.values.finish(), column.times.as_mut().map(|times| times.finish())))
        };
        let mut columns: Vec<_> = self.columns.iter_mut().map(finish).collect();
        columns.sort_by_key(|(position, _)| *position);
        columns.into_iter().map(|(_, arrays)| arrays).collect()
    }
}

impl BatchColumn {
    fn new(spec: ColumnSpec, position: usize, timestamps: bool) -> Self {
        let times = timestamps.then(|| decode::builder(Codec::CellTime));
        Self { values: decode::builder(spec.codec), spec, position, times }
    }

    fn name(&self) -> (&[u8], &[u8]) {
        (&self.spec.family, &self.spec.qualifier)
    }

    fn append_null(&mut self) {
        self.values.append_null();
        if let Some(times) = &mut self.times {
            times.append_null();
        }
    }
}

fn append_cell(
    values: &mut dyn ColumnBuilder,
    codec: Codec,
    row: &ReusedRow,
    cell: &NumberedCell,
    null_on_error: bool,
) -> Result<(), TransferError> {
    match values.append(&cell.value, cell.timestamp) {
        Err(_) if null_on_error => {
            values.append_null();
            Ok(())
        }
        Err(_) => {
            let (family, qualifier) = &row.columns()[cell.column];
            Err(TransferError::value(row.key(), (family, qualifier), &cell.value, codec))
        }
        Ok(()) => Ok(()),
    }
}
