//! fjall itself, without an engine above it: the peer for batches of puts and for reads that no cache of rows answers.
//!
//! Its entries have the bytes of the cells that the engine stores (docs/storage-layout.md), and its options are those
//! of `engine/src/store/fjall/`.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use fjall::config::{BlockSizePolicy, CompressionPolicy, RestartIntervalPolicy};
use fjall::{CompressionType, Database, Keyspace, KeyspaceCreateOptions, PersistMode};

use crate::Outcome;
use crate::generator::{Figures, Latencies};
use crate::rows::{Values, row};

const BLOCK_BYTES: u32 = 16 << 10;
const RESTART_INTERVAL: u8 = 4;
const MEMTABLE_BYTES: u64 = 16 << 20;
const JOURNAL_BYTES: u64 = 256 << 20;
const WORKERS: usize = 3;

/// A database with one keyspace.
pub struct RawFjall {
    database: Database,
    keyspace: Keyspace,
    /// The number of the next row of [`RawFjall::put_batches`].
    next: AtomicUsize,
}

impl RawFjall {
    /// Opens or creates a database.
    pub fn open(folder: &Path, cache_bytes: u64) -> Outcome<Self> {
        let database = Database::builder(folder)
            .cache_size(cache_bytes)
            .worker_threads(WORKERS)
            .max_journaling_size(JOURNAL_BYTES)
            .open()?;
        let keyspace = database.keyspace("f", || {
            KeyspaceCreateOptions::default()
                .data_block_compression_policy(CompressionPolicy::all(CompressionType::None))
                .data_block_size_policy(BlockSizePolicy::all(BLOCK_BYTES))
                .data_block_restart_interval_policy(RestartIntervalPolicy::all(RESTART_INTERVAL))
                .max_memtable_size(MEMTABLE_BYTES)
        })?;
        Ok(Self { database, keyspace, next: AtomicUsize::new(0) })
    }

    /// Puts one batch of rows.
    pub fn put(&self, rows: std::ops::Range<usize>, values: &Values, timestamp: u64) -> Outcome<()> {
        let mut batch = self.database.batch().durability(Some(PersistMode::Buffer));
        for n in rows {
            batch.insert(&self.keyspace, key(&row(n), timestamp), [&[0], values.get(n)].concat());
        }
        Ok(batch.commit()?)
    }

    /// Puts one batch of rows with these names and values.
    pub fn put_named<'a>(&self, rows: impl Iterator<Item = (&'a [u8], &'a [u8])>) -> Outcome<()> {
        let mut batch = self.database.batch().durability(Some(PersistMode::Buffer));
        for (name, value) in rows {
            batch.insert(&self.keyspace, key(name, 1), [&[0], value].concat());
        }
        Ok(batch.commit()?)
    }

    /// Puts one batch of cells, given by row, qualifier and value.
    pub fn put_cells(&self, cells: impl Iterator<Item = (String, &'static str, String)>) -> Outcome<()> {
        let mut batch = self.database.batch().durability(Some(PersistMode::Buffer));
        for (row, qualifier, value) in cells {
            let key = cell_key(row.as_bytes(), qualifier.as_bytes(), 1);
            batch.insert(&self.keyspace, key, [&[0], value.as_bytes()].concat());
        }
        Ok(batch.commit()?)
    }

    /// Puts one batch of keys with their values as they are.
    pub fn put_pairs(&self, pairs: impl Iterator<Item = (String, String)>) -> Outcome<()> {
        let mut batch = self.database.batch().durability(Some(PersistMode::Buffer));
        for (key, value) in pairs {
            batch.insert(&self.keyspace, key, value);
        }
        Ok(batch.commit()?)
    }

    /// Ingests rows with these names, which must be in ascending order, and values.
    pub fn ingest<'a>(&self, rows: impl Iterator<Item = (&'a [u8], &'a [u8])>) -> Outcome<()> {
        let mut ingestion = self.keyspace.start_ingestion()?;
        for (name, value) in rows {
            ingestion.write(key(name, 1), [&[0], value].concat())?;
        }
        Ok(ingestion.finish()?)
    }

    /// Reads the cells of a row. Returns their number.
    pub fn get(&self, row: &[u8]) -> Outcome<usize> {
        let mut prefix = Vec::with_capacity(40);
        groups(row, &mut prefix);
        let mut cells = 0;
        for cell in self.keyspace.prefix(prefix) {
            std::hint::black_box(cell.value()?);
            cells += 1;
        }
        Ok(cells)
    }

    /// Compacts everything into one run.
    pub fn compact(&self) -> Outcome<()> {
        self.keyspace.rotate_memtable_and_wait()?;
        Ok(self.keyspace.major_compact()?)
    }

    /// Puts batches of new rows from several threads for the given time.
    pub fn put_batches(&self, threads: usize, rows: usize, values: &Values, length: Duration) -> Outcome<Figures> {
        let begin = Instant::now();
        let work = || -> Result<Latencies, String> {
            let mut latencies = Latencies::new().map_err(|error| error.to_string())?;
            loop {
                let began = Instant::now();
                if began >= begin + length {
                    return Ok(latencies);
                }
                let first = self.next.fetch_add(rows, Ordering::Relaxed);
                self.put(first..first + rows, values, 1).map_err(|error| error.to_string())?;
                latencies.record(began.elapsed());
            }
        };
        let mut all = Latencies::new()?;
        std::thread::scope(|scope| {
            let threads: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
            for thread in threads {
                all.add(&thread.join().map_err(|_| "a thread panicked")??)?;
            }
            Outcome::Ok(())
        })?;
        Ok(Figures::counted(all, rows as u64, begin.elapsed()))
    }
}

/// The key of the cell `f:q` of a row.
fn key(row: &[u8], timestamp: u64) -> Vec<u8> {
    cell_key(row, b"q", timestamp)
}

/// The key of a cell of a row.
fn cell_key(row: &[u8], qualifier: &[u8], timestamp: u64) -> Vec<u8> {
    let mut key = Vec::with_capacity(40);
    groups(row, &mut key);
    key.push(1);
    groups(qualifier, &mut key);
    key.push(0xfb);
    key.extend_from_slice(&(!timestamp).to_be_bytes());
    key
}

/// Groups of eight bytes, each followed by the number of its bytes that are used, or 9 if another one follows.
fn groups(mut text: &[u8], key: &mut Vec<u8>) {
    while let Some((group, rest)) = text.split_first_chunk::<8>() {
        key.extend_from_slice(group);
        key.push(9);
        text = rest;
    }
    let mut last = [0; 9];
    last[..text.len()].copy_from_slice(text);
    last[8] = text.len() as u8;
    key.extend_from_slice(&last);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_those_of_the_engine() {
        let expected = b"row-1\0\0\0\x05\x01q\0\0\0\0\0\0\0\x01\xfb\xff\xff\xff\xff\xff\xff\xff\xfa";
        assert_eq!(key(b"row-1", 5), expected);
    }
}
