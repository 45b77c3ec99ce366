//! Throughput and latency of calls through a socket, compared with Redis.

use std::path::Path;
use std::time::Duration;

use hjall_idl::hbase1::{MutateRowsResult, ScannerOpenWithScanResult};

use crate::generator::cycled::drive;
use crate::generator::{Figures, Protocol};
use crate::process::Server;
use crate::rows::row;
use crate::thrift1::{Client, get_row, mutate_row, mutate_rows, open_scanner, scanner_get_list};
use crate::{Outcome, redis};

const TABLE: &str = "bench";
const VALUE_BYTES: usize = 100;
/// Rows requested by one scannerGetList.
const SCAN_ROWS: i32 = 100;

/// Fills both servers, then prints one line for each call and number of connections.
pub fn run(hjall: &Path, redis_binary: &Path, connections: &[usize], length: Duration, rows: usize) -> Outcome<()> {
    let folder = tempfile::tempdir()?;
    let server = Server::hjall(hjall, folder.path())?;
    let peer = Server::redis(redis_binary)?;
    let mut client = Client::connect(server.address)?;
    client.create_table(TABLE, &["f".to_owned()])?;
    let all: Vec<usize> = (0..rows).collect();
    for chunk in all.chunks(1000) {
        let batch = chunk.iter().map(|n| (row(*n), vec![("f:q".to_owned(), vec![b'v'; VALUE_BYTES])])).collect();
        let result: MutateRowsResult = client.call(&mutate_rows(TABLE, batch)?)?;
        if result.io.is_some() || result.ia.is_some() {
            return Err(format!("{result:?}").into());
        }
    }
    let value = vec![b'v'; VALUE_BYTES];
    let some = |f: &dyn Fn(usize) -> Outcome<Vec<u8>>| (0..rows.min(20_000)).map(f).collect::<Outcome<Vec<_>>>();
    let gets = some(&|n| get_row(TABLE, &row(n)))?;
    let puts = some(&|n| mutate_row(TABLE, &row(n), "f:q", value.clone()))?;
    let redis_sets = some(&|n| Ok(redis::command(&[b"SET", &row(n), &value])))?;
    let redis_gets = some(&|n| Ok(redis::command(&[b"GET", &row(n)])))?;
    drive(peer.address, &redis_sets, Protocol::Redis, 8, Duration::from_secs(1))?;

    println!(
        "{} cores; {rows} rows, {VALUE_BYTES}-byte values; p50/p99 in microseconds",
        std::thread::available_parallelism()?
    );
    println!("{:<12} {:>5} {:>10} {:>8} {:>8}   compared with Redis", "call", "conns", "calls/s", "p50", "p99");
    for &n in connections {
        let go = |address, calls: &[Vec<u8>], protocol| drive(address, calls, protocol, n, length);
        let redis_get = go(peer.address, &redis_gets, Protocol::Redis)?;
        let redis_set = go(peer.address, &redis_sets, Protocol::Redis)?;
        line("redis GET", n, &redis_get, None);
        line("redis SET", n, &redis_set, None);
        line("getRow", n, &go(server.address, &gets, Protocol::Thrift)?, Some(("GET", &redis_get)));
        line("mutateRow", n, &go(server.address, &puts, Protocol::Thrift)?, Some(("SET", &redis_set)));
        let scans = scan_pages(&mut client, n, length)?;
        let figures = drive(server.address, &scans, Protocol::Thrift, n, length)?;
        line("scanGetList", n, &figures, None);
        println!("{:<12} {n:>5} {:>10.0} rows/s", "", figures.rate * f64::from(SCAN_ROWS));
    }
    server.stop()?;
    drop(peer);
    Ok(())
}

/// Fetches from scanners opened in advance. Exhausted scanners return empty lists, so enough are opened to last
/// for a run.
fn scan_pages(client: &mut Client, connections: usize, length: Duration) -> Outcome<Vec<Vec<u8>>> {
    let scanners = connections * 4 * usize::try_from(length.as_secs())?.max(1);
    let mut pages = Vec::new();
    for _ in 0..scanners {
        let opened: ScannerOpenWithScanResult = client.call(&open_scanner(TABLE, SCAN_ROWS * 10)?)?;
        let id = opened.success.ok_or("no scanner")?;
        for _ in 0..200 {
            pages.push(scanner_get_list(id, SCAN_ROWS)?);
        }
    }
    Ok(pages)
}

fn line(call: &str, connections: usize, figures: &Figures, beside: Option<(&str, &Figures)>) {
    let beside = beside.map_or(String::new(), |(name, peer)| format!("{:.2} x {name}", figures.rate / peer.rate));
    println!(
        "{call:<12} {connections:>5} {:>10.0} {:>8} {:>8}   {beside}",
        figures.rate,
        figures.percentile_us(0.5),
        figures.percentile_us(0.99)
    );
}
