//! Stopping a server: scanners end, and data stays.

use hjall_engine::{Engine, Options};
use hjall_idl::hbase1::{GetRowArgs, GetRowResult, ScannerGetListArgs, ScannerGetListResult};
use hjall_server::settings::config::Limits;
use hjall_server::{Config, Server};

use super::client::{Client, TABLE, serve_engine};
use super::scanners::open;

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
