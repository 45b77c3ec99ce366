//! `hbase:meta` and `hbase:namespace`, which hjall does not store: their rows are made from the catalog when they are
//! read. HBase has them; its own rows are used then.

use std::collections::BTreeMap;

use bytes::Bytes;
use hjall_engine::mutation::{Append, Delete, Durability, Increment, Put, PutCell};
use hjall_engine::name::TableName;
use hjall_engine::request::{Get, Scan};
use hjall_engine::schema::{FamilyDescriptor, NamespaceDescriptor, Region, TableDescriptor};
use hjall_engine::{Engine, Options, Row};
use prost::Message;

use super::{Answer, Connection, Cursor, Extras, Load, Place, Reason, Server, Source};

/// The first bytes of a serialised message in `hbase:meta`.
const MAGIC: &[u8] = b"PBUF";

/// HBase's `RegionInfo`.
#[derive(Clone, PartialEq, Message)]
struct RegionInfo {
    #[prost(uint64, required, tag = "1")]
    id: u64,
    #[prost(message, required, tag = "2")]
    table: Name,
    #[prost(bytes = "bytes", optional, tag = "3")]
    start: Option<Bytes>,
    #[prost(bytes = "bytes", optional, tag = "4")]
    end: Option<Bytes>,
    #[prost(bool, optional, tag = "5")]
    offline: Option<bool>,
    #[prost(bool, optional, tag = "6")]
    split: Option<bool>,
    #[prost(int32, optional, tag = "7")]
    replica: Option<i32>,
}

#[derive(Clone, PartialEq, Message)]
struct Name {
    #[prost(bytes = "bytes", required, tag = "1")]
    namespace: Bytes,
    #[prost(bytes = "bytes", required, tag = "2")]
    qualifier: Bytes,
}

/// HBase's `NamespaceDescriptor`.
#[derive(Clone, PartialEq, Message)]
struct NamespaceInfo {
    #[prost(bytes = "bytes", required, tag = "1")]
    name: Bytes,
    #[prost(message, repeated, tag = "2")]
    configuration: Vec<Pair>,
}

#[derive(Clone, PartialEq, Message)]
struct Pair {
    #[prost(string, required, tag = "1")]
    name: String,
    #[prost(string, required, tag = "2")]
    value: String,
}

/// The region in a value of `info:regioninfo`, as HBase's shell shows it.
pub fn region_text(value: &[u8]) -> Option<String> {
    let info = RegionInfo::decode(value.strip_prefix(MAGIC)?).ok()?;
    let table = TableName::new(&info.table.namespace, &info.table.qualifier).ok()?;
    let region = Region {
        id: i64::try_from(info.id).ok()?,
        start: info.start.unwrap_or_default(),
        end: info.end.unwrap_or_default(),
    };
    Some(describe_region(&region, &table))
}

/// `{ENCODED => …, NAME => '…', STARTKEY => '…', ENDKEY => '…'}`.
pub fn describe_region(region: &Region, table: &TableName) -> String {
    let shown = hjall_engine::region::to_string_binary;
    format!(
        "{{ENCODED => {}, NAME => '{}', STARTKEY => '{}', ENDKEY => '{}'}}",
        region.encoded_name(table),
        shown(&region.name(table)),
        shown(&region.start),
        shown(&region.end)
    )
}

/// A connection with system tables that can be read.
pub struct WithSystemTables {
    inner: Box<dyn Connection>,
    /// Whether the rows have to be made; unknown until they are read.
    virtual_rows: Option<bool>,
}

impl WithSystemTables {
    /// Adds the system tables to a connection.
    pub fn new(inner: Box<dyn Connection>) -> Self {
        Self { inner, virtual_rows: None }
    }

    fn is_made(&mut self, table: &TableName) -> Answer<bool> {
        if !table.is_meta() && !is_namespace(table) {
            return Ok(false);
        }
        if self.virtual_rows.is_none() {
            let probe = Get { max_versions: 1, ..Get::new("hbase:namespace") };
            self.virtual_rows = Some(match self.inner.get(&TableName::meta(), &probe, &Extras::default()) {
                Ok(_) => false,
                Err(failure) if matches!(failure.reason, Reason::Refused | Reason::TableMissing) => true,
                Err(failure) => return Err(failure),
            });
        }
        Ok(self.virtual_rows == Some(true))
    }

    /// A database in memory with the rows of a system table, and the name of the table in it.
    fn made(&mut self, table: &TableName) -> Answer<(Engine, TableName)> {
        let engine = Engine::memory(Options::default())?;
        let name = TableName::new("default", table.qualifier())?;
        let mut descriptor = self.describe(table)?;
        descriptor.name = name.clone();
        descriptor.attributes = BTreeMap::new();
        engine.create_table(descriptor, Vec::new())?;
        let puts = if table.is_meta() { self.meta_rows()? } else { self.namespace_rows()? };
        for done in engine.table(&name).put_many(&puts) {
            done?;
        }
        Ok((engine, name))
    }

    fn meta_rows(&mut self) -> Answer<Vec<Put>> {
        let mut puts = Vec::new();
        for table in self.tables()? {
            if table.is_meta() {
                continue;
            }
            let enabled = self.is_enabled(&table)?;
            let places = self.regions(&table)?;
            let created = places.iter().map(|place| place.region.id).min().unwrap_or(0);
            // HBase's `TableState`: field 1 is 0 if enabled, 1 if disabled.
            let state = vec![0x08, u8::from(!enabled)];
            puts.push(put(table.to_string(), vec![("table", "state", state.into())], created));
            for Place { region, server } in places {
                let info = RegionInfo {
                    id: region.id.unsigned_abs(),
                    table: Name {
                        namespace: table.namespace().to_owned().into(),
                        qualifier: table.qualifier().to_owned().into(),
                    },
                    start: Some(region.start.clone()),
                    end: Some(region.end.clone()),
                    offline: Some(false),
                    split: Some(false),
                    replica: Some(0),
                };
                let info = [MAGIC, &info.encode_to_vec()].concat();
                let mut cells: Vec<(&str, &str, Bytes)> = vec![
                    ("info", "regioninfo", info.into()),
                    ("info", "state", Bytes::from_static(if enabled { b"OPEN" } else { b"CLOSED" })),
                ];
                if enabled {
                    let name = format!("{},{},{}", server.host, server.port, server.start_code);
                    cells.push(("info", "server", format!("{}:{}", server.host, server.port).into()));
                    cells.push(("info", "serverstartcode", server.start_code.to_be_bytes().to_vec().into()));
                    cells.push(("info", "sn", name.into()));
                }
                puts.push(put(region.name(&table), cells, region.id));
            }
        }
        Ok(puts)
    }

    fn namespace_rows(&mut self) -> Answer<Vec<Put>> {
        let namespaces = self.inner.namespaces()?;
        Ok(namespaces
            .into_iter()
            .map(|namespace| {
                let info = NamespaceInfo {
                    name: namespace.name.clone().into(),
                    configuration: namespace
                        .configuration
                        .into_iter()
                        .map(|(name, value)| Pair { name, value })
                        .collect(),
                };
                put(namespace.name, vec![("info", "d", info.encode_to_vec().into())], 1)
            })
            .collect())
    }
}

fn put(row: impl Into<Bytes>, cells: Vec<(&str, &str, Bytes)>, timestamp: i64) -> Put {
    let cells = cells.into_iter().map(|(family, qualifier, value)| PutCell {
        family: Bytes::copy_from_slice(family.as_bytes()),
        qualifier: Bytes::copy_from_slice(qualifier.as_bytes()),
        timestamp,
        value,
    });
    Put { row: row.into(), cells: cells.collect(), ttl_ms: None, durability: Durability::SkipWal }
}

fn is_namespace(table: &TableName) -> bool {
    table.is_system() && table.qualifier() == "namespace"
}

fn namespace_table() -> Answer<TableName> {
    Ok(TableName::new("hbase", "namespace")?)
}

/// Whether a row key is the beginning of a region's name that HBase cannot compare: it needs both commas.
fn is_partial_name(row: &[u8]) -> bool {
    row.iter().filter(|byte| **byte == b',').count() == 1
}

impl Connection for WithSystemTables {
    fn tables(&mut self) -> Answer<Vec<TableName>> {
        let mut tables = self.inner.tables()?;
        let namespace = namespace_table()?;
        if !tables.contains(&namespace) {
            tables.push(namespace);
            tables.sort_by_key(TableName::with_namespace);
        }
        Ok(tables)
    }

    fn exists(&mut self, table: &TableName) -> Answer<bool> {
        if is_namespace(table) { Ok(true) } else { self.inner.exists(table) }
    }

    fn describe(&mut self, table: &TableName) -> Answer<TableDescriptor> {
        match self.inner.describe(table) {
            Err(failure) if failure.reason == Reason::TableMissing && is_namespace(table) => {
                let mut descriptor = TableDescriptor::new(table.clone());
                descriptor.set("hbase.store.file-tracker.impl", "DEFAULT");
                let mut family = FamilyDescriptor::new("info")?;
                family.set_max_versions(10)?.set_block_size(8192).set_flag("IN_MEMORY", true);
                descriptor.add_family(family)?;
                Ok(descriptor)
            }
            answer => answer,
        }
    }

    fn is_enabled(&mut self, table: &TableName) -> Answer<bool> {
        if is_namespace(table) { Ok(true) } else { self.inner.is_enabled(table) }
    }

    fn create(&mut self, table: TableDescriptor, splits: Vec<Bytes>) -> Answer<()> {
        self.inner.create(table, splits)
    }

    fn modify(&mut self, table: TableDescriptor) -> Answer<()> {
        self.inner.modify(table)
    }

    fn drop_table(&mut self, table: &TableName) -> Answer<()> {
        self.inner.drop_table(table)
    }

    fn truncate(&mut self, table: &TableName, preserve_splits: bool) -> Answer<()> {
        self.inner.truncate(table, preserve_splits)
    }

    fn enable(&mut self, table: &TableName) -> Answer<()> {
        self.inner.enable(table)
    }

    fn disable(&mut self, table: &TableName) -> Answer<()> {
        self.inner.disable(table)
    }

    fn regions(&mut self, table: &TableName) -> Answer<Vec<Place>> {
        match self.inner.regions(table) {
            Err(failure) if failure.reason == Reason::TableMissing && is_namespace(table) => {
                let region = Region { id: 1, start: Bytes::new(), end: Bytes::new() };
                Ok(vec![Place { region, server: self.inner.server()? }])
            }
            answer => answer,
        }
    }

    fn loads(&mut self, table: &TableName) -> Answer<Option<Vec<Load>>> {
        self.inner.loads(table)
    }

    fn namespace_names(&mut self) -> Answer<Vec<String>> {
        self.inner.namespace_names()
    }

    fn namespaces(&mut self) -> Answer<Vec<NamespaceDescriptor>> {
        self.inner.namespaces()
    }

    fn namespace(&mut self, name: &str) -> Answer<NamespaceDescriptor> {
        self.inner.namespace(name)
    }

    fn create_namespace(&mut self, namespace: NamespaceDescriptor) -> Answer<()> {
        self.inner.create_namespace(namespace)
    }

    fn modify_namespace(&mut self, namespace: NamespaceDescriptor) -> Answer<()> {
        self.inner.modify_namespace(namespace)
    }

    fn drop_namespace(&mut self, name: &str) -> Answer<()> {
        self.inner.drop_namespace(name)
    }

    fn get(&mut self, table: &TableName, get: &Get, extras: &Extras) -> Answer<Row> {
        if !self.is_made(table)? {
            return self.inner.get(table, get, extras);
        }
        let (engine, name) = self.made(table)?;
        Ok(engine.table(&name).get(get)?)
    }

    fn open_scan(&mut self, table: &TableName, scan: &Scan, extras: &Extras) -> Answer<Cursor> {
        if !self.is_made(table)? {
            return self.inner.open_scan(table, scan, extras);
        }
        if table.is_meta() && (is_partial_name(&scan.start) || is_partial_name(&scan.stop)) {
            return Ok(Cursor(Source::Rows(Vec::new().into_iter())));
        }
        let (engine, name) = self.made(table)?;
        let mut scanner = engine.table(&name).scan(scan.clone())?;
        let rows = scanner.rows().collect::<hjall_engine::Result<Vec<_>>>()?;
        Ok(Cursor(Source::Rows(rows.into_iter())))
    }

    fn fetch(&mut self, cursor: &mut Cursor, rows: usize) -> Answer<Vec<Row>> {
        self.inner.fetch(cursor, rows)
    }

    fn close_scan(&mut self, cursor: Cursor) {
        self.inner.close_scan(cursor);
    }

    fn put(&mut self, table: &TableName, put: &Put, extras: &Extras) -> Answer<()> {
        self.inner.put(table, put, extras)
    }

    fn delete(&mut self, table: &TableName, delete: &Delete, extras: &Extras) -> Answer<()> {
        self.inner.delete(table, delete, extras)
    }

    fn increment(&mut self, table: &TableName, increment: &Increment, extras: &Extras) -> Answer<Row> {
        self.inner.increment(table, increment, extras)
    }

    fn append(&mut self, table: &TableName, append: &Append, extras: &Extras) -> Answer<Row> {
        self.inner.append(table, append, extras)
    }

    fn flush(&mut self, table: &TableName) -> Answer<()> {
        self.inner.flush(table)
    }

    fn compact(&mut self, table: &TableName, major: bool) -> Answer<()> {
        self.inner.compact(table, major)
    }

    fn compaction_state(&mut self, table: &TableName) -> Answer<&'static str> {
        self.inner.compaction_state(table)
    }

    fn split(&mut self, table: &TableName, key: &[u8]) -> Answer<()> {
        self.inner.split(table, key)
    }

    fn server(&mut self) -> Answer<Server> {
        self.inner.server()
    }

    fn user(&self) -> Option<String> {
        self.inner.user()
    }

    fn files(&mut self, table: &TableName) -> Answer<Option<(u64, u64)>> {
        self.inner.files(table)
    }

    fn close(&mut self) -> Answer<()> {
        self.inner.close()
    }
}
