//! Measures the store on disk: `cargo run --release -p hjall-engine --example store [FOLDER] [MEGABYTES]`; with an
//! existing folder, only opening and closing it.
//!
//! Prints opening times, the cost of creating a space, reads and transactions per second. The figures serve to compare
//! two versions on one machine; nothing asserts them.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use hjall_engine::mutation::Durability;
use hjall_engine::store::{FjallStore, Order, SpaceId, SpaceOptions, Store, StoreOptions};

type Outcome<T = ()> = Result<T, Box<dyn Error + Send + Sync>>;

const SPACES: SpaceId = 20;
const VALUE_BYTES: usize = 100;
const ROUND: Duration = Duration::from_secs(2);

fn main() -> Outcome {
    let mut arguments = std::env::args().skip(1);
    let folder = arguments.next().map_or_else(|| std::env::temp_dir().join("hjall-store-bench"), PathBuf::from);
    let megabytes: u64 = arguments.next().map_or(Ok(200), |text| text.parse())?;
    if folder.exists() {
        return reopen(&folder);
    }
    measure(&folder, megabytes)
}

/// Measures the cost of opening in a separate process, whose allocator was not used for loading.
fn reopen(folder: &Path) -> Outcome {
    let store = timed("open", || open(folder))?;
    println!("{:<44} {:>10} KiB", "resident memory, opened", resident_kib());
    timed("close", || Ok(store.close()?))
}

fn measure(folder: &Path, megabytes: u64) -> Outcome {
    let store = timed("open an empty folder", || open(folder))?;
    println!("{:<44} {:>10} KiB", "resident memory, empty", resident_kib());
    let began = Instant::now();
    for space in 1..=SPACES {
        store.create_space(space, &SpaceOptions::default())?;
    }
    println!("{:<44} {:>10.1?}", "make a space", began.elapsed() / u32::try_from(SPACES)?);

    for durability in [Durability::SkipWal, Durability::SyncWal, Durability::FsyncWal] {
        for threads in [1, 8] {
            transactions(&store, durability, threads)?;
        }
    }

    let rows = megabytes * 1_000_000 / (VALUE_BYTES as u64 + 16);
    timed(&format!("load {megabytes} MB into {SPACES} spaces"), || load(&store, rows))?;
    timed("close after it", || Ok(store.close()?))?;
    let store = timed("open it again", || open(folder))?;
    println!("{:<44} {:>10} KiB", "resident memory, opened", resident_kib());
    reads(&store, rows / SPACES)?;
    timed("major compaction of a space", || Ok(store.compact(1, true)?))?;
    reads(&store, rows / SPACES)?;
    for space in 1000..1400 {
        store.create_space(space, &SpaceOptions::default())?;
    }
    timed("close with 420 spaces", || Ok(store.close()?))
}

fn open(folder: &Path) -> Outcome<Arc<dyn Store>> {
    Ok(FjallStore::open(folder, StoreOptions::default())?)
}

fn timed<T>(what: &str, work: impl FnOnce() -> Outcome<T>) -> Outcome<T> {
    let began = Instant::now();
    let result = work();
    println!("{what:<44} {:>10.1?}", began.elapsed());
    result
}

fn row(number: u64) -> Bytes {
    // Spread over the keys, so that adjacent keys are not written together.
    Bytes::copy_from_slice(&[number.wrapping_mul(0x9E37_79B9_7F4A_7C15).to_be_bytes(), number.to_be_bytes()].concat())
}

fn transactions(store: &Arc<dyn Store>, durability: Durability, threads: u64) -> Outcome {
    let began = Instant::now();
    let done: u64 = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads)
            .map(|thread| {
                scope.spawn(move || -> Outcome<u64> {
                    let mut done = 0;
                    while began.elapsed() < ROUND {
                        let key = row(thread << 40 | done);
                        store.transact(std::slice::from_ref(&key), durability, &mut |t| {
                            t.put(1, key.clone(), Bytes::from_static(&[7; VALUE_BYTES]));
                            Ok(())
                        })?;
                        done += 1;
                    }
                    Ok(done)
                })
            })
            .collect();
        let mut sum = 0;
        for worker in workers {
            sum += worker.join().map_err(|_| "a worker panicked")??;
        }
        Outcome::Ok(sum)
    })?;
    let rate = done as f64 / began.elapsed().as_secs_f64();
    println!("{:<44} {rate:>10.0} /s", format!("transactions, {durability:?}, {threads} threads"));
    Ok(())
}

fn load(store: &Arc<dyn Store>, rows: u64) -> Outcome {
    let mut number = 0;
    while number < rows {
        let block: Vec<Bytes> = (number..rows.min(number + 100)).map(row).collect();
        store.transact(&block, Durability::SkipWal, &mut |t| {
            for (key, number) in block.iter().zip(number..) {
                t.put(number % SPACES + 1, key.clone(), Bytes::from_static(&[7; VALUE_BYTES]));
            }
            Ok(())
        })?;
        number += 100;
    }
    Ok(())
}

fn reads(store: &Arc<dyn Store>, rows_per_space: u64) -> Outcome {
    let count = rows_per_space.min(200_000);
    let key = |n: u64| row(n % rows_per_space * SPACES);
    for n in 0..count {
        store.snapshot()?.get(1, &key(n))?;
    }
    let each = |what: &str, read: &dyn Fn(&[u8]) -> Outcome<bool>| -> Outcome {
        let began = Instant::now();
        for n in 0..count {
            let key = key(n.wrapping_mul(7919));
            if !read(&key)? {
                return Err("a row is missing".into());
            }
        }
        println!("{what:<44} {:>10.2?}", began.elapsed() / u32::try_from(count)?);
        Ok(())
    };
    each("exact get, snapshot each", &|key| Ok(store.snapshot()?.get(1, key)?.is_some()))?;
    each("range get, snapshot each", &|key| {
        let to = [key, &[0]].concat();
        Ok(store.snapshot()?.scan(1, key, &to, Order::Ascending, 1)?.next()?.is_some())
    })?;
    let began = Instant::now();
    let mut cursor = store.snapshot()?.scan(1, b"", b"", Order::Ascending, 1000)?;
    let mut pairs = 0_u32;
    while cursor.next()?.is_some() {
        pairs += 1;
    }
    println!("{:<44} {:>10.2?}", format!("scan, per pair ({pairs})"), began.elapsed() / pairs.max(1));
    Ok(())
}

/// The resident memory of the process; 0 if the platform does not report it.
fn resident_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap_or_default();
    line.trim().trim_end_matches("kB").trim().parse().unwrap_or(0)
}
