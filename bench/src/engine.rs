//! The engine in this process: gets, scans and puts, compared with the same bytes in the store below it.
//!
//! The peer shows the minimum cost of a table: pairs of the same lengths, in the same store, without families,
//! versions, deletes or cells.

use std::sync::Arc;
use std::time::Instant;

use bytes::Bytes;
use hjall_engine::clock::SystemClock;
use hjall_engine::mutation::{Durability, Put, PutCell};
use hjall_engine::name::TableName;
use hjall_engine::request::{Get, Scan};
use hjall_engine::schema::{FamilyDescriptor, TableDescriptor};
use hjall_engine::store::{FjallStore, MemoryStore, Order, SpaceId, SpaceOptions, Store, StoreOptions};
use hjall_engine::{Engine, LATEST, Options, Table};

use crate::Outcome;

/// Cells per row, all in one family.
const CELLS: usize = 5;
/// Bytes of a value.
const VALUE_BYTES: usize = 20;
/// Rows in one call of a batch put.
const BATCH: usize = 1_000;
/// Rows requested by one scan call.
const FETCH: usize = 1_000;
/// Repetitions of each measurement. The best one counts, because other load on the machine can only add time.
const ROUNDS: usize = 5;
/// The space of the peer.
const SPACE: SpaceId = 1;

/// A table and its peer.
struct Pair {
    engine: Engine,
    name: TableName,
    table: Table,
    peer: Arc<dyn Store>,
    rows: usize,
}

fn row(n: usize) -> Bytes {
    // Spreads keys over the whole range in pseudo-random order, without duplicates for fewer than 2^32 rows.
    format!("user{:010}", (n as u64 * 2_654_435_761) & 0xffff_ffff).into()
}

fn values(n: usize) -> impl Iterator<Item = (Bytes, Bytes)> {
    (0..CELLS).map(move |c| (format!("q{c}").into(), format!("{:0VALUE_BYTES$}", n * CELLS + c).into()))
}

fn put(n: usize) -> Put {
    let cells = values(n).map(|(qualifier, value)| PutCell { family: "f".into(), qualifier, timestamp: LATEST, value });
    Put { row: row(n), cells: cells.collect(), ttl_ms: None, durability: Durability::UseDefault }
}

/// Keys and values of the same lengths as the cells of a table (docs/storage-layout.md).
fn peer_pairs(n: usize) -> Vec<(Bytes, Bytes)> {
    let prefix = row(n);
    values(n)
        .map(|(qualifier, value)| {
            let key = [&prefix[..], b"....", &[0], &qualifier, b".......", &1_u64.to_be_bytes(), b"."].concat();
            (key.into(), [&[0], &value[..]].concat().into())
        })
        .collect()
}

impl Pair {
    fn new(engine: Engine, peer: Arc<dyn Store>, rows: usize) -> Outcome<Self> {
        let name = TableName::parse(b"bench")?;
        let mut descriptor = TableDescriptor::new(name.clone());
        descriptor.add_family(FamilyDescriptor::new("f")?)?;
        engine.create_table(descriptor, Vec::new())?;
        peer.create_space(SPACE, &SpaceOptions::default())?;
        let table = engine.table(&name);
        Ok(Self { engine, name, table, peer, rows })
    }

    #[inline(never)]
    fn put_batches(&self, from: usize) -> Outcome<f64> {
        let puts: Vec<_> = (from..from + self.rows).map(put).collect();
        let begin = Instant::now();
        for batch in puts.chunks(BATCH) {
            self.table.put_many(batch).into_iter().collect::<hjall_engine::Result<()>>()?;
        }
        Ok(begin.elapsed().as_secs_f64())
    }

    #[inline(never)]
    fn put_batches_peer(&self, from: usize) -> Outcome<f64> {
        let rows: Vec<_> = (from..from + self.rows).map(|n| (row(n), peer_pairs(n))).collect();
        let begin = Instant::now();
        for batch in rows.chunks(BATCH) {
            let names: Vec<_> = batch.iter().map(|(row, _)| row.clone()).collect();
            self.transact(&names, batch)?;
        }
        Ok(begin.elapsed().as_secs_f64())
    }

    #[inline(never)]
    fn put_singles(&self, from: usize) -> Outcome<f64> {
        let puts: Vec<_> = (from..from + self.rows).map(put).collect();
        let begin = Instant::now();
        for put in &puts {
            self.table.put(put)?;
        }
        Ok(begin.elapsed().as_secs_f64())
    }

    #[inline(never)]
    fn put_singles_peer(&self, from: usize) -> Outcome<f64> {
        let rows: Vec<_> = (from..from + self.rows).map(|n| (row(n), peer_pairs(n))).collect();
        let begin = Instant::now();
        for one in rows.chunks(1) {
            self.transact(&[one[0].0.clone()], one)?;
        }
        Ok(begin.elapsed().as_secs_f64())
    }

    fn transact(&self, names: &[Bytes], rows: &[(Bytes, Vec<(Bytes, Bytes)>)]) -> Outcome<()> {
        self.peer.transact(names, Durability::SyncWal, &mut |tx| {
            for (key, value) in rows.iter().flat_map(|(_, pairs)| pairs) {
                tx.put(SPACE, key.clone(), value.clone());
            }
            Ok(())
        })?;
        Ok(())
    }

    #[inline(never)]
    fn get(&self, reads: usize) -> Outcome<f64> {
        let gets: Vec<_> = (0..reads).map(|n| Get::new(row(n * 7 % self.rows))).collect();
        let mut cells = 0;
        let begin = Instant::now();
        for get in &gets {
            cells += self.table.get(get)?.cells.len();
        }
        elapsed(begin, cells, reads * CELLS)
    }

    #[inline(never)]
    fn get_peer(&self, reads: usize) -> Outcome<f64> {
        let rows: Vec<_> = (0..reads).map(|n| row(n * 7 % self.rows)).collect();
        let mut cells = 0;
        let begin = Instant::now();
        for row in &rows {
            let mut cursor = self.peer.snapshot()?.scan(SPACE, row, &[row, &b"/"[..]].concat(), Order::Ascending, 1)?;
            while let Some(pair) = cursor.next()? {
                std::hint::black_box(pair);
                cells += 1;
            }
        }
        elapsed(begin, cells, reads * CELLS)
    }

    #[inline(never)]
    fn scan(&self) -> Outcome<f64> {
        let mut cells = 0;
        let begin = Instant::now();
        let mut scanner = self.table.scan(Scan::default())?;
        loop {
            let rows = scanner.next(FETCH)?;
            if rows.is_empty() {
                break;
            }
            cells += rows.iter().map(|row| row.cells.len()).sum::<usize>();
        }
        elapsed(begin, cells, self.rows * CELLS)
    }

    #[inline(never)]
    fn scan_peer(&self) -> Outcome<f64> {
        let mut cells = 0;
        let begin = Instant::now();
        let mut cursor = self.peer.snapshot()?.scan(SPACE, b"", b"", Order::Ascending, FETCH)?;
        let mut pairs = Vec::with_capacity(FETCH);
        loop {
            pairs.clear();
            cursor.next_many(FETCH, usize::MAX, &mut pairs)?;
            if pairs.is_empty() {
                break;
            }
            cells += pairs.len();
        }
        elapsed(begin, cells, self.rows * CELLS)
    }

    /// Opens scans at different rows, reads the first row of each, and drops them.
    #[inline(never)]
    fn first_rows(&self, scans: usize) -> Outcome<f64> {
        let mut cells = 0;
        let begin = Instant::now();
        for n in 0..scans {
            let mut scanner = self.table.scan(Scan { start: row(n * 7 % self.rows), ..Scan::default() })?;
            cells += scanner.next_block(FETCH)?.iter().map(|row| row.cells.len()).sum::<usize>();
        }
        elapsed(begin, cells, scans * CELLS)
    }

    #[inline(never)]
    fn first_rows_peer(&self, scans: usize) -> Outcome<f64> {
        let mut cells = 0;
        let begin = Instant::now();
        for n in 0..scans {
            let from = row(n * 7 % self.rows);
            let mut cursor = self.peer.snapshot()?.scan(SPACE, &from, b"", Order::Ascending, 1)?;
            let mut pairs = Vec::with_capacity(CELLS);
            cursor.next_many(CELLS, usize::MAX, &mut pairs)?;
            cells += pairs.len();
        }
        elapsed(begin, cells, scans * CELLS)
    }

    fn batches(&self, state: &str) -> Outcome<()> {
        let (ours, peer) = (self.put_batches(0)?, self.put_batches_peer(0)?);
        rate(state, "put, batches of 1,000 rows", "rows/s", self.rows as f64, ours, peer);
        Ok(())
    }

    fn singles(&self, state: &str) -> Outcome<()> {
        let (ours, peer) = (best(|| self.put_singles(0))?, best(|| self.put_singles_peer(0))?);
        line(state, "put, one row a call", "µs", 1e6 / self.rows as f64, ours, peer);
        Ok(())
    }

    fn reads(&self, state: &str, gets: usize) -> Outcome<()> {
        let per_get = 1e6 / gets as f64;
        line(state, "get of a row", "µs", per_get, best(|| self.get(gets))?, best(|| self.get_peer(gets))?);
        let (ours, peer) = (best(|| self.first_rows(gets))?, best(|| self.first_rows_peer(gets))?);
        line(state, "first row of a scan", "µs", per_get, ours, peer);
        let cells = (self.rows * CELLS) as f64;
        rate(state, "scan", "cells/s", cells, best(|| self.scan())?, best(|| self.scan_peer())?);
        Ok(())
    }
}

/// The seconds since `begin`. Fails unless all cells were read.
fn elapsed(begin: Instant, seen: usize, expected: usize) -> Outcome<f64> {
    let took = begin.elapsed().as_secs_f64();
    if seen == expected { Ok(took) } else { Err(format!("{seen} cells were read, expected {expected}").into()) }
}

fn best(mut measure: impl FnMut() -> Outcome<f64>) -> Outcome<f64> {
    (0..ROUNDS).try_fold(f64::INFINITY, |best, _| Ok(best.min(measure()?)))
}

fn line(state: &str, what: &str, unit: &str, each: f64, ours: f64, peer: f64) {
    println!(
        "{state:<12} {what:<28} {:>12.2} {unit:<8} store {:>12.2}   {:.2} x",
        ours * each,
        peer * each,
        ours / peer
    );
}

fn rate(state: &str, what: &str, unit: &str, count: f64, ours: f64, peer: f64) {
    println!(
        "{state:<12} {what:<28} {:>12.0} {unit:<8} store {:>12.0}   {:.2} x",
        count / ours,
        count / peer,
        ours / peer
    );
}

/// Prints the times of the engine and of the store, and their ratio.
pub fn run(rows: usize, gets: usize) -> Outcome<()> {
    println!("{rows} rows of {CELLS} cells with values of {VALUE_BYTES} bytes; the best of {ROUNDS} runs");
    let folder = tempfile::tempdir()?;
    let engine = Engine::open(&folder.path().join("table"), Options::default())?;
    let peer = FjallStore::open(&folder.path().join("peer"), StoreOptions::default())?;
    let pair = Pair::new(engine, peer, rows)?;
    pair.batches("journal")?;
    pair.reads("memory", gets)?;
    pair.engine.flush(&pair.name)?;
    pair.peer.flush(SPACE)?;
    pair.reads("one file", gets)?;
    pair.singles("journal")?;
    pair.engine.close()?;
    pair.peer.close()?;
    let pair = Pair::new(Engine::memory(Options::default())?, Arc::new(MemoryStore::new(Arc::new(SystemClock))), rows)?;
    pair.batches("without disk")?;
    pair.reads("without disk", gets)?;
    pair.singles("without disk")
}
