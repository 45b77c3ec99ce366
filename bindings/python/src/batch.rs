//! Batches: mutations that are collected and sent together.

use std::collections::HashMap;
use std::sync::Arc;

use bytes::Bytes;
use hjall_engine::mutation::{Delete, Durability, Marker, Put, check_timestamp};
use hjall_engine::request::check_row;
use hjall_engine::{Error, LATEST};
use parking_lot::Mutex;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

use crate::call::call;
use crate::convert::{self, argument};
use crate::error::{self, Place};
use crate::mutation::{self, ColumnValue, Columns, RowContext};
use crate::table::Table;
use crate::table_handle::TableHandle;

/// Rows written per call of the engine. Signals are checked between calls.
const ROWS_PER_CALL: usize = 8192;

/// Collects puts and deletes of any number of rows and sends them together, first all puts and then all deletes.
/// `Table.batch` creates batches. The puts of a row are applied atomically, and so are its deletes; a batch as a whole
/// is not atomic.
///
/// >>> import hjall
/// >>> db = hjall.memory()
/// >>> db.create_table("t", {"f": {}})
/// >>> with db.table("t").batch(batch_size=1000) as batch:
/// ...     for n in range(3):
/// ...         batch.put(b"row-%d" % n, {b"f:n": b"%d" % n})
/// ...     batch.delete(b"row-1")
/// >>> [key for key, _ in db.table("t").scan()]
/// [b'row-0', b'row-2']
#[pyclass(frozen, subclass, module = "hjall._native")]
pub struct Batch {
    handle: Arc<TableHandle>,
    timestamp: i64,
    batch_size: Option<usize>,
    transaction: bool,
    wal: Option<bool>,
    ttl_ms: Option<i64>,
    durability: Option<Durability>,
    pending: Mutex<Pending>,
}

/// The mutations that have not been sent.
#[derive(Default)]
struct Pending {
    rows: Vec<RowMutations>,
    /// The index in `rows` of each row key.
    row_indexes: HashMap<Bytes, usize>,
    /// The number of columns and markers, which counts towards `batch_size`.
    mutations: usize,
    /// The table's families, looked up when the first whole row is deleted.
    families: Option<Vec<Bytes>>,
    /// The columns of the last put.
    columns: Columns,
}

struct RowMutations {
    key: Bytes,
    puts: Vec<ColumnValue>,
    markers: Vec<Marker>,
    /// That of the row's last put applies to all puts of the row, and that of its last delete to all deletes, as in
    /// HBase's gateway.
    put_durability: Durability,
    delete_durability: Durability,
}

impl RowMutations {
    fn add(&mut self, puts: Vec<ColumnValue>, durability: Durability) -> &mut Self {
        if !puts.is_empty() {
            self.put_durability = durability;
        }
        self.puts.extend(puts);
        self
    }

    fn add_markers(&mut self, markers: Vec<Marker>, durability: Durability) -> &mut Self {
        if !markers.is_empty() {
            self.delete_durability = durability;
        }
        markers.into_iter().for_each(|marker| mutation::add_marker(&mut self.markers, marker));
        self
    }
}

impl Pending {
    /// Puts back what was taken for the engine.
    fn restore(&mut self, puts: Vec<Put>, deletes: Vec<Delete>) {
        for put in puts {
            self.row(put.row).puts = put.cells.into_iter().map(ColumnValue::from).collect();
        }
        for delete in deletes {
            self.row(delete.row).markers = delete.markers;
        }
    }

    fn row(&mut self, key: Bytes) -> &mut RowMutations {
        let new = self.rows.len();
        // Fast path: consecutive mutations mostly belong to one row.
        let index = match self.rows.last() {
            Some(last) if last.key == key => new - 1,
            _ => *self.row_indexes.entry(key.clone()).or_insert(new),
        };
        if index == new {
            let durability = Durability::SyncWal;
            self.rows.push(RowMutations {
                key,
                puts: Vec::new(),
                markers: Vec::new(),
                put_durability: durability,
                delete_durability: durability,
            });
        }
        &mut self.rows[index]
    }
}

impl Batch {
    fn durability(&self, wal: Option<bool>) -> Durability {
        match (wal.or(self.wal), self.durability) {
            (Some(false), None) => Durability::SkipWal,
            (_, None) => Durability::SyncWal,
            (_, Some(durability)) => durability,
        }
    }

    fn is_full(&self, pending: &Pending) -> bool {
        self.batch_size.is_some_and(|size| pending.mutations >= size)
    }

    /// The names of the table's families, looked up once.
    fn families(&self, py: Python<'_>) -> PyResult<Vec<Bytes>> {
        let known = self.pending.lock().families.clone();
        if let Some(families) = known {
            return Ok(families);
        }
        let table = self.handle.table()?;
        let name = table.get()?.name();
        let engine = self.handle.database().engine()?;
        let families: Vec<_> = call(py, || engine.describe(name))?.families.into_keys().collect();
        self.pending.lock().families = Some(families.clone());
        Ok(families)
    }

    /// Takes the pending mutations for the engine. If it fails, it has taken none.
    fn take_mutations(&self, pending: &mut Pending) -> PyResult<(Vec<Put>, Vec<Delete>)> {
        for row in &pending.rows {
            let checked = check_row(&row.key).and_then(|()| check_timestamp(self.timestamp));
            checked.map_err(|e| error::from_call(&e, self.place(&row.key)))?;
            let checked = row.puts.iter().try_for_each(ColumnValue::check);
            checked.map_err(|e| error::from_call(&e, self.place(&row.key)))?;
        }
        let (mut puts, mut deletes) = (Vec::with_capacity(pending.rows.len()), Vec::new());
        for row in &mut pending.rows {
            let (ttl_ms, timestamp) = (self.ttl_ms, self.timestamp);
            if !row.puts.is_empty() {
                let place = self.place(&row.key);
                let cells = std::mem::take(&mut row.puts).into_iter();
                let cells = cells.map(|column_value| column_value.cell(timestamp, place)).collect::<PyResult<_>>()?;
                puts.push(Put { row: row.key.clone(), cells, ttl_ms, durability: row.put_durability });
            }
            if !row.markers.is_empty() {
                let (markers, durability) = (std::mem::take(&mut row.markers), row.delete_durability);
                deletes.push(Delete { row: row.key.clone(), markers, timestamp, ttl_ms, durability });
            }
        }
        Ok((puts, deletes))
    }

    /// Applies the puts of all rows, then the deletes, each row independently. If a put fails, the other puts are still
    /// applied, but no delete is.
    fn apply(&self, py: Python<'_>, puts: &[Put], deletes: &[Delete]) -> PyResult<()> {
        let table = self.handle.table()?;
        let table = table.get()?;
        let engine = self.handle.database().engine()?;
        // A cell that is too large fails the whole batch before anything is written.
        let cell_bytes_max = engine.limits().client_cell_bytes;
        for put in puts {
            put.check_cell_bytes(cell_bytes_max).map_err(|e| error::from_call(&e, self.place(&put.row)))?;
        }
        let mut failures = Failures::default();
        let place = |row| self.place(row);
        for puts in puts.chunks(ROWS_PER_CALL) {
            failures.add(call(py, || Ok(table.put_many(puts)))?, puts.iter().map(|put| &put.row));
            py.check_signals()?;
        }
        if !failures.is_empty() {
            let written = puts.len() - failures.0.len();
            let written = (written > 0).then(|| format!("the puts of {} were written", other_rows(written)));
            let deletes = (!deletes.is_empty()).then(|| "no delete was sent".to_owned());
            return failures.into_result(place, " of the batch", [written, deletes]);
        }
        for deletes in deletes.chunks(ROWS_PER_CALL) {
            failures.add(call(py, || Ok(table.delete_many(deletes)))?, deletes.iter().map(|delete| &delete.row));
            py.check_signals()?;
        }
        if failures.is_empty() {
            return Ok(());
        }
        let puts = (!puts.is_empty()).then(|| "all puts were written".to_owned());
        let applied = deletes.len() - failures.0.len();
        let applied = (applied > 0).then(|| format!("the deletes of {} were applied", other_rows(applied)));
        failures.into_result(place, " of the batch", [puts, applied])
    }

    fn place<'a>(&'a self, row: &'a Bytes) -> Place<'a> {
        Place { method: "Batch.send", table: self.handle.name(), row: Some(row) }
    }
}

/// `1 other row`, `2 other rows`, …
fn other_rows(count: usize) -> String {
    error::counted(count, "other row")
}

/// The failures of a call that writes several rows: the errors and the rows.
#[derive(Default)]
pub struct Failures<'a>(Vec<(Error, &'a Bytes)>);

impl<'a> Failures<'a> {
    /// Adds the results of some rows.
    pub fn add(&mut self, results: Vec<hjall_engine::Result<()>>, rows: impl Iterator<Item = &'a Bytes>) {
        self.0.extend(results.into_iter().zip(rows).filter_map(|(result, row)| Some((result.err()?, row))));
    }

    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The exception of the first row, whose attribute `failures` has all of them. Its message ends with the number of
    /// the others and with `outcomes`: what happened to the rows that did not fail. `of`: what the rows are of, after a
    /// space.
    ///
    /// # Errors
    /// If a row failed.
    pub fn into_result<'p>(
        self,
        place: impl Fn(&'p Bytes) -> Place<'p>,
        of: &str,
        outcomes: impl IntoIterator<Item = Option<String>>,
    ) -> PyResult<()>
    where
        'a: 'p,
    {
        let Self(failures) = self;
        let Some((first, row)) = failures.first() else { return Ok(()) };
        let more = failures.len() - 1;
        let more = (more > 0)
            .then(|| format!("and {}{of} failed, see the attribute failures", error::counted(more, "more row")));
        let rest: Vec<_> = std::iter::once(more).chain(outcomes).flatten().collect();
        let rest = if rest.is_empty() { String::new() } else { format!(" ({})", rest.join("; ")) };
        let exception = error::from_part(first, place(row), &rest);
        let each = failures.iter().map(|(error, row)| (&row[..], error::from_call(error, place(row))));
        error::set_failures(&exception, each);
        Err(exception)
    }
}

#[pymethods]
impl Batch {
    #[new]
    #[pyo3(signature = (table, timestamp=None, batch_size=None, transaction=false, wal=Some(true), *, ttl_ms=None,
    durability=None))]
    fn new(
        table: &Bound<'_, Table>,
        timestamp: Option<&Bound<'_, PyAny>>,
        batch_size: Option<&Bound<'_, PyAny>>,
        #[pyo3(from_py_with = argument::transaction)] transaction: bool,
        #[pyo3(from_py_with = argument::wal)] wal: Option<bool>,
        ttl_ms: Option<&Bound<'_, PyAny>>,
        #[pyo3(from_py_with = argument::durability)] durability: Option<Durability>,
    ) -> PyResult<Self> {
        let timestamp = timestamp.map_or(Ok(LATEST), convert::timestamp)?;
        if batch_size.is_some() && transaction {
            return Err(PyTypeError::new_err(
                "transaction and batch_size cannot be combined: a transaction is sent at the end of its block",
            ));
        }
        let batch_size = match batch_size.map(|size| convert::integer(size, "batch_size")).transpose()? {
            Some(size) if size <= 0 => return Err(error::invalid("batch_size must be at least 1")),
            size => size.map(|size| usize::try_from(size).unwrap_or(usize::MAX)),
        };
        let ttl_ms = convert::ttl(ttl_ms)?;
        let handle = Arc::clone(table.get().handle());
        Ok(Self { handle, timestamp, batch_size, transaction, wal, ttl_ms, durability, pending: Mutex::default() })
    }

    /// Adds a put. `data` is as for `Table.put`; `wal` overrides the batch's setting. Sends the batch if it is full.
    #[pyo3(signature = (row, data, wal=None))]
    fn put(
        &self,
        py: Python<'_>,
        row: &Bound<'_, PyAny>,
        data: &Bound<'_, PyAny>,
        #[pyo3(from_py_with = argument::wal)] wal: Option<bool>,
    ) -> PyResult<()> {
        let encoding = self.handle.encoding();
        let row = convert::bytes(row, "the row key", encoding)?;
        // Conversions can run code of the program, during which the lock must not be held.
        let mut columns = std::mem::take(&mut self.pending.lock().columns);
        let column_values = mutation::column_values_like(data, RowContext { row: &row, encoding }, &mut columns)?;
        let full = {
            let mut pending = self.pending.lock();
            pending.columns = columns;
            pending.mutations += column_values.len();
            pending.row(row).add(column_values, self.durability(wal));
            self.is_full(&pending)
        };
        if full { self.send(py) } else { Ok(()) }
    }

    /// Adds a delete. `columns` is as for `Table.delete`; `wal` overrides the batch's setting. Sends the batch if it
    /// is full.
    #[pyo3(signature = (row, columns=None, wal=None))]
    fn delete(
        &self,
        py: Python<'_>,
        row: &Bound<'_, PyAny>,
        columns: Option<&Bound<'_, PyAny>>,
        #[pyo3(from_py_with = argument::wal)] wal: Option<bool>,
    ) -> PyResult<()> {
        let encoding = self.handle.encoding();
        let row = convert::bytes(row, "the row key", encoding)?;
        let (count, markers) = match columns {
            Some(columns) => {
                let (markers, count) = mutation::markers(columns, self.timestamp, encoding)?;
                (count, markers)
            }
            None => {
                let families = self.families(py)?;
                let markers = families.into_iter().map(|family| mutation::column_marker(family, self.timestamp));
                let markers: Vec<_> = markers.collect();
                (markers.len(), markers)
            }
        };
        let full = {
            let mut pending = self.pending.lock();
            pending.mutations += count;
            pending.row(row).add_markers(markers, self.durability(wal));
            self.is_full(&pending)
        };
        if full { self.send(py) } else { Ok(()) }
    }

    /// Sends the collected mutations: first all puts, then, if no put failed, all deletes. After a failure all
    /// mutations remain in the batch, so that they can be sent again.
    ///
    /// Raises the exception of the first row that fails, as `Table.put` and `Table.delete` do. Its attribute `failures`
    /// has the row keys and the exceptions of all rows that failed. The puts of other rows are still written.
    fn send(&self, py: Python<'_>) -> PyResult<()> {
        let mut pending = std::mem::take(&mut *self.pending.lock());
        let (families, columns) = (pending.families.take(), std::mem::take(&mut pending.columns));
        let sent = if pending.rows.is_empty() {
            Ok(())
        } else {
            self.take_mutations(&mut pending).and_then(|(puts, deletes)| {
                let applied = self.apply(py, &puts, &deletes);
                if applied.is_err() {
                    pending.restore(puts, deletes);
                }
                applied
            })
        };
        let mut present = self.pending.lock();
        (present.families, present.columns) = (families, columns);
        if sent.is_err() {
            // Mutations that other threads added in the meantime follow the restored ones.
            let later = std::mem::replace(&mut *present, pending);
            (present.families, present.columns) = (later.families, later.columns);
            present.mutations += later.mutations;
            for RowMutations { key, puts, markers, put_durability, delete_durability } in later.rows {
                present.row(key).add(puts, put_durability).add_markers(markers, delete_durability);
            }
        }
        sent
    }

    fn __enter__(this: Py<Self>) -> Py<Self> {
        this
    }

    /// Sends the batch, unless it is a transaction and the block raised an exception.
    #[pyo3(signature = (kind, _value, _trace))]
    fn __exit__(
        &self,
        py: Python<'_>,
        kind: &Bound<'_, PyAny>,
        _value: &Bound<'_, PyAny>,
        _trace: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        if self.transaction && !kind.is_none() { Ok(()) } else { self.send(py) }
    }
}
