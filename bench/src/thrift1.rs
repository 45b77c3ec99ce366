//! Encoded calls of HBase's first Thrift service: strict binary, unframed.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};

use hjall_idl::hbase1::*;
use thrift::protocol::{
    TBinaryInputProtocol, TBinaryOutputProtocol, TInputProtocol, TMessageIdentifier, TMessageType, TOutputProtocol,
    TSerializable,
};

use crate::Outcome;

/// The bytes of one call.
pub fn message(method: &str, arguments: &impl TSerializable) -> Outcome<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut out = TBinaryOutputProtocol::new(&mut bytes, true);
    out.write_message_begin(&TMessageIdentifier::new(method, TMessageType::Call, 1))?;
    arguments.write_to_out_protocol(&mut out)?;
    out.write_message_end()?;
    Ok(bytes)
}

/// `getRow`.
pub fn get_row(table: &str, row: &[u8]) -> Outcome<Vec<u8>> {
    message("getRow", &GetRowArgs::new(table.as_bytes().to_vec(), row.to_vec(), None))
}

/// `mutateRow` with one put.
pub fn mutate_row(table: &str, row: &[u8], column: &str, value: Vec<u8>) -> Outcome<Vec<u8>> {
    let put = Mutation::new(false, column.as_bytes().to_vec(), value, true);
    message("mutateRow", &MutateRowArgs::new(table.as_bytes().to_vec(), row.to_vec(), vec![put], None))
}

/// A row key, and the columns and values to put.
pub type RowPuts = (Vec<u8>, Vec<(String, Vec<u8>)>);

/// `mutateRows` with puts only.
pub fn mutate_rows(table: &str, rows: Vec<RowPuts>) -> Outcome<Vec<u8>> {
    let batch = |(row, cells): RowPuts| {
        let puts = cells.into_iter().map(|(column, value)| Mutation::new(false, column.into_bytes(), value, true));
        BatchMutation::new(row, puts.collect::<Vec<_>>())
    };
    let rows: Vec<_> = rows.into_iter().map(batch).collect();
    message("mutateRows", &MutateRowsArgs::new(table.as_bytes().to_vec(), rows, None))
}

/// `scannerOpenWithScan` of the whole table.
pub fn open_scanner(table: &str, caching: i32) -> Outcome<Vec<u8>> {
    let scan = TScan { caching: Some(caching), ..TScan::default() };
    message("scannerOpenWithScan", &ScannerOpenWithScanArgs::new(table.as_bytes().to_vec(), scan, None))
}

/// `scannerGetList`.
pub fn scanner_get_list(id: i32, rows: i32) -> Outcome<Vec<u8>> {
    message("scannerGetList", &ScannerGetListArgs::new(id, rows))
}

/// `scannerClose`.
pub fn scanner_close(id: i32) -> Outcome<Vec<u8>> {
    message("scannerClose", &ScannerCloseArgs::new(id))
}

/// `getRows`.
pub fn get_rows(table: &str, rows: Vec<Vec<u8>>) -> Outcome<Vec<u8>> {
    message("getRows", &GetRowsArgs::new(table.as_bytes().to_vec(), rows, None))
}

/// A blocking client for setup.
pub struct Client(TcpStream);

impl Client {
    /// Connects.
    pub fn connect(address: SocketAddr) -> Outcome<Self> {
        let stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        Ok(Self(stream))
    }

    /// Sends one call. An undeclared exception becomes an error.
    pub fn call<R: TSerializable>(&mut self, message: &[u8]) -> Outcome<R> {
        self.0.write_all(message)?;
        let mut input = TBinaryInputProtocol::new(Reader(&self.0), true);
        let head = input.read_message_begin()?;
        if head.message_type == TMessageType::Exception {
            return Err(thrift::Error::read_application_error_from_in_protocol(&mut input)?.to_string().into());
        }
        Ok(R::read_from_in_protocol(&mut input)?)
    }

    /// Creates a table with these families.
    pub fn create_table(&mut self, table: &str, families: &[String]) -> Outcome<()> {
        self.create(table, families, i32::MAX)
    }

    /// Creates a table with the family `f`, whose cells expire after this time.
    pub fn create_expiring_table(&mut self, table: &str, ttl_seconds: i32) -> Outcome<()> {
        self.create(table, &["f".to_owned()], ttl_seconds)
    }

    /// Disables and deletes a table.
    pub fn drop_table(&mut self, table: &str) -> Outcome<()> {
        let name = table.as_bytes().to_vec();
        let disabled: DisableTableResult =
            self.call(&message("disableTable", &DisableTableArgs::new(name.clone()))?)?;
        let deleted: DeleteTableResult = self.call(&message("deleteTable", &DeleteTableArgs::new(name))?)?;
        match (disabled.io, deleted.io) {
            (None, None) => Ok(()),
            (disabled, deleted) => Err(format!("{table}: {disabled:?} {deleted:?}").into()),
        }
    }

    fn create(&mut self, table: &str, families: &[String], ttl_seconds: i32) -> Outcome<()> {
        let families = families.iter().map(|f| ColumnDescriptor {
            name: Some(format!("{f}:").into_bytes()),
            max_versions: Some(1),
            time_to_live: Some(ttl_seconds),
            ..ColumnDescriptor::default()
        });
        let arguments = CreateTableArgs::new(table.as_bytes().to_vec(), families.collect::<Vec<_>>());
        let result: CreateTableResult = self.call(&message("createTable", &arguments)?)?;
        match (result.io, result.ia, result.exist) {
            (None, None, None) => Ok(()),
            other => Err(format!("createTable: {other:?}").into()),
        }
    }
}

/// An unbuffered reader behind a shared reference, for setup only.
struct Reader<'a>(&'a TcpStream);

impl Read for Reader<'_> {
    fn read(&mut self, buf: &mut [u8]) -> std::io::Result<usize> {
        let mut stream = self.0;
        stream.read(buf)
    }
}
