//! Arrow data into a table: a row of a batch becomes a put, every value that is not null a cell.

use arrow_array::{Array, RecordBatch};
use arrow_schema::{Schema, TimeUnit};
use bytes::Bytes;
use hjall_engine::mutation::{Durability, Put, PutCell};
use hjall_engine::{Error, LATEST, Table};
use pyo3::prelude::*;

use super::capsule;
use super::encode::{self, Unfit, Value};
use super::fault::Fault;
use super::kind::Kind;

/// What of the data goes where.
pub struct Load {
    /// The name of the column that holds the row keys.
    pub row: String,
    /// The columns; `None`: all others, which are called `family:qualifier`.
    pub columns: Option<Vec<Target>>,
    /// Then: the family of all others, whose names are qualifiers.
    pub family: Option<Bytes>,
    /// The cells' timestamp.
    pub timestamp: Timestamp,
    /// How long the cells live, in milliseconds.
    pub ttl_ms: Option<i64>,
    /// When a write counts as done.
    pub durability: Durability,
    /// Rows written in one call, positive.
    pub batch_rows: usize,
}

/// A column of the data as a column of the table.
#[derive(Debug, Clone)]
pub struct Target {
    /// Its name in the data.
    pub name: String,
    /// The family's name.
    pub family: Bytes,
    /// The qualifier.
    pub qualifier: Bytes,
    /// The form in which it is written; `None`: that of its type.
    pub kind: Option<Kind>,
}

/// The timestamp of cells.
pub enum Timestamp {
    /// The time at which they are written.
    Now,
    /// The same for all, in milliseconds.
    Fixed(i64),
    /// The column of the data that holds it: integers, in milliseconds, or times.
    Column(String),
}

impl Load {
    /// Writes everything; returns how many rows were written. A row without any value is none.
    ///
    /// # Errors
    /// Those of the data and of the table. What was written before stays; the message says how many rows that were.
    pub fn run(&self, py: Python<'_>, table: &Table, data: &Bound<'_, PyAny>) -> PyResult<usize> {
        let mut batches = capsule::batches(data)?;
        let targets = match &self.columns {
            Some(targets) => targets.clone(),
            None => self.targets(&batches.schema())?,
        };
        let (mut written, mut seen) = (0, 0);
        while let Some(batch) = py.detach(|| batches.next()) {
            let batch = batch.map_err(Fault::from)?;
            let columns = Columns::of(&batch, self, &targets)?;
            for begin in (0..batch.num_rows()).step_by(self.batch_rows) {
                let rows = begin..batch.num_rows().min(begin + self.batch_rows);
                let done = py.detach(|| {
                    let puts =
                        rows.filter_map(|row| columns.put(self, row, seen + row).transpose())
                            .collect::<Result<Vec<_>, _>>()?;
                    write_all(table, &puts, written)
                });
                written += done?;
                py.check_signals()?;
            }
            seen += batch.num_rows();
        }
        Ok(written)
    }

    /// All columns of the data but those with another meaning.
    fn targets(&self, schema: &Schema) -> Result<Vec<Target>, Fault> {
        let mut targets = Vec::new();
        for field in schema.fields() {
            let name = field.name();
            if *name == self.row || matches!(&self.timestamp, Timestamp::Column(column) if column == name) {
                continue;
            }
            if let Some(family) = &self.family {
                let (family, qualifier) = (family.clone(), Bytes::from(name.clone()));
                targets.push(Target { name: name.clone(), family, qualifier, kind: None });
                continue;
            }
            let Some((family, qualifier)) = name.split_once(':') else {
                return Err(Fault::Argument(format!(
                    "column {name:?} of the data is not called family:qualifier: say where columns go with \
                     columns={{{name:?}: \"family:qualifier\", …}}, or for all of them with family="
                )));
            };
            let (family, qualifier) = (Bytes::from(family.to_owned()), Bytes::from(qualifier.to_owned()));
            targets.push(Target { name: name.clone(), family, qualifier, kind: None });
        }
        Ok(targets)
    }
}

/// Writes these rows; returns how many they were.
fn write_all(table: &Table, puts: &[Put], before: usize) -> Result<usize, Fault> {
    for (n, result) in table.put_many(puts).into_iter().enumerate() {
        result.map_err(|error| {
            Error::new(
                error.kind(),
                format!("{} (at least {} rows of the data were written)", error.message(), before + n),
            )
        })?;
    }
    Ok(puts.len())
}

/// One column of a batch.
struct Source<'a> {
    values: encode::Values<'a>,
    nulls: Option<arrow_buffer::NullBuffer>,
    name: &'a str,
}

impl<'a> Source<'a> {
    fn of(batch: &'a RecordBatch, name: &'a str) -> Result<Self, Fault> {
        let Some(array) = batch.column_by_name(name) else {
            let schema = batch.schema();
            let there: Vec<_> = schema.fields().iter().map(|field| field.name().as_str()).collect();
            return Err(Fault::Argument(format!("the data has no column {name:?} (it has: {})", there.join(", "))));
        };
        let Some(values) = encode::values(array) else {
            return Err(Fault::Argument(format!(
                "column {name:?} of the data has the type {}, which cells cannot hold: cast it to bytes, text, numbers, booleans or timestamps",
                array.data_type()
            )));
        };
        Ok(Self { values, nulls: array.logical_nulls(), name })
    }

    fn value(&self, row: usize) -> Option<Value<'a>> {
        if self.nulls.as_ref().is_some_and(|nulls| nulls.is_null(row)) { None } else { (self.values)(row) }
    }

    /// Writes a value behind what is there; `false`: it is null.
    fn write(&self, row: usize, at: usize, kind: Option<Kind>, out: &mut Vec<u8>) -> Result<bool, Fault> {
        let Some(value) = self.value(row) else { return Ok(false) };
        encode::write(value, kind, out).map(|()| true).map_err(|why| self.unfit(at, kind, why))
    }

    fn unfit(&self, at: usize, kind: Option<Kind>, Unfit(why): Unfit) -> Fault {
        let form = kind.map_or("its type's own form", Kind::name);
        Fault::Argument(format!(
            "row {at} of the data, column {:?}: the value cannot be written as {form}: {why}",
            self.name
        ))
    }
}

/// The columns of a batch that are wanted.
struct Columns<'a> {
    row: Source<'a>,
    timestamp: Option<Source<'a>>,
    cells: Vec<(&'a Target, Source<'a>)>,
}

impl<'a> Columns<'a> {
    fn of(batch: &'a RecordBatch, load: &'a Load, targets: &'a [Target]) -> Result<Self, Fault> {
        let timestamp = match &load.timestamp {
            Timestamp::Column(name) => Some(Source::of(batch, name)?),
            _ => None,
        };
        let cells = targets.iter().map(|target| Ok((target, Source::of(batch, &target.name)?)));
        Ok(Self { row: Source::of(batch, &load.row)?, timestamp, cells: cells.collect::<Result<_, Fault>>()? })
    }

    /// A row as a put; `None`: it has no values. `at`: which row of all the data it is.
    fn put(&self, load: &Load, row: usize, at: usize) -> Result<Option<Put>, Fault> {
        let mut out = Vec::new();
        if !self.row.write(row, at, None, &mut out)? {
            return Err(Fault::Argument(format!(
                "row {at} of the data has no row key: column {:?} is null",
                self.row.name
            )));
        }
        let timestamp = self.time(load, row, at)?;
        let key = Bytes::from(std::mem::take(&mut out));
        let mut cells = Vec::with_capacity(self.cells.len());
        for (target, source) in &self.cells {
            if source.write(row, at, target.kind, &mut out)? {
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

    fn time(&self, load: &Load, row: usize, at: usize) -> Result<i64, Fault> {
        let Some(source) = &self.timestamp else {
            return Ok(if let Timestamp::Fixed(time) = load.timestamp { time } else { LATEST });
        };
        let wrong = |why: &str| Fault::Argument(format!("row {at} of the data, column {:?}: {why}", source.name));
        match source.value(row) {
            Some(Value::Int(n, ..)) => i64::try_from(n).map_err(|_| wrong("no timestamp is that large")),
            Some(Value::Time(t, unit)) => encode::time(t, unit, TimeUnit::Millisecond)
                .map_err(|_| wrong("timestamps of cells are whole milliseconds: round the column to them")),
            Some(_) => Err(wrong("timestamps of cells are integers (in milliseconds) or times")),
            None => Err(wrong("the timestamp is null")),
        }
    }
}
