//! The cost of idle connections: memory, threads, and the effect on an active connection.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::time::Duration;

use hjall_idl::hbase1::MutateRowResult;

use crate::Outcome;
use crate::generator::cycled::drive;
use crate::generator::{EndSearch, Figures, Protocol};
use crate::process::Server;
use crate::thrift1::{Client, get_row, mutate_row};

const TABLE: &str = "idle";

/// Runs the benchmark and prints its figures.
pub fn run(hjall: &Path, connections: usize) -> Outcome<()> {
    crate::pin::open_many_files()?;
    let folder = tempfile::tempdir()?;
    let server = Server::hjall(hjall, folder.path())?;
    let mut client = Client::connect(server.address)?;
    client.create_table(TABLE, &["f".to_owned()])?;
    let _: MutateRowResult = client.call(&mutate_row(TABLE, b"row", "f:q", b"value".to_vec())?)?;
    let get = get_row(TABLE, b"row")?;
    let active = || drive(server.address, std::slice::from_ref(&get), Protocol::Thrift, 1, Duration::from_secs(3));
    active()?;
    let before = active()?;
    let (kib, threads) = (server.resident_kib()?, server.threads()?);
    println!("{connections} idle connections; an active one's getRow in microseconds");
    line("before", &before, threads, "");
    let mut idle = Vec::with_capacity(connections);
    for _ in 0..connections {
        idle.push(TcpStream::connect(server.address)?);
    }
    let told = |kib_now: u64| {
        format!("{:.1} KiB each (goal 16)", kib_now.saturating_sub(kib) as f64 / connections.max(1) as f64)
    };
    let figures = active()?;
    line("with idle, no call yet", &figures, server.threads()?, &told(server.resident_kib()?));
    let mut reply = [0; 4096];
    for stream in &mut idle {
        stream.write_all(&get)?;
        let (mut length, mut search) = (0, EndSearch::default());
        while search.end(Protocol::Thrift, reply.get(..length).unwrap_or_default())?.is_none() {
            match stream.read(reply.get_mut(length..).unwrap_or_default())? {
                0 => return Err("an idle connection was closed".into()),
                n => length += n,
            }
        }
    }
    let figures = active()?;
    line("with idle, one call made", &figures, server.threads()?, &told(server.resident_kib()?));
    drop(idle);
    server.stop()
}

fn line(name: &str, figures: &Figures, threads: u64, memory: &str) {
    let (p50, p99) = (figures.percentile_us(0.5), figures.percentile_us(0.99));
    println!("{name:<22} {:>9.0} calls/s  p50 {p50:>5}  p99 {p99:>5}  {threads:>3} threads  {memory}", figures.rate);
}
