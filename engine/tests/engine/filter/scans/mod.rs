//! Random filters over random tables: the engine, which seeks by hints and begins and ends where a filter says it can, returns what a plain
//! evaluator returns, which looks at every cell. Catches a hint followed too far or into the wrong family, a filter kept over a region's end,
//! rows passed over that would have ended a scan.

mod filters;
mod plain;
mod tables;

use bytes::Bytes;
use hjall_engine::ErrorKind;
use hjall_engine::mutation::{Durability, Put, PutCell};
use hjall_engine::request::{Columns, Scan};
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

fn start() -> impl Strategy<Value = Bytes> {
    proptest::sample::select(vec!["", "", "", "a1", "b", "bz"]).prop_map(|text| Bytes::from_static(text.as_bytes()))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, ..ProptestConfig::default() })]

    #[test]
    fn the_engine_answers_like_one_who_looks_at_every_cell(
        table in tables::any_table(),
        filter in filters::any_filter(),
        reversed in any::<bool>(),
        start in start(),
        max_versions in 1..4usize,
        columns in tables::any_columns(),
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
        let found = stored.scan(scan).unwrap().next(usize::MAX);
        if reversed && !needs_every_family(&table, &question) {
            prop_assert_eq!(found.unwrap_err().kind(), ErrorKind::Refused);
            return Ok(());
        }
        match (found, table.scan(&question)) {
            (Ok(found), Ok(expected)) => {
                let found: Vec<_> = found.into_iter().map(|row| (row.key, row.cells)).collect();
                prop_assert_eq!(found, expected);
            }
            // Where the filter itself fails depends on which rows it is shown.
            (found, expected) => {
                prop_assert!(found.is_err() || expected.is_err());
            }
        }
    }
}
