//! Gets and puts of the same rows at once, compared with GET and SET of Redis in interleaved rounds.
//!
//! Besides rates and latencies, prints the processor time and the context switches of the servers per call, which
//! depend less on other programs.

use std::path::Path;
use std::time::Duration;

use hjall_idl::hbase1::MutateRowsResult;

use crate::generator::cycled::{Cycled, drive_groups};
use crate::generator::{Figures, Protocol};
use crate::median::median;
use crate::process::{Server, Usage};
use crate::rows::row;
use crate::thrift1::{Client, get_row, mutate_row, mutate_rows};
use crate::{Outcome, redis};

const TABLE: &str = "bench";
const VALUE_BYTES: usize = 100;

/// The kinds of load of a round: a name, and the connections that get and put.
const LOADS: [(&str, usize, usize); 3] = [("gets", 50, 0), ("puts", 0, 50), ("both", 25, 25)];

/// Fills both servers, then prints a line for each round, load and server, and the medians of the ratios.
pub fn run(hjall: &Path, redis_binary: &Path, length: Duration, rounds: usize, rows: usize) -> Outcome<()> {
    let folder = tempfile::tempdir()?;
    let server = Server::hjall(hjall, folder.path())?;
    let peer = Server::redis(redis_binary)?;
    let mut client = Client::connect(server.address)?;
    client.create_table(TABLE, &["f".to_owned()])?;
    let value = vec![b'v'; VALUE_BYTES];
    let all: Vec<usize> = (0..rows).collect();
    for chunk in all.chunks(1000) {
        let batch = chunk.iter().map(|n| (row(*n), vec![("f:q".to_owned(), value.clone())])).collect();
        let result: MutateRowsResult = client.call(&mutate_rows(TABLE, batch)?)?;
        if result.io.is_some() || result.ia.is_some() {
            return Err(format!("{result:?}").into());
        }
    }
    let some = |f: &dyn Fn(usize) -> Outcome<Vec<u8>>| (0..rows).map(f).collect::<Outcome<Vec<_>>>();
    let ours = [some(&|n| get_row(TABLE, &row(n)))?, some(&|n| mutate_row(TABLE, &row(n), "f:q", value.clone()))?];
    let theirs = [
        some(&|n| Ok(redis::command(&[b"GET", &row(n)])))?,
        some(&|n| Ok(redis::command(&[b"SET", &row(n), &value])))?,
    ];
    let set = Cycled { address: peer.address, calls: &theirs[1], protocol: Protocol::Redis, connections: 8 };
    drive_groups(&[set], Duration::from_secs(1))?;
    println!(
        "{} cores; {rows} rows, {VALUE_BYTES}-byte values; p50/p99 in microseconds; µs and switches of the server per call",
        std::thread::available_parallelism()?
    );
    println!(
        "{:<6} {:<6} {:>9} {:>9} {:>7} {:>7} {:>7} {:>7} {:>7} {:>9}",
        "load", "server", "gets/s", "puts/s", "p50", "p99", "p50", "p99", "cpu µs", "switches"
    );
    let mut ratios = vec![Vec::new(); LOADS.len()];
    for _ in 0..rounds {
        for (at, (load, gets, puts)) in LOADS.into_iter().enumerate() {
            let go = |name: &str, server: &Server, calls: &[Vec<Vec<u8>>; 2], protocol| -> Outcome<f64> {
                let before = server.usage()?;
                let group =
                    |n: usize, connections| Cycled { address: server.address, calls: &calls[n], protocol, connections };
                let figures = drive_groups(&[group(0, gets), group(1, puts)], length)?;
                Ok(line(load, name, &figures, server.usage()?.since(before), length))
            };
            let redis = go("redis", &peer, &theirs, Protocol::Redis)?;
            let hjall = go("hjall", &server, &ours, Protocol::Thrift)?;
            ratios[at].push(hjall / redis);
        }
    }
    for ((load, ..), ratios) in LOADS.iter().zip(ratios) {
        println!("{load}: {:.2} x Redis, the median of {rounds} rounds", median(ratios));
    }
    server.stop()
}

/// Prints a line. Returns the calls per second.
fn line(load: &str, server: &str, figures: &[Figures], used: Usage, length: Duration) -> f64 {
    let rate: f64 = figures.iter().map(|figures| figures.rate).sum();
    let calls = rate * length.as_secs_f64();
    let percentile = |n: usize, share| figures[n].percentile_us(share);
    println!(
        "{load:<6} {server:<6} {:>9.0} {:>9.0} {:>7} {:>7} {:>7} {:>7} {:>7.1} {:>9.2}",
        figures[0].rate,
        figures[1].rate,
        percentile(0, 0.5),
        percentile(0, 0.99),
        percentile(1, 0.5),
        percentile(1, 0.99),
        used.seconds * 1e6 / calls,
        used.switches as f64 / calls,
    );
    rate
}
