//! Writes Arrow data into a table. Each row of a batch becomes a put, and each value that is not null a cell.

use arrow_array::{Array, RecordBatch};
use arrow_schema::{Schema, TimeUnit};
use bytes::Bytes;
use hjall_engine::mutation::{Durability, Put, PutCell};
use hjall_engine::{LATEST, Table};
use pyo3::prelude::*;

use super::capsule;
use super::codec::Codec;
use super::encode::{self, EncodeError, Value};
use super::error::{TransferError, WriteError};
use crate::error::Place;
use crate::load::{Loader, Refused};

const METHOD: &str = "load_arrow";

/// The arguments of `Table.load_arrow`.
pub struct Load {
    /// The name of the column with the row keys.
    pub row: String,
    /// The columns to write; `None` writes all other columns.
    pub columns: Option<Vec<Target>>,
    /// If `columns` is `None`: the family to write to, with the names of the columns as qualifiers. `None` requires
    /// columns named `family:qualifier`.
    pub family: Option<Bytes>,
    /// The timestamp of the cells.
    pub timestamp: Timestamp,
    /// The time to live of the cells, in milliseconds.
    pub ttl_ms: Option<i64>,
    /// The durability of the puts.
    pub durability: Durability,
    /// Rows written per call of the engine; at least 1.
    pub batch_rows: usize,
    /// Whether all rows are one bulk load.
    pub bulk: bool,
    /// The name of the table, for messages.
    pub table: Bytes,
}

/// A column of the data and the column of the table that it is written to.
#[derive(Debug, Clone)]
pub struct Target {
    /// The name in the data.
    pub name: String,
    /// The family's name.
    pub family: Bytes,
    /// The qualifier.
    pub qualifier: Bytes,
    /// The encoder; `None` selects the encoding of the column's type.
    pub codec: Option<Codec>,
}

/// The timestamp of cells.
pub enum Timestamp {
    /// The time of the write.
    Now,
    /// One timestamp for all cells, in milliseconds since 1970.
    Fixed(i64),
    /// The name of a column of the data: integers, in milliseconds since 1970, or times.
    Column(String),
}

/// Writes a batch of puts, given the number of rows before them. Returns the number of rows written.
type WriteBatch<'a> = dyn FnMut(&[Put], usize) -> Result<usize, TransferError> + Send + 'a;

impl Load {
    /// Writes all data and returns the number of rows written. Rows without any value are skipped and not counted.
    /// `progress` is called with the number of rows written so far, after each call of the engine.
    ///
    /// # Errors
    /// Those of the data and of the table. Rows that were written before the error remain, except in a bulk load; the
    /// message has their number. Those of `progress`.
    pub fn run(
        &self,
        py: Python<'_>,
        table: &Table,
        data: &Bound<'_, PyAny>,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<usize> {
        if !self.bulk {
            return self.write(py, data, progress, &mut |puts, written| write_all(table, puts, written));
        }
        let mut loader = Loader::begin(py, table, METHOD)?;
        let added = self.write(py, data, progress, &mut |puts, _| {
            let refused = |Refused { error, row }| {
                TransferError::Load(Box::new(WriteError { error, table: table.name().to_string(), row, written: 0 }))
            };
            loader.add(puts).map(|()| puts.len()).map_err(refused)
        });
        match added {
            Ok(rows) => loader.finish(py, METHOD).map(|_| rows),
            Err(error) => {
                loader.discard(py);
                Err(error)
            }
        }
    }

    /// Passes all rows to `write`, in batches, with the number of rows before; it returns the number of rows written.
    fn write(
        &self,
        py: Python<'_>,
        data: &Bound<'_, PyAny>,
        progress: Option<&Bound<'_, PyAny>>,
        write: &mut WriteBatch<'_>,
    ) -> PyResult<usize> {
        let place = Place { method: METHOD, table: &self.table, row: None };
        let mut batches = capsule::batches(data, place)?;
        let placed = |error: TransferError| error.at(place);
        let targets = match &self.columns {
            Some(targets) => targets.clone(),
            None => self.targets(batches.schema()).map_err(placed)?,
        };
        let (mut written, mut seen) = (0, 0);
        while let Some(batch) = py.detach(|| batches.next()) {
            let batch = batch.map_err(placed)?;
            let columns = SourceBatch::of(&batch, self, &targets).map_err(placed)?;
            for begin in (0..batch.num_rows()).step_by(self.batch_rows) {
                let rows = begin..batch.num_rows().min(begin + self.batch_rows);
                let done = py.detach(|| {
                    let puts =
                        rows.filter_map(|row| columns.put(self, row, seen + row).transpose())
                            .collect::<Result<Vec<_>, _>>()?;
                    write(&puts, written)
                });
                written += done.map_err(placed)?;
                py.check_signals()?;
                if let Some(progress) = progress {
                    progress.call1((written,))?;
                }
            }
            seen += batch.num_rows();
        }
        Ok(written)
    }

    /// The targets of all columns of the data except the row key and the timestamp.
    fn targets(&self, schema: &Schema) -> Result<Vec<Target>, TransferError> {
        let mut targets = Vec::new();
        for field in schema.fields() {
            let name = field.name();
            if *name == self.row || matches!(&self.timestamp, Timestamp::Column(column) if column == name) {
                continue;
            }
            if let Some(family) = &self.family {
                let (family, qualifier) = (family.clone(), Bytes::from(name.clone()));
                targets.push(Target { name: name.clone(), family, qualifier, codec: None });
                continue;
            }
            let Some((family, qualifier)) = name.split_once(':') else {
                return Err(TransferError::Argument(format!(
                    "the name of column {name:?} is not of the form family:qualifier: map columns with \
                     columns={{{name:?}: \"family:qualifier\", …}}, or write all of them to one family with family="
                )));
            };
            let (family, qualifier) = (Bytes::from(family.to_owned()), Bytes::from(qualifier.to_owned()));
            targets.push(Target { name: name.clone(), family, qualifier, codec: None });
        }
        Ok(targets)
    }
}

/// Writes rows and returns their number; `before` rows have been written already.
fn write_all(table: &Table, puts: &[Put], before: usize) -> Result<usize, TransferError> {
    for (n, result) in table.put_many(puts).into_iter().enumerate() {
        let failed = |error| {
            TransferError::Write(Box::new(WriteError {
                error,
                table: table.name().to_string(),
                row: puts[n].row.clone(),
                written: before + n,
            }))
        };
        result.map_err(failed)?;
    }
    Ok(puts.len())
}

/// A column of a batch of the data.
struct SourceColumn<'a> {
    values: encode::Values<'a>,
    nulls: Option<arrow_buffer::NullBuffer>,
    name: &'a str,
}

impl<'a> SourceColumn<'a> {
    fn of(batch: &'a RecordBatch, name: &'a str) -> Result<Self, TransferError> {
        let Some(array) = batch.column_by_name(name) else {
            let schema = batch.schema();
            let names: Vec<_> = schema.fields().iter().map(|field| field.name().as_str()).collect();
            return Err(TransferError::Argument(format!(
                "the data has no column {name:?} (its columns are: {})",
                names.join(", ")
            )));
        };
        let Some(values) = encode::values(array) else {
            return Err(TransferError::Argument(format!(
                "column {name:?} of the data has the type {}, which cannot be encoded: cast it to bytes, text, \
                 numbers, booleans, timestamps, or lists of items of one width",
                array.data_type()
            )));
        };
        Ok(Self { values, nulls: array.logical_nulls(), name })
    }

    fn value(&self, row: usize) -> Option<Value<'a>> {
        if self.nulls.as_ref().is_some_and(|nulls| nulls.is_null(row)) { None } else { (self.values)(row) }
    }

    /// Appends the encoded value to `out`; returns `false` if the value is null. `target` is where the value is
    /// written; `None` for a row key.
    fn write(&self, row: usize, at: usize, target: Option<&Target>, out: &mut Vec<u8>) -> Result<bool, TransferError> {
        let Some(value) = self.value(row) else { return Ok(false) };
        let codec = target.and_then(|target| target.codec);
        encode::write(value, codec, out).map(|()| true).map_err(|why| self.unfit(at, value, target, why))
    }

    fn unfit(&self, at: usize, value: Value<'_>, target: Option<&Target>, error: EncodeError) -> TransferError {
        let (EncodeError(why), name) = (error, self.name);
        let codec = target.and_then(|target| target.codec);
        let form = match (codec, value) {
            (Some(codec), _) => codec.name(),
            (None, Value::Time(..)) => "a timestamp in milliseconds, the default",
            (None, _) => "a value of its type",
        };
        let remedy = match (value, target) {
            (Value::Time(_, unit), Some(target)) if error == EncodeError::FRACTION => {
                let column = [&target.family[..], &target.qualifier].join(&b':');
                let (column, encoder) = (String::from_utf8_lossy(&column), Codec::Time(unit).name());
                format!(": name the encoder of its unit, columns={{{name:?}: ({column:?}, {encoder:?})}}, or round it")
            }
            (Value::Time(..), None) if error == EncodeError::FRACTION => ": round it, or cast it to text".to_owned(),
            _ => String::new(),
        };
        TransferError::Argument(format!(
            "row {at} of the data, column {name:?}: the value cannot be encoded as {form}: {why}{remedy}"
        ))
    }
}

/// The columns of a batch that are written.
struct SourceBatch<'a> {
    row: SourceColumn<'a>,
    timestamp: Option<SourceColumn<'a>>,
    cells: Vec<(&'a Target, SourceColumn<'a>)>,
}

impl<'a> SourceBatch<'a> {
    fn of(batch: &'a RecordBatch, load: &'a Load, targets: &'a [Target]) -> Result<Self, TransferError> {
        let timestamp = match &load.timestamp {
            Timestamp::Column(name) => Some(SourceColumn::of(batch, name)?),
            _ => None,
        };
        let cells = targets.iter().map(|target| Ok((target, SourceColumn::of(batch, &target.name)?)));
        Ok(Self {
            row: SourceColumn::of(batch, &load.row)?,
            timestamp,
            cells: cells.collect::<Result<_, TransferError>>()?,
        })
    }

    /// A row of the batch as a put, or `None` if it has no values. `at` is the index of the row in the whole data.
    fn put(&self, load: &Load, row: usize, at: usize) -> Result<Option<Put>, TransferError> {
        let mut out = Vec::new();
        if !self.row.write(row, at, None, &mut out)? {
            return Err(TransferError::Argument(format!(
                "row {at} of the data has no row key: column {:?} is null",
                self.row.name
            )));
        }
        let timestamp = self.time(load, row, at)?;
        let key = Bytes::from(std::mem::take(&mut out));
        let mut cells = Vec::with_capacity(self.cells.len());
        for (target, source) in &self.cells {
            if source.write(row, at, Some(target), &mut out)? {
                let (family, qualifier) = (target.family.clone(), target.qualifier.clone());
                cells.push(PutCell { family, qualifier, timestamp, value: Bytes::copy_from_slice(&out) });
            }
            out.clear();
        }
        if cells.is_empty() {
            return Ok(None);
        }
        Ok(Some(Put { row: key, cells, ttl_ms: load.ttl_ms, durability: load.durability }))
    }

    fn time(&self, load: &Load, row: usize, at: usize) -> Result<i64, TransferError> {
        let Some(source) = &self.timestamp else {
            return Ok(if let Timestamp::Fixed(time) = load.timestamp { time } else { LATEST });
        };
        let invalid =
            |why: &str| TransferError::Argument(format!("row {at} of the data, column {:?}: {why}", source.name));
        match source.value(row) {
            Some(Value::Int(n, ..)) => i64::try_from(n).map_err(|_| invalid("the timestamp is out of range")),
            Some(Value::Time(t, unit)) => encode::time(t, unit, TimeUnit::Millisecond)
                .map_err(|_| invalid("a timestamp must be a whole number of milliseconds: round the column")),
            Some(_) => Err(invalid("a timestamp must be an integer (milliseconds since 1970) or a time")),
            None => Err(invalid("the timestamp is null")),
        }
    }
}
