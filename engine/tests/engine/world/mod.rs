//! A table in memory with a manual clock, and short notations for writes and reads.

pub mod history;
pub mod naive;

use std::sync::Arc;

use bytes::Bytes;
use hjall_engine::clock::ManualClock;
use hjall_engine::mutation::{Delete, Durability, Marker, MarkerKind, Put, PutCell};
use hjall_engine::name::TableName;
use hjall_engine::request::{Columns, Get, Scan, TimeRange};
use hjall_engine::schema::{FamilyDescriptor, TableDescriptor};
use hjall_engine::{Cell, Engine, LATEST, Options, Row, Table};

use crate::fixture::controlled_store::ControlledStore;

/// The initial time.
pub const NOW: i64 = 1_000_000;

/// An engine with one table.
pub struct World {
    pub engine: Engine,
    pub clock: Arc<ManualClock>,
    pub table: Table,
}

impl World {
    /// Creates a table with these families. Attributes follow the name as `KEY=VALUE`: `f VERSIONS=3 TTL=10`.
    pub fn new(families: &[&str]) -> Self {
        Self::split(families, &[])
    }

    /// Like [`Self::new`], with regions split at these keys.
    pub fn split(families: &[&str], splits: &[&str]) -> Self {
        let clock = Arc::new(ManualClock::at(NOW));
        let engine = Engine::memory(Options { clock: Some(clock.clone()), ..Options::default() }).unwrap();
        Self::over(engine, clock, families, splits)
    }

    /// A world over a store with partial compactions.
    pub fn partial(families: &[&str]) -> (Self, Arc<ControlledStore>) {
        let clock = Arc::new(ManualClock::at(NOW));
        let store = ControlledStore::new(clock.clone());
        let engine = Engine::with_store(store.clone()).unwrap();
        (Self::over(engine, clock, families, &[]), store)
    }

    fn over(engine: Engine, clock: Arc<ManualClock>, families: &[&str], splits: &[&str]) -> Self {
        let name = TableName::parse(b"t").unwrap();
        let splits = splits.iter().map(|s| Bytes::copy_from_slice(s.as_bytes())).collect();
        engine.create_table(descriptor(&name, families), splits).unwrap();
        let table = engine.table(&name);
        Self { engine, clock, table }
    }

    /// Writes one value, `family:qualifier`.
    pub fn put(&self, row: &str, column: &str, timestamp: i64, value: &str) {
        self.put_living(row, column, timestamp, value, None);
    }

    /// Writes one value with a TTL in milliseconds.
    pub fn put_living(&self, row: &str, column: &str, timestamp: i64, value: &str, ttl_ms: Option<i64>) {
        let (family, qualifier) = column.split_once(':').unwrap();
        let cell = PutCell { family: bytes(family), qualifier: bytes(qualifier), timestamp, value: bytes(value) };
        let put = Put { row: bytes(row), cells: vec![cell], ttl_ms, durability: Durability::UseDefault };
        self.table.put(&put).unwrap();
    }

    /// Writes a delete marker.
    pub fn delete(&self, row: &str, column: &str, kind: MarkerKind, timestamp: i64) {
        let (family, qualifier) = column.split_once(':').unwrap();
        let marker = Marker { family: bytes(family), qualifier: bytes(qualifier), kind, timestamp };
        self.table.delete(&Delete { markers: vec![marker], ..Delete::row(bytes(row)) }).unwrap();
    }

    /// Returns the cells of a get in short form.
    pub fn get(&self, get: &Get) -> String {
        short(&[self.table.get(get).unwrap()])
    }

    /// Returns all cells of a row, with up to `max_versions` versions per column.
    pub fn row(&self, row: &str, max_versions: i32) -> String {
        self.get(&Get { max_versions, ..Get::new(bytes(row)) })
    }

    /// Like [`Self::row`], restricted to a time range.
    pub fn row_in(&self, row: &str, max_versions: i32, min: i64, max: i64) -> String {
        let time_range = TimeRange::new(min, max).unwrap();
        self.get(&Get { max_versions, time_range, ..Get::new(bytes(row)) })
    }

    /// Returns all results of a scan in short form.
    pub fn scan(&self, scan: Scan) -> String {
        short(&self.table.scan(scan).unwrap().next(usize::MAX).unwrap())
    }
}

/// A descriptor of a table with these families.
pub fn descriptor(name: &TableName, families: &[&str]) -> TableDescriptor {
    let mut table = TableDescriptor::new(name.clone());
    for family in families {
        let mut words = family.split(' ');
        let mut family = FamilyDescriptor::new(bytes(words.next().unwrap())).unwrap();
        for attribute in words {
            let (key, value) = attribute.split_once('=').unwrap();
            family.set(bytes(key), bytes(value));
        }
        table.add_family(family).unwrap();
    }
    table
}

/// Rows in short form: `row f:q@5=v f:q@4!12; row …`. Markers have the number of their kind; `…` follows a row that
/// continues in the next result.
pub fn short(rows: &[Row]) -> String {
    let row = |row: &Row| {
        let mut words = vec![text(&row.key)];
        words.extend(row.cells.iter().map(cell));
        if row.partial {
            words.push("…".into());
        }
        words.join(" ")
    };
    rows.iter().map(row).collect::<Vec<_>>().join("; ").trim().to_string()
}

fn cell(cell: &Cell) -> String {
    let place = format!("{}:{}@{}", text(&cell.family), text(&cell.qualifier), cell.timestamp);
    match cell.kind.is_marker() {
        true => format!("{place}!{}", cell.kind.code()),
        false => format!("{place}={}", text(&cell.value)),
    }
}

fn text(bytes: &[u8]) -> String {
    bytes.escape_ascii().to_string()
}

/// The bytes of a string.
pub fn bytes(text: &str) -> Bytes {
    Bytes::copy_from_slice(text.as_bytes())
}

/// Named columns: `f` or `f:q`.
pub fn columns(names: &[&str]) -> Columns {
    let mut columns = Columns::all();
    for name in names {
        match name.split_once(':') {
            Some((family, qualifier)) => columns.add_column(bytes(family), bytes(qualifier)),
            None => columns.add_family(bytes(name)),
        };
    }
    columns
}

/// The timestamp that stands for the current time.
pub const NEWEST: i64 = LATEST;
