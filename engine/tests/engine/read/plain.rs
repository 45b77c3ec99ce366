//! The fast path for whole rows, compared with the same rows read cell by cell through a filter that accepts
//! everything. Catches interned qualifiers that are mixed up between rows, and markers, TTLs and timestamps that the
//! fast path ignores.

use std::sync::Arc;

use crate::fixture::{Database, NOW};
use hjall_engine::filter::FilterSpec;
use hjall_engine::mutation::{Delete, Durability, Marker, MarkerKind, Put, PutCell};
use hjall_engine::request::{Columns, Get, Scan, TimeRange};
use hjall_engine::{Row, Table};
use proptest::prelude::*;

/// A write of a row.
#[derive(Debug, Clone)]
enum Step {
    Put { row: u8, column: u8, time: i64, ttl_ms: Option<i64> },
    Delete { row: u8, column: u8, time: i64, kind: MarkerKind },
}

fn step() -> impl Strategy<Value = Step> {
    let place = || (0..6_u8, 0..100_u8, NOW - 3..NOW + 3);
    let kinds = vec![MarkerKind::Version, MarkerKind::Column, MarkerKind::Family, MarkerKind::FamilyVersion];
    prop_oneof![
        12 => (place(), proptest::option::weighted(0.1, 1..4_i64))
            .prop_map(|((row, column, time), ttl_ms)| Step::Put { row, column, time, ttl_ms }),
        1 => (place(), proptest::sample::select(kinds))
            .prop_map(|((row, column, time), kind)| Step::Delete { row, column, time, kind }),
    ]
}

fn row(n: u8) -> String {
    // Shorter and longer than one group of a key.
    if n.is_multiple_of(2) { format!("r{n}") } else { format!("a longer row {n}") }
}

fn family(column: u8) -> &'static str {
    if column < 90 { "f" } else { "g" }
}

/// Qualifiers of all lengths around the size of a group, including the empty one, and more of them than are interned.
fn qualifier(column: u8) -> String {
    "qualifier 0123456789"[..usize::from(column % 20)].to_owned()
        + &if column < 20 { String::new() } else { column.to_string() }
}

fn apply(table: &Table, step: &Step) {
    match *step {
        Step::Put { row: n, column, time, ttl_ms } => {
            let (family, qualifier) = (family(column).into(), qualifier(column).into());
            let value = format!("{n} {column} {time}").into();
            let cells = vec![PutCell { family, qualifier, timestamp: time, value }];
            table.put(&Put { row: row(n).into(), cells, ttl_ms, durability: Durability::SkipWal }).unwrap();
        }
        Step::Delete { row: n, column, time, kind } => {
            let (family, qualifier) = (family(column).into(), qualifier(column).into());
            let markers = vec![Marker { family, qualifier, kind, timestamp: time }];
            table.delete(&Delete { markers, ..Delete::row(row(n)) }).unwrap();
        }
    }
}

fn everything(table: &Table, scan: Scan) -> Vec<Row> {
    table.scan(scan).unwrap().next(usize::MAX).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]
    #[test]
    fn the_fast_path_returns_the_same_rows_as_reading_cell_by_cell(
        steps in proptest::collection::vec(step(), 1..250),
        named in proptest::collection::vec(0..100_u8, 0..8),
        versions in 1..3_i32,
        reversed: bool,
        times in proptest::option::of((NOW - 3..NOW + 2, 1..5_i64)),
    ) {
        let all: Arc<FilterSpec> = Arc::new(FilterSpec::parse(b"ValueFilter(>=, 'binary:')").unwrap());
        for database in Database::all() {
            let table = database.table("t", &["f VERSIONS=2", "g VERSIONS=2 KEEP_DELETED_CELLS=TRUE"]);
            steps.iter().for_each(|step| apply(&table, step));
            database.engine.flush(table.name()).unwrap();
            steps.iter().rev().take(20).for_each(|step| apply(&table, step));
            let mut columns = Columns::all();
            for column in &named {
                columns.add_column(family(*column), qualifier(*column));
            }
            let time_range = times.map_or(TimeRange::ALL, |(min, length)| TimeRange::new(min, min + length).unwrap());
            let scan = Scan { columns, time_range, max_versions: versions, reversed, ..Scan::default() };
            let slowly = everything(&table, Scan { filter: Some(all.clone()), ..scan.clone() });
            prop_assert_eq!(&everything(&table, scan.clone()), &slowly, "{}", database.kind);
            for found in &slowly {
                let get = Get {
                    columns: scan.columns.clone(),
                    time_range,
                    max_versions: versions,
                    ..Get::new(found.key.clone())
                };
                // Repeated, so that the row cache takes part.
                for _ in 0..3 {
                    prop_assert_eq!(&table.get(&get).unwrap().cells, &found.cells, "{}", database.kind);
                }
            }
        }
    }
}
