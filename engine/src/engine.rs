//! The database: opening, closing, namespaces and tables.

use std::path::Path;
use std::sync::Arc;

use bytes::Bytes;

use crate::clock::Clock;
use crate::error::Result;
use crate::name::TableName;
use crate::schema::{FamilyDescriptor, NamespaceDescriptor, Region, TableDescriptor};
use crate::store::Store;
use crate::table::Table;

/// How to open a database.
#[derive(Clone, Default)]
pub struct Options {
    /// The time; the machine's by default.
    pub clock: Option<Arc<dyn Clock>>,
    /// Memory for cached blocks, in bytes; `None`: a share of the machine's.
    pub cache_bytes: Option<u64>,
}

/// A database. Cheap to clone; all clones are the same one.
#[derive(Clone)]
pub struct Engine;

impl Engine {
    /// Opens the database in a folder, making it if need be. A folder that this process has open already gives the same database.
    pub fn open(_path: &Path, _options: Options) -> Result<Self> { todo!() }
    /// A database without a disk.
    pub fn memory(_options: Options) -> Result<Self> { todo!() }
    /// A database over any store.
    pub fn with_store(_store: Arc<dyn Store>) -> Result<Self> { todo!() }
    /// Writes everything to disk and lets go of the folder, when the last opener closes. Idempotent.
    pub fn close(&self) -> Result<()> { todo!() }
    /// A UUID made with the folder.
    pub fn cluster_id(&self) -> &str { todo!() }
    /// The time as writes see it.
    pub fn now_ms(&self) -> i64 { todo!() }
    /// A table by name; whether it exists shows when it is used.
    pub fn table(&self, _name: &TableName) -> Table { todo!() }

    // -- namespaces (data-model.md §17, thrift2.md §11)
    /// Makes a namespace.
    pub fn create_namespace(&self, _descriptor: NamespaceDescriptor) -> Result<()> { todo!() }
    /// Replaces a namespace's configuration.
    pub fn modify_namespace(&self, _descriptor: NamespaceDescriptor) -> Result<()> { todo!() }
    /// Deletes an empty namespace.
    pub fn delete_namespace(&self, _name: &str) -> Result<()> { todo!() }
    /// One namespace.
    pub fn namespace(&self, _name: &str) -> Result<NamespaceDescriptor> { todo!() }
    /// All namespaces, by name.
    pub fn namespaces(&self) -> Vec<NamespaceDescriptor> { todo!() }

    // -- tables (data-model.md §10-13, thrift2.md §10)
    /// Makes a table with regions at these keys (any order).
    pub fn create_table(&self, _descriptor: TableDescriptor, _splits: Vec<Bytes>) -> Result<()> { todo!() }
    /// Drops a disabled table.
    pub fn delete_table(&self, _name: &TableName) -> Result<()> { todo!() }
    /// Empties a disabled table and enables it; without `preserve_splits` it has one region afterwards.
    pub fn truncate_table(&self, _name: &TableName, _preserve_splits: bool) -> Result<()> { todo!() }
    /// Enables a disabled table.
    pub fn enable_table(&self, _name: &TableName) -> Result<()> { todo!() }
    /// Disables an enabled table.
    pub fn disable_table(&self, _name: &TableName) -> Result<()> { todo!() }
    /// Whether a table is enabled; `TableNotFound` if there is none.
    pub fn is_table_enabled(&self, _name: &TableName) -> Result<bool> { todo!() }
    /// Whether there is such a table.
    pub fn table_exists(&self, _name: &TableName) -> bool { todo!() }
    /// A table's descriptor as HBase reads it back.
    pub fn describe(&self, _name: &TableName) -> Result<TableDescriptor> { todo!() }
    /// All tables, sorted by `namespace:qualifier`, with whether they are enabled. `hbase:meta` is among them.
    pub fn tables(&self) -> Vec<(TableDescriptor, bool)> { todo!() }
    /// A table's regions by start key; `TableNotFound` if there is none.
    pub fn regions(&self, _name: &TableName) -> Result<Vec<Region>> { todo!() }
    /// Adds a family.
    pub fn add_family(&self, _table: &TableName, _family: FamilyDescriptor) -> Result<()> { todo!() }
    /// Replaces a family's descriptor.
    pub fn modify_family(&self, _table: &TableName, _family: FamilyDescriptor) -> Result<()> { todo!() }
    /// Removes a family and its data.
    pub fn delete_family(&self, _table: &TableName, _family: &[u8]) -> Result<()> { todo!() }
    /// Replaces a table's descriptor; families not in it are removed with their data.
    pub fn modify_table(&self, _descriptor: TableDescriptor) -> Result<()> { todo!() }
    /// Compacts a table's files; `major`: forgets all that can be forgotten. Returns when done.
    pub fn compact(&self, _name: &TableName, _major: bool) -> Result<()> { todo!() }
    /// Writes a table's memory to files.
    pub fn flush(&self, _name: &TableName) -> Result<()> { todo!() }
}
