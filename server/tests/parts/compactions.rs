//! Scheduled compactions: when a table is due, and their effect.

use std::time::{Duration, Instant, SystemTime};

use bytes::Bytes;
use hjall_engine::mutation::{Delete, Durability, Marker, MarkerKind, Put, PutCell};
use hjall_engine::name::TableName;
use hjall_engine::request::Scan;
use hjall_engine::schema::{FamilyDescriptor, TableDescriptor};
use hjall_engine::{Engine, LATEST, Options};
use hjall_server::gateway::compactor::{Compactor, Depth, Due, Schedule};
use hjall_server::settings::config::{CompactionSettings, OffPeak};

const DAY: Duration = Duration::from_secs(86_400);

struct Db {
    engine: Engine,
    name: TableName,
    _folder: tempfile::TempDir,
}

/// A table of 200 rows of 10 kB each, of which `deleted` are deleted, flushed to files.
fn db(deleted: usize) -> Db {
    let folder = tempfile::tempdir().unwrap();
    let engine = Engine::open(folder.path(), Options::default()).unwrap();
    let name = TableName::parse(b"t").unwrap();
    create_with_deleted_rows(&engine, &name, deleted);
    Db { engine, name, _folder: folder }
}

fn create_with_deleted_rows(engine: &Engine, name: &TableName, deleted: usize) {
    let mut table = TableDescriptor::new(name.clone());
    let mut family = FamilyDescriptor::new("f").unwrap();
    family.set("COMPRESSION", "NONE");
    table.add_family(family).unwrap();
    engine.create_table(table, vec![]).unwrap();
    let table = engine.table(name);
    for row in 0..200 {
        let value = format!("{row:010}").repeat(1000).into();
        let cell = PutCell { family: "f".into(), qualifier: "q".into(), timestamp: LATEST, value };
        let row = format!("{row:03}").into();
        table.put(&Put { row, cells: vec![cell], ttl_ms: None, durability: Durability::default() }).unwrap();
    }
    // The flush after the deletes would drop the rows.
    engine.flush(name).unwrap();
    for row in 0..deleted {
        table.delete(&Delete::row(format!("{row:03}"))).unwrap();
    }
    engine.flush(name).unwrap();
}

fn due(db: &Db, settings: CompactionSettings, after: Duration) -> Option<Due> {
    Schedule::new(settings).due(&db.engine, &db.name, SystemTime::now() + after).unwrap()
}

#[test]
fn a_table_is_due_once_its_oldest_file_is_old_enough() {
    let db = db(10);
    let week = CompactionSettings::default();
    assert_eq!(due(&db, week.clone(), DAY * 3), None, "not before half a week");
    let after = |time: Duration| due(&db, week.clone(), time);
    assert!(matches!(after(DAY * 11), Some(Due::Age(age)) if age > DAY * 10), "not later than after a week and a half");
    let exact = CompactionSettings { major_jitter: 0.0, ..week.clone() };
    assert_eq!(due(&db, exact.clone(), DAY * 7 - Duration::from_secs(600)), None);
    assert!(due(&db, exact, DAY * 7).is_some());
    assert_eq!(due(&db, CompactionSettings { major_period: None, ..week }, DAY * 3650), None);
}

#[test]
fn a_table_without_garbage_is_never_due() {
    assert_eq!(due(&db(0), CompactionSettings::default(), DAY * 3650), None);
}

#[test]
fn a_table_is_due_when_much_of_it_is_garbage() {
    let (little, much) = (db(50), db(150));
    let settings = CompactionSettings::default();
    assert_eq!(due(&little, settings.clone(), Duration::ZERO), None);
    let found = due(&much, settings.clone(), Duration::ZERO);
    assert!(matches!(found, Some(Due::Garbage(share)) if (0.7..0.8).contains(&share)), "{found:?}");
    assert_eq!(due(&much, CompactionSettings { garbage_ratio: 0.0, ..settings }, Duration::ZERO), None);
}

#[test]
fn scheduled_compactions_free_the_disk_and_are_counted() {
    let db = db(150);
    let before = db.engine.table_files(&db.name).unwrap().bytes;
    let settings = CompactionSettings { check: Duration::from_millis(5), ..CompactionSettings::default() };
    let compactor = Compactor::start(db.engine.clone(), settings).unwrap();
    let began = Instant::now();
    while compactor.figures().finished == 0 {
        assert!(began.elapsed() < Duration::from_secs(60), "nothing was compacted");
        std::thread::yield_now();
    }
    let figures = compactor.figures();
    assert!(figures.read_bytes > 0 && figures.failed == 0, "{figures:?}");
    let after = db.engine.table_files(&db.name).unwrap().bytes;
    assert!(after < before / 2, "{after} of {before} bytes are left");
    drop(compactor);
    db.engine.close().unwrap();
}

#[test]
fn a_requested_major_compaction_waits_before_it_starts() {
    let (db, other) = (db(10), TableName::parse(b"other").unwrap());
    let mut table = TableDescriptor::new(other.clone());
    table.add_family(FamilyDescriptor::new("f").unwrap()).unwrap();
    db.engine.create_table(table, vec![]).unwrap();
    let settings = CompactionSettings { request_delay: DAY, ..CompactionSettings::default() };
    let compactor = Compactor::start(db.engine.clone(), settings).unwrap();
    compactor.request(&db.name.clone(), Depth::Minor);
    compactor.request(&db.name.clone(), Depth::Major);
    let began = Instant::now();
    loop {
        let figures = compactor.figures();
        // Two minor compactions have run since the request, and it still waits.
        if figures.finished >= 2 && figures.waiting == 1 && !figures.running {
            break;
        }
        if figures.waiting == 1 && !figures.running {
            compactor.request(&other.clone(), Depth::Minor);
        }
        assert!(began.elapsed() < Duration::from_secs(60), "{:?}", compactor.figures());
        std::thread::yield_now();
    }
    drop(compactor);
    db.engine.close().unwrap();
}

/// A table with rows of a queue: 100 that have been deleted, 50 kB each, and 100 that are in use.
fn queue() -> (Engine, TableName, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let engine = Engine::open(folder.path(), Options::default()).unwrap();
    let name = TableName::parse(b"t").unwrap();
    let mut table = TableDescriptor::new(name.clone());
    table.add_family(FamilyDescriptor::new("f").unwrap()).unwrap();
    engine.create_table(table, vec![]).unwrap();
    let table = engine.table(&name);
    for row in 0..200 {
        let value = vec![b'v'; 50_000].into();
        let cell = PutCell { family: "f".into(), qualifier: "q".into(), timestamp: LATEST, value };
        let row = format!("{row:03}").into();
        table.put(&Put { row, cells: vec![cell], ttl_ms: None, durability: Durability::default() }).unwrap();
    }
    for row in 0..100 {
        table.delete(&Delete::row(format!("{row:03}"))).unwrap();
    }
    (engine, name, folder)
}

/// Reads the head of the queue, which is behind the deleted rows.
fn read_head(engine: &Engine, name: &TableName) {
    let found = engine.table(name).scan(Scan::default()).unwrap().next(1).unwrap();
    assert_eq!(found[0].key, "100");
}

#[test]
fn a_table_is_due_once_reads_have_met_more_garbage_than_a_compaction_would_read() {
    let (engine, name, _folder) = queue();
    let settings = CompactionSettings::default();
    let schedule = Schedule::new(settings.clone());
    assert_eq!(schedule.due_by_reads(&engine), []);
    read_head(&engine, &name);
    // Five megabytes have been read. The table is in memory, and has no files yet.
    let due = schedule.due_by_reads(&engine);
    assert!(
        matches!(&due[..], [(table, bytes)] if *table == name && (5_000_000..5_100_000).contains(bytes)),
        "{due:?}"
    );
    assert_eq!(schedule.due_by_reads(&engine), [], "the garbage is counted from zero again");
    let off = Schedule::new(CompactionSettings { garbage_ratio: 0.0, ..settings });
    read_head(&engine, &name);
    assert_eq!(off.due_by_reads(&engine), []);
    assert_eq!(schedule.due_by_reads(&engine).len(), 1);
    read_head(&engine, &name);
    engine.disable_table(&name).unwrap();
    assert_eq!(schedule.due_by_reads(&engine), [], "disabled tables are not compacted");
    engine.close().unwrap();
}

#[test]
fn a_queue_whose_head_is_read_is_compacted() {
    let (engine, name, _folder) = queue();
    let compactor = Compactor::start(engine.clone(), CompactionSettings::default()).unwrap();
    let began = Instant::now();
    while compactor.figures().finished == 0 {
        assert!(began.elapsed() < Duration::from_secs(120), "{:?}", compactor.figures());
        read_head(&engine, &name);
    }
    engine.forget_garbage_read(&name);
    read_head(&engine, &name);
    assert_eq!(engine.garbage_read(), [], "the deleted rows are gone");
    drop(compactor);
    engine.close().unwrap();
}

/// A minor compaction drops the values that markers hide and keeps the markers, so a row with 100,000 deleted columns,
/// or with a marker for each of its versions, would stay slow to read.
#[test]
fn a_requested_compaction_drops_the_markers_of_deleted_columns_and_versions() {
    let folder = tempfile::tempdir().unwrap();
    let engine = Engine::open(folder.path(), Options::default()).unwrap();
    let name = TableName::parse(b"t").unwrap();
    let mut descriptor = TableDescriptor::new(name.clone());
    let mut family = FamilyDescriptor::new("f").unwrap();
    family.set_max_versions(i32::MAX).unwrap();
    descriptor.add_family(family).unwrap();
    engine.create_table(descriptor, vec![]).unwrap();
    let table = engine.table(&name);
    let (mut puts, mut deletes) = (Vec::new(), Vec::new());
    for n in 1..=20_000_i64 {
        for (row, qualifier, kind) in
            [("columns", format!("q{n:06}"), MarkerKind::Column), ("versions", "q".to_owned(), MarkerKind::Version)]
        {
            let (family, qualifier) = ("f".into(), Bytes::from(qualifier));
            let cell = PutCell { family, qualifier: qualifier.clone(), timestamp: n, value: "value".into() };
            let cells = vec![cell];
            puts.push(Put { row: row.into(), cells, ttl_ms: None, durability: Durability::default() });
            let markers = vec![Marker { family: "f".into(), qualifier, kind, timestamp: n }];
            deletes.push(Delete { markers, ..Delete::row(row) });
        }
    }
    table.put_many(&puts).into_iter().for_each(|done| done.unwrap());
    table.delete_many(&deletes).into_iter().for_each(|done| done.unwrap());
    let stored = || {
        let scan = Scan { raw: true, max_versions: i32::MAX, ..Scan::default() };
        table.scan(scan).unwrap().rows().map(|row| row.unwrap().cells.len()).sum::<usize>()
    };
    assert_eq!(stored(), 80_000);
    let settings = CompactionSettings { request_delay: Duration::ZERO, ..CompactionSettings::default() };
    let compactor = Compactor::start(engine.clone(), settings).unwrap();
    compactor.request(&name, Depth::Minor);
    let began = Instant::now();
    while compactor.figures().finished < 2 {
        assert!(began.elapsed() < Duration::from_secs(120), "{:?}", compactor.figures());
        std::thread::yield_now();
    }
    assert_eq!(stored(), 0);
    drop(compactor);
    engine.close().unwrap();
}

#[test]
fn a_request_ends_with_its_table() {
    let db = db(20);
    let later = TableName::parse(b"later").unwrap();
    create_with_deleted_rows(&db.engine, &later, 20);
    let stored = |table: &TableName| {
        let scan = Scan { raw: true, ..Scan::default() };
        db.engine.table(table).scan(scan).unwrap().rows().map(|row| row.unwrap().cells.len()).sum::<usize>()
    };
    assert_eq!((stored(&db.name), stored(&later)), (220, 220));
    let settings = CompactionSettings { request_delay: Duration::from_millis(300), ..CompactionSettings::default() };
    let compactor = Compactor::start(db.engine.clone(), settings).unwrap();
    compactor.request(&db.name, Depth::Major);
    db.engine.disable_table(&db.name).unwrap();
    db.engine.delete_table(&db.name).unwrap();
    create_with_deleted_rows(&db.engine, &db.name, 20);
    compactor.request(&later, Depth::Major);
    let began = Instant::now();
    while stored(&later) > 180 {
        assert!(began.elapsed() < Duration::from_secs(120), "{:?}", compactor.figures());
        std::thread::yield_now();
    }
    assert_eq!(stored(&db.name), 220, "the compaction was requested for an earlier table of this name");
    drop(compactor);
    db.engine.close().unwrap();
}

/// A table with three files of 200 kB each, as a load leaves them.
fn loaded() -> (Engine, TableName, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let engine = Engine::open(folder.path(), Options::default()).unwrap();
    let name = TableName::parse(b"t").unwrap();
    let mut table = TableDescriptor::new(name.clone());
    let mut family = FamilyDescriptor::new("f").unwrap();
    family.set("COMPRESSION", "NONE");
    table.add_family(family).unwrap();
    engine.create_table(table, vec![]).unwrap();
    let table = engine.table(&name);
    for row in 0..60 {
        let value = vec![b'v'; 10_000].into();
        let cell = PutCell { family: "f".into(), qualifier: "q".into(), timestamp: LATEST, value };
        // Spread over all files.
        let row = format!("{:02}", row * 7 % 60).into();
        table.put(&Put { row, cells: vec![cell], ttl_ms: None, durability: Durability::default() }).unwrap();
        if table.scan(Scan::default()).unwrap().rows().count().is_multiple_of(20) {
            engine.flush(&name).unwrap();
        }
    }
    assert_eq!(engine.table_files(&name).unwrap().count, 3);
    assert!(engine.tables_to_merge().is_empty(), "sixty scans are not enough");
    (engine, name, folder)
}

/// Short scans, which the row cache does not answer.
fn read_often(engine: &Engine, name: &TableName) {
    for _ in 0..3_000 {
        assert_eq!(engine.table(name).scan(Scan::default()).unwrap().next(1).unwrap().len(), 1);
    }
}

#[test]
fn a_table_is_to_be_merged_once_reads_have_searched_its_files_often() {
    let (engine, name, _folder) = loaded();
    read_often(&engine, &name);
    engine.disable_table(&name).unwrap();
    assert_eq!(engine.tables_to_merge(), []);
    engine.enable_table(&name).unwrap();
    read_often(&engine, &name);
    assert!(engine.tables_to_merge().contains(&name));
    engine.compact(&name, false).unwrap();
    assert_eq!(engine.table_files(&name).unwrap().count, 1);
    read_often(&engine, &name);
    assert_eq!(engine.tables_to_merge(), [], "there is one file");
    assert_eq!(engine.table(&name).scan(Scan::default()).unwrap().rows().count(), 60);
    engine.close().unwrap();
}

#[test]
fn the_files_of_a_table_that_is_read_are_merged() {
    let (engine, name, _folder) = loaded();
    // At all hours, and even if compactions of garbage are switched off.
    let off_peak = Some(OffPeak { start: 0, end: 0 });
    let settings = CompactionSettings { garbage_ratio: 0.0, major_period: None, off_peak, ..Default::default() };
    let compactor = Compactor::start(engine.clone(), settings).unwrap();
    let began = Instant::now();
    while engine.table_files(&name).unwrap().count > 1 {
        assert!(began.elapsed() < Duration::from_secs(120), "{:?}", compactor.figures());
        read_often(&engine, &name);
    }
    drop(compactor);
    engine.close().unwrap();
}

#[test]
fn off_peak_hours_may_span_midnight() {
    let hours = |start, end| (0..24).filter(|hour| OffPeak { start, end }.includes(*hour)).collect::<Vec<_>>();
    assert_eq!(hours(2, 5), [2, 3, 4]);
    assert_eq!(hours(22, 2), [0, 1, 22, 23]);
    let off_peak = Some(OffPeak { start: 2, end: 5 });
    let schedule = Schedule::new(CompactionSettings { off_peak, ..CompactionSettings::default() });
    assert!(schedule.may_start(2) && !schedule.may_start(5));
}
