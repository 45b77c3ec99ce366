//! The effect of concurrent scans and writes on gets, with separate lanes and with a single queue.

use std::path::Path;
use std::time::Duration;

use hjall_idl::hbase1::MutateRowsResult;

use crate::Outcome;
use crate::generator::cycled::drive;
use crate::generator::{Figures, Protocol};
use crate::pin::Cores;
use crate::process::Server;
use crate::rows::row;
use crate::scan::Beside;
use crate::thrift1::{Client, get_row, mutate_row, mutate_rows};

const TABLE: &str = "lanes";
const VALUE_BYTES: usize = 100;
const GETTERS: usize = 8;
const SCANNERS: usize = 16;
const WRITERS: usize = 8;

/// Idle and busy figures of one server.
struct Pair {
    idle: Figures,
    busy: Figures,
    pages: f64,
    writes: f64,
}

/// Prints a table for both queue layouts, with server and load generator on separate and on shared cores.
pub fn run(hjall: &Path, length: Duration, rows: usize, settings: &[String]) -> Outcome<()> {
    let cores = Cores::mine()?;
    println!("getRow at {GETTERS} connections; busy: while {SCANNERS} others scan and {WRITERS} write; microseconds");
    for apart in [true, false] {
        let where_ = if apart { cores.halves() } else { "server and load generator share all cores".to_owned() };
        println!("\n{where_}");
        println!("{:<22} {:>9} {:>7} {:>7}   beside", "", "getRow/s", "p50", "p99");
        let mut all = Vec::new();
        for (name, queueing) in [("split", "queues.read_ratio=0.5"), ("one queue", "queues.read_ratio=0")] {
            let mut given: Vec<&str> = settings.iter().map(String::as_str).collect();
            given.push(queueing);
            let folder = tempfile::tempdir()?;
            let start = || Server::hjall_with(hjall, folder.path(), &given);
            let server = if apart { cores.apart(start)? } else { start()? };
            let pair = measure(&server, length, rows)?;
            server.stop()?;
            cores.together()?;
            line(&format!("{name}, idle"), &pair.idle, "");
            let beside = format!("{:.0} pages/s, {:.0} writes/s", pair.pages, pair.writes);
            line(&format!("{name}, busy"), &pair.busy, &beside);
            all.push(pair);
        }
        let p99 = |figures: &Figures| figures.all.percentile_us(0.99).max(1.0);
        if let [split, one] = all.as_slice() {
            println!(
                "p99 busy: split is {:.2} x its idle one (goal 1.5 on cores apart), one queue is {:.1} x split (goal 10)",
                p99(&split.busy) / p99(&split.idle),
                p99(&one.busy) / p99(&split.busy)
            );
        }
    }
    Ok(())
}

fn measure(server: &Server, length: Duration, rows: usize) -> Outcome<Pair> {
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
    let some = |f: &dyn Fn(usize) -> Outcome<Vec<u8>>| (0..rows.min(20_000)).map(f).collect::<Outcome<Vec<_>>>();
    let gets = some(&|n| get_row(TABLE, &row(n)))?;
    let puts = some(&|n| mutate_row(TABLE, &row(n), "f:q", vec![b'w'; VALUE_BYTES]))?;
    let get = || drive(server.address, &gets, Protocol::Thrift, GETTERS, length);
    // Warm up.
    drive(server.address, &gets, Protocol::Thrift, GETTERS, Duration::from_secs(1))?;
    let idle = get()?;
    let beside = Beside::start(server.address, TABLE, SCANNERS, WRITERS, puts);
    drive(server.address, &gets, Protocol::Thrift, GETTERS, Duration::from_secs(1))?;
    let before = beside.counts();
    let busy = get()?;
    let after = beside.counts();
    beside.stop()?;
    let rate = |n: usize| (after[n] - before[n]) as f64 / length.as_secs_f64();
    Ok(Pair { idle, busy, pages: rate(0), writes: rate(1) })
}

fn line(name: &str, figures: &Figures, beside: &str) {
    let (p50, p99) = (figures.percentile_us(0.5), figures.percentile_us(0.99));
    println!("{name:<22} {:>9.0} {p50:>7} {p99:>7}   {beside}", figures.rate);
}
