//! A batch: mutations gathered, and sent together.

use std::collections::HashMap;
use std::sync::Arc;

use bytes::Bytes;
use hjall_engine::mutation::{Delete, Durability, Marker, Put, check_timestamp};
use hjall_engine::request::check_row;
use hjall_engine::{Error, LATEST};
use parking_lot::Mutex;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

use crate::access::Access;
use crate::call::call;
use crate::convert;
use crate::error;
use crate::mutation::{self, Change};
use crate::table::Table;

/// Rows written in one call: signals are looked for between them.
const ROWS_AT_ONCE: usize = 8192;

/// Mutations of any rows, gathered and sent together; `Table.batch` makes one. Each row's are applied all at once; rows by themselves.
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
    access: Arc<Access>,
    timestamp: i64,
    batch_size: Option<usize>,
    transaction: bool,
    wal: Option<bool>,
    ttl_ms: Option<i64>,
    durability: Option<Durability>,
    gathered: Mutex<Gathered>,
}

/// What was gathered since the last sending.
#[derive(Default)]
struct Gathered {
    rows: Vec<Row>,
    /// Places in `rows`.
    places: HashMap<Bytes, usize>,
    mutations: usize,
    /// The table's, once a whole row was deleted.
    families: Option<Vec<Bytes>>,
}

struct Row {
    key: Bytes,
    puts: Vec<Change>,
    markers: Vec<Marker>,
    /// The last put's counts for all puts of a row, and the last delete's for all deletes, as in HBase's gateway.
    put_durability: Durability,
    delete_durability: Durability,
}

impl Gathered {
    fn row(&mut self, key: Bytes) -> &mut Row {
        let new = self.rows.len();
        // Mostly it is the one that was named last.
        let place = match self.rows.last() {
            Some(last) if last.key == key => new - 1,
            _ => *self.places.entry(key.clone()).or_insert(new),
        };
        if place == new {
            let durability = Durability::SyncWal;
            self.rows.push(Row {
                key,
                puts: Vec::new(),
                markers: Vec::new(),
                put_durability: durability,
                delete_durability: durability,
            });
        }
        &mut self.rows[place]
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

    fn is_full(&self, gathered: &Gathered) -> bool {
        self.batch_size.is_some_and(|size| gathered.mutations >= size)
    }

    /// The names of the table's families, looked up once.
    fn families(&self, py: Python<'_>) -> PyResult<Vec<Bytes>> {
        if let Some(families) = &self.gathered.lock().families {
            return Ok(families.clone());
        }
        let table = self.access.table()?;
        let name = table.get()?.name();
        let engine = self.access.shared().engine()?;
        let families: Vec<_> = call(py, || engine.describe(name))?.families.into_keys().collect();
        self.gathered.lock().families = Some(families.clone());
        Ok(families)
    }

    /// What was gathered, as the engine wants it; nothing is changed.
    fn puts_and_deletes(&self, gathered: &mut Gathered) -> PyResult<(Vec<Put>, Vec<Delete>)> {
        let (mut puts, mut deletes) = (Vec::with_capacity(gathered.rows.len()), Vec::new());
        for row in &gathered.rows {
            let checked = check_row(&row.key).and_then(|()| check_timestamp(self.timestamp));
            checked.map_err(|e| error::raised(&e))?;
            if !row.puts.is_empty() {
                let cell = |change: &Change| {
                    let Change { column, value, timestamp } = change;
                    Change { column: column.clone(), value: value.clone(), timestamp: *timestamp }.cell(self.timestamp)
                };
                let cells = row.puts.iter().map(cell).collect::<PyResult<_>>()?;
                puts.push(Put { row: row.key.clone(), cells, ttl_ms: self.ttl_ms, durability: row.put_durability });
            }
            if !row.markers.is_empty() {
                let (markers, durability) = (row.markers.clone(), row.delete_durability);
                let timestamp = self.timestamp;
                deletes.push(Delete { row: row.key.clone(), markers, timestamp, ttl_ms: self.ttl_ms, durability });
            }
        }
        Ok((puts, deletes))
    }

    /// The puts of all rows, then the deletes, each row by itself: a put that fails leaves the other puts done, and no delete.
    fn apply(&self, py: Python<'_>, puts: &[Put], deletes: &[Delete]) -> PyResult<()> {
        let table = self.access.table()?;
        let table = table.get()?;
        let engine = self.access.shared().engine()?;
        // One cell that is too large keeps the whole batch from being sent.
        let cell_bytes_max = engine.limits().client_cell_bytes;
        puts.iter().try_for_each(|put| put.check_cell_bytes(cell_bytes_max)).map_err(|e| error::raised(&e))?;
        let mut failures = Vec::new();
        for puts in puts.chunks(ROWS_AT_ONCE) {
            failures.extend(call(py, || Ok(table.put_many(puts)))?.into_iter().filter_map(Result::err));
            py.check_signals()?;
        }
        if failures.is_empty() {
            for deletes in deletes.chunks(ROWS_AT_ONCE) {
                failures.extend(call(py, || Ok(table.delete_many(deletes)))?.into_iter().filter_map(Result::err));
                py.check_signals()?;
            }
        }
        summary(failures)
    }
}

/// The first of several failures, which says how many more there are.
fn summary(failures: Vec<Error>) -> PyResult<()> {
    let more = failures.len().saturating_sub(1);
    match failures.into_iter().next() {
        None => Ok(()),
        Some(first) if more == 0 => Err(error::raised(&first)),
        Some(first) => {
            let text = format!("{} (and {more} more rows of the batch failed)", first.plain());
            Err(error::raised(&Error::new(first.kind(), text)))
        }
    }
}

#[pymethods]
impl Batch {
    #[new]
    #[pyo3(signature = (table, timestamp=None, batch_size=None, transaction=false, wal=Some(true), *, ttl_ms=None, durability=None))]
    fn new(
        table: &Bound<'_, Table>,
        timestamp: Option<&Bound<'_, PyAny>>,
        batch_size: Option<i64>,
        transaction: bool,
        wal: Option<bool>,
        ttl_ms: Option<i64>,
        durability: Option<&str>,
    ) -> PyResult<Self> {
        let timestamp = timestamp.map_or(Ok(LATEST), convert::timestamp)?;
        if batch_size.is_some() && transaction {
            return Err(PyTypeError::new_err(
                "transaction and batch_size cannot be combined: a transaction is sent at its end",
            ));
        }
        let batch_size = match batch_size {
            Some(size) if size <= 0 => return Err(PyValueError::new_err("batch_size must be at least 1")),
            size => size.map(|size| usize::try_from(size).unwrap_or(usize::MAX)),
        };
        let durability = durability.map(|name| convert::durability(Some(name), None)).transpose()?;
        let access = Arc::clone(table.get().access());
        Ok(Self { access, timestamp, batch_size, transaction, wal, ttl_ms, durability, gathered: Mutex::default() })
    }

    /// Adds columns of a row to write. `data` as for `Table.put`; `wal`: instead of the batch's. Sends the batch if it is full.
    #[pyo3(signature = (row, data, wal=None))]
    fn put(&self, py: Python<'_>, row: &Bound<'_, PyAny>, data: &Bound<'_, PyAny>, wal: Option<bool>) -> PyResult<()> {
        let encoding = self.access.encoding();
        let row = convert::bytes(row, "row", encoding)?;
        let changes = mutation::changes(data, encoding)?;
        let full = {
            let mut gathered = self.gathered.lock();
            gathered.mutations += changes.len();
            let row = gathered.row(row);
            if !changes.is_empty() {
                row.put_durability = self.durability(wal);
            }
            row.puts.extend(changes);
            self.is_full(&gathered)
        };
        if full { self.send(py) } else { Ok(()) }
    }

    /// Adds a row, or some of its columns and families, to delete. `columns` as for `Table.delete`; `wal`: instead of the batch's. Sends the batch
    /// if it is full.
    #[pyo3(signature = (row, columns=None, wal=None))]
    fn delete(
        &self,
        py: Python<'_>,
        row: &Bound<'_, PyAny>,
        columns: Option<&Bound<'_, PyAny>>,
        wal: Option<bool>,
    ) -> PyResult<()> {
        let encoding = self.access.encoding();
        let row = convert::bytes(row, "row", encoding)?;
        let (count, markers) = match columns {
            Some(columns) => {
                let count = columns.len()?;
                (count, mutation::markers(columns, self.timestamp, encoding)?)
            }
            None => {
                let families = self.families(py)?;
                let markers = families.into_iter().map(|family| mutation::column_marker(family, self.timestamp));
                let markers: Vec<_> = markers.collect();
                (markers.len(), markers)
            }
        };
        let full = {
            let mut gathered = self.gathered.lock();
            gathered.mutations += count;
            let row = gathered.row(row);
            if !markers.is_empty() {
                row.delete_durability = self.durability(wal);
            }
            markers.into_iter().for_each(|marker| mutation::add(&mut row.markers, marker));
            self.is_full(&gathered)
        };
        if full { self.send(py) } else { Ok(()) }
    }

    /// Sends what was gathered: all puts, then all deletes. If it fails what was gathered stays, so that it can be sent again.
    ///
    /// Raises what `Table.put` and `Table.delete` raise, for the first row that fails; the other rows are written.
    fn send(&self, py: Python<'_>) -> PyResult<()> {
        let mut gathered = std::mem::take(&mut *self.gathered.lock());
        let families = gathered.families.take();
        let sent = if gathered.rows.is_empty() {
            Ok(())
        } else {
            self.puts_and_deletes(&mut gathered).and_then(|(puts, deletes)| self.apply(py, &puts, &deletes))
        };
        let mut present = self.gathered.lock();
        present.families = families;
        if sent.is_err() {
            // What another thread has added meanwhile comes behind it.
            let later = std::mem::replace(&mut *present, gathered);
            present.families = later.families;
            present.mutations += later.mutations;
            for row in later.rows {
                let here = present.row(row.key);
                here.puts.extend(row.puts);
                row.markers.into_iter().for_each(|marker| mutation::add(&mut here.markers, marker));
            }
        }
        sent
    }

    fn __enter__(this: Py<Self>) -> Py<Self> {
        this
    }

    /// Sends the batch; a transaction is not sent if the block failed.
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
