//! The effect of loading one table on puts into another one.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use hjall_idl::hbase1::MutateRowsResult;

use crate::Outcome;
use crate::generator::cycled::drive;
use crate::generator::{Figures, Protocol};
use crate::median::median;
use crate::process::Server;
use crate::rows::row;
use crate::thrift1::{Client, mutate_row, mutate_rows};

/// The table that is loaded, and the one whose puts are measured.
const LOADED: &str = "a";
const MEASURED: &str = "b";
/// Connections of the measured puts.
const PUTTERS: usize = 4;
const VALUE_BYTES: usize = 100;
/// Connections of the load, and the size of one of its calls.
const LOADERS: usize = 2;
const LOADED_ROWS: usize = 100;
const LOADED_VALUE_BYTES: usize = 1_000;

/// Prints the latencies of puts into one table alone and while another table is loaded, in interleaved rounds.
pub fn run(hjall: &Path, rounds: usize, length: Duration, settings: &[String]) -> Outcome<()> {
    let folder = tempfile::tempdir()?;
    let server = Server::hjall_with(hjall, folder.path(), settings)?;
    let mut client = Client::connect(server.address)?;
    for table in [LOADED, MEASURED] {
        client.create_table(table, &["f".to_owned()])?;
    }
    let puts = (0..20_000).map(|n| mutate_row(MEASURED, &row(n), "f:q", vec![b'v'; VALUE_BYTES]));
    let puts = puts.collect::<Outcome<Vec<_>>>()?;
    let put = || drive(server.address, &puts, Protocol::Thrift, PUTTERS, length);
    println!("puts of {VALUE_BYTES} bytes at {PUTTERS} connections; microseconds");
    println!("{:<8} {:>10} {:>8} {:>8} {:>8}   beside", "", "puts/s", "p50", "p99", "worst");
    put()?;
    let mut ratios = Vec::new();
    for _ in 0..rounds {
        let idle = put()?;
        line("idle", &idle, "");
        let (stop, loaded) = (Arc::<AtomicBool>::default(), Arc::<AtomicU64>::default());
        let loaders: Vec<_> = (0..LOADERS)
            .map(|number| {
                let (address, stop, loaded) = (server.address, stop.clone(), loaded.clone());
                std::thread::spawn(move || load(address, number, &stop, &loaded).map_err(|error| error.to_string()))
            })
            .collect();
        let beside = put();
        stop.store(true, Ordering::Relaxed);
        for loader in loaders {
            loader.join().map_err(|_| "a loader panicked")??;
        }
        let beside = beside?;
        let bytes = loaded.load(Ordering::Relaxed) as f64 / f64::from(1 << 20);
        line("loaded", &beside, &format!("{:.1} MiB/s into the other table", bytes / length.as_secs_f64()));
        let p99 = |figures: &Figures| figures.all.percentile_us(0.99).max(1.0);
        ratios.push(p99(&beside) / p99(&idle));
    }
    let listed: Vec<_> = ratios.iter().map(|ratio| format!("{ratio:.2}")).collect();
    println!("p99 loaded / idle: {} in the rounds, median {:.2} (goal 3)", listed.join(", "), median(ratios));
    server.stop()
}

/// Puts rows of random order into the loaded table until told to stop, and counts the bytes of their values.
fn load(address: std::net::SocketAddr, number: usize, stop: &AtomicBool, loaded: &AtomicU64) -> Outcome<()> {
    let mut client = Client::connect(address)?;
    let mut n = number << 32;
    while !stop.load(Ordering::Relaxed) {
        let rows = (n..n + LOADED_ROWS).map(|n| {
            let key = format!("{:016x}", (n as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15));
            (key.into_bytes(), vec![("f:q".to_owned(), vec![b'v'; LOADED_VALUE_BYTES])])
        });
        let result: MutateRowsResult = client.call(&mutate_rows(LOADED, rows.collect())?)?;
        if result.io.is_some() || result.ia.is_some() {
            return Err(format!("{result:?}").into());
        }
        n += LOADED_ROWS;
        loaded.fetch_add((LOADED_ROWS * LOADED_VALUE_BYTES) as u64, Ordering::Relaxed);
    }
    Ok(())
}

fn line(name: &str, figures: &Figures, beside: &str) {
    let at = |share| figures.percentile_us(share);
    println!("{name:<8} {:>10.0} {:>8} {:>8} {:>8}   {beside}", figures.rate, at(0.5), at(0.99), at(1.0));
}
