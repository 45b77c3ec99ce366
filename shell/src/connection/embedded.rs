//! An engine in this process.

use std::sync::Arc;

use bytes::Bytes;
use chrono::Utc;
use hjall_engine::mutation::{Append, Delete, Increment, Put};
use hjall_engine::name::TableName;
use hjall_engine::request::{Get, Scan};
use hjall_engine::schema::{NamespaceDescriptor, TableDescriptor};
use hjall_engine::store::CompactionControl;
use hjall_engine::{Engine, Row, Table};

use super::{Answer, Connection, Cursor, Extras, Failure, Load, Place, Reason, Server, Source};
use crate::interrupt::Interrupt;

/// Bytes that one fetch of a scan gathers.
const FETCH_BYTES: usize = 1 << 20;

/// The commands' access to an engine.
pub struct Embedded {
    engine: Engine,
    server: Server,
    interrupt: Interrupt,
}

impl Embedded {
    /// Commands for an engine that is open.
    pub fn new(engine: Engine, interrupt: Interrupt) -> Self {
        let server = Server { host: "localhost".to_owned(), port: 16020, start_code: Utc::now().timestamp_millis() };
        Self { engine, server, interrupt }
    }

    fn table(&self, name: &TableName) -> Table {
        self.engine.table(name)
    }
}

/// Ends a get at Ctrl-C.
struct Interruptible(Interrupt);

impl hjall_engine::read::Budget for Interruptible {
    fn take(&self, _cells: usize, _bytes: usize) -> hjall_engine::Result<()> {
        self.check()
    }

    fn release(&self, _cells: usize, _bytes: usize) {}

    fn check(&self) -> hjall_engine::Result<()> {
        if self.0.is_pending() {
            return Err(hjall_engine::Error::new(hjall_engine::ErrorKind::Cancelled, "ended by Ctrl-C"));
        }
        Ok(())
    }

    fn stop(&self) -> hjall_engine::read::Stop {
        hjall_engine::read::Stop::default()
    }
}

impl Connection for Embedded {
    fn tables(&mut self) -> Answer<Vec<TableName>> {
        Ok(self.engine.tables().into_iter().map(|(table, _)| table.name).collect())
    }

    fn exists(&mut self, table: &TableName) -> Answer<bool> {
        Ok(self.engine.table_exists(table))
    }

    fn describe(&mut self, table: &TableName) -> Answer<TableDescriptor> {
        Ok(self.engine.describe(table)?)
    }

    fn is_enabled(&mut self, table: &TableName) -> Answer<bool> {
        Ok(self.engine.is_table_enabled(table)?)
    }

    fn create(&mut self, table: TableDescriptor, splits: Vec<Bytes>) -> Answer<()> {
        Ok(self.engine.create_table(table, splits)?)
    }

    fn modify(&mut self, table: TableDescriptor) -> Answer<()> {
        Ok(self.engine.modify_table(table)?)
    }

    fn drop_table(&mut self, table: &TableName) -> Answer<()> {
        Ok(self.engine.delete_table(table)?)
    }

    fn truncate(&mut self, table: &TableName, preserve_splits: bool) -> Answer<()> {
        Ok(self.engine.truncate_table(table, preserve_splits)?)
    }

    fn enable(&mut self, table: &TableName) -> Answer<()> {
        Ok(self.engine.enable_table(table)?)
    }

    fn disable(&mut self, table: &TableName) -> Answer<()> {
        Ok(self.engine.disable_table(table)?)
    }

    fn regions(&mut self, table: &TableName) -> Answer<Vec<Place>> {
        let regions = self.engine.regions(table)?;
        Ok(regions.into_iter().map(|region| Place { region, server: self.server.clone() }).collect())
    }

    fn loads(&mut self, table: &TableName) -> Answer<Option<Vec<Load>>> {
        let traffic = self.engine.traffic_of(table);
        Ok(traffic.map(|traffic| {
            traffic.regions().map(|(_, load)| Load { reads: load.reads, writes: load.writes }).collect()
        }))
    }

    fn namespace_names(&mut self) -> Answer<Vec<String>> {
        Ok(self.engine.namespaces().into_iter().map(|namespace| namespace.name).collect())
    }

    fn namespaces(&mut self) -> Answer<Vec<NamespaceDescriptor>> {
        Ok(self.engine.namespaces())
    }

    fn namespace(&mut self, name: &str) -> Answer<NamespaceDescriptor> {
        Ok(self.engine.namespace(name)?)
    }

    fn create_namespace(&mut self, namespace: NamespaceDescriptor) -> Answer<()> {
        Ok(self.engine.create_namespace(namespace)?)
    }

    fn modify_namespace(&mut self, namespace: NamespaceDescriptor) -> Answer<()> {
        Ok(self.engine.modify_namespace(namespace)?)
    }

    fn drop_namespace(&mut self, name: &str) -> Answer<()> {
        Ok(self.engine.delete_namespace(name)?)
    }

    fn get(&mut self, table: &TableName, get: &Get, _: &Extras) -> Answer<Row> {
        let budget = Interruptible(self.interrupt.clone());
        Ok(self.table(table).get_for(get, &budget)?)
    }

    fn open_scan(&mut self, table: &TableName, scan: &Scan, _: &Extras) -> Answer<Cursor> {
        let mut scanner = self.table(table).scan(scan.clone())?;
        let interrupt = self.interrupt.clone();
        scanner.watch(Arc::new(move || interrupt.is_pending()));
        Ok(Cursor(Source::Engine(Box::new(scanner))))
    }

    fn fetch(&mut self, cursor: &mut Cursor, rows: usize) -> Answer<Vec<Row>> {
        match &mut cursor.0 {
            Source::Engine(scanner) => Ok(scanner.next_within(rows, FETCH_BYTES)?),
            Source::Rows(list) => Ok(list.take(rows).collect()),
            Source::Remote { .. } => Ok(Vec::new()),
        }
    }

    fn close_scan(&mut self, _: Cursor) {}

    fn put(&mut self, table: &TableName, put: &Put, _: &Extras) -> Answer<()> {
        Ok(self.table(table).put(put)?)
    }

    fn delete(&mut self, table: &TableName, delete: &Delete, _: &Extras) -> Answer<()> {
        Ok(self.table(table).delete(delete)?)
    }

    fn increment(&mut self, table: &TableName, increment: &Increment, _: &Extras) -> Answer<Row> {
        Ok(self.table(table).increment(increment)?)
    }

    fn append(&mut self, table: &TableName, append: &Append, _: &Extras) -> Answer<Row> {
        Ok(self.table(table).append(append)?)
    }

    fn flush(&mut self, table: &TableName) -> Answer<()> {
        Ok(self.engine.flush(table)?)
    }

    fn compact(&mut self, table: &TableName, major: bool) -> Answer<()> {
        // Only files are compacted, so what is still in memory is written first.
        self.engine.flush(table)?;
        let control = Arc::new(CompactionControl::default());
        let (stopping, interrupt) = (Arc::clone(&control), self.interrupt.clone());
        let (done, ended) = std::sync::mpsc::channel::<()>();
        let watching = std::thread::spawn(move || {
            // The sender is dropped when the compaction has ended.
            while ended.recv_timeout(std::time::Duration::from_millis(50))
                == Err(std::sync::mpsc::RecvTimeoutError::Timeout)
            {
                if interrupt.is_pending() {
                    stopping.stop();
                }
            }
        });
        let compacted = self.engine.compact_with(table, major, &control);
        drop(done);
        let _ = watching.join();
        Ok(compacted?)
    }

    fn compaction_state(&mut self, _: &TableName) -> Answer<&'static str> {
        // Those that commands start have ended before the next command, and no other process has the folder open.
        Ok("NONE")
    }

    fn split(&mut self, table: &TableName, key: &[u8]) -> Answer<()> {
        Ok(self.engine.split_region(table, key)?)
    }

    fn server(&mut self) -> Answer<Server> {
        Ok(self.server.clone())
    }

    fn user(&self) -> Option<String> {
        None
    }

    fn files(&mut self, table: &TableName) -> Answer<Option<(u64, u64)>> {
        let files = self.engine.table_files(table)?;
        Ok(Some((files.bytes, files.count)))
    }

    fn close(&mut self) -> Answer<()> {
        self.engine.close().map_err(|error| Failure::plain(Reason::Refused, error.to_string()))
    }
}
