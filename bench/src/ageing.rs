//! Tables that age: a queue, whose rows are put at its tail and deleted at its head, and a time series whose rows
//! expire. Prints latencies and the size on disk at intervals.

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use hjall_idl::hbase1::*;

use crate::Outcome;
use crate::generator::Figures;
use crate::process::Server;
use crate::thrift1::{Client, get_row, message, scanner_close, scanner_get_list};

const QUEUE: &str = "queue";
const SERIES: &str = "series";
const VALUE_BYTES: usize = 100;
/// Rows that one call puts or deletes.
const BATCH: usize = 100;
/// Rows in the queue at most times.
const DEPTH: usize = 10_000;
/// Calls of each kind that a sample measures, unless they take more than a quarter of the interval.
const SAMPLES: usize = 200;
/// Rows that a measured scan reads, from the head of the queue or from the oldest row of the series.
const SCAN_ROWS: i32 = 10;

/// What to run.
pub struct Ageing<'a> {
    pub hjall: &'a Path,
    pub length: Duration,
    pub interval: Duration,
    pub ttl_seconds: i32,
    /// Rows that are put in a second; `None`: as many as the server takes.
    pub rate: Option<u64>,
    /// Additional settings of the server, as `name=value`.
    pub settings: &'a [String],
}

impl Ageing<'_> {
    /// Runs the queue, then the time series, each on a server of its own.
    pub fn run(&self) -> Outcome<()> {
        println!("{VALUE_BYTES}-byte values; p50/p99 in microseconds");
        self.table(QUEUE, &format!("a queue of about {DEPTH} rows"), i32::MAX, fill_queue)?;
        self.table(
            SERIES,
            &format!("a time series with a TTL of {} s", self.ttl_seconds),
            self.ttl_seconds,
            fill_series,
        )
    }

    fn table(&self, table: &str, title: &str, ttl_seconds: i32, fill: Fill) -> Outcome<()> {
        let folder = tempfile::tempdir()?;
        let server = Server::hjall_with(self.hjall, folder.path(), self.settings)?;
        let mut client = Client::connect(server.address)?;
        client.create_expiring_table(table, ttl_seconds)?;
        println!("\n{title}");
        println!(
            "{:>6} {:>10} {:>10} {:>14} {:>18} {:>9} {:>8}",
            "s", "put", "deleted", "get p50/p99", "scan of 10 p50/p99", "disk MiB", "RSS MiB"
        );
        let state = State { rate: self.rate, ..State::default() };
        std::thread::scope(|scope| {
            let filler = scope.spawn(|| {
                let filled = fill(server.address, &state).map_err(|error| error.to_string());
                state.stop.store(true, Ordering::Release);
                filled
            });
            let sampled = self.sample(table, &mut client, &server, folder.path(), &state);
            state.stop.store(true, Ordering::Release);
            filler.join().map_err(|_| "the writer panicked")??;
            sampled
        })?;
        server.stop()
    }

    /// Prints a line at each interval.
    fn sample(&self, table: &str, client: &mut Client, server: &Server, folder: &Path, state: &State) -> Outcome<()> {
        let begin = Instant::now();
        let mut next = self.interval;
        while begin.elapsed() < self.length && !state.stop.load(Ordering::Acquire) {
            std::thread::sleep(next.saturating_sub(begin.elapsed()));
            next += self.interval;
            let put = state.put.load(Ordering::Relaxed);
            let newest = put.saturating_sub(1);
            let gets = timed(self.interval / 4, |n| {
                // Within the newest rows, which neither have been deleted nor have expired.
                let _: GetRowResult = client.call(&get_row(table, &key(newest.saturating_sub(n % 1000)))?)?;
                Ok(())
            })?;
            let scans = timed(self.interval / 4, |_| scan(client, table))?;
            println!(
                "{:>6.0} {put:>10} {:>10} {:>14} {:>18} {:>9.1} {:>8.1}",
                begin.elapsed().as_secs_f64(),
                state.deleted.load(Ordering::Relaxed),
                percentiles(&gets),
                percentiles(&scans),
                bytes_of(folder)? as f64 / f64::from(1 << 20),
                server.resident_kib()? as f64 / 1024.0,
            );
        }
        Ok(())
    }
}

/// What the writer has to do and has done.
#[derive(Default)]
struct State {
    /// The limit on the rows that are put in a second.
    rate: Option<u64>,
    put: AtomicU64,
    deleted: AtomicU64,
    stop: AtomicBool,
}

impl State {
    /// Waits until the rows put since `begin` are within the rate.
    fn keep_rate(&self, begin: Instant) {
        if let Some(rate) = self.rate {
            let due = Duration::from_secs_f64(self.put.load(Ordering::Relaxed) as f64 / rate as f64);
            std::thread::sleep(due.saturating_sub(begin.elapsed()));
        }
    }
}

/// Writes until told to stop.
type Fill = fn(SocketAddr, &State) -> Outcome<()>;

/// Puts at the tail, and deletes at the head what exceeds the depth.
fn fill_queue(address: SocketAddr, state: &State) -> Outcome<()> {
    let mut client = Client::connect(address)?;
    let mut queued = VecDeque::new();
    let begin = Instant::now();
    while !state.stop.load(Ordering::Acquire) {
        queued.extend(put_batch(&mut client, QUEUE, state)?);
        if queued.len() > DEPTH {
            let batch = queued.drain(..BATCH).map(|n| mutations(n, true)).collect();
            change(&mut client, QUEUE, batch)?;
            state.deleted.fetch_add(BATCH as u64, Ordering::Relaxed);
        }
        state.keep_rate(begin);
    }
    Ok(())
}

/// Puts only: the TTL deletes.
fn fill_series(address: SocketAddr, state: &State) -> Outcome<()> {
    let mut client = Client::connect(address)?;
    let begin = Instant::now();
    while !state.stop.load(Ordering::Acquire) {
        put_batch(&mut client, SERIES, state)?;
        state.keep_rate(begin);
    }
    Ok(())
}

/// Puts the next rows and returns their numbers.
fn put_batch(client: &mut Client, table: &str, state: &State) -> Outcome<std::ops::Range<u64>> {
    let first = state.put.load(Ordering::Relaxed);
    let rows = first..first + BATCH as u64;
    change(client, table, rows.clone().map(|n| mutations(n, false)).collect())?;
    state.put.store(rows.end, Ordering::Relaxed);
    Ok(rows)
}

/// The put or the delete of the only column of a row.
fn mutations(n: u64, delete: bool) -> BatchMutation {
    let mutation = Mutation::new(delete, b"f:q".to_vec(), vec![b'v'; if delete { 0 } else { VALUE_BYTES }], true);
    BatchMutation::new(key(n), vec![mutation])
}

fn change(client: &mut Client, table: &str, batch: Vec<BatchMutation>) -> Outcome<()> {
    let arguments = MutateRowsArgs::new(table.as_bytes().to_vec(), batch, None);
    let result: MutateRowsResult = client.call(&message("mutateRows", &arguments)?)?;
    match (&result.io, &result.ia) {
        (None, None) => Ok(()),
        _ => Err(format!("mutateRows: {result:?}").into()),
    }
}

fn scan(client: &mut Client, table: &str) -> Outcome<()> {
    let scan = TScan { caching: Some(SCAN_ROWS), ..TScan::default() };
    let open = ScannerOpenWithScanArgs::new(table.as_bytes().to_vec(), scan, None);
    let opened: ScannerOpenWithScanResult = client.call(&message("scannerOpenWithScan", &open)?)?;
    let id = opened.success.ok_or("no scanner")?;
    let page: ScannerGetListResult = client.call(&scanner_get_list(id, SCAN_ROWS)?)?;
    if page.io.is_some() || page.ia.is_some() {
        return Err(format!("scannerGetList: {page:?}").into());
    }
    let _: ScannerCloseResult = client.call(&scanner_close(id)?)?;
    Ok(())
}

/// Keys in the order of their numbers.
fn key(n: u64) -> Vec<u8> {
    format!("{n:016}").into_bytes()
}

/// The latencies of a number of calls, which ends with the first call beyond the limit.
fn timed(limit: Duration, mut call: impl FnMut(u64) -> Outcome<()>) -> Outcome<Figures> {
    let begin = Instant::now();
    let mut latencies_us = Vec::with_capacity(SAMPLES);
    for n in 0..SAMPLES as u64 {
        let sent = Instant::now();
        call(n)?;
        latencies_us.push(u32::try_from(sent.elapsed().as_micros()).unwrap_or(u32::MAX));
        if begin.elapsed() > limit {
            break;
        }
    }
    Figures::of(&latencies_us, begin.elapsed())
}

fn percentiles(figures: &Figures) -> String {
    format!("{}/{}", figures.percentile_us(0.5), figures.percentile_us(0.99))
}

/// The disk space of the files below a folder.
pub fn bytes_of(folder: &Path) -> Outcome<u64> {
    let mut bytes = 0;
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder)? {
            let entry = entry?;
            // A compaction may have removed the file since.
            let Ok(metadata) = entry.metadata() else { continue };
            if metadata.is_dir() {
                folders.push(entry.path());
            } else {
                bytes += occupied(&metadata);
            }
        }
    }
    Ok(bytes)
}

/// The disk space of a file. Journals are longer than what they occupy.
#[cfg(unix)]
fn occupied(metadata: &std::fs::Metadata) -> u64 {
    use std::os::unix::fs::MetadataExt;
    metadata.blocks() * 512
}

/// The length of a file, since the standard library does not tell its disk space on this system.
#[cfg(not(unix))]
fn occupied(metadata: &std::fs::Metadata) -> u64 {
    metadata.len()
}
