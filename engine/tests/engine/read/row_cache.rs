//! The row cache: a read that begins after a write has been acknowledged sees that write.
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::thread;

use hjall_engine::clock::ManualClock;
use hjall_engine::filter::FilterSpec;
use hjall_engine::mutation::{Delete, Increment, Marker, MarkerKind, Mutation, Put, PutCell};
use hjall_engine::name::TableName;
use hjall_engine::request::{Columns, Get, TimeRange};
use hjall_engine::schema::{FamilyDescriptor, TableDescriptor};
use hjall_engine::{Engine, LATEST, Options, Row, Table};

fn engine() -> Engine {
    Engine::memory(Options::default()).unwrap()
}

fn table(engine: &Engine, families: &[&'static str]) -> Table {
    let name = TableName::parse(b"t").unwrap();
    let mut descriptor = TableDescriptor::new(name.clone());
    for family in families {
        descriptor.add_family(FamilyDescriptor::new(*family).unwrap()).unwrap();
    }
    engine.create_table(descriptor, vec![]).unwrap();
    engine.table(&name)
}

fn put(row: &'static str, family: &'static str, value: String) -> Put {
    let cell = PutCell { family: family.into(), qualifier: "q".into(), timestamp: LATEST, value: value.into() };
    Put { row: row.into(), cells: vec![cell], ..Put::default() }
}

fn number(row: &Row) -> i64 {
    row.cells.first().map_or(0, |cell| i64::from_be_bytes(cell.value[..].try_into().unwrap()))
}

#[test]
fn every_kind_of_write_is_seen_by_the_next_read() {
    let engine = engine();
    let table = table(&engine, &["f", "g"]);
    let shown = || {
        // Three times: a miss, an insertion and a hit.
        let rows: Vec<_> = (0..3).map(|_| table.get(&Get::new("r")).unwrap()).collect();
        assert!(rows.windows(2).all(|pair| pair[0] == pair[1]));
        rows[0].cells.iter().map(|c| String::from_utf8_lossy(&c.value).into_owned()).collect::<Vec<_>>()
    };
    assert!(shown().is_empty());
    table.put(&put("r", "f", "1".into())).unwrap();
    assert_eq!(shown(), ["1"]);
    table.put_many(&[put("s", "f", "x".into()), put("r", "g", "2".into())]);
    assert_eq!(shown(), ["1", "2"]);
    table.mutate_row(b"r", &[Mutation::Put(put("r", "f", "3".into()))]).unwrap();
    assert_eq!(shown(), ["3", "2"]);
    table.delete(&Delete::row("r")).unwrap();
    assert!(shown().is_empty());
    let increment = Increment { row: "r".into(), columns: vec![("f".into(), "n".into(), 1)], ..Increment::default() };
    for n in 1..5 {
        table.increment(&increment).unwrap();
        shown();
        assert_eq!(number(&table.get(&Get::new("r")).unwrap()), n);
    }
}

#[test]
fn a_recreated_or_altered_table_shows_no_old_rows() {
    let engine = engine();
    let table = table(&engine, &["f", "g"]);
    table.put(&put("r", "f", "1".into())).unwrap();
    table.put(&put("r", "g", "2".into())).unwrap();
    let cells = || {
        // A miss, an insertion and a hit.
        let counts: Vec<_> = (0..3).map(|_| table.get(&Get::new("r")).unwrap().cells.len()).collect();
        assert!(counts.windows(2).all(|pair| pair[0] == pair[1]));
        counts[0]
    };
    assert_eq!(cells(), 2);
    engine.delete_family(table.name(), b"g").unwrap();
    assert_eq!(cells(), 1);
    engine.add_family(table.name(), FamilyDescriptor::new("g").unwrap()).unwrap();
    assert_eq!(cells(), 1);
    engine.disable_table(table.name()).unwrap();
    assert!(table.get(&Get::new("r")).is_err());
    engine.truncate_table(table.name(), false).unwrap();
    assert_eq!(cells(), 0);
}

#[test]
fn cells_that_a_compaction_dropped_do_not_reappear() {
    let engine = engine();
    let table = table(&engine, &["f"]);
    for timestamp in [1, 2, 3] {
        let mut put = put("r", "f", timestamp.to_string());
        put.cells[0].timestamp = timestamp;
        table.put(&put).unwrap();
    }
    let versions = || table.get(&Get { max_versions: 3, ..Get::new("r") }).unwrap().cells.len();
    for _ in 0..3 {
        assert_eq!(versions(), 1);
    }
    engine.flush(table.name()).unwrap();
    engine.compact(table.name(), true).unwrap();
    let mut family = FamilyDescriptor::new("f").unwrap();
    family.set("VERSIONS", "3");
    engine.modify_family(table.name(), family).unwrap();
    // A row cached before the compaction would show all three.
    assert_eq!(versions(), 1);
}

#[test]
fn expired_cells_are_not_returned_from_the_cache() {
    let clock = Arc::new(ManualClock::at(1_000_000));
    let engine = Engine::memory(Options { clock: Some(clock.clone()), ..Options::default() }).unwrap();
    let table = table(&engine, &["f", "g"]);
    let mut mortal = put("own", "f", "1".into());
    mortal.ttl_ms = Some(5_000);
    table.put(&mortal).unwrap();
    table.put(&put("family", "g", "1".into())).unwrap();
    let mut family = FamilyDescriptor::new("g").unwrap();
    family.set("TTL", "5");
    engine.modify_family(table.name(), family).unwrap();
    let shown = |row: &'static str| {
        let counts: Vec<_> = (0..4).map(|_| table.get(&Get::new(row)).unwrap().cells.len()).collect();
        assert!(counts.windows(2).all(|pair| pair[0] == pair[1]), "{counts:?}");
        assert_eq!(table.exists(&Get::new(row)).unwrap(), counts[0] > 0);
        counts[0]
    };
    assert_eq!((shown("own"), shown("family")), (1, 1));
    clock.advance(6_000);
    assert_eq!((shown("own"), shown("family")), (0, 0));
}

/// A cell with a TTL of its own counts towards VERSIONS in a flush, so that the value below does not reappear.
#[test]
fn what_a_flush_drops_below_a_cell_that_expires_is_not_returned_from_the_cache() {
    let clock = Arc::new(ManualClock::at(1_000_000));
    let folder = tempfile::tempdir().unwrap();
    let options = || Options { clock: Some(clock.clone()), ..Options::default() };
    for engine in [Engine::memory(options()).unwrap(), Engine::open(folder.path(), options()).unwrap()] {
        let table = table(&engine, &["f"]);
        let counter =
            Increment { row: "r".into(), columns: vec![("f".into(), "q".into(), 100)], ..Increment::default() };
        table.increment(&counter).unwrap();
        let one = "\0\0\0\0\0\0\0\u{1}".to_owned();
        table.put(&Put { ttl_ms: Some(3_000), ..put("r", "f", one) }).unwrap();
        for _ in 0..3 {
            assert_eq!(number(&table.get(&Get::new("r")).unwrap()), 1);
        }
        engine.flush(table.name()).unwrap();
        clock.advance(5_000);
        let mut other = put("r", "f", "x".into());
        other.cells[0].qualifier = "x".into();
        table.put(&other).unwrap();
        for _ in 0..3 {
            let row = table.get(&Get::new("r")).unwrap();
            assert_eq!(row.cells.iter().map(|cell| &cell.qualifier[..]).collect::<Vec<_>>(), [b"x"]);
        }
        assert_eq!(number(&table.increment(&counter).unwrap()), 100);
    }
}

#[test]
fn every_kind_of_get_of_a_cached_row_returns_the_same_as_without_the_cache() {
    let with = engine();
    let without = Engine::memory(Options { cache_bytes: Some(0), ..Options::default() }).unwrap();
    let tables = [table(&with, &["f", "g"]), table(&without, &["f", "g"])];
    for table in &tables {
        for (timestamp, family) in [(1, "f"), (2, "f"), (3, "f"), (4, "g")] {
            let mut put = put("r", family, timestamp.to_string());
            put.cells[0].timestamp = timestamp;
            table.put(&put).unwrap();
        }
    }
    let whole = Get::new("r");
    let mut columns = Columns::all();
    columns.add_family("g");
    let filter = Some(Arc::new(FilterSpec::parse(b"KeyOnlyFilter()").unwrap()));
    let gets = [
        whole.clone(),
        Get { columns, ..whole.clone() },
        Get { max_versions: 5, ..whole.clone() },
        Get { raw: true, max_versions: 5, ..whole.clone() },
        Get { time_range: TimeRange::new(2, 3).unwrap(), ..whole.clone() },
        Get { store_limit: 1, ..whole.clone() },
        Get { store_offset: 1, ..whole.clone() },
        Get { filter, ..whole },
    ];
    // In the first round the row is a miss, in the second it is inserted, and in the third all gets hit it.
    for round in 0..3 {
        for get in &gets {
            let [with, without] = tables.each_ref().map(|table| table.get(get).unwrap());
            assert_eq!(with, without, "round {round}, {get:?}");
        }
    }
}

/// A get of one family.
fn of_family(row: &'static str, family: &'static str) -> Get {
    let mut columns = Columns::all();
    columns.add_family(family);
    Get { columns, ..Get::new(row) }
}

#[test]
fn a_large_family_does_not_prevent_caching_of_the_others() {
    let engine = engine();
    let table = table(&engine, &["f", "g"]);
    table.put(&put("r", "f", "x".repeat(100_000))).unwrap();
    table.put(&put("r", "g", "small".into())).unwrap();
    let lengths = |get: &Get| table.get(get).unwrap().cells.iter().map(|c| c.value.len()).collect::<Vec<_>>();
    for _ in 0..4 {
        assert_eq!(lengths(&Get::new("r")), [100_000, 5]);
        assert_eq!(lengths(&of_family("r", "f")), [100_000]);
        assert_eq!(lengths(&of_family("r", "g")), [5]);
    }
    let before = engine.statistics().unwrap();
    assert!(before.row_cache_rows == 1 && before.row_cache_bytes < 16 * 1024, "{before:?}");
    table.put(&put("r", "g", "longer".into())).unwrap();
    for _ in 0..4 {
        assert_eq!(lengths(&Get::new("r")), [100_000, 6]);
    }
}

#[test]
fn a_row_that_is_overwritten_often_stays_in_the_cache() {
    let folder = tempfile::tempdir().unwrap();
    for engine in [engine(), Engine::open(folder.path(), Options::default()).unwrap()] {
        let table = table(&engine, &["f", "g"]);
        for n in 0..1_000 {
            let cell = |qualifier: &'static str| {
                let value = format!("{n}{}", "x".repeat(100)).into();
                PutCell { family: "f".into(), qualifier: qualifier.into(), timestamp: n, value }
            };
            table.put(&Put { row: "r".into(), cells: vec![cell("q"), cell("z")], ..Put::default() }).unwrap();
        }
        table.put(&put("r", "g", "one".into())).unwrap();
        let before = engine.statistics().unwrap();
        for _ in 0..4 {
            let row = table.get(&Get::new("r")).unwrap();
            let values: Vec<_> = row.cells.iter().map(|cell| &cell.value[..3]).collect();
            assert_eq!(values, [b"999", b"999", b"one"]);
        }
        let after = engine.statistics().unwrap();
        assert_eq!(after.row_cache_hits - before.row_cache_hits, 3, "{after:?}");
        assert!(after.row_cache_bytes < 2 * 1024, "{after:?}");
        // A read of the past does not use the cache, and still sees the older versions.
        let raw = Get { raw: true, max_versions: 2_000, ..Get::new("r") };
        assert_eq!(table.get(&raw).unwrap().cells.len(), 2_001);
    }
}

/// A major compaction drops the marker. A value with an older timestamp that is put meanwhile is not part of it, and is
/// visible afterwards, so nothing that the marker hides may be cached.
#[test]
fn a_family_with_a_delete_marker_is_not_cached() {
    let folder = tempfile::tempdir().unwrap();
    for engine in [engine(), Engine::open(folder.path(), Options::default()).unwrap()] {
        let table = table(&engine, &["f"]);
        for (row, kind) in [
            ("a", MarkerKind::Family),
            ("b", MarkerKind::FamilyVersion),
            ("c", MarkerKind::Column),
            ("d", MarkerKind::Version),
        ] {
            let at = |timestamp: i64| {
                let mut put = put(row, "f", timestamp.to_string());
                put.cells[0].timestamp = timestamp;
                put
            };
            table.put(&at(1)).unwrap();
            let marker = Marker { family: "f".into(), qualifier: "q".into(), kind, timestamp: 10 };
            table.delete(&Delete { markers: vec![marker], ..Delete::row(row) }).unwrap();
            table.put(&at(5)).unwrap();
            for _ in 0..3 {
                table.get(&Get::new(row)).unwrap();
            }
            let found = engine.statistics().unwrap();
            assert_eq!((found.row_cache_rows, found.row_cache_hits), (0, 0), "{kind:?}: {found:?}");
        }
        engine.flush(table.name()).unwrap();
        engine.compact(table.name(), true).unwrap();
        table.put(&put("e", "f", "e".into())).unwrap();
        table.get(&Get::new("e")).unwrap();
        assert_eq!(engine.statistics().unwrap().row_cache_rows, 1);
    }
}

/// A major compaction drops a delete marker while a value that the marker hides is put and read. The value is not part
/// of the compaction, so it is visible afterwards.
#[test]
fn a_value_that_a_dropped_delete_marker_hid_is_seen_by_gets() {
    let folder = tempfile::tempdir().unwrap();
    let engine = Engine::open(folder.path(), Options::default()).unwrap();
    let table = table(&engine, &["f"]);
    let rows: Vec<String> = (0..1_000).map(|n| format!("row{n:04}")).collect();
    for row in &rows {
        let marker = Marker { family: "f".into(), qualifier: "q".into(), kind: MarkerKind::Column, timestamp: 10 };
        table.delete(&Delete { markers: vec![marker], ..Delete::row(row.clone()) }).unwrap();
    }
    engine.flush(table.name()).unwrap();
    let compacted = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            engine.compact(table.name(), true).unwrap();
            compacted.store(true, Ordering::SeqCst);
        });
        for row in rows.iter().cycle() {
            let cell = PutCell { family: "f".into(), qualifier: "q".into(), timestamp: 5, value: "x".into() };
            table.put(&Put { row: row.clone().into(), cells: vec![cell], ..Put::default() }).unwrap();
            for _ in 0..2 {
                table.get(&Get::new(row.clone())).unwrap();
            }
            if compacted.load(Ordering::SeqCst) {
                break;
            }
        }
    });
    for row in &rows {
        let get = Get::new(row.clone());
        let stored = table.get(&Get { max_versions: 2, time_range: TimeRange::new(0, 100).unwrap(), ..get.clone() });
        assert_eq!(table.get(&get).unwrap(), stored.unwrap(), "{row}");
    }
}

#[test]
fn a_deleted_version_uncovers_an_older_one_in_a_cached_row() {
    let engine = engine();
    let table = table(&engine, &["f"]);
    for timestamp in 1..=20 {
        let mut put = put("r", "f", timestamp.to_string());
        put.cells[0].timestamp = timestamp;
        table.put(&put).unwrap();
    }
    for newest in (10..=20).rev() {
        for _ in 0..3 {
            let row = table.get(&Get::new("r")).unwrap();
            assert_eq!(row.cells.iter().map(|cell| cell.timestamp).collect::<Vec<_>>(), [newest]);
        }
        let marker = Marker { family: "f".into(), qualifier: "q".into(), kind: MarkerKind::Version, timestamp: newest };
        table.delete(&Delete { markers: vec![marker], ..Delete::row("r") }).unwrap();
    }
}

#[test]
fn a_put_leaves_the_new_state_of_a_cached_row_in_the_cache() {
    let folder = tempfile::tempdir().unwrap();
    for engine in [engine(), Engine::open(folder.path(), Options::default()).unwrap()] {
        let table = table(&engine, &["f", "g"]);
        table.put(&put("r", "g", "one".into())).unwrap();
        let shown = || -> Vec<_> {
            let row = table.get(&Get::new("r")).unwrap();
            row.cells.iter().map(|cell| String::from_utf8_lossy(&cell.value).into_owned()).collect()
        };
        (0..2).for_each(|_| drop(shown()));
        let hits = || engine.statistics().unwrap().row_cache_hits;
        let before = hits();
        for n in 0..20 {
            table.put(&put("r", "f", n.to_string())).unwrap();
            assert_eq!(shown()[0], n.to_string());
            table
                .increment(&Increment {
                    row: "r".into(),
                    columns: vec![("f".into(), "z".into(), 1)],
                    ..Increment::default()
                })
                .unwrap();
            assert_eq!(shown().len(), 3);
        }
        assert_eq!(hits() - before, 60, "one after each put and each increment, and one by each increment");
        // A compaction may drop a delete marker, so a family that has one is not cached. The first delete removes the
        // row. The next ones leave it, because the cache has only the other family then.
        for n in 0..5 {
            table
                .delete(&Delete {
                    markers: vec![Marker {
                        family: "f".into(),
                        qualifier: "z".into(),
                        kind: MarkerKind::Column,
                        timestamp: LATEST,
                    }],
                    ..Delete::row("r")
                })
                .unwrap();
            let before = hits();
            (0..2).for_each(|_| assert_eq!(shown().len(), 2));
            assert_eq!(hits() - before, if n == 0 { 1 } else { 2 }, "delete {n}");
            table.put(&put("r", "f", n.to_string())).unwrap();
            assert_eq!(shown(), [n.to_string(), "one".into()]);
        }
        let after = engine.statistics().unwrap();
        assert_eq!(after.row_cache_rows, 1);
    }
}

#[test]
fn a_read_caches_the_families_that_it_requests() {
    let engine = engine();
    let table = table(&engine, &["f", "g"]);
    for family in ["f", "g"] {
        table.put(&put("r", family, "x".repeat(10_000))).unwrap();
    }
    let bytes = || engine.statistics().unwrap().row_cache_bytes;
    for _ in 0..3 {
        assert_eq!(table.get(&of_family("r", "f")).unwrap().cells.len(), 1);
    }
    assert!((10_000..20_000).contains(&bytes()), "{}", bytes());
    for _ in 0..3 {
        assert_eq!(table.get(&Get::new("r")).unwrap().cells.len(), 2);
    }
    assert!(bytes() > 20_000, "{}", bytes());
}

#[test]
fn a_compaction_keeps_the_cache_and_gets_still_agree_with_scans() {
    let engine = engine();
    let table = table(&engine, &["f"]);
    for timestamp in [1, 2, 3] {
        let mut put = put("r", "f", timestamp.to_string());
        put.cells[0].timestamp = timestamp;
        table.put(&put).unwrap();
    }
    for _ in 0..3 {
        assert_eq!(table.get(&Get::new("r")).unwrap().cells.len(), 1);
    }
    // Without a flush, which would remove the row.
    engine.compact(table.name(), true).unwrap();
    let hits = engine.statistics().unwrap().row_cache_hits;
    assert_eq!(table.get(&Get::new("r")).unwrap().cells.len(), 1);
    assert_eq!(engine.statistics().unwrap().row_cache_hits, hits + 1);
    let raw = Get { raw: true, max_versions: 9, ..Get::new("r") };
    assert_eq!(table.get(&raw).unwrap().cells.len(), 1, "the older versions have been dropped");
    let past = Get { time_range: TimeRange::new(1, 2).unwrap(), ..Get::new("r") };
    assert_eq!(table.get(&past).unwrap().cells.len(), 0, "the older versions have been dropped");
}

#[test]
fn the_cache_stays_within_its_size() {
    let engine = Engine::memory(Options { cache_bytes: Some(8 << 20), ..Options::default() }).unwrap();
    let table = table(&engine, &["f"]);
    let rows: Vec<String> = (0..500).map(|n| format!("row{n}")).collect();
    for row in &rows {
        let cell =
            PutCell { family: "f".into(), qualifier: "q".into(), timestamp: LATEST, value: "x".repeat(8_000).into() };
        table.put(&Put { row: row.clone().into(), cells: vec![cell], ..Put::default() }).unwrap();
    }
    for row in rows.iter().chain(&rows) {
        assert_eq!(table.get(&Get::new(row.clone())).unwrap().cells.len(), 1);
    }
    let found = engine.statistics().unwrap();
    assert!(found.row_cache_bytes_max <= 1 << 20 && found.row_cache_bytes <= found.row_cache_bytes_max, "{found:?}");
    assert!(found.row_cache_rows > 0 && found.row_cache_evictions > 0, "{found:?}");
    // Those that were cached while there was room are found again, if they have not been evicted.
    assert!(found.row_cache_hits <= found.row_cache_rows + found.row_cache_evictions, "{found:?}");
    assert_eq!(found.row_cache_hits + found.row_cache_misses, 1_000);
}

#[test]
fn a_partly_cached_row_is_never_returned_in_mixed_states() {
    let engine = engine();
    let table = table(&engine, &["f", "g"]);
    let over = Arc::new(AtomicBool::new(false));
    let readers: Vec<_> = (0..2)
        .map(|_| {
            let (table, over) = (table.clone(), over.clone());
            thread::spawn(move || {
                let mut reads = 0;
                while !over.load(Ordering::SeqCst) || reads < 100 {
                    table.get(&of_family("r", "f")).unwrap();
                    let row = table.get(&Get::new("r")).unwrap();
                    let numbers: Vec<_> = row.cells.iter().map(|cell| cell.value.slice(..8)).collect();
                    assert!(numbers.windows(2).all(|pair| pair[0] == pair[1]), "{numbers:?}");
                    reads += 1;
                }
            })
        })
        .collect();
    for n in 0..2_000_u64 {
        let number = n.to_be_bytes();
        let cell = |family: &'static str, bytes: usize| PutCell {
            family: family.into(),
            qualifier: "q".into(),
            timestamp: LATEST,
            value: [&number[..], &vec![0; bytes]].concat().into(),
        };
        // The second family is too large to be cached.
        table.put(&Put { row: "r".into(), cells: vec![cell("f", 0), cell("g", 20_000)], ..Put::default() }).unwrap();
    }
    over.store(true, Ordering::SeqCst);
    readers.into_iter().for_each(|reader| reader.join().unwrap());
}

#[test]
fn rows_that_are_too_large_for_the_cache_can_be_read() {
    let engine = engine();
    let table = table(&engine, &["f"]);
    table.put(&put("r", "f", "x".repeat(100_000))).unwrap();
    for _ in 0..5 {
        assert_eq!(table.get(&Get::new("r")).unwrap().cells[0].value.len(), 100_000);
    }
}

#[test]
fn a_read_sees_every_write_acknowledged_before_it() {
    let engine = engine();
    let table = table(&engine, &["f", "g"]);
    let acknowledged = Arc::new(AtomicI64::new(0));
    let over = Arc::new(AtomicBool::new(false));
    let readers: Vec<_> = (0..3)
        .map(|_| {
            let (table, acknowledged, over) = (table.clone(), acknowledged.clone(), over.clone());
            thread::spawn(move || {
                let mut reads = 0;
                while !over.load(Ordering::SeqCst) || reads < 100 {
                    let least = acknowledged.load(Ordering::SeqCst);
                    let row = table.get(&Get::new("r")).unwrap();
                    assert!(number(&row) >= least, "read {} after {least} was acknowledged", number(&row));
                    // Both families were written together.
                    assert!(row.cells.windows(2).all(|pair| pair[0].value == pair[1].value), "a row in mixed states");
                    reads += 1;
                }
            })
        })
        .collect();
    let columns = vec![("f".into(), "n".into(), 1), ("g".into(), "n".into(), 1)];
    let increment = Increment { row: "r".into(), columns, ..Increment::default() };
    for _ in 0..5_000 {
        let row = table.increment(&increment).unwrap();
        acknowledged.store(number(&row), Ordering::SeqCst);
    }
    over.store(true, Ordering::SeqCst);
    readers.into_iter().for_each(|reader| reader.join().unwrap());
}

#[test]
fn the_cache_can_be_disabled() {
    let options = Options { cache_bytes: Some(0), ..Options::default() };
    let engine = Engine::memory(options).unwrap();
    let table = table(&engine, &["f"]);
    table.put(&put("r", "f", "1".into())).unwrap();
    for _ in 0..3 {
        assert_eq!(table.get(&Get::new("r")).unwrap().cells.len(), 1);
    }
}

#[test]
fn the_size_of_the_row_cache_is_set_by_its_own_option() {
    let limit = |options| Engine::memory(options).unwrap().statistics().unwrap().row_cache_bytes_max;
    let options = Options { cache_bytes: Some(8 << 20), ..Options::default() };
    assert_eq!(limit(options.clone()), 1 << 20);
    assert_eq!(limit(Options { row_cache_bytes: Some(4 << 20), ..options.clone() }), 4 << 20);
    assert_eq!(limit(Options { row_cache_bytes: Some(0), ..options.clone() }), 0);
    let limits = Options { row_cache_bytes: Some(4 << 20), ..options }.memory_limits();
    assert_eq!((limits.block_cache, limits.row_cache, limits.write_buffer), (8 << 20, 4 << 20, 256 << 20));
}

/// An increment of a row that is not cached reads it whole and caches it, so that the next one finds it.
#[test]
fn increments_of_a_counter_read_it_from_the_cache() {
    let engine = engine();
    let table = table(&engine, &["f"]);
    let increment = Increment { row: "r".into(), columns: vec![("f".into(), "n".into(), 1)], ..Increment::default() };
    for n in 1..=200 {
        assert_eq!(number(&table.increment(&increment).unwrap()), n);
    }
    let statistics = engine.statistics().unwrap();
    assert_eq!((statistics.row_cache_misses, statistics.row_cache_hits), (1, 199));
    table.delete(&Delete::row("r")).unwrap();
    assert_eq!(number(&table.increment(&increment).unwrap()), 1);
}

/// Threads increment counters in the same few rows, which others get, put, delete and load at the same time. No
/// increment is lost or counted twice, which a cached row of an earlier state would cause.
#[test]
fn concurrent_increments_read_no_outdated_row() {
    const THREADS: i64 = 4;
    const EACH: i64 = 1_500;
    let engine = engine();
    let table = table(&engine, &["f"]);
    let rows: [&'static str; 3] = ["r", "s", "t"];
    let running = AtomicBool::new(true);
    thread::scope(|scope| {
        let workers: Vec<_> = (0..THREADS)
            .map(|worker| {
                let (table, rows) = (&table, &rows);
                scope.spawn(move || {
                    let mut last = [0; 3];
                    for n in 0..EACH {
                        let at = ((n + worker) % 3) as usize;
                        let columns = vec![("f".into(), "n".into(), 1)];
                        let increment = Increment { row: rows[at].into(), columns, ..Increment::default() };
                        let now = number(&table.increment(&increment).unwrap());
                        assert!(now > last[at], "{now} after {}", last[at]);
                        last[at] = now;
                    }
                })
            })
            .collect();
        let (table, running, rows) = (&table, &running, &rows);
        scope.spawn(move || {
            for n in 0_u64.. {
                if !running.load(Ordering::Relaxed) {
                    break;
                }
                let row = rows[(n % 3) as usize];
                match n % 4 {
                    0 => drop(table.get(&Get::new(row)).unwrap()),
                    // The delete leaves a marker, after which the row is not cached.
                    1 if n.is_multiple_of(50) => {
                        let marker = Marker {
                            family: "f".into(),
                            qualifier: "other".into(),
                            kind: MarkerKind::Column,
                            timestamp: LATEST,
                        };
                        table.delete(&Delete { markers: vec![marker], ..Delete::row(row) }).unwrap();
                    }
                    _ => table.put(&put(row, "f", n.to_string())).unwrap(),
                }
            }
        });
        workers.into_iter().for_each(|worker| worker.join().unwrap());
        running.store(false, Ordering::Relaxed);
    });
    let counter = |row: &'static str| {
        let mut columns = Columns::all();
        columns.add_column("f", "n");
        number(&table.get(&Get { columns, ..Get::new(row) }).unwrap())
    };
    assert_eq!(rows.map(counter), [THREADS * EACH / 3; 3]);
}
