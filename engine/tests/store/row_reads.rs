//! Reads of rows, which search only the files that may have them, return what a scan of the same range returns.

use std::sync::Arc;
use std::time::{Duration, Instant};

use hjall_engine::clock::ManualClock;
use hjall_engine::store::{CompactionControl, FjallStore, Order, Pair, Snapshot, SpaceOptions, Store, StoreOptions};
use tempfile::TempDir;

use crate::numbers::Numbers;
use crate::stores::{BEGIN_MS, SPACE, bytes, in_row, pairs, put};

/// Rows are `ROW/`, as in `r17/column`.
fn row_prefix(key: &[u8]) -> Option<usize> {
    key.iter().position(|byte| *byte == b'/').map(|at| at + 1)
}

fn open(folder: &TempDir) -> Arc<dyn Store> {
    // Nearly all blocks are read from files, since the store counts only those.
    open_with_cache(folder, 64 << 10)
}

fn open_with_cache(folder: &TempDir, cache_bytes: u64) -> Arc<dyn Store> {
    let clock = Arc::new(ManualClock::at(BEGIN_MS));
    let cache_bytes = Some(cache_bytes);
    let options = StoreOptions { row_prefix: Some(row_prefix), cache_bytes, ..crate::stores::options(&clock) };
    let store = FjallStore::open(folder.path(), options).unwrap();
    // The filters of rows do not depend on those of keys.
    let space = SpaceOptions { block_bytes: 1 << 10, bloom: false, ..SpaceOptions::default() };
    store.create_space(SPACE, &space).unwrap();
    store
}

/// The first `n` pairs of a row from `from` on, or fewer if these take `bytes`, and the others.
fn read(snapshot: &dyn Snapshot, from: &str, to: &str, wanted: (usize, usize)) -> (Vec<Pair>, Vec<Pair>) {
    let mut first = Vec::new();
    let rest = snapshot.read(SPACE, (from.as_bytes(), to.as_bytes()), wanted, &mut first).unwrap();
    (first, rest.map(|mut cursor| pairs(&mut *cursor)).unwrap_or_default())
}

fn scan(snapshot: &dyn Snapshot, from: &str, to: &str) -> Vec<Pair> {
    pairs(&mut *snapshot.scan(SPACE, from.as_bytes(), to.as_bytes(), Order::Ascending, 10).unwrap())
}

fn check(snapshot: &dyn Snapshot, row: usize, (n, bytes): (usize, usize)) {
    let (from, to) = (format!("r{row}/"), format!("r{row}/~"));
    let expected = scan(snapshot, &from, &to);
    let (mut found, rest) = read(snapshot, &from, &to, (n, bytes));
    assert!(found.len() <= n);
    let size = |pairs: &[Pair]| pairs.iter().map(|(key, value)| key.len() + value.len()).sum::<usize>();
    assert!(found.is_empty() || size(&found[..found.len() - 1]) < bytes);
    assert!(rest.is_empty() || found.len() == n || size(&found) >= bytes, "pairs were left without a reason");
    found.extend(rest);
    assert_eq!(found, expected, "row {row}");
    let middle = format!("r{row}/c3");
    let (mut found, rest) = read(snapshot, &middle, &to, (n, bytes));
    found.extend(rest);
    assert_eq!(found, scan(snapshot, &middle, &to), "row {row} from c3 on");
    // The cursor over the others is moved.
    let mut first = Vec::new();
    let rest = snapshot.read(SPACE, (from.as_bytes(), to.as_bytes()), (n, bytes), &mut first).unwrap();
    let Some(mut rest) = rest else { return };
    let mut last = first.last().map(|(key, _)| key.clone());
    for target in ["c2", "c25", "c6", "c9"] {
        let target = format!("r{row}/{target}");
        rest.seek(target.as_bytes()).unwrap();
        let expected = expected
            .iter()
            .find(|(key, _)| key[..] >= *target.as_bytes() && last.as_ref().is_none_or(|last| key > last));
        let Some(found) = rest.next().unwrap() else {
            assert_eq!(expected, None, "row {row} from {target} on");
            return;
        };
        assert_eq!(Some(&found), expected, "row {row} from {target} on");
        last = Some(found.0);
    }
}

/// The rows are read while filters are made, files are merged, and memtables are flushed.
#[test]
fn reads_of_rows_agree_with_scans() {
    const ROWS: usize = 60;
    for seed in 0..4 {
        let folder = TempDir::new().unwrap();
        let mut store = open(&folder);
        let mut numbers = Numbers::new(seed);
        let mut old = Vec::new();
        for step in 0..1_500 {
            match numbers.below(200) {
                0 => store.compact_with(SPACE, true, &Arc::new(CompactionControl::default())).unwrap(),
                1 => store.compact_with(SPACE, false, &Arc::new(CompactionControl::default())).unwrap(),
                2..8 => store.flush(SPACE).unwrap(),
                8 => old.clear(),
                9..12 => old.push(store.snapshot().unwrap()),
                12 if step % 2 == 0 => {
                    old.clear();
                    store.close().unwrap();
                    store = open(&folder);
                }
                13..40 => {
                    let key = format!("r{}/c{}", numbers.below(ROWS), numbers.below(8));
                    in_row(&*store, "r", |t| t.delete(SPACE, bytes(&key))).unwrap();
                }
                kind => {
                    let key = format!("r{}/c{}", numbers.below(ROWS), numbers.below(if kind == 41 { 100 } else { 8 }));
                    let value = "v".repeat(1 + numbers.below(if kind == 42 { 100_000 } else { 100 }));
                    put(&*store, &key, &format!("{step} {value}")).unwrap();
                }
            }
            let snapshot = store.snapshot().unwrap();
            for _ in 0..4 {
                let wanted = [(1, usize::MAX), (8, 4_096), (1_000, usize::MAX), (3, 100)][numbers.below(4)];
                check(&*snapshot, numbers.below(ROWS + 5), wanted);
                if let Some(old) = old.last() {
                    check(&**old, numbers.below(ROWS), wanted);
                }
            }
        }
    }
}

/// Blocks that reads have taken from files.
fn blocks(store: &dyn Store) -> u64 {
    let all = store.statistics().unwrap();
    all.block_hits + all.block_misses
}

/// Three files with the same range of keys, and none of the rows `a` in it.
fn three_files(cache_bytes: u64) -> (TempDir, Arc<dyn Store>) {
    let folder = TempDir::new().unwrap();
    let store = open_with_cache(&folder, cache_bytes);
    let value = "v".repeat(300);
    for file in 0..3 {
        for row in 0..1_000 {
            put(&*store, &format!("r{row}{file}/c"), &value).unwrap();
        }
        store.flush(SPACE).unwrap();
    }
    (folder, store)
}

#[test]
fn files_that_lack_a_row_are_not_searched() {
    let (_folder, store) = three_files(64 << 10);
    let snapshot = store.snapshot().unwrap();
    let read_absent = |n: usize| {
        let row = format!("r{}a/", n * 619 % 1_000);
        assert!(read(&*snapshot, &row, &format!("{row}~"), (8, 4_096)).0.is_empty());
    };
    let deadline = Instant::now() + Duration::from_secs(120);
    for n in 0.. {
        read_absent(n);
        let filters = store.statistics().unwrap().row_filter_bytes;
        // More than eight bits for each of the 3,000 rows.
        if filters >= 3_000 {
            break;
        }
        assert!(Instant::now() < deadline, "the filters take {filters} bytes");
    }
    let before = blocks(&*store);
    (0..1_000).for_each(read_absent);
    let searched = blocks(&*store) - before;
    assert!(searched < 100, "{searched} blocks for 1,000 absent rows");
    let before = blocks(&*store);
    for n in 0..1_000 {
        let row = format!("r{}1/", n * 619 % 1_000);
        assert_eq!(read(&*snapshot, &row, &format!("{row}~"), (8, 4_096)).0.len(), 1);
    }
    let searched = blocks(&*store) - before;
    assert!((500..1_100).contains(&searched), "{searched} blocks for 1,000 rows in one of three files");
    // Filters of files that are no longer used take no memory.
    drop(snapshot);
    store.compact(SPACE, true).unwrap();
    put(&*store, "r/c", "v").unwrap();
    let snapshot = store.snapshot().unwrap();
    assert_eq!(read(&*snapshot, "r/", "r/~", (8, 4_096)).0.len(), 1);
    assert_eq!(store.statistics().unwrap().row_filter_bytes, 0);
}

/// Then the number of files decides how fast reads are.
#[test]
fn files_are_merged_for_reads_if_there_is_no_room_for_filters() {
    let (_folder, store) = three_files(0);
    let snapshot = store.snapshot().unwrap();
    assert!(!store.should_merge(SPACE).unwrap());
    for n in 0..5_000 {
        let row = format!("r{}a/", n * 619 % 1_000);
        assert!(read(&*snapshot, &row, &format!("{row}~"), (8, 4_096)).0.is_empty());
    }
    assert!(store.should_merge(SPACE).unwrap());
    assert_eq!(store.statistics().unwrap().row_filter_bytes, 0);
}

/// While transactions are committed, and memtables flushed and merged, a read shows all pairs of a transaction, and
/// never an older one than before.
#[test]
fn reads_of_rows_show_whole_transactions() {
    const COLUMNS: usize = 5;
    const LAST: u32 = 6_000;
    let folder = TempDir::new().unwrap();
    let store = open(&folder);
    let write = |number: u32| {
        let value = bytes(&format!("{number:10}"));
        in_row(&*store, "r", |t| {
            (0..COLUMNS).for_each(|column| t.put(SPACE, bytes(&format!("r/c{column}")), value.clone()));
        })
        .unwrap();
    };
    write(0);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for number in 1..=LAST {
                write(number);
                // The commits between two flushes are enough for a filter of the next memtable.
                match number % 3_000 {
                    0 => store.compact(SPACE, true).unwrap(),
                    1_000 | 2_000 => store.flush(SPACE).unwrap(),
                    n if n % 90 == 0 && n < 1_000 => store.flush(SPACE).unwrap(),
                    _ => {}
                }
            }
        });
        for _ in 0..2 {
            scope.spawn(|| {
                let mut last = 0;
                while last < LAST {
                    let snapshot = store.snapshot().unwrap();
                    let (found, _) = read(&*snapshot, "r/", "r/~", (8, 4_096));
                    assert_eq!(found.len(), COLUMNS);
                    let numbers =
                        found.iter().map(|(_, value)| std::str::from_utf8(value).unwrap().trim().parse().unwrap());
                    let numbers: Vec<u32> = numbers.collect();
                    assert!(
                        numbers.iter().all(|number| *number == numbers[0] && *number >= last),
                        "{numbers:?} after {last}"
                    );
                    last = numbers[0];
                }
            });
        }
    });
}

/// A memtable that follows a large one has a filter of its rows.
#[test]
fn rows_in_large_memtables_are_found() {
    let folder = TempDir::new().unwrap();
    let store = open(&folder);
    let write = |rows: std::ops::Range<usize>, value: &str| {
        for first in rows.clone().step_by(100) {
            in_row(&*store, "r", |t| {
                for row in first..rows.end.min(first + 100) {
                    t.put(SPACE, bytes(&format!("r{row}/c")), bytes(value));
                }
            })
            .unwrap();
        }
    };
    let find = |row: usize| {
        let snapshot = store.snapshot().unwrap();
        let (found, _) = read(&*snapshot, &format!("r{row}/"), &format!("r{row}/~"), (8, 4_096));
        found.first().map(|(_, value)| String::from_utf8(value.to_vec()).unwrap())
    };
    for round in 0..3 {
        let value = format!("v{round}");
        write(0..5_000, &value);
        put(&*store, "r7000/c", &value).unwrap();
        in_row(&*store, "r", |t| t.delete(SPACE, bytes("r100/c"))).unwrap();
        for row in (0..10_000).step_by(10) {
            let expected = (row < 5_000 && row != 100) || row == 7_000;
            assert_eq!(find(row).as_deref(), expected.then_some(&value[..]), "row {row}");
        }
        store.flush(SPACE).unwrap();
        assert_eq!(find(10).as_deref(), Some(&value[..]));
    }
}
