//! Scans that are divided: the parts return the rows of the undivided scan, in order, from one snapshot.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use bytes::Bytes;
use hjall_engine::filter::FilterSpec;
use hjall_engine::mutation::{Delete, Durability, Marker, MarkerKind, Put, PutCell};
use hjall_engine::read::{ReusedRow, Stride};
use hjall_engine::request::{Scan, TimeRange};
use hjall_engine::{Cell, CellKind, ErrorKind, Result, Row, Scanner, Table};
use proptest::collection::vec;
use proptest::prelude::*;

use crate::fixture::{Database, NOW, descriptor, family, kind, name, put};
use crate::world::columns;

/// All rows that are left.
fn rest(scanner: &mut Scanner) -> Result<Vec<Row>> {
    scanner.next(usize::MAX)
}

/// All rows of consecutive scans.
fn all(parts: &mut [Scanner]) -> Vec<Row> {
    parts.iter_mut().flat_map(|part| rest(part).unwrap()).collect()
}

fn stride(from: &[u8], to: &[u8]) -> Stride {
    Stride::between(from, to).unwrap()
}

/// A table with the rows `000` … `999`.
fn numbers(database: &Database, families: &[&str]) -> Table {
    let table = database.table("t", families);
    for n in 0..1000 {
        table.put(&put(&format!("{n:03}"), &[("f:a", NOW, "v")])).unwrap();
    }
    table
}

fn keys(rows: &[Row]) -> Vec<&[u8]> {
    rows.iter().map(|row| &row.key[..]).collect()
}

/// A row key of one of several kinds.
fn key() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        (0..400_u32).prop_map(|n| format!("row{n:05}").into_bytes()),
        (0..400_u32).prop_map(|n| format!("row{n:x}").into_bytes()),
        (0..3_u8, 0..200_u32).prop_map(|(user, n)| format!("user{user}|2024-{n:04}").into_bytes()),
        any::<[u8; 3]>().prop_map(|bytes| bytes.to_vec()),
        vec(prop_oneof![Just(0_u8), Just(255), Just(b'r'), any::<u8>()], 1..24),
        (vec(Just(b'p'), 20..40), any::<u16>()).prop_map(|(prefix, n)| [&prefix[..], &n.to_be_bytes()].concat()),
    ]
}

#[derive(Debug, Clone)]
enum Step {
    Put { row: usize, column: u8, time: i64, ttl_ms: Option<i64> },
    Delete { row: usize, column: u8, time: i64, kind: MarkerKind },
    Flush,
}

fn step() -> impl Strategy<Value = Step> {
    let place = || (any::<prop::sample::Index>(), 0..6_u8, NOW - 3..NOW + 3);
    let row = |index: prop::sample::Index| index.index(1 << 16);
    let kinds = vec![MarkerKind::Version, MarkerKind::Column, MarkerKind::Family, MarkerKind::FamilyVersion];
    prop_oneof![
        24 => (place(), proptest::option::weighted(0.1, 1..4_i64))
            .prop_map(move |((index, column, time), ttl_ms)| Step::Put { row: row(index), column, time, ttl_ms }),
        4 => (place(), prop::sample::select(kinds))
            .prop_map(move |((index, column, time), kind)| Step::Delete { row: row(index), column, time, kind }),
        1 => Just(Step::Flush),
    ]
}

fn apply(database: &Database, table: &Table, keys: &[Vec<u8>], step: &Step) {
    let row = |n: usize| Bytes::from(keys[n % keys.len()].clone());
    let of = |column: u8| (Bytes::from(["f", "g", "h"][usize::from(column % 3)]), Bytes::from(vec![b'a' + column]));
    match *step {
        Step::Put { row: n, column, time, ttl_ms } => {
            let (family, qualifier) = of(column);
            let cells = vec![PutCell { family, qualifier, timestamp: time, value: time.to_string().into() }];
            table.put(&Put { row: row(n), cells, ttl_ms, durability: Durability::SkipWal }).unwrap();
        }
        Step::Delete { row: n, column, time, kind } => {
            let (family, qualifier) = of(column);
            let markers = vec![Marker { family, qualifier, kind, timestamp: time }];
            table.delete(&Delete { markers, ..Delete::row(row(n)) }).unwrap();
        }
        Step::Flush => database.engine.flush(table.name()).unwrap(),
    }
}

/// Divides a scan, and some of the parts again.
fn divide(scanner: &mut Scanner, stride: &Stride, times: &[f64], most: usize) -> Vec<Scanner> {
    let [first, others @ ..] = times else { return Vec::new() };
    let mut parts = scanner.divide(stride, *first, most).unwrap();
    assert!(parts.len() != 1 && parts.len() <= most);
    let Some(mut last) = parts.pop() else { return Vec::new() };
    let again = divide(&mut last, stride, others, most);
    if again.is_empty() {
        parts.push(last)
    } else {
        parts.extend(again)
    }
    parts
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]
    #[test]
    fn the_parts_return_the_rows_of_the_undivided_scan(
        (keys, steps) in (vec(key(), 1..120), vec(step(), 1..300)),
        splits in vec(key(), 0..4),
        bounds in (prop::option::weighted(0.3, key()), prop::option::weighted(0.3, key())),
        named in vec(0..6_u8, 0..3),
        (versions, caching) in (1..3_i32, prop_oneof![Just(0), 1..5_i32]),
        times in vec(0.1..40.0, 1..4),
        most in 2..20_usize,
        (read, one_by_one) in (0..4_usize, any::<bool>()),
        range in prop::option::weighted(0.3, NOW - 3..NOW + 2),
    ) {
        for database in [Database::memory(), Database::folder()] {
            let splits: BTreeSet<Bytes> = splits.iter().map(|key| key.clone().into()).collect();
            let families = ["f VERSIONS=2", "g TTL=1", "h VERSIONS=2 KEEP_DELETED_CELLS=TRUE"];
            database.engine.create_table(descriptor("t", &families), splits.into_iter().collect()).unwrap();
            let table = database.engine.table(&name("t"));
            steps.iter().for_each(|step| apply(&database, &table, &keys, step));
            let of = |n: &u8| format!("{}:{}", ["f", "g", "h"][usize::from(n % 3)], char::from(b'a' + n));
            let names: Vec<_> = named.iter().map(of).collect();
            let mut scan = Scan {
                start: bounds.0.clone().unwrap_or_default().into(),
                stop: bounds.1.clone().unwrap_or_default().into(),
                columns: columns(&names.iter().map(String::as_str).collect::<Vec<_>>()),
                max_versions: versions,
                caching,
                ..Scan::default()
            };
            if let Some(min) = range {
                scan.family_time_ranges.insert("f".into(), TimeRange::new(min, min + 2).unwrap());
            }
            let expected = rest(&mut table.scan(scan.clone()).unwrap()).unwrap();
            let mut scanner = table.scan(scan).unwrap();
            let mut found = scanner.next(read).unwrap();
            let ordered: BTreeSet<_> = keys.iter().collect();
            let (from, to) = (ordered.first().unwrap(), ordered.last().unwrap());
            let times: Vec<_> = times.iter().map(|times| times / 40.0).collect();
            let parts = Stride::between(from, to).map(|stride| divide(&mut scanner, &stride, &times, most));
            let mut parts = parts.unwrap_or_default();
            // TTLs are those of the snapshot, even if a part is read later.
            database.clock.advance(if caching == 0 { 2000 } else { 0 });
            if parts.is_empty() {
                parts.push(scanner);
            } else {
                prop_assert!(rest(&mut scanner).unwrap().is_empty());
            }
            if one_by_one {
                let mut row = ReusedRow::default();
                for part in &mut parts {
                    part.each_row(&mut row, &mut |row| {
                        let cells = row.cells().iter().map(|cell| {
                            let (family, qualifier) = row.columns()[cell.column].clone();
                            let (timestamp, value) = (cell.timestamp, cell.value.clone());
                            let key = Bytes::copy_from_slice(row.key());
                            Cell { row: key, family, qualifier, timestamp, kind: CellKind::Put, value }
                        });
                        let key = Bytes::copy_from_slice(row.key());
                        found.push(Row { key, cells: cells.collect(), partial: false });
                        true
                    }).unwrap();
                }
            } else {
                // Out of order, as several threads would.
                let mut later: Vec<_> = parts.iter_mut().rev().map(|part| rest(part).unwrap()).collect();
                later.reverse();
                found.extend(later.into_iter().flatten());
            }
            prop_assert_eq!(&found, &expected, "{}", database.kind);
        }
    }
}

/// The key of the n-th row.
type KeyOf = fn(u32) -> Vec<u8>;

#[test]
fn keys_of_usual_forms_are_divided_evenly() {
    let forms: [(&str, KeyOf); 6] = [
        ("decimal", |n| format!("row{n:09}").into_bytes()),
        ("hexadecimal", |n| format!("{:08x}", n.wrapping_mul(0x9E37_79B1)).into_bytes()),
        ("upper case", |n| format!("{:08X}-x", n.wrapping_mul(0x9E37_79B1)).into_bytes()),
        ("binary", |n| n.to_be_bytes().to_vec()),
        ("hashed", |n| n.wrapping_mul(0x9E37_79B1).to_be_bytes().to_vec()),
        ("two users", |n| format!("user{}|{:06}", n % 2 + 1, n / 2).into_bytes()),
    ];
    for (form, key) in forms {
        let database = Database::memory();
        let table = database.table("t", &["f"]);
        for n in 0..4000 {
            let cells = vec![PutCell { family: "f".into(), qualifier: "a".into(), timestamp: NOW, value: "v".into() }];
            let row = key(n).into();
            table.put(&Put { row, cells, ttl_ms: None, durability: Durability::SkipWal }).unwrap();
        }
        let mut scanner = table.scan(Scan::default()).unwrap();
        let read = scanner.next(200).unwrap();
        let stride = stride(&read[0].key, &read[199].key);
        let mut parts = scanner.divide(&stride, 1.0, 100).unwrap();
        let sizes: Vec<_> = parts.iter_mut().map(|part| rest(part).unwrap().len()).collect();
        assert_eq!(sizes.iter().sum::<usize>(), 3800, "{form}");
        assert!((14..30).contains(&sizes.len()), "{form}: {sizes:?}");
        assert!(sizes.iter().all(|size| *size <= 400), "{form}: {sizes:?}");
    }
}

#[test]
fn the_last_part_is_the_rest() {
    let database = Database::memory();
    let table = numbers(&database, &["f"]);
    let mut scanner = table.scan(Scan { stop: "900".into(), ..Scan::default() }).unwrap();
    let mut parts = scanner.divide(&stride(b"000", b"100"), 1.0, 4).unwrap();
    let sizes: Vec<_> = parts.iter_mut().map(|part| rest(part).unwrap().len()).collect();
    assert_eq!(sizes, [100, 100, 100, 600]);
}

#[test]
fn a_scan_that_cannot_be_divided_is_not_changed() {
    let database = Database::memory();
    let table = numbers(&database, &["f"]);
    let filter = Some(Arc::new(FilterSpec::parse(b"KeyOnlyFilter()").unwrap()));
    let scans = [
        Scan { filter, ..Scan::default() },
        Scan { limit: 50, ..Scan::default() },
        Scan { limit: 0, ..Scan::default() },
        Scan { batch: 1, ..Scan::default() },
        Scan { reversed: true, ..Scan::default() },
        Scan { raw: true, ..Scan::default() },
        Scan { start: "500".into(), stop: "500".into(), ..Scan::default() },
        Scan { start: "500".into(), stop: "501".into(), ..Scan::default() },
        Scan { start: "x".into(), ..Scan::default() },
    ];
    for scan in scans {
        let expected = rest(&mut table.scan(scan.clone()).unwrap()).unwrap();
        let mut scanner = table.scan(scan.clone()).unwrap();
        let mut found = Vec::new();
        for n in 0..3 {
            assert!(scanner.divide(&stride(b"000", b"001"), 1.0, 9).unwrap().is_empty(), "{scan:?}");
            found.extend(scanner.next(n).unwrap());
        }
        found.extend(rest(&mut scanner).unwrap());
        assert_eq!(found, expected, "{scan:?}");
        assert!(scanner.divide(&stride(b"000", b"001"), 1.0, 9).unwrap().is_empty());
    }
    let mut scanner = table.scan(Scan::default()).unwrap();
    assert!(scanner.divide(&stride(b"000", b"999"), 2.0, 9).unwrap().is_empty());
    assert_eq!(rest(&mut scanner).unwrap().len(), 1000);
}

#[test]
fn concurrent_writers_do_not_change_what_the_parts_return() {
    let database = Database::folder();
    let table = numbers(&database, &["f"]);
    let mut scanner = table.scan(Scan::default()).unwrap();
    let first = scanner.next(1).unwrap();
    let ended = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            for n in (0..1000).cycle().take_while(|_| !ended.load(Ordering::Relaxed)) {
                table.put(&put(&format!("{n:03}"), &[("f:a", NOW + 1, "later"), ("f:b", NOW, "x")])).unwrap();
                table.put(&put(&format!("{n:03}x"), &[("f:a", NOW + 1, "later")])).unwrap();
                if n % 300 == 0 {
                    database.engine.flush(table.name()).unwrap();
                }
            }
        });
        let parts = scanner.divide(&stride(b"000", b"100"), 0.3, 99).unwrap();
        assert!(parts.len() > 20);
        let threads: Vec<_> = parts.into_iter().map(|mut part| scope.spawn(move || rest(&mut part).unwrap())).collect();
        let mut rows = first;
        rows.extend(threads.into_iter().flat_map(|thread| thread.join().unwrap()));
        ended.store(true, Ordering::Relaxed);
        assert_eq!(rows.len(), 1000);
        assert!(rows.iter().all(|row| row.cells.len() == 1 && row.cells[0].value == "v"));
        assert!(rows.is_sorted_by(|a, b| a.key < b.key));
    });
}

#[test]
fn each_part_checks_the_table_and_reads_its_current_state_after_a_change() {
    for database in [Database::memory(), Database::folder()] {
        let table = numbers(&database, &["f"]);
        let mut scanner = table.scan(Scan { caching: 10, ..Scan::default() }).unwrap();
        assert_eq!(scanner.next(15).unwrap().len(), 15);
        let mut parts = scanner.divide(&stride(b"000", b"100"), 2.0, 99).unwrap();
        assert_eq!(parts.len(), 5);
        assert_eq!(keys(&parts[0].next(1).unwrap()), [b"015"]);
        database.engine.disable_table(table.name()).unwrap();
        assert_eq!(keys(&parts[0].next(1).unwrap()), [b"016"], "it is within a fetch");
        assert_eq!(kind(parts[1].next(1)), ErrorKind::TableDisabled);
        database.engine.truncate_table(table.name(), true).unwrap();
        table.put(&put("020", &[("f:a", NOW, "new")])).unwrap();
        table.put(&put("2345", &[("f:a", NOW, "new")])).unwrap();
        // The cursors of a dropped space continue, or fail and the scan with them continues in the new table.
        let first = rest(&mut parts[0]).unwrap();
        assert!(first.len() < 20 && first.is_sorted_by(|a, b| a.key < b.key), "{}", first.len());
        let others: Vec<_> = parts[1..].iter_mut().flat_map(|part| rest(part).unwrap()).collect();
        assert_eq!(keys(&others), [b"2345"]);
        let mut scanner = table.scan(Scan::default()).unwrap();
        let mut parts = scanner.divide(&stride(b"000", b"001"), 5.0, 99).unwrap();
        assert_eq!(parts.len(), 2);
        assert_eq!(keys(&parts[1].next(1).unwrap()), [b"2345"]);
        database.engine.disable_table(table.name()).unwrap();
        database.engine.delete_table(table.name()).unwrap();
        assert_eq!(kind(rest(&mut parts[0])), ErrorKind::TableNotFound);
    }
}

#[test]
fn parts_of_an_altered_table_follow_its_new_rules() {
    let database = Database::memory();
    let table = numbers(&database, &["f VERSIONS=3", "g"]);
    table.put(&put("700", &[("f:a", NOW - 1, "older"), ("g:a", NOW, "g")])).unwrap();
    let mut scanner = table.scan(Scan { max_versions: 9, ..Scan::default() }).unwrap();
    let mut parts = scanner.divide(&stride(b"000", b"100"), 4.0, 99).unwrap();
    let before = rest(&mut parts[0]).unwrap();
    database.engine.modify_family(table.name(), family("f VERSIONS=1")).unwrap();
    let rows: Vec<_> = before.into_iter().chain(all(&mut parts[1..])).collect();
    assert_eq!(rows.len(), 1000);
    assert_eq!(rows[700].cells.len(), 2);
}

#[test]
fn the_flag_of_a_scan_stops_its_parts() {
    let database = Database::memory();
    let table = numbers(&database, &["f"]);
    let mut scanner = table.scan(Scan::default()).unwrap();
    let watched = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&watched);
    scanner.watch(Arc::new(move || flag.load(Ordering::Relaxed)));
    let stop = scanner.stopper();
    let mut parts = scanner.divide(&stride(b"000", b"100"), 2.0, 9).unwrap();
    watched.store(true, Ordering::Relaxed);
    assert_eq!(parts[0].next(5).unwrap().len(), 5, "the callback is not called");
    let mut again = parts[1].divide(&stride(b"000", b"100"), 0.5, 9).unwrap();
    assert_eq!(again[0].next(5).unwrap().len(), 5);
    table.put(&put("500", &[("f:a", NOW + 1, "later")])).unwrap();
    let flag = Arc::clone(&watched);
    parts[2].watch(Arc::new(move || flag.load(Ordering::Relaxed)));
    assert_eq!(kind(parts[2].next(1)), ErrorKind::Cancelled);
    watched.store(false, Ordering::Relaxed);
    let row = parts[2].next(101).unwrap().pop().unwrap();
    assert_eq!((&row.key[..], &row.cells[0].value[..]), (&b"500"[..], &b"v"[..]), "the snapshot is that of the scan");
    parts[3].stopper().stop();
    assert_eq!(kind(parts[3].next(1)), ErrorKind::Cancelled);
    stop.stop();
    // It has been divided, so it has ended.
    assert!(parts.remove(1).next(1).unwrap().is_empty());
    for part in parts.iter_mut().chain(&mut again) {
        assert_eq!(kind(part.next(1)), ErrorKind::Cancelled);
        assert_eq!(kind(part.divide(&stride(b"000", b"100"), 0.1, 9)), ErrorKind::Cancelled);
    }
}

#[test]
fn a_closed_database_ends_the_parts_and_their_division() {
    let database = Database::folder();
    let table = numbers(&database, &["f"]);
    let mut scanner = table.scan(Scan::default()).unwrap();
    let mut parts = scanner.divide(&stride(b"000", b"100"), 2.0, 9).unwrap();
    database.engine.close().unwrap();
    assert_eq!(kind(parts[0].next(1)), ErrorKind::Closed);
    assert_eq!(kind(parts[1].divide(&stride(b"000", b"100"), 0.1, 9)), ErrorKind::Closed);
}
