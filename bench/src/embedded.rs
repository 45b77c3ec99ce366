//! The engine inside one process, without sockets: what the language bindings stand on. Rows of a few small cells are put, got one by one
//! and scanned whole, from memory, from files and from the store without a disk.

use std::time::Instant;

use hjall_engine::mutation::{Durability, Put, PutCell};
use hjall_engine::name::TableName;
use hjall_engine::request::{Get, Scan};
use hjall_engine::schema::{FamilyDescriptor, TableDescriptor};
use hjall_engine::{Engine, Options, Table};

use crate::Outcome;

/// Cells of one row.
const CELLS: usize = 5;
/// Rows of one call that puts.
const STEP: usize = 1_000;
/// Rows of one call of a scan.
const FETCH: usize = 1_000;

/// Prints what one get of a row and one cell of a whole scan take, in nanoseconds.
pub fn run(rows: usize, seconds: u64) -> Outcome<()> {
    let folder = tempfile::tempdir()?;
    let disk = Engine::open(folder.path(), Options::default())?;
    let memory = Engine::memory(Options::default())?;
    println!("{rows} rows of {CELLS} cells, values of 8 bytes\n");
    println!("{:<28} {:>16} {:>16} {:>16}", "", "put, a row", "get, a row", "scan, a cell");
    for (engine, place) in [(&disk, "on disk, from memory"), (&memory, "without a disk")] {
        let table = fresh(engine)?;
        let begin = Instant::now();
        fill(&table, rows)?;
        let put = begin.elapsed().as_secs_f64() / rows as f64;
        report(place, Some(put), &table, rows, seconds)?;
    }
    let name = TableName::parse(b"t")?;
    disk.flush(&name)?;
    report("on disk, from files", None, &disk.table(&name), rows, seconds)?;
    disk.close()?;
    memory.close()?;
    Ok(())
}

fn report(place: &str, put: Option<f64>, table: &Table, rows: usize, seconds: u64) -> Outcome<()> {
    let line = |seconds: f64| format!("{:.0} ns", seconds * 1e9);
    let (get, scan) = (gets(table, rows, seconds)?, scans(table, rows, seconds)?);
    println!("{place:<28} {:>16} {:>16} {:>16}", put.map(line).unwrap_or_default(), line(get), line(scan));
    Ok(())
}

fn fresh(engine: &Engine) -> Outcome<Table> {
    let name = TableName::parse(b"t")?;
    let mut descriptor = TableDescriptor::new(name.clone());
    descriptor.add_family(FamilyDescriptor::new("f")?)?;
    engine.create_table(descriptor, Vec::new())?;
    Ok(engine.table(&name))
}

fn row(n: usize) -> String {
    format!("row{n:09}")
}

fn fill(table: &Table, rows: usize) -> Outcome<()> {
    let put = |n: usize| Put {
        row: row(n).into(),
        cells: (0..CELLS)
            .map(|c| PutCell {
                family: "f".into(),
                qualifier: format!("q{c}").into(),
                timestamp: hjall_engine::LATEST,
                value: ((n * CELLS + c) as u64).to_be_bytes().to_vec().into(),
            })
            .collect(),
        ttl_ms: None,
        durability: Durability::SkipWal,
    };
    for begin in (0..rows).step_by(STEP) {
        let step: Vec<_> = (begin..rows.min(begin + STEP)).map(put).collect();
        table.put_many(&step).into_iter().collect::<hjall_engine::Result<()>>()?;
    }
    Ok(())
}

/// Seconds of one get of a whole row, rows in an order without a pattern.
fn gets(table: &Table, rows: usize, seconds: u64) -> Outcome<f64> {
    let (begin, mut done, mut n) = (Instant::now(), 0_usize, 1_usize);
    while done == 0 || begin.elapsed().as_secs() < seconds {
        for _ in 0..1_000 {
            n = n.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let found = table.get(&Get::new(row((n >> 33) % rows)))?;
            assert_eq!(found.cells.len(), CELLS);
        }
        done += 1_000;
    }
    Ok(begin.elapsed().as_secs_f64() / done as f64)
}

/// Seconds of one cell of a scan over everything.
fn scans(table: &Table, rows: usize, seconds: u64) -> Outcome<f64> {
    let (begin, mut cells) = (Instant::now(), 0);
    while cells == 0 || begin.elapsed().as_secs() < seconds {
        let mut scanner = table.scan(Scan::default())?;
        let before = cells;
        loop {
            let found = scanner.next(FETCH)?;
            cells += found.iter().map(|row| row.cells.len()).sum::<usize>();
            if found.len() < FETCH {
                break;
            }
        }
        assert_eq!(cells - before, rows * CELLS);
    }
    Ok(begin.elapsed().as_secs_f64() / cells as f64)
}
