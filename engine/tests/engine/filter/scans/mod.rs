//! Random filters over random tables. The engine follows hints and starts and ends where a filter allows it. It must
//! return the same rows as a plain evaluator, which examines every cell. Catches a hint that is followed too far or
//! into the wrong family, a filter that is kept beyond the end of a region, and skipped rows that would have ended a
//! scan.

mod filters;
mod plain;
mod tables;

use std::cell::Cell;

use bytes::Bytes;
use hjall_engine::mutation::{Durability, Put, PutCell};
use hjall_engine::read::{Budget, Fetched, Stop};
use hjall_engine::request::{Columns, Scan};
use hjall_engine::{ErrorKind, Result, Row, Scanner};
use proptest::prelude::*;

use plain::{Plain, Question};

fn stored(table: &Plain) -> (crate::fixture::Database, hjall_engine::Table) {
    let database = crate::fixture::Database::memory();
    let families: Vec<String> = table
        .families
        .iter()
        .map(|(name, versions)| format!("{} VERSIONS={versions}", String::from_utf8_lossy(name)))
        .collect();
    let families: Vec<&str> = families.iter().map(|text| text.as_str()).collect();
    let splits = table.regions[1..].to_vec();
    database.engine.create_table(crate::fixture::descriptor("t", &families), splits).unwrap();
    let stored = database.engine.table(&crate::fixture::name("t"));
    for cell in &table.cells {
        let cells = vec![PutCell {
            family: cell.family.clone(),
            qualifier: cell.qualifier.clone(),
            timestamp: cell.timestamp,
            value: cell.value.clone(),
        }];
        let put = Put { row: cell.row.clone(), cells, ttl_ms: None, durability: Durability::UseDefault };
        stored.put(&put).unwrap();
    }
    (database, stored)
}

fn needs_every_family(table: &Plain, question: &Question) -> bool {
    let filter = question.filter.start(question.reversed).unwrap();
    let mut read = table.families.iter().filter(|(family, _)| question.reads(family));
    read.all(|(family, _)| filter.is_family_essential(family))
}

/// Pauses a scan after some of the rows that it passes over.
struct Pauses {
    random: Cell<u64>,
}

impl Pauses {
    /// One of `n` numbers, from a linear congruential generator.
    fn draw(&self, n: u64) -> u64 {
        let next = self.random.get().wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        self.random.set(next);
        (next >> 33) % n
    }
}

impl Budget for Pauses {
    fn take(&self, _: usize, _: usize) -> Result<()> {
        Ok(())
    }

    fn release(&self, _: usize, _: usize) {}

    fn check(&self) -> Result<()> {
        Ok(())
    }

    fn stop(&self) -> Stop {
        Stop::default()
    }

    fn must_pause(&self, _: u32) -> bool {
        self.draw(3) == 0
    }
}

/// The results of a scan that is read a few rows at a time, pauses, and, if `releases`, continues on new snapshots.
fn interrupted(mut scanner: Scanner, releases: bool, random: u64) -> Vec<Row> {
    let pauses = Pauses { random: Cell::new(random) };
    let mut all = Vec::new();
    loop {
        if releases && pauses.draw(2) == 0 {
            scanner.release_snapshot();
        }
        let n = 1 + pauses.draw(3) as usize;
        match scanner.fetch_for(n, usize::MAX, &pauses).unwrap() {
            Fetched::Rows(rows) if rows.is_empty() => return all,
            Fetched::Rows(rows) => all.extend(rows),
            Fetched::Paused => {}
        }
    }
}

fn start() -> impl Strategy<Value = Bytes> {
    proptest::sample::select(vec!["", "", "", "a1", "b", "bz"]).prop_map(|text| Bytes::from_static(text.as_bytes()))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, ..ProptestConfig::default() })]

    #[test]
    fn the_engine_returns_the_same_rows_as_the_plain_evaluator(
        table in tables::any_table(),
        filter in filters::any_filter(),
        reversed in any::<bool>(),
        start in start(),
        max_versions in 1..4usize,
        columns in tables::any_columns(),
        interruptions in any::<u64>(),
    ) {
        let question = Question { filter, reversed, start, max_versions, columns };
        let (_database, stored) = stored(&table);
        let mut columns = Columns::all();
        for (family, qualifier) in &question.columns {
            columns.add_column(family.clone(), qualifier.clone());
        }
        let scan = Scan {
            columns,
            start: question.start.clone(),
            reversed,
            max_versions: max_versions as i32,
            filter: Some(std::sync::Arc::new(question.filter.clone())),
            ..Scan::default()
        };
        let found = stored.scan(scan.clone()).unwrap().next(usize::MAX);
        if reversed && !needs_every_family(&table, &question) {
            prop_assert_eq!(found.unwrap_err().kind(), ErrorKind::Refused);
            return Ok(());
        }
        match (found, table.scan(&question)) {
            (Ok(found), Ok(expected)) => {
                let found: Vec<_> = found.into_iter().map(|row| (row.key, row.cells)).collect();
                prop_assert_eq!(&found, &expected);
                // With a new snapshot a filter may see cells again that a hint has skipped.
                let releases = question.filter.start(reversed).unwrap().is_memoryless();
                let interrupted = interrupted(stored.scan(scan).unwrap(), releases, interruptions);
                let interrupted: Vec<_> = interrupted.into_iter().map(|row| (row.key, row.cells)).collect();
                prop_assert_eq!(interrupted, expected, "pauses and new snapshots change nothing");
            }
            // A filter may fail in one of them only, since they do not pass it the same rows.
            (found, expected) => {
                prop_assert!(found.is_err() || expected.is_err());
            }
        }
    }
}
