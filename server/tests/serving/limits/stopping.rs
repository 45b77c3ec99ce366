//! Stopping a server: scanners end, data stays, and changes that do not finish have no effect.

use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use hjall_engine::name::TableName;
use hjall_engine::store::fault::{Call, FaultStore};
use hjall_engine::store::{FjallStore, Store, StoreOptions};
use hjall_engine::{Engine, Options};
use hjall_idl::hbase1::{
    ColumnDescriptor, CreateTableArgs, GetRowArgs, GetRowResult, ScannerGetListArgs, ScannerGetListResult,
};
use hjall_idl::hbase2;
use hjall_server::settings::config::Limits;
use hjall_server::{Config, Server};

use super::client::{Client, TABLE, message, serve_engine};
use super::scanners::open;
use crate::eventually::eventually;

#[test]
fn scanners_end_and_data_stays() {
    let folder = tempfile::tempdir().unwrap();
    let engine = Engine::open(folder.path(), Options::default()).unwrap();
    let (server, mut client) = serve_engine(Limits::default(), engine.clone(), 20);
    let id = open(&mut client).unwrap();
    let page: ScannerGetListResult = client.call("scannerGetList", &ScannerGetListArgs::new(id, 5));
    assert_eq!(page.success.unwrap().len(), 5);
    assert!(server.shutdown(), "an open scanner is not an unfinished call");
    // Fails while anything, such as a scanner, still reads from the folder.
    engine.close().unwrap();

    let engine = Engine::open(folder.path(), Options::default()).unwrap();
    let server = Server::start(Config::on("127.0.0.1:0".parse().unwrap()), engine).unwrap();
    let mut client = Client::connect(server.addr());
    let row: GetRowResult = client.call("getRow", &GetRowArgs::new(TABLE.to_vec(), b"row019".to_vec(), None));
    assert_eq!(row.success.unwrap().len(), 1);
    let gone: ScannerGetListResult = client.call("scannerGetList", &ScannerGetListArgs::new(id, 5));
    assert!(gone.ia.is_some(), "ids of the previous server are unknown");
}

/// A `createTable` call with three families, in a transport of its own.
fn creations() -> [(&'static str, Vec<u8>); 3] {
    let family = |name: &str| ColumnDescriptor {
        name: Some(name.as_bytes().to_vec()),
        max_versions: Some(1),
        ..ColumnDescriptor::default()
    };
    let families = ["a:", "b:", "c:"];
    let one = CreateTableArgs::new(b"new".to_vec(), families.map(family).to_vec());
    let family = |name: &str| hbase2::TColumnFamilyDescriptor {
        name: name.trim_end_matches(':').as_bytes().to_vec(),
        attributes: None,
        configuration: None,
        block_size: None,
        bloomn_filter_type: None,
        compression_type: None,
        dfs_replication: None,
        data_block_encoding: None,
        keep_deleted_cells: None,
        max_versions: None,
        min_versions: None,
        scope: None,
        time_to_live: None,
        block_cache_enabled: None,
        cache_blooms_on_write: None,
        cache_data_on_write: None,
        cache_indexes_on_write: None,
        compress_tags: None,
        evict_blocks_on_close: None,
        in_memory: None,
    };
    let desc = hbase2::TTableDescriptor {
        table_name: hbase2::TTableName { ns: None, qualifier: b"new".to_vec() },
        columns: Some(families.map(family).to_vec()),
        attributes: None,
        durability: None,
    };
    let two = hbase2::CreateTableArgs { desc, split_keys: Some(vec![b"m".to_vec()]) };
    let schema = r#"{"name":"new","ColumnSchema":[{"name":"a"},{"name":"b"},{"name":"c"}]}"#;
    let rest = format!(
        "PUT /new/schema HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{schema}",
        schema.len()
    );
    [("Thrift1", message("createTable", &one)), ("Thrift2", message("createTable", &two)), ("REST", rest.into())]
}

#[test]
fn a_table_whose_creation_outlasts_the_grace_period_does_not_exist() {
    for (interface, request) in creations() {
        let folder = tempfile::tempdir().unwrap();
        let store = Arc::new(FaultStore::new(FjallStore::open(folder.path(), StoreOptions::default()).unwrap()));
        let engine = Engine::with_store(store.clone()).unwrap();
        let spaces = store.spaces().unwrap();
        let limits = Limits { grace: Duration::ZERO, ..Limits::default() };
        let config = Config { limits, ..Config::on("127.0.0.1:0".parse().unwrap()) };
        let server = Server::start(config, engine.clone()).unwrap();
        store.hold(Call::CreateSpace);
        let mut client = TcpStream::connect(server.addr()).unwrap();
        client.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        client.write_all(&request).unwrap();
        eventually("a space is being created", || store.waiting() > 0);
        let stopping = thread::spawn(move || server.shutdown());
        // The connection ends with its call, which has been stopped then.
        let ended = client.read_to_end(&mut Vec::new());
        assert!(ended.is_ok() || ended.is_err_and(|error| error.kind() == ErrorKind::ConnectionReset), "{interface}");
        store.heal();
        assert!(!stopping.join().unwrap(), "{interface}: the call did not finish in time");
        let new = TableName::parse(b"new").unwrap();
        assert!(!engine.table_exists(&new), "{interface}");
        assert_eq!(store.spaces().unwrap(), spaces, "{interface}: no family remains");
        engine.close().unwrap();
    }
}
