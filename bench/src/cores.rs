//! Gets of the embedded engine by several threads at once: how their number per second grows with the threads.

use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use hjall_engine::mutation::{Durability, Put, PutCell};
use hjall_engine::name::TableName;
use hjall_engine::request::Get;
use hjall_engine::schema::{FamilyDescriptor, TableDescriptor};
use hjall_engine::{Engine, LATEST, Options, Table};

use crate::Outcome;
use crate::median::median;

/// Rows of the table. Each is read by all threads.
const ROWS: usize = 10_000;
const VALUE_BYTES: usize = 100;
/// Gets between two looks at the clock.
const STEP: usize = 64;

/// Prints gets per second for each number of threads, from the row cache and from the store, and their ratio to one
/// thread in the same round. Medians of several rounds.
pub fn run(threads: &[usize], rounds: usize, length: Duration) -> Outcome<()> {
    println!("gets of the engine in this process; {ROWS} rows of one cell; medians of {rounds} rounds");
    println!("{:<12} {:>8} {:>12} {:>10}", "from", "threads", "gets/s", "x one");
    for (from, row_cache) in [("row cache", 64 << 20), ("store", 0)] {
        let folder = tempfile::tempdir()?;
        let engine = Engine::open(folder.path(), Options { row_cache_bytes: Some(row_cache), ..Options::default() })?;
        let table = filled(&engine)?;
        let mut rates = vec![Vec::new(); threads.len()];
        for _ in 0..rounds {
            for (rates, &threads) in rates.iter_mut().zip(threads) {
                rates.push(rate(&table, threads, length)?);
            }
        }
        let ratio = |n: usize| median(rates[n].iter().zip(&rates[0]).map(|(rate, one)| rate / one).collect());
        for (n, threads) in threads.iter().enumerate() {
            println!("{from:<12} {threads:>8} {:>12.0} {:>10.2}", median(rates[n].clone()), ratio(n));
        }
        engine.close()?;
    }
    Ok(())
}

/// Runs a number of gets on one thread, from the store, for programs that count what a get executes.
pub fn gets(count: usize) -> Outcome<()> {
    let folder = tempfile::tempdir()?;
    let engine = Engine::open(folder.path(), Options { row_cache_bytes: Some(0), ..Options::default() })?;
    let table = filled(&engine)?;
    for n in 0..count {
        get(&table, n)?;
    }
    engine.close()?;
    Ok(())
}

fn filled(engine: &Engine) -> Outcome<Table> {
    let name = TableName::parse(b"cores")?;
    let mut descriptor = TableDescriptor::new(name.clone());
    descriptor.add_family(FamilyDescriptor::new("f")?)?;
    engine.create_table(descriptor, Vec::new())?;
    let table = engine.table(&name);
    let put = |n: usize| {
        let value = vec![b'v'; VALUE_BYTES].into();
        let cell = PutCell { family: "f".into(), qualifier: "q".into(), timestamp: LATEST, value };
        Put { row: row(n).into(), cells: vec![cell], ttl_ms: None, durability: Durability::UseDefault }
    };
    for batch in (0..ROWS).map(put).collect::<Vec<_>>().chunks(1_000) {
        table.put_many(batch).into_iter().collect::<hjall_engine::Result<()>>()?;
    }
    engine.compact(&name, true)?;
    Ok(table)
}

fn row(n: usize) -> String {
    format!("row{:08}", n * 7919 % ROWS)
}

fn get(table: &Table, n: usize) -> Outcome<()> {
    match table.get(&Get::new(row(n)))?.cells.len() {
        1 => Ok(()),
        cells => Err(format!("row {n} has {cells} cells").into()),
    }
}

/// Gets per second of all threads together.
fn rate(table: &Table, threads: usize, length: Duration) -> Outcome<f64> {
    let (begun, stop) = (Barrier::new(threads + 1), AtomicBool::new(false));
    let work = |first: usize| {
        let mut done = 0;
        begun.wait();
        while !stop.load(Ordering::Relaxed) {
            for _ in 0..STEP {
                get(table, first + done).map_err(|error| error.to_string())?;
                done += 1;
            }
        }
        Ok::<_, String>(done)
    };
    let work = &work;
    std::thread::scope(|scope| {
        let all: Vec<_> = (0..threads).map(|n| scope.spawn(move || work(n * ROWS / threads))).collect();
        begun.wait();
        let begin = Instant::now();
        std::thread::sleep(length);
        stop.store(true, Ordering::Relaxed);
        let elapsed = begin.elapsed().as_secs_f64();
        let mut sum = 0;
        for thread in all {
            sum += thread.join().map_err(|_| "a thread panicked")??;
        }
        Ok(sum as f64 / elapsed)
    })
}
