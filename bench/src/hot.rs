//! Reads of a column with a million versions and of rows with many delete markers, compared with fresh rows.
//!
//! Runs inside one process, without sockets, to measure the reads themselves.

use std::time::Instant;

use hjall_engine::mutation::{Delete, Durability, Increment, Marker, MarkerKind, Put, PutCell};
use hjall_engine::name::TableName;
use hjall_engine::request::{Columns, Get, Scan};
use hjall_engine::schema::{FamilyDescriptor, TableDescriptor};
use hjall_engine::{Engine, Options, Table};

use crate::Outcome;
use crate::median::median;

/// Mutations per call.
const STEP: usize = 1_000;
/// Number of reads; the median is printed.
const READS: usize = 501;

/// Prints the time of a read of each row and of a fresh row: from memory, from files, and after a major compaction.
pub fn run(versions: usize, markers: usize) -> Outcome<()> {
    let folder = tempfile::tempdir()?;
    let engine = Engine::open(folder.path(), Options::default())?;
    let name = TableName::parse(b"hot")?;
    let mut descriptor = TableDescriptor::new(name.clone());
    descriptor.add_family(FamilyDescriptor::new("f")?)?;
    engine.create_table(descriptor, Vec::new())?;
    let table = engine.table(&name);

    put(&table, "fresh", "q", [1])?;
    println!("filling …");
    let counter =
        Increment { row: "counter".into(), columns: vec![("f".into(), "q".into(), 1)], ..Increment::default() };
    let begin = Instant::now();
    for _ in 0..versions {
        table.increment(&counter)?;
    }
    println!(
        "{versions} increments of one counter: {:.1} µs each",
        begin.elapsed().as_secs_f64() * 1e6 / versions as f64
    );
    put(&table, "versions", "q", 1..=versions as i64)?;
    let times = 1..=markers as i64;
    delete(&table, "rows deleted", times.clone().map(|t| ("", MarkerKind::Family, t)))?;
    put(&table, "column deleted", "q", times.clone())?;
    delete(&table, "column deleted", times.clone().map(|t| ("q", MarkerKind::Column, t)))?;
    delete(&table, "versions deleted, no values", times.clone().map(|t| ("q", MarkerKind::Version, t)))?;
    delete(&table, "family versions deleted, no values", times.clone().map(|t| ("", MarkerKind::FamilyVersion, t)))?;
    put(&table, "each version deleted", "q", times.clone())?;
    delete(&table, "each version deleted", times.clone().map(|t| ("q", MarkerKind::Version, t)))?;
    let queue: Vec<String> = times.map(|n| format!("a{n:09}")).collect();
    delete(&table, "columns deleted", queue.iter().map(|q| (q.as_str(), MarkerKind::Column, 1)))?;
    let alive = [
        "counter",
        "versions",
        "rows deleted",
        "column deleted",
        "versions deleted, no values",
        "family versions deleted, no values",
        "columns deleted",
    ];
    for row in &alive[2..] {
        put(&table, row, "q", [markers as i64 + 1])?;
    }

    report(&table, "from memory", &alive)?;
    engine.flush(&name)?;
    report(&table, "from files", &alive)?;
    engine.compact(&name, true)?;
    report(&table, "after a major compaction", &alive)?;
    engine.close()?;
    Ok(())
}

fn report(table: &Table, state: &str, rows: &[&str]) -> Outcome<()> {
    let named = |row: &str| {
        let mut columns = Columns::all();
        columns.add_column("f", "q");
        Get { columns, ..Get::new(row.to_owned()) }
    };
    let get = |row: &str| median_us(|| Ok(table.get(&Get::new(row.to_owned()))?.cells.len()));
    let get_named = |row: &str| median_us(|| Ok(table.get(&named(row))?.cells.len()));
    let scan = |row: &str| {
        let scan = Scan { start: row.to_owned().into(), stop: row.to_owned().into(), ..Scan::default() };
        median_us(|| Ok(table.scan(scan.clone())?.next(1)?.len()))
    };
    let fresh = [get_named("fresh")?, get("fresh")?, scan("fresh")?];
    println!("\n{state:<38} {:>16} {:>16} {:>16}", "named column", "whole row", "scan of the row");
    println!("{:<38} {:>13.1} µs {:>13.1} µs {:>13.1} µs", "a fresh row", fresh[0], fresh[1], fresh[2]);
    let line = |row: &str| -> Outcome<()> {
        let times = [get_named(row)?, get(row)?, scan(row)?];
        let cell = |n: usize| format!("{:.1} µs {:>5.1} ×", times[n], times[n] / fresh[n]);
        println!("{row:<38} {:>17} {:>17} {:>17}", cell(0), cell(1), cell(2));
        Ok(())
    };
    rows.iter().chain(&["each version deleted"]).try_for_each(|row| line(row))
}

/// The median time of many runs, in microseconds. Slow reads are repeated less often.
fn median_us(mut read: impl FnMut() -> Outcome<usize>) -> Outcome<f64> {
    let begin = Instant::now();
    let mut times = Vec::new();
    while times.len() < READS && (times.len() < 5 || begin.elapsed().as_secs_f64() < 1.0) {
        let begin = Instant::now();
        std::hint::black_box(read()?);
        times.push(begin.elapsed().as_secs_f64() * 1e6);
    }
    Ok(median(times))
}

fn put(table: &Table, row: &str, qualifier: &str, times: impl IntoIterator<Item = i64>) -> Outcome<()> {
    let one = |timestamp| Put {
        row: row.to_owned().into(),
        cells: vec![PutCell {
            family: "f".into(),
            qualifier: qualifier.to_owned().into(),
            timestamp,
            value: "value".into(),
        }],
        ttl_ms: None,
        durability: Durability::UseDefault,
    };
    let puts: Vec<_> = times.into_iter().map(one).collect();
    for step in puts.chunks(STEP) {
        table.put_many(step).into_iter().collect::<hjall_engine::Result<()>>()?;
    }
    Ok(())
}

fn delete<'a>(table: &Table, row: &str, marks: impl IntoIterator<Item = (&'a str, MarkerKind, i64)>) -> Outcome<()> {
    let one = |(qualifier, kind, timestamp): (&str, _, _)| Delete {
        markers: vec![Marker { family: "f".into(), qualifier: qualifier.to_owned().into(), kind, timestamp }],
        ..Delete::row(row.to_owned())
    };
    let deletes: Vec<_> = marks.into_iter().map(one).collect();
    for step in deletes.chunks(STEP) {
        table.delete_many(step).into_iter().collect::<hjall_engine::Result<()>>()?;
    }
    Ok(())
}
