//! Gets and scans of the engine in this process, by where the rows are: in the row cache, in the block cache, or
//! nowhere; spread over the files that a load leaves, and in one sorted run after a major compaction.
//!
//! The peer reads the same rows from the same files through the store below the engine: the pairs of a row's keys,
//! without families, versions, deletes or cells.

use std::sync::Arc;
use std::time::Instant;

use bytes::Bytes;
use hjall_engine::mutation::{Durability, Put, PutCell};
use hjall_engine::name::TableName;
use hjall_engine::read::ReusedRow;
use hjall_engine::request::{Get, Scan};
use hjall_engine::schema::{FamilyDescriptor, TableDescriptor};
use hjall_engine::store::{FjallStore, Order, SpaceId, Store, StoreOptions};
use hjall_engine::{Engine, LATEST, Options, Table};

use crate::Outcome;

/// Rows in one call of a batch put.
const BATCH: usize = 1_000;
/// Rows requested by one scan call.
const FETCH: usize = 1_000;
/// Rows that are read again and again, so that the row cache answers.
const HOT_ROWS: usize = 10_000;
/// Repetitions of each measurement. The best one counts, because other load on the machine can only add time.
const ROUNDS: usize = 3;

/// What is measured.
pub struct Reads {
    /// Cells per row.
    pub cells: usize,
    /// Bytes of a value.
    pub value_bytes: usize,
    /// Number of gets of each kind.
    pub gets: usize,
}

fn row(n: usize) -> Bytes {
    // Spreads keys over the whole range in pseudo-random order, without duplicates for fewer than 2^32 rows.
    format!("user{:010}", (n as u64 * 2_654_435_761) & 0xffff_ffff).into()
}

/// A row that is not in the table, in the midst of those that are.
fn absent(n: usize) -> Bytes {
    [&row(n)[..], b"x"].concat().into()
}

/// The first key of a row (docs/storage-layout.md).
fn first_key(row: &[u8]) -> Vec<u8> {
    let mut key = Vec::with_capacity((row.len() / 8 + 1) * 9);
    for group in row.chunks(8) {
        key.extend_from_slice(group);
        key.resize(key.len() + 8 - group.len(), 0);
        key.push(if group.len() == 8 { 9 } else { group.len() as u8 });
    }
    if row.len().is_multiple_of(8) {
        key.extend_from_slice(&[0; 9]);
    }
    key
}

/// The rows of a sequence of reads: far apart from each other, and none twice.
fn spread(gets: usize, rows: usize) -> impl Iterator<Item = usize> {
    let step = (rows / gets).max(1);
    (0..gets).map(move |n| (n * 7_919 % gets) * step % rows)
}

impl Reads {
    /// Loads a table of this many rows, and prints the times of its reads.
    pub fn run(&self, rows: usize) -> Outcome<()> {
        let folder = tempfile::tempdir()?;
        // Every block fits in the cache.
        let cache_bytes = Some((rows * (self.cells * (self.value_bytes + 64)) * 2).max(256 << 20) as u64);
        let options = || Options { cache_bytes, row_cache_bytes: Some(32 << 20), ..Options::default() };
        let name = TableName::parse(b"bench")?;
        let engine = Engine::open(folder.path(), options())?;
        let mut descriptor = TableDescriptor::new(name.clone());
        descriptor.add_family(FamilyDescriptor::new("f")?)?;
        engine.create_table(descriptor, Vec::new())?;
        let took = self.load(&engine.table(&name), rows)?;
        println!(
            "{rows} rows of {} cells with values of {} bytes, loaded in random order, {:.0} rows/s",
            self.cells,
            self.value_bytes,
            rows as f64 / took
        );
        for state in ["loaded", "compacted"] {
            if state == "compacted" {
                engine.compact(&name, true)?;
            }
            self.engine(&engine.table(&name), state, rows)?;
            println!("{state:<12} {} files", engine.table_files(&name)?.count);
        }
        engine.close()?;
        // The peer opens the folder, so that it reads the compacted files.
        let store = FjallStore::open(folder.path(), StoreOptions { cache_bytes, ..StoreOptions::default() })?;
        // That of the only family of the only table.
        let space = store.spaces()?.into_iter().max().unwrap_or_default();
        self.peer(&store, space, rows)?;
        Ok(store.close()?)
    }

    fn load(&self, table: &Table, rows: usize) -> Outcome<f64> {
        let cell = |c: usize| PutCell {
            family: "f".into(),
            qualifier: format!("q{c}").into(),
            timestamp: LATEST,
            value: vec![b'v'; self.value_bytes].into(),
        };
        let put = |n: usize| Put {
            row: row(n),
            cells: (0..self.cells).map(cell).collect(),
            ttl_ms: None,
            durability: Durability::UseDefault,
        };
        let begin = Instant::now();
        let mut batch = Vec::with_capacity(BATCH);
        for n in 0..rows {
            batch.push(put(n));
            if batch.len() == BATCH || n + 1 == rows {
                table.put_many(&batch).into_iter().collect::<hjall_engine::Result<()>>()?;
                batch.clear();
            }
        }
        Ok(begin.elapsed().as_secs_f64())
    }

    fn engine(&self, table: &Table, state: &str, rows: usize) -> Outcome<()> {
        let cells = rows * self.cells;
        // The first scan also fills the block cache.
        rate(state, "scan", "cells/s", cells, best(|| self.scan(table, cells))?);
        rate(state, "scan into one row", "cells/s", cells, best(|| self.each_row(table, cells))?);
        let gets = self.gets.min(rows);
        let stored: Vec<_> = spread(gets, rows).map(|n| Get::new(row(n))).collect();
        // The row cache admits a row when it is requested for the second time.
        each(state, "get, not in the row cache", gets, self.get(table, &stored, self.cells)?);
        let hot: Vec<_> = (0..gets).map(|n| Get::new(row(n % HOT_ROWS.min(rows)))).collect();
        for _ in 0..3 {
            self.get(table, &hot, self.cells)?;
        }
        each(state, "get, in the row cache", gets, best(|| self.get(table, &hot, self.cells))?);
        let absent: Vec<_> = spread(gets, rows).map(|n| Get::new(absent(n))).collect();
        each(state, "get, no such row", gets, self.get(table, &absent, 0)?);
        Ok(())
    }

    fn peer(&self, store: &Arc<dyn Store>, space: SpaceId, rows: usize) -> Outcome<()> {
        let cells = rows * self.cells;
        rate("store", "scan", "pairs/s", cells, best(|| self.scan_peer(store, space, cells))?);
        let gets = self.gets.min(rows);
        let stored: Vec<_> = spread(gets, rows).map(|n| first_key(&row(n))).collect();
        each("store", "range of a row", gets, best(|| self.get_peer(store, space, &stored, self.cells))?);
        let absent: Vec<_> = spread(gets, rows).map(|n| first_key(&absent(n))).collect();
        each("store", "range of no row", gets, best(|| self.get_peer(store, space, &absent, 0))?);
        Ok(())
    }

    #[inline(never)]
    fn get(&self, table: &Table, gets: &[Get], each: usize) -> Outcome<f64> {
        let mut cells = 0;
        let begin = Instant::now();
        for get in gets {
            cells += table.get(get)?.cells.len();
        }
        elapsed(begin, cells, gets.len() * each)
    }

    #[inline(never)]
    fn get_peer(&self, store: &Arc<dyn Store>, space: SpaceId, keys: &[Vec<u8>], each: usize) -> Outcome<f64> {
        let mut cells = 0;
        let begin = Instant::now();
        for key in keys {
            let mut cursor = store.snapshot()?.scan(space, key, &[key, &[2][..]].concat(), Order::Ascending, 1)?;
            while let Some(pair) = cursor.next()? {
                std::hint::black_box(pair);
                cells += 1;
            }
        }
        elapsed(begin, cells, keys.len() * each)
    }

    #[inline(never)]
    fn scan(&self, table: &Table, expected: usize) -> Outcome<f64> {
        let mut cells = 0;
        let begin = Instant::now();
        let mut scanner = table.scan(Scan::default())?;
        loop {
            let rows = scanner.next(FETCH)?;
            if rows.is_empty() {
                break;
            }
            cells += rows.iter().map(|row| row.cells.len()).sum::<usize>();
        }
        elapsed(begin, cells, expected)
    }

    #[inline(never)]
    fn each_row(&self, table: &Table, expected: usize) -> Outcome<f64> {
        let (mut cells, mut row) = (0, ReusedRow::default());
        let begin = Instant::now();
        let mut scanner = table.scan(Scan::default())?;
        scanner.each_row(&mut row, &mut |row| {
            cells += row.cells().len();
            true
        })?;
        elapsed(begin, cells, expected)
    }

    #[inline(never)]
    fn scan_peer(&self, store: &Arc<dyn Store>, space: SpaceId, expected: usize) -> Outcome<f64> {
        let mut cells = 0;
        let begin = Instant::now();
        let mut cursor = store.snapshot()?.scan(space, b"", b"", Order::Ascending, FETCH)?;
        let mut pairs = Vec::with_capacity(FETCH);
        loop {
            pairs.clear();
            cursor.next_many(FETCH, usize::MAX, &mut pairs)?;
            if pairs.is_empty() {
                break;
            }
            cells += pairs.len();
        }
        elapsed(begin, cells, expected)
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

fn each(state: &str, what: &str, count: usize, seconds: f64) {
    println!("{state:<12} {what:<28} {:>12.2} µs", seconds * 1e6 / count as f64);
}

fn rate(state: &str, what: &str, unit: &str, count: usize, seconds: f64) {
    println!("{state:<12} {what:<28} {:>12.0} {unit}", count as f64 / seconds);
}
