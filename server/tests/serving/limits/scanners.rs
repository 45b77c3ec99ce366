//! The limits on open scanners: of one connection, and of all together.

use hjall_idl::hbase1::{ScannerCloseArgs, ScannerCloseResult, ScannerOpenArgs, ScannerOpenResult};
use hjall_server::Config;
use hjall_server::settings::config::Limits;

use super::client::{Client, TABLE, serve};

/// Opens a scanner over the whole table, or returns the reason for the refusal.
pub fn open(client: &mut Client) -> Result<i32, String> {
    let arguments = ScannerOpenArgs::new(TABLE.to_vec(), Vec::new(), Vec::new(), None);
    let opened: ScannerOpenResult = client.call("scannerOpen", &arguments);
    opened.success.ok_or_else(|| opened.io.unwrap().message.unwrap())
}

#[test]
fn scanners_are_limited_per_connection_and_in_total() {
    let limits = Limits { scanners_per_connection_max: 2, scanners_max: 3, ..Limits::default() };
    let (server, mut first) = serve(limits, 1);
    let mut second = Client::connect(server.addr());
    let id = open(&mut first).unwrap();
    open(&mut first).unwrap();
    let refused = open(&mut first).unwrap_err();
    assert!(refused.contains("RegionTooBusyException: this connection has 2 scanners open"), "{refused}");
    open(&mut second).unwrap();
    let refused = open(&mut second).unwrap_err();
    assert!(
        refused.contains("RegionTooBusyException: 3 scanners are open, which is the limit (limits.scanners)"),
        "{refused}"
    );
    let closed: ScannerCloseResult = first.call("scannerClose", &ScannerCloseArgs::new(id));
    assert_eq!((closed.io, closed.ia), (None, None));
    open(&mut second).unwrap();
}

#[test]
fn limits_on_scanners_change_while_the_server_runs() {
    let (server, mut first) = serve(Limits::default(), 1);
    let mut second = Client::connect(server.addr());
    open(&mut first).unwrap();
    let limits = Limits {
        scanners_per_address_max: 1,
        scanner_orphan_timeout: std::time::Duration::from_secs(1),
        ..Limits::default()
    };
    let outcome = server.reconfigure(&Config { limits, ..Config::on(server.addr()) });
    assert_eq!(outcome.applied, ["limits.scanners_per_address_max", "limits.scanner_orphan_timeout"]);
    let refused = open(&mut second).unwrap_err();
    assert!(
        refused.contains("127.0.0.1 have 1 scanners open, which is the limit (limits.scanners_per_address)"),
        "{refused}"
    );
}
