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
use super::parallel::Parallel;

/// Rows that are read at once to discover columns.
const LEARNED_ROWS: usize = 1 << 14;

/// The most columns of the scan whose names are remembered if the batches do not have them as columns.
const NAMES_MAX: usize = 4096;

/// A batch ends when its values exceed this size, because offsets inside a batch have 32 bits.
const BYTES_MAX: usize = 64 << 20;

/// A scan is read by several threads once this many bytes of batches, and at least one full batch, have been taken.
const ALONE_BYTES: usize = 1 << 20;

/// The batches of one scan.
pub struct Batches {
    scanner: Scanner,
    filler: Filler,
    watch: Option<Watch>,
    ended: bool,
    /// The threads that read what is left of the scan.
    parallel: Option<Parallel>,
    /// What has been read since the threads were last considered.
    read: Span,
}

/// Fills batches from scans with the same columns.
pub struct Filler {
    row: ReusedRow,
    filling: Filling,
    /// The number of rows in a full batch.
    rows_max: usize,
}

/// What the batches of a scan with known columns have in common.
pub struct BatchForm<'a> {
    /// The column of row keys.
    pub key: &'a KeyColumn,
    /// The layout.
    pub layout: &'a Layout,
    /// The number of rows in a full batch.
    pub rows_max: usize,
    /// Whether a value that its decoder cannot read becomes a null instead of an error.
    pub null_on_error: bool,
}

/// Rows that were read one after the other.
#[derive(Default)]
pub struct Span {
    /// The first row.
    pub first: Vec<u8>,
    /// The last row.
    pub last: Vec<u8>,
    /// The memory of their batches, in bytes.
    pub bytes: usize,
    /// The number of their batches.
    pub batches: usize,
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
    /// The row of the table with which the batch begins.
    first: Vec<u8>,
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
    /// Whether threads read ahead, and wait for the consumer.
    pub fn is_ahead(&self) -> bool {
        self.parallel.as_ref().is_some_and(Parallel::is_ahead)
    }

    /// Makes the batches of a scan with known columns, without reading anything.
    pub fn new(scanner: Scanner, form: &BatchForm<'_>) -> Self {
        let parallel = None;
        Self { scanner, filler: Filler::new(form), watch: None, ended: false, parallel, read: Span::default() }
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
        let mut batches = Self::new(scanner, &BatchForm { key, layout: &layout, rows_max, null_on_error });
        if let Builders::Rows(builder) = &mut batches.filler.filling.builders {
            builder.requests = Some(requests);
        }
        batches
    }

    /// Sets a function that is called every few hundred cells, or at intervals while other threads read, and can end
    /// the scan. Only threads that call [`Self::next`] and [`Self::learn`] call it.
    pub fn watch(&mut self, watch: Watch) {
        self.watch = Some(Arc::clone(&watch));
        self.scanner.watch(watch);
    }

    /// A flag with which another thread can stop the scan.
    pub fn stopper(&self) -> Stop {
        self.scanner.stopper()
    }

    /// The columns of the batches, by position. If they are discovered, those that have been met.
    pub fn columns(&self) -> Vec<ColumnSpec> {
        let Builders::Rows(builder) = &self.filler.filling.builders else { return Vec::new() };
        builder.specs_by_position()
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
        if self.parallel.is_none() && self.read.bytes >= ALONE_BYTES {
            self.divide();
        }
        if let Some(parallel) = &mut self.parallel {
            let next = parallel.next();
            if !matches!(next, Ok(Some(_))) {
                self.ended = true;
                self.parallel = None;
            }
            return next;
        }
        let filled = self.filler.fill(&mut self.scanner).inspect_err(|_| self.ended = true)?;
        self.ended = filled.ended;
        if let Some(batch) = &filled.batch {
            self.read.add(&filled.first, self.filler.row.key(), batch.memory_bytes());
        }
        Ok(filled.batch)
    }

    /// Lets threads read what is left, if that is possible and there is enough of it.
    fn divide(&mut self) {
        let read = std::mem::take(&mut self.read);
        let Some(form) = self.filler.another() else { return };
        // After an error, the scan goes on without threads, and meets it again or not.
        self.parallel = Parallel::begin(&mut self.scanner, form, &read, self.watch.clone()).unwrap_or_default();
    }

    /// Discovers the columns of the next rows, which will not be in a batch. Returns `false` at the end.
    ///
    /// # Errors
    /// Those of the scan, and `ValueError` for too many columns.
    pub fn learn(&mut self) -> Result<bool, TransferError> {
        let mut rows = 0;
        let more = self.filler.each_row(&mut self.scanner, |filling, row| {
            if let Builders::Rows(builder) = &mut filling.builders {
                builder.learn(row.columns(), 0)?;
            }
            rows += 1;
            Ok(rows < LEARNED_ROWS)
        });
        self.ended = !matches!(more, Ok(true));
        more
    }
}

/// The result of [`Filler::fill`].
pub struct Filled {
    /// The batch; `None` if there were no more rows.
    pub batch: Option<FilledBatch>,
    /// The row of the table with which it begins.
    pub first: Vec<u8>,
    /// Whether the scan has ended.
    pub ended: bool,
}

impl Filler {
    /// Makes a filler for batches of this form.
    pub fn new(form: &BatchForm<'_>) -> Self {
        let BatchForm { key, layout, rows_max, null_on_error } = *form;
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
        let (key, key_codec, first) = (key_builder, key.codec, Vec::new());
        let filling = Filling { rows: 0, first, bytes: 0, key, key_codec, builders, null_on_error };
        Self { row: ReusedRow::default(), filling, rows_max }
    }

    /// An empty filler for the same columns; `None` if they are being discovered.
    pub fn another(&self) -> Option<Self> {
        let Filling { key, key_codec, builders, null_on_error, .. } = &self.filling;
        let layout = match builders {
            Builders::Rows(RowBuilder { requests: Some(_), .. }) => return None,
            Builders::Rows(builder) => {
                Layout::Rows { columns: builder.specs_by_position(), timestamps: builder.timestamps }
            }
            Builders::Cells { codec, .. } => Layout::Cells { values: *codec },
        };
        // The name is only that of the schema.
        let key = KeyColumn { name: key.as_ref().map(|_| String::new()), codec: *key_codec };
        let (rows_max, null_on_error) = (self.rows_max, *null_on_error);
        Some(Self::new(&BatchForm { key: &key, layout: &layout, rows_max, null_on_error }))
    }

    /// The number of rows in a full batch.
    pub fn rows_max(&self) -> usize {
        self.rows_max
    }

    /// The row of the table that was read last.
    pub fn last(&self) -> &[u8] {
        self.row.key()
    }

    /// Fills a batch with the next rows of a scan. After an error the filler is empty.
    ///
    /// # Errors
    /// Those of [`Batches::next`].
    pub fn fill(&mut self, scanner: &mut Scanner) -> Result<Filled, TransferError> {
        if matches!(self.filling.builders, Builders::Cells { .. }) && self.row.columns().len() > NAMES_MAX {
            self.row.forget_columns();
        }
        let rows_max = self.rows_max;
        let more = self.each_row(scanner, |filling, row| {
            filling.append(row)?;
            Ok(filling.rows < rows_max && filling.bytes < BYTES_MAX)
        });
        let has_rows = self.filling.rows > 0;
        let first = std::mem::take(&mut self.filling.first);
        let batch = self.filling.finish();
        Ok(Filled { ended: !more?, batch: has_rows.then_some(batch), first })
    }

    /// Passes rows to `take` until it returns `false`, or the end. Returns whether there may be more.
    fn each_row(
        &mut self,
        scanner: &mut Scanner,
        mut take: impl FnMut(&mut Filling, &ReusedRow) -> Result<bool, TransferError>,
    ) -> Result<bool, TransferError> {
        let Self { row, filling, .. } = self;
        let mut failed = None;
        let read = scanner.each_row(row, &mut |row| match take(filling, row) {
            Ok(wants_more) => wants_more,
            Err(fault) => {
                failed = Some(fault);
                false
            }
        });
        failed.map_or_else(|| read.map_err(TransferError::from), Err)
    }
}

impl Span {
    /// Adds a batch.
    pub fn add(&mut self, first: &[u8], last: &[u8], bytes: usize) {
        if self.batches == 0 {
            self.first = first.to_vec();
        }
        self.last = last.to_vec();
        self.bytes += bytes;
        self.batches += 1;
    }
}

impl FilledBatch {
    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

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
        if self.rows == 0 {
            self.first.clear();
            self.first.extend_from_slice(row.key());
        }
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

    fn specs_by_position(&self) -> Vec<ColumnSpec> {
        let mut columns: Vec<_> = self.columns.iter().collect();
        columns.sort_by_key(|column| column.position);
        columns.into_iter().map(|column| column.spec.clone()).collect()
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
