//! A Thrift2 server.

mod convert;
mod exception;
mod socket;
mod tls;
mod wire;

use std::path::PathBuf;
use std::time::Duration;

use bytes::Bytes;
use hjall_engine::Row;
use hjall_engine::mutation::{Append, Delete, Increment, Put};
use hjall_engine::name::TableName;
use hjall_engine::request::{Get, Scan};
use hjall_engine::schema::{NamespaceDescriptor, TableDescriptor};
use hjall_idl::hbase1;
use hjall_idl::hbase2::*;
use thrift::protocol::TSerializable;

use super::{Answer, Connection, Cursor, Extras, Failure, Load, Place, Reason, Server, Source};
use crate::interrupt::Interrupt;
use exception::of_io;
use wire::Wire;

/// How a client logs in.
#[derive(Debug, Clone)]
pub struct Login {
    /// The user.
    pub user: String,
    /// The password.
    pub password: String,
}

/// How to reach a server.
#[derive(Debug, Clone)]
pub struct ServerOptions {
    /// The host.
    pub host: String,
    /// The port.
    pub port: u16,
    /// Whether to use TLS.
    pub tls: bool,
    /// The certificates of the authorities to trust, in PEM.
    pub ca: Option<PathBuf>,
    /// The certificate of the client, in PEM.
    pub certificate: Option<PathBuf>,
    /// The key of the client, in PEM.
    pub key: Option<PathBuf>,
    /// The login with SASL PLAIN.
    pub login: Option<Login>,
    /// Whether messages are framed. A login implies it.
    pub framed: bool,
    /// Whether the compact protocol is used.
    pub compact: bool,
    /// How long an answer may take.
    pub timeout: Duration,
}

/// The role of hjall that the action in the text of an `AccessDeniedException` stands for.
fn role_of(text: &str) -> Option<&'static str> {
    let (_, action) = text.split_once("action=")?;
    match action.trim_end_matches(')') {
        "READ" => Some("read"),
        "WRITE" => Some("write"),
        "CREATE" | "ADMIN" => Some("admin"),
        _ => None,
    }
}

/// A connection to a server.
pub struct Remote {
    wire: Wire,
    user: Option<String>,
    address: (String, u16),
}

/// Checks the exceptions of a result and takes its value.
macro_rules! answered {
    ($self:ident, $method:literal, $args:expr, $result:ty, $table:expr) => {{
        let result: $result = $self.call($method, &$args)?;
        match result.io {
            Some(io) => Err($self.refused(of_io(&io, $table))),
            None => Ok(result),
        }
    }};
}

impl Remote {
    /// Connects and logs in.
    ///
    /// # Errors
    /// `Connection` with the address and the reason.
    pub fn connect(options: &ServerOptions, interrupt: Interrupt) -> Answer<Self> {
        let wire = Wire::connect(options, interrupt)?;
        let user = options.login.as_ref().map(|login| login.user.clone());
        Ok(Self { wire, user, address: (options.host.clone(), options.port) })
    }

    fn call<R: TSerializable>(&mut self, method: &'static str, args: &impl TSerializable) -> Answer<R> {
        self.wire.call(method, args)
    }

    /// The refusal of a server, with the options of the shell that it may be about.
    fn refused(&self, mut failure: Failure) -> Failure {
        let access = failure.class.ends_with("AccessDeniedException");
        if access && self.user.is_none() || failure.text.contains("TLS") {
            failure.text.push_str(self.wire.hint());
        } else if access && failure.remedy.is_none() {
            let role = role_of(&failure.text).map_or_else(|| "the role".to_owned(), |role| format!("the role {role}"));
            let remedy = format!("log in as another user, or ask the operator of the server for {role} (auth.users)");
            failure.remedy = Some(remedy);
        }
        failure
    }

    fn table(name: &TableName) -> Vec<u8> {
        name.to_string().into_bytes()
    }

    fn success<T>(method: &str, value: Option<T>) -> Answer<T> {
        value.ok_or_else(|| Failure::plain(Reason::Connection, format!("the server's answer to {method} has no value")))
    }

    fn unsupported(&self, what: &str) -> Failure {
        let (host, port) = &self.address;
        Failure::plain(
            Reason::Unsupported,
            format!(
                "{what} is not part of Thrift2, by which {host}:{port} is reached; stop the server and run it on its folder: \
                 hjall shell --data DIR"
            ),
        )
    }
}

impl Connection for Remote {
    fn tables(&mut self) -> Answer<Vec<TableName>> {
        let args = GetTableNamesByPatternArgs { regex: None, include_sys_tables: true };
        let result = answered!(self, "getTableNamesByPattern", args, GetTableNamesByPatternResult, None)?;
        let names = Self::success("getTableNamesByPattern", result.success)?;
        let names = names.iter().map(convert::table_name_back).collect::<Answer<Vec<_>>>();
        names.map(|mut names| {
            names.sort_by_key(TableName::with_namespace);
            names
        })
    }

    fn exists(&mut self, table: &TableName) -> Answer<bool> {
        let args = TableExistsArgs::new(convert::table_name(table));
        let result = answered!(self, "tableExists", args, TableExistsResult, Some(table))?;
        Self::success("tableExists", result.success)
    }

    fn describe(&mut self, table: &TableName) -> Answer<TableDescriptor> {
        let args = GetTableDescriptorArgs::new(convert::table_name(table));
        let result = answered!(self, "getTableDescriptor", args, GetTableDescriptorResult, Some(table))?;
        convert::descriptor_back(Self::success("getTableDescriptor", result.success)?)
    }

    fn is_enabled(&mut self, table: &TableName) -> Answer<bool> {
        let args = IsTableEnabledArgs::new(convert::table_name(table));
        let result = answered!(self, "isTableEnabled", args, IsTableEnabledResult, Some(table))?;
        Self::success("isTableEnabled", result.success)
    }

    fn create(&mut self, table: TableDescriptor, splits: Vec<Bytes>) -> Answer<()> {
        let name = table.name.clone();
        // Bad split keys are found here: a server answers them with an error that does not say why.
        hjall_engine::region::cut(splits.clone(), 0)?;
        let splits: Vec<Vec<u8>> = splits.iter().map(|key| key.to_vec()).collect();
        let splits = (!splits.is_empty()).then_some(splits);
        let args = CreateTableArgs::new(convert::descriptor(&table), splits);
        answered!(self, "createTable", args, CreateTableResult, Some(&name)).map(|_| ())
    }

    fn modify(&mut self, table: TableDescriptor) -> Answer<()> {
        let args = ModifyTableArgs::new(convert::descriptor(&table));
        answered!(self, "modifyTable", args, ModifyTableResult, Some(&table.name)).map(|_| ())
    }

    fn drop_table(&mut self, table: &TableName) -> Answer<()> {
        let args = DeleteTableArgs::new(convert::table_name(table));
        answered!(self, "deleteTable", args, DeleteTableResult, Some(table)).map(|_| ())
    }

    fn truncate(&mut self, table: &TableName, preserve_splits: bool) -> Answer<()> {
        let args = TruncateTableArgs::new(convert::table_name(table), preserve_splits);
        answered!(self, "truncateTable", args, TruncateTableResult, Some(table)).map(|_| ())
    }

    fn enable(&mut self, table: &TableName) -> Answer<()> {
        let args = EnableTableArgs::new(convert::table_name(table));
        answered!(self, "enableTable", args, EnableTableResult, Some(table)).map(|_| ())
    }

    fn disable(&mut self, table: &TableName) -> Answer<()> {
        let args = DisableTableArgs::new(convert::table_name(table));
        answered!(self, "disableTable", args, DisableTableResult, Some(table)).map(|_| ())
    }

    fn regions(&mut self, table: &TableName) -> Answer<Vec<Place>> {
        let args = GetAllRegionLocationsArgs::new(Self::table(table));
        let result = answered!(self, "getAllRegionLocations", args, GetAllRegionLocationsResult, Some(table))?;
        let places = Self::success("getAllRegionLocations", result.success)?;
        Ok(places.into_iter().map(convert::place_back).collect())
    }

    fn loads(&mut self, _: &TableName) -> Answer<Option<Vec<Load>>> {
        Ok(None)
    }

    fn namespace_names(&mut self) -> Answer<Vec<String>> {
        let args = ListNamespacesArgs::new();
        let result = answered!(self, "listNamespaces", args, ListNamespacesResult, None)?;
        let mut list = Self::success("listNamespaces", result.success)?;
        list.sort();
        Ok(list)
    }

    fn namespaces(&mut self) -> Answer<Vec<NamespaceDescriptor>> {
        let args = ListNamespaceDescriptorsArgs::new();
        let result = answered!(self, "listNamespaceDescriptors", args, ListNamespaceDescriptorsResult, None)?;
        let list = Self::success("listNamespaceDescriptors", result.success)?;
        let mut list: Vec<_> = list.into_iter().map(convert::namespace_back).collect();
        list.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(list)
    }

    fn namespace(&mut self, name: &str) -> Answer<NamespaceDescriptor> {
        let args = GetNamespaceDescriptorArgs::new(name.as_bytes().to_vec());
        let result = answered!(self, "getNamespaceDescriptor", args, GetNamespaceDescriptorResult, None)?;
        Self::success("getNamespaceDescriptor", result.success).map(convert::namespace_back)
    }

    fn create_namespace(&mut self, namespace: NamespaceDescriptor) -> Answer<()> {
        let args = CreateNamespaceArgs::new(convert::namespace(&namespace));
        answered!(self, "createNamespace", args, CreateNamespaceResult, None).map(|_| ())
    }

    fn modify_namespace(&mut self, namespace: NamespaceDescriptor) -> Answer<()> {
        let args = ModifyNamespaceArgs::new(convert::namespace(&namespace));
        answered!(self, "modifyNamespace", args, ModifyNamespaceResult, None).map(|_| ())
    }

    fn drop_namespace(&mut self, name: &str) -> Answer<()> {
        let args = DeleteNamespaceArgs::new(name.as_bytes().to_vec());
        answered!(self, "deleteNamespace", args, DeleteNamespaceResult, None).map(|_| ())
    }

    fn get(&mut self, table: &TableName, get: &Get, extras: &Extras) -> Answer<Row> {
        let args = GetArgs::new(Self::table(table), convert::get(get, extras));
        let result = answered!(self, "get", args, GetResult, Some(table))?;
        Self::success("get", result.success).map(convert::row_back)
    }

    fn open_scan(&mut self, table: &TableName, scan: &Scan, extras: &Extras) -> Answer<Cursor> {
        let args = OpenScannerArgs::new(Self::table(table), convert::scan(scan, extras));
        let result = answered!(self, "openScanner", args, OpenScannerResult, Some(table))?;
        let id = Self::success("openScanner", result.success)?;
        let generation = self.wire.generation();
        Ok(Cursor(Source::Remote { id, generation, table: table.clone(), done: false, batch: scan.batch > 0 }))
    }

    fn fetch(&mut self, cursor: &mut Cursor, rows: usize) -> Answer<Vec<Row>> {
        let (id, generation, table, done, batch) = match &mut cursor.0 {
            Source::Remote { id, generation, table, done, batch } => (*id, *generation, &*table, done, *batch),
            Source::Rows(list) => return Ok(list.take(rows).collect()),
            Source::Engine(_) => return Ok(Vec::new()),
        };
        if *done {
            return Ok(Vec::new());
        }
        // A server that was restarted may have given the number to another scanner.
        if !self.wire.is_open(generation) {
            let (host, port) = &self.address;
            return Err(Failure::plain(
                Reason::Connection,
                format!("the connection to {host}:{port} was lost during the scan; scan again from the last row shown"),
            ));
        }
        let wanted = i32::try_from(rows).unwrap_or(i32::MAX);
        let result =
            answered!(self, "getScannerRows", GetScannerRowsArgs::new(id, wanted), GetScannerRowsResult, Some(table))?;
        if let Some(error) = result.ia {
            let text = error.message;
            return Err(Failure::plain(
                Reason::Refused,
                text.unwrap_or_else(|| "the scanner does not exist any more".to_owned()),
            ));
        }
        let list = Self::success("getScannerRows", result.success)?;
        *done = list.is_empty();
        Ok(list.into_iter().map(convert::row_back).map(|row| Row { partial: row.partial && batch, ..row }).collect())
    }

    fn close_scan(&mut self, cursor: Cursor) {
        if let Source::Remote { id, generation, .. } = cursor.0
            && self.wire.is_open(generation)
        {
            // If this fails, the server closes the scanner when its lease ends.
            let _ = self.call::<CloseScannerResult>("closeScanner", &CloseScannerArgs::new(id));
        }
    }

    fn put(&mut self, table: &TableName, put: &Put, extras: &Extras) -> Answer<()> {
        let args = PutArgs::new(Self::table(table), convert::put(put, extras));
        answered!(self, "put", args, PutResult, Some(table)).map(|_| ())
    }

    fn delete(&mut self, table: &TableName, delete: &Delete, extras: &Extras) -> Answer<()> {
        let args = DeleteSingleArgs::new(Self::table(table), convert::delete(delete, extras));
        answered!(self, "deleteSingle", args, DeleteSingleResult, Some(table)).map(|_| ())
    }

    fn increment(&mut self, table: &TableName, increment: &Increment, extras: &Extras) -> Answer<Row> {
        let args = IncrementArgs::new(Self::table(table), convert::increment(increment, extras));
        let result = answered!(self, "increment", args, IncrementResult, Some(table))?;
        Self::success("increment", result.success).map(convert::row_back)
    }

    fn append(&mut self, table: &TableName, append: &Append, extras: &Extras) -> Answer<Row> {
        let args = AppendArgs::new(Self::table(table), convert::append(append, extras));
        let result = answered!(self, "append", args, AppendResult, Some(table))?;
        Self::success("append", result.success).map(convert::row_back)
    }

    fn flush(&mut self, _: &TableName) -> Answer<()> {
        Err(self.unsupported("flush"))
    }

    fn compact(&mut self, table: &TableName, major: bool) -> Answer<()> {
        // Thrift2 has no such method. A server that also speaks Thrift1 has.
        let (name, io) = (Some(Self::table(table)), |io: hbase1::IOError| {
            let text = io.message.unwrap_or_default();
            exception::of_text(&text, false, Some(table))
        });
        let answer = if major {
            self.call::<hbase1::MajorCompactResult>("majorCompact", &hbase1::MajorCompactArgs::new(name)).map(|r| r.io)
        } else {
            self.call::<hbase1::CompactResult>("compact", &hbase1::CompactArgs::new(name)).map(|r| r.io)
        };
        match answer {
            Ok(None) => Ok(()),
            Ok(Some(error)) => Err(io(error)),
            Err(failure) if failure.reason == Reason::Unsupported => {
                Err(self.unsupported(if major { "major_compact" } else { "compact" }))
            }
            Err(failure) => Err(failure),
        }
    }

    fn compaction_state(&mut self, _: &TableName) -> Answer<&'static str> {
        // Not NONE: a script that waits for it would continue while the compaction runs.
        let (host, port) = &self.address;
        Err(Failure::plain(
            Reason::Unsupported,
            format!("compaction_state is not part of Thrift2, by which {host}:{port} is reached"),
        )
        .with_remedy(Some(
            "the compactions of a server of hjall have ended when the metrics hjall_compactor_waiting and \
             hjall_compactor_running at its info port are 0",
        )))
    }

    fn split(&mut self, _: &TableName, _: &[u8]) -> Answer<()> {
        Err(self.unsupported("split"))
    }

    fn server(&mut self) -> Answer<Server> {
        let places = self.regions(&TableName::meta()).unwrap_or_default();
        Ok(places.into_iter().next().map_or_else(
            || Server { host: self.address.0.clone(), port: i32::from(self.address.1), start_code: 0 },
            |place| place.server,
        ))
    }

    fn user(&self) -> Option<String> {
        self.user.clone()
    }

    fn files(&mut self, _: &TableName) -> Answer<Option<(u64, u64)>> {
        Ok(None)
    }

    fn close(&mut self) -> Answer<()> {
        Ok(())
    }
}
