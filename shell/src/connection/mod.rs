//! Where the shell's commands go: an engine in this process, or a Thrift2 server.

mod embedded;
mod failure;
mod remote;
mod system_tables;

use std::collections::BTreeMap;

use bytes::Bytes;
use hjall_engine::Row;
use hjall_engine::mutation::{Append, Delete, Increment, Put};
use hjall_engine::name::TableName;
use hjall_engine::request::{Get, Scan};
use hjall_engine::schema::{NamespaceDescriptor, Region, TableDescriptor};

pub use embedded::Embedded;
pub use failure::{Failure, Reason};
pub use remote::{Login, Remote, ServerOptions};
pub use system_tables::{WithSystemTables, describe_region, region_text};

/// The result of a call.
pub type Answer<T> = Result<T, Failure>;

/// The parts of a request that the engine does not use. They are sent to a server unchanged.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Extras {
    /// Attributes of the operation.
    pub attributes: BTreeMap<Vec<u8>, Vec<u8>>,
    /// The visibility expression of a write.
    pub visibility: Option<String>,
    /// The labels of a read.
    pub authorizations: Option<Vec<String>>,
    /// The filter as text, if it was given so.
    pub filter_text: Option<Vec<u8>>,
    /// `TIMELINE` reads of replicas.
    pub timeline: bool,
    /// The replica to read.
    pub replica: Option<i32>,
    /// Whether blocks are cached.
    pub cache_blocks: Option<bool>,
}

/// A region, and where it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The region.
    pub region: Region,
    /// Its server.
    pub server: Server,
}

/// A server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Server {
    /// The host.
    pub host: String,
    /// The port.
    pub port: i32,
    /// The time of its start, in milliseconds since 1970.
    pub start_code: i64,
}

/// The properties of a region other than its bounds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Load {
    /// Reads since the start.
    pub reads: u64,
    /// Writes since the start.
    pub writes: u64,
}

/// An open scan.
pub struct Cursor(Source);

enum Source {
    Engine(Box<hjall_engine::Scanner>),
    Remote { id: i32, generation: u64, table: TableName, done: bool, batch: bool },
    Rows(std::vec::IntoIter<Row>),
}

/// Where commands go. All calls wait for their answer.
pub trait Connection {
    /// The names of all tables, system tables included, in HBase's order.
    fn tables(&mut self) -> Answer<Vec<TableName>>;
    /// Whether a table exists.
    fn exists(&mut self, table: &TableName) -> Answer<bool>;
    /// The descriptor of a table.
    fn describe(&mut self, table: &TableName) -> Answer<TableDescriptor>;
    /// Whether a table is enabled.
    fn is_enabled(&mut self, table: &TableName) -> Answer<bool>;
    /// Creates a table that is split at these keys.
    fn create(&mut self, table: TableDescriptor, splits: Vec<Bytes>) -> Answer<()>;
    /// Replaces the descriptor of a table.
    fn modify(&mut self, table: TableDescriptor) -> Answer<()>;
    /// Drops a disabled table.
    fn drop_table(&mut self, table: &TableName) -> Answer<()>;
    /// Empties a disabled table and enables it.
    fn truncate(&mut self, table: &TableName, preserve_splits: bool) -> Answer<()>;
    /// Enables a disabled table.
    fn enable(&mut self, table: &TableName) -> Answer<()>;
    /// Disables an enabled table.
    fn disable(&mut self, table: &TableName) -> Answer<()>;
    /// The regions of a table, by start key.
    fn regions(&mut self, table: &TableName) -> Answer<Vec<Place>>;
    /// The load of each region of a table; `None` if the server does not report it.
    fn loads(&mut self, table: &TableName) -> Answer<Option<Vec<Load>>>;
    /// The names of all namespaces, in order.
    fn namespace_names(&mut self) -> Answer<Vec<String>>;
    /// The descriptors of all namespaces that the user may see, in the order of their names.
    fn namespaces(&mut self) -> Answer<Vec<NamespaceDescriptor>>;
    /// One namespace.
    fn namespace(&mut self, name: &str) -> Answer<NamespaceDescriptor>;
    /// Creates a namespace.
    fn create_namespace(&mut self, namespace: NamespaceDescriptor) -> Answer<()>;
    /// Replaces the properties of a namespace.
    fn modify_namespace(&mut self, namespace: NamespaceDescriptor) -> Answer<()>;
    /// Drops an empty namespace.
    fn drop_namespace(&mut self, name: &str) -> Answer<()>;
    /// Reads one row.
    fn get(&mut self, table: &TableName, get: &Get, extras: &Extras) -> Answer<Row>;
    /// Opens a scan.
    fn open_scan(&mut self, table: &TableName, scan: &Scan, extras: &Extras) -> Answer<Cursor>;
    /// The next rows, at most this many; none at the end. A row may come in pieces if the scan has a batch size.
    fn fetch(&mut self, cursor: &mut Cursor, rows: usize) -> Answer<Vec<Row>>;
    /// Closes a scan.
    fn close_scan(&mut self, cursor: Cursor);
    /// Writes cells of one row.
    fn put(&mut self, table: &TableName, put: &Put, extras: &Extras) -> Answer<()>;
    /// Deletes in one row.
    fn delete(&mut self, table: &TableName, delete: &Delete, extras: &Extras) -> Answer<()>;
    /// Adds to a counter; the new value.
    fn increment(&mut self, table: &TableName, increment: &Increment, extras: &Extras) -> Answer<Row>;
    /// Appends to a value; the new one.
    fn append(&mut self, table: &TableName, append: &Append, extras: &Extras) -> Answer<Row>;
    /// Writes a table's memory to files.
    fn flush(&mut self, table: &TableName) -> Answer<()>;
    /// Compacts a table; returns when it is done, or when the server has accepted the request.
    fn compact(&mut self, table: &TableName, major: bool) -> Answer<()>;
    /// Whether a table is being compacted, in HBase's words: `NONE`, `MINOR`, ….
    fn compaction_state(&mut self, table: &TableName) -> Answer<&'static str>;
    /// Splits the region that contains a key.
    fn split(&mut self, table: &TableName, key: &[u8]) -> Answer<()>;
    /// The server that executes commands.
    fn server(&mut self) -> Answer<Server>;
    /// The user that commands are executed as.
    fn user(&self) -> Option<String>;
    /// The files of a table: bytes and number; `None` if the server does not report it.
    fn files(&mut self, table: &TableName) -> Answer<Option<(u64, u64)>>;
    /// Ends the connection.
    fn close(&mut self) -> Answer<()>;
}
