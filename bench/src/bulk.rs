//! Loading rows in order of their keys: batches of puts and bulk loads of the embedded engine, compared with batches
//! and the ingestion of fjall alone, which store the same bytes.

use std::path::Path;
use std::time::{Duration, Instant};

use bytes::Bytes;
use hjall_engine::mutation::{Durability, PutCellOf, PutOf};
use hjall_engine::name::TableName;
use hjall_engine::schema::{FamilyDescriptor, TableDescriptor};
use hjall_engine::{Engine, LATEST, Options, Table};

use crate::Outcome;
use crate::generator::Latencies;
use crate::raw_fjall::RawFjall;
use crate::rows::{Values, row};

/// Rows of one batch of puts.
const BATCH: usize = 1_000;
const CACHE_BYTES: u64 = 256 << 20;

/// What one way to load takes.
struct Load {
    rows: usize,
    took: Duration,
    /// The latencies of the calls: batches; for bulk loads, handing over 1,000 rows.
    calls: Latencies,
    /// The time that the last call of a bulk load takes.
    finish: Duration,
}

impl Load {
    fn rate(&self) -> f64 {
        self.rows as f64 / self.took.as_secs_f64()
    }
}

/// Loads this number of rows of one cell in each way, in new folders, and prints a line for each way.
pub fn run(rows: usize, value_bytes: usize, rounds: usize, random: bool) -> Outcome<()> {
    let values = Values::new(value_bytes);
    let order = if random { "random" } else { "ascending" };
    println!("{rows} rows of one cell of {value_bytes} bytes, {rounds} rounds; batches of {BATCH} rows, {order} order");
    println!(
        "{:<34} {:>10} {:>9} {:>9} {:>9} {:>9} {:>9}",
        "", "rows/s", "p50 ms", "p99 ms", "p99.9 ms", "max ms", "finish ms"
    );
    let names: Vec<Vec<u8>> = {
        let mut names: Vec<_> = (0..rows).map(row).collect();
        names.sort_unstable();
        names
    };
    for round in 0..rounds {
        println!("round {}", round + 1);
        let fjall = fjall_batches(&names, &values, random)?;
        let puts = puts(&names, &values, random)?;
        line("puts, batches of fjall", &fjall, None);
        line("puts, hjall's put_many", &puts, Some(("fjall's batches", &fjall)));
        if !random {
            let ingestion = fjall_ingestion(&names, &values)?;
            line("ingestion of fjall", &ingestion, None);
            let folder = tempfile::tempdir()?;
            let (engine, table) = create(folder.path())?;
            // The second load merges with the first one: other rows in the same range.
            let empty = bulk_load(&table, &names, &values, b"")?;
            line("bulk_load, empty table", &empty, Some(("the ingestion", &ingestion)));
            line("", &empty, Some(("put_many", &puts)));
            let filled = bulk_load(&table, &names, &values, b"+")?;
            line("bulk_load, table with as many rows", &filled, Some(("the ingestion", &ingestion)));
            line("", &filled, Some(("put_many", &puts)));
            engine.close()?;
        }
    }
    Ok(())
}

fn line(what: &str, load: &Load, beside: Option<(&str, &Load)>) {
    let beside = beside.map_or(String::new(), |(name, peer)| format!("   {:.2} x {name}", load.rate() / peer.rate()));
    if what.is_empty() {
        println!("{:<34} {:>10} {:>49}{beside}", "", "", "");
        return;
    }
    let ms = |share: f64| load.calls.percentile_us(share) / 1000.0;
    println!(
        "{what:<34} {:>10.0} {:>9.2} {:>9.2} {:>9.2} {:>9.2} {:>9.1}{beside}",
        load.rate(),
        ms(0.5),
        ms(0.99),
        ms(0.999),
        ms(1.0),
        load.finish.as_secs_f64() * 1000.0,
    );
}

fn create(folder: &Path) -> Outcome<(Engine, Table)> {
    let engine = Engine::open(folder, Options { cache_bytes: Some(CACHE_BYTES), ..Options::default() })?;
    let name = TableName::parse(b"bench")?;
    let mut descriptor = TableDescriptor::new(name.clone());
    descriptor.add_family(FamilyDescriptor::new("f")?)?;
    engine.create_table(descriptor, Vec::new())?;
    let table = engine.table(&name);
    Ok((engine, table))
}

fn put<'a>(name: &'a [u8], value: &'a [u8]) -> PutOf<&'a [u8]> {
    let cell = PutCellOf { family: &b"f"[..], qualifier: &b"q"[..], timestamp: LATEST, value };
    PutOf { row: name, cells: vec![cell], ttl_ms: None, durability: Durability::UseDefault }
}

/// The names in batches, in order or shuffled.
fn batches(names: &[Vec<u8>], random: bool) -> Vec<Vec<usize>> {
    // A multiplier without a common divisor with the number of rows.
    let stride = (names.len() / 3..).find(|stride| gcd(*stride, names.len()) == 1).unwrap_or(1);
    let at = |n: usize| if random { n.wrapping_mul(stride) % names.len() } else { n };
    chunks(names.len()).into_iter().map(|chunk| chunk.into_iter().map(at).collect()).collect()
}

fn gcd(a: usize, b: usize) -> usize {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// Calls a function for each batch, and measures it.
fn measured(rows: usize, batches: Vec<Vec<usize>>, mut call: impl FnMut(&[usize]) -> Outcome<()>) -> Outcome<Load> {
    let mut calls = Latencies::new()?;
    let begin = Instant::now();
    for batch in batches {
        let began = Instant::now();
        call(&batch)?;
        calls.record(began.elapsed());
    }
    Ok(Load { rows, took: begin.elapsed(), calls, finish: Duration::ZERO })
}

fn puts(names: &[Vec<u8>], values: &Values, random: bool) -> Outcome<Load> {
    let folder = tempfile::tempdir()?;
    let (engine, table) = create(folder.path())?;
    let mut known = table.known()?;
    let load = measured(names.len(), batches(names, random), |batch| {
        let puts: Vec<_> = batch.iter().map(|n| put(&names[*n], values.get(*n))).collect();
        Ok(known.put_many(&puts).into_iter().collect::<hjall_engine::Result<()>>()?)
    })?;
    engine.close()?;
    Ok(load)
}

fn fjall_batches(names: &[Vec<u8>], values: &Values, random: bool) -> Outcome<Load> {
    let folder = tempfile::tempdir()?;
    let fjall = RawFjall::open(folder.path(), CACHE_BYTES)?;
    measured(names.len(), batches(names, random), |batch| {
        fjall.put_named(batch.iter().map(|n| (&names[*n][..], values.get(*n))))
    })
}

fn fjall_ingestion(names: &[Vec<u8>], values: &Values) -> Outcome<Load> {
    let folder = tempfile::tempdir()?;
    let fjall = RawFjall::open(folder.path(), CACHE_BYTES)?;
    let begin = Instant::now();
    fjall.ingest(names.iter().enumerate().map(|(n, name)| (&name[..], values.get(n))))?;
    Ok(Load { rows: names.len(), took: begin.elapsed(), calls: Latencies::new()?, finish: Duration::ZERO })
}

/// Loads rows with these names and a suffix.
fn bulk_load(table: &Table, names: &[Vec<u8>], values: &Values, suffix: &[u8]) -> Outcome<Load> {
    let names: Vec<Bytes> = names.iter().map(|name| [name, suffix].concat().into()).collect();
    let begin = Instant::now();
    let mut load = table.bulk_load()?;
    let mut measured = measured(names.len(), chunks(names.len()), |batch| {
        for n in batch {
            load.add(&put(&names[*n], values.get(*n)))?;
        }
        Ok(())
    })?;
    let ending = Instant::now();
    load.finish()?;
    (measured.finish, measured.took) = (ending.elapsed(), begin.elapsed());
    Ok(measured)
}

fn chunks(rows: usize) -> Vec<Vec<usize>> {
    (0..rows).step_by(BATCH).map(|from| (from..rows.min(from + BATCH)).collect()).collect()
}
