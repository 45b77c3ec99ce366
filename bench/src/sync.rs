//! Puts that wait for the disk, compared with Redis, and their effect on puts that do not.

use std::path::Path;
use std::time::Duration;

use hjall_idl::hbase1::MutateRowResult;
use hjall_idl::hbase2::{PutArgs, PutResult, TColumnValue, TPut};

use crate::generator::cycled::drive;
use crate::generator::{Figures, Protocol};
use crate::median::median;
use crate::process::Server;
use crate::rows::row;
use crate::thrift1::{Client, message, mutate_row};
use crate::{Outcome, redis};

const TABLE: &str = "sync";
const VALUE_BYTES: usize = 100;
const ROWS: usize = 20_000;
/// Thrift2's FSYNC_WAL.
const FSYNC_WAL: i32 = 4;
/// Connections of the puts that do not wait for the disk.
const SYNC_CONNECTIONS: usize = 8;

/// In each round, prints FSYNC_WAL puts compared with Redis's SET with `appendfsync always`, then SYNC_WAL puts alone
/// and while one connection puts with FSYNC_WAL.
pub fn run(hjall: &Path, redis_binary: &Path, connections: &[usize], rounds: usize, length: Duration) -> Outcome<()> {
    let (folder, redis_folder) = (tempfile::tempdir()?, tempfile::tempdir()?);
    let server = Server::hjall(hjall, folder.path())?;
    let redis_dir = redis_folder.path().to_str().ok_or("the temporary folder has no name in Unicode")?;
    let always = ["--appendonly", "yes", "--appendfsync", "always", "--dir", redis_dir];
    let peer = Server::redis_with(redis_binary, &always)?;
    let address = server.address;
    let mut client = Client::connect(address)?;
    client.create_table(TABLE, &["f".to_owned()])?;
    let value = vec![b'v'; VALUE_BYTES];
    let all = |call: &dyn Fn(usize) -> Outcome<Vec<u8>>| (0..ROWS).map(call).collect::<Outcome<Vec<_>>>();
    let fsync_puts = all(&|n| fsync_put(&row(n), value.clone()))?;
    let sync_puts = all(&|n| mutate_row(TABLE, &row(n), "f:q", value.clone()))?;
    let sets = all(&|n| Ok(redis::command(&[b"SET", &row(n), &value])))?;
    // The load generator does not look into replies.
    let fsynced: PutResult = client.call(&fsync_puts[0])?;
    let synced: MutateRowResult = client.call(&sync_puts[0])?;
    if fsynced.io.is_some() || synced.io.is_some() || synced.ia.is_some() {
        return Err(format!("{fsynced:?} {synced:?}").into());
    }

    // A connection that is open but idle would be a second client.
    drop(client);

    println!("{VALUE_BYTES}-byte values; p50/p99 in microseconds; Redis with appendfsync always");
    println!("{:<22} {:>5} {:>10} {:>8} {:>8}", "call", "conns", "calls/s", "p50", "p99");
    let sync = || drive(server.address, &sync_puts, Protocol::Thrift, SYNC_CONNECTIONS, length);
    let mut ratios = vec![Vec::new(); connections.len() + 1];
    for _ in 0..rounds {
        for (ratios, &n) in ratios.iter_mut().zip(connections) {
            let set = drive(peer.address, &sets, Protocol::Redis, n, length)?;
            line("redis SET", n, &set, "");
            let put = drive(server.address, &fsync_puts, Protocol::Thrift, n, length)?;
            ratios.push(put.rate / set.rate);
            line("put, FSYNC_WAL", n, &put, &format!("{:.2} x SET", put.rate / set.rate));
        }
        let alone = sync()?;
        line("put, SYNC_WAL, alone", SYNC_CONNECTIONS, &alone, "");
        let (shared, writer) = std::thread::scope(|scope| {
            // It ends a little later than the others, so that they are never alone.
            let longer = length + Duration::from_millis(500);
            let fsync = &fsync_puts;
            let writer = scope
                .spawn(move || drive(address, fsync, Protocol::Thrift, 1, longer).map_err(|error| error.to_string()));
            (sync(), writer.join())
        });
        let writer = writer.map_err(|_| "the FSYNC_WAL writer panicked")??;
        let shared = shared?;
        line("put, FSYNC_WAL", 1, &writer, "");
        let ratio = shared.rate / alone.rate;
        ratios[connections.len()].push(ratio);
        line("put, SYNC_WAL, shared", SYNC_CONNECTIONS, &shared, &format!("{ratio:.2} x alone"));
    }
    println!("medians of {rounds} rounds:");
    for (n, ratios) in connections.iter().zip(&ratios) {
        println!("  FSYNC_WAL at {n} connections: {:.2} x Redis (goal 0.8)", median(ratios.clone()));
    }
    let shared = median(ratios[connections.len()].clone());
    println!("  SYNC_WAL while one connection puts with FSYNC_WAL: {shared:.2} x alone (goal 0.7)");
    server.stop()?;
    drop(peer);
    Ok(())
}

/// Thrift2's `put` of one column with FSYNC_WAL.
fn fsync_put(row: &[u8], value: Vec<u8>) -> Outcome<Vec<u8>> {
    let column = TColumnValue::new(b"f".to_vec(), b"q".to_vec(), value, None, None, None);
    let put = TPut::new(row.to_vec(), vec![column], None, None, FSYNC_WAL, None);
    message("put", &PutArgs::new(TABLE.as_bytes().to_vec(), put))
}

fn line(call: &str, connections: usize, figures: &Figures, note: &str) {
    println!(
        "{call:<22} {connections:>5} {:>10.0} {:>8} {:>8}   {note}",
        figures.rate,
        figures.percentile_us(0.5),
        figures.percentile_us(0.99)
    );
}
