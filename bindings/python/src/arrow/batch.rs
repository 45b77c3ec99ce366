//! Batches of a scan: rows are taken from the engine and appended column by column, a bounded number at a time.

use arrow_array::builder::StringBuilder;
use arrow_array::{ArrayRef, RecordBatch, RecordBatchOptions};
use arrow_schema::SchemaRef;
use hjall_engine::read::{Stop, Watch};
use hjall_engine::{Cell, Row, Scanner};
use std::sync::Arc;

use super::column::{self, Column};
use super::fault::Fault;
use super::kind::Kind;
use super::layout::{self, Key, Layout};

/// Rows taken from the engine at once. It reads 2 MiB at a time, so that much is held beside the batch.
const TAKE: usize = 1024;

/// A batch ends when its values have so many bytes, however few rows they are: offsets inside a batch have 32 bits.
const BYTES_MAX: usize = 64 << 20;

/// The batches of one scan.
pub struct Batches {
    scanner: Scanner,
    schema: SchemaRef,
    key: Option<Box<dyn Column>>,
    key_kind: Kind,
    body: Body,
    /// Rows of a full batch.
    rows_max: usize,
    /// Whether what a decoder cannot read is a null.
    lenient: bool,
    /// Rows taken and not yet in a batch, the next one last.
    waiting: Vec<Row>,
    ended: bool,
}

enum Body {
    Rows(Vec<Place>),
    Cells { names: StringBuilder, name: String, times: Box<dyn Column>, values: Box<dyn Column>, kind: Kind },
}

/// A column of batches, in the order in which cells of a row come.
struct Place {
    named: layout::Named,
    /// Where it stands in the batch, the key not counted.
    at: usize,
    values: Box<dyn Column>,
    times: Option<Box<dyn Column>>,
}

impl Batches {
    /// Begins; nothing is read yet.
    pub fn new(
        scanner: Scanner,
        schema: SchemaRef,
        key: &Key,
        layout: &Layout,
        rows_max: usize,
        lenient: bool,
    ) -> Self {
        let body = match layout {
            Layout::Rows { columns, timestamps } => {
                let place = |(at, named): (usize, &layout::Named)| Place {
                    named: named.clone(),
                    at,
                    values: column::begin(named.kind),
                    times: timestamps.then(|| column::begin(Kind::CellTime)),
                };
                let mut places: Vec<_> = columns.iter().enumerate().map(place).collect();
                places
                    .sort_by(|a, b| (&a.named.family, &a.named.qualifier).cmp(&(&b.named.family, &b.named.qualifier)));
                Body::Rows(places)
            }
            Layout::Cells { values } => Body::Cells {
                names: StringBuilder::new(),
                name: String::new(),
                times: column::begin(Kind::CellTime),
                values: column::begin(*values),
                kind: *values,
            },
        };
        let key_kind = key.kind;
        let key = key.name.as_ref().map(|_| column::begin(key_kind));
        Self { scanner, schema, key, key_kind, body, rows_max, lenient, waiting: Vec::new(), ended: false }
    }

    /// The schema of every batch.
    pub fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// Has someone asked, every few hundred cells, whether the scan is to end.
    pub fn watch(&mut self, watch: Watch) {
        self.scanner.watch(watch);
    }

    /// A flag by which another thread ends the scan.
    pub fn stopper(&self) -> Stop {
        self.scanner.stopper()
    }

    /// The next batch; `None` at the end. After an error there are no more.
    ///
    /// # Errors
    /// Those of the scan, and a value that its decoder cannot read, unless those are nulls.
    pub fn next(&mut self) -> Result<Option<RecordBatch>, Fault> {
        let (mut rows, mut bytes) = (0, 0);
        while rows < self.rows_max && bytes < BYTES_MAX {
            let Some(row) = self.take()? else { break };
            bytes += row.key.len() + row.cells.iter().map(|cell| cell.value.len()).sum::<usize>();
            rows += match self.append(&row) {
                Ok(rows) => rows,
                Err(fault) => {
                    self.ended = true;
                    self.waiting.clear();
                    return Err(fault);
                }
            };
        }
        if rows == 0 { Ok(None) } else { self.finish(rows).map(Some) }
    }

    fn take(&mut self) -> Result<Option<Row>, Fault> {
        if self.waiting.is_empty() && !self.ended {
            match self.scanner.next(TAKE) {
                Ok(rows) => {
                    self.ended = rows.len() < TAKE;
                    self.waiting = rows;
                    self.waiting.reverse();
                }
                Err(error) => {
                    self.ended = true;
                    return Err(error.into());
                }
            }
        }
        Ok(self.waiting.pop())
    }

    /// Appends a row of the table; returns how many rows of the batch it became.
    fn append(&mut self, row: &Row) -> Result<usize, Fault> {
        let lenient = self.lenient;
        let rows = match &mut self.body {
            Body::Rows(places) => {
                append_row(places, row, lenient)?;
                1
            }
            Body::Cells { names, name, times, values, kind } => {
                for cell in &row.cells {
                    name.clear();
                    layout::write_name(name, &cell.family, &cell.qualifier);
                    names.append_value(&name);
                    // A time can always be told.
                    let _ = times.append(&[], cell.timestamp);
                    append_cell(&mut **values, *kind, cell, lenient)?;
                }
                row.cells.len()
            }
        };
        if let Some(key) = &mut self.key {
            for _ in 0..rows {
                key.append(&row.key, 0).map_err(|_| Fault::key(&row.key, self.key_kind))?;
            }
        }
        Ok(rows)
    }

    fn finish(&mut self, rows: usize) -> Result<RecordBatch, Fault> {
        let mut columns: Vec<ArrayRef> = Vec::from_iter(self.key.as_mut().map(|key| key.finish()));
        match &mut self.body {
            Body::Rows(places) => {
                let mut done: Vec<_> = places
                    .iter_mut()
                    .map(|place| (place.at, place.values.finish(), place.times.as_mut().map(|times| times.finish())))
                    .collect();
                done.sort_by_key(|(at, ..)| *at);
                columns.extend(done.into_iter().flat_map(|(_, values, times)| std::iter::once(values).chain(times)));
            }
            Body::Cells { names, times, values, .. } => {
                columns.extend([Arc::new(names.finish()) as ArrayRef, times.finish(), values.finish()]);
            }
        }
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        Ok(RecordBatch::try_new_with_options(Arc::clone(&self.schema), columns, &options)?)
    }
}

/// Appends one row; both its cells and the columns are in HBase's order. Of several versions the newest counts.
fn append_row(places: &mut [Place], row: &Row, lenient: bool) -> Result<(), Fault> {
    let mut cells = row.cells.iter().peekable();
    for place in places {
        let wanted = (&place.named.family[..], &place.named.qualifier[..]);
        while cells.next_if(|cell| (&cell.family[..], &cell.qualifier[..]) < wanted).is_some() {}
        match cells.next_if(|cell| (&cell.family[..], &cell.qualifier[..]) == wanted) {
            Some(cell) => {
                append_cell(&mut *place.values, place.named.kind, cell, lenient)?;
                if let Some(times) = &mut place.times {
                    let _ = times.append(&[], cell.timestamp);
                }
            }
            None => {
                place.values.append_null();
                if let Some(times) = &mut place.times {
                    times.append_null();
                }
            }
        }
    }
    Ok(())
}

fn append_cell(values: &mut dyn Column, kind: Kind, cell: &Cell, lenient: bool) -> Result<(), Fault> {
    match values.append(&cell.value, cell.timestamp) {
        Err(_) if lenient => {
            values.append_null();
            Ok(())
        }
        Err(_) => Err(Fault::value(cell, kind)),
        Ok(()) => Ok(()),
    }
}
