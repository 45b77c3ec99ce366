//! Filters that can seek: one match in a million rows, or in a row of a million columns, compared with a point get.
//!
//! Runs inside one process, without sockets, to measure the reads themselves.

use std::sync::Arc;
use std::time::Instant;

use hjall_engine::filter::{FilterSpec, FuzzyPair, RowRange};
use hjall_engine::mutation::{Durability, Put, PutCell};
use hjall_engine::name::TableName;
use hjall_engine::request::{Columns, Get, Scan};
use hjall_engine::schema::{FamilyDescriptor, TableDescriptor};
use hjall_engine::{Engine, Options, Table};

use crate::Outcome;
use crate::median::median;

/// Mutations per call.
const STEP: usize = 1_000;
/// Number of reads; the median is printed.
const READS: usize = 301;

/// Prints the time of a scan with each filter and of a get of the same cell: from memory, from files, and after
/// a major compaction.
pub fn run(rows: usize) -> Outcome<()> {
    let folder = tempfile::tempdir()?;
    let engine = Engine::open(folder.path(), Options::default())?;
    let tall = create(&engine, "tall")?;
    let wide = create(&engine, "wide")?;
    println!("filling …");
    let numbers: Vec<String> = (0..rows).map(|n| format!("{n:09}")).collect();
    for step in numbers.chunks(STEP) {
        let puts: Vec<_> = step.iter().map(|n| put(n, &["q".to_owned()])).collect();
        tall.put_many(&puts).into_iter().collect::<hjall_engine::Result<()>>()?;
        wide.put(&put("row", step))?;
    }
    let wanted = numbers[rows * 2 / 3].clone();
    report(&tall, &wide, &wanted, "from memory")?;
    for name in [tall.name(), wide.name()] {
        engine.flush(name)?;
    }
    report(&tall, &wide, &wanted, "from files")?;
    for name in [tall.name(), wide.name()] {
        engine.compact(name, true)?;
    }
    report(&tall, &wide, &wanted, "after a major compaction")?;
    engine.close()?;
    Ok(())
}

fn create(engine: &Engine, name: &str) -> Outcome<Table> {
    let name = TableName::parse(name.as_bytes())?;
    let mut descriptor = TableDescriptor::new(name.clone());
    descriptor.add_family(FamilyDescriptor::new("f")?)?;
    engine.create_table(descriptor, Vec::new())?;
    Ok(engine.table(&name))
}

fn put(row: &str, qualifiers: &[String]) -> Put {
    let cell =
        |q: &String| PutCell { family: "f".into(), qualifier: q.clone().into(), timestamp: 1, value: "value".into() };
    let cells = qualifiers.iter().map(cell).collect();
    Put { row: row.to_owned().into(), cells, ttl_ms: None, durability: Durability::UseDefault }
}

fn report(tall: &Table, wide: &Table, wanted: &str, state: &str) -> Outcome<()> {
    let get = median_us(|| Ok(tall.get(&Get::new(wanted.to_owned()))?.cells.len()))?;
    println!("\n{state}\n  {:<44} {get:>9.1} µs", "get of the row");
    let range = RowRange { stop_inclusive: true, ..RowRange::new(wanted.to_owned(), wanted.to_owned()) };
    let mask = std::iter::once(1).chain(std::iter::repeat_n(0, wanted.len() - 1)).collect::<Vec<u8>>();
    let fuzzy = FuzzyPair { key: wanted.to_owned().into(), mask: mask.into() };
    let by_row = [
        ("PrefixFilter", FilterSpec::prefix(wanted.to_owned()), false),
        ("RowFilter(=)", FilterSpec::parse(format!("RowFilter(=,'binary:{wanted}')").as_bytes())?, false),
        ("MultiRowRangeFilter", FilterSpec::multi_row_range(vec![range])?, false),
        ("FuzzyRowFilter, first byte open", FilterSpec::fuzzy_row(vec![fuzzy])?, false),
        ("InclusiveStopFilter, from the row on", FilterSpec::inclusive_stop(wanted.to_owned()), true),
    ];
    for (name, filter, from_row) in by_row {
        let start = if from_row { wanted.to_owned().into() } else { Scan::default().start };
        line(name, get, || found(tall, Scan { start: start.clone(), ..filtered(&filter) }))?;
    }
    let mut columns = Columns::all();
    columns.add_column("f", wanted.to_owned());
    let named = Get { columns, ..Get::new("row") };
    let get = median_us(|| Ok(wide.get(&named)?.cells.len()))?;
    println!("  {:<44} {get:>9.1} µs", "get of one column of a wide row");
    let column = Some(bytes::Bytes::from(wanted.to_owned()));
    let by_column = [
        ("ColumnRangeFilter", FilterSpec::column_range(column.clone(), true, column, true)),
        ("ColumnPrefixFilter", FilterSpec::column_prefix(wanted.to_owned())),
    ];
    by_column.iter().try_for_each(|(name, filter)| line(name, get, || found(wide, filtered(filter))))
}

fn filtered(filter: &FilterSpec) -> Scan {
    Scan { filter: Some(Arc::new(filter.clone())), ..Scan::default() }
}

/// Runs a scan to its end.
fn found(table: &Table, scan: Scan) -> Outcome<usize> {
    match table.scan(scan)?.next(usize::MAX)?.as_slice() {
        [row] => Ok(row.cells.len()),
        other => Err(format!("found {} rows, expected one", other.len()).into()),
    }
}

fn line(name: &str, get: f64, read: impl FnMut() -> Outcome<usize>) -> Outcome<()> {
    let time = median_us(read)?;
    println!("  {name:<44} {time:>9.1} µs {:>6.1} ×", time / get);
    Ok(())
}

/// The median time of many runs, in microseconds.
fn median_us(mut read: impl FnMut() -> Outcome<usize>) -> Outcome<f64> {
    let mut times = Vec::with_capacity(READS);
    for _ in 0..READS {
        let begin = Instant::now();
        if std::hint::black_box(read()?) != 1 {
            return Err("expected one cell".into());
        }
        times.push(begin.elapsed().as_secs_f64() * 1e6);
    }
    Ok(median(times))
}
