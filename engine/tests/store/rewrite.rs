//! Changing the options of a space: all data is rewritten while reads and writes continue.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use hjall_engine::ErrorKind;
use hjall_engine::clock::ManualClock;
use hjall_engine::store::{CompactionControl, FjallStore, SpaceOptions, Store};
use tempfile::TempDir;

use crate::eventually::eventually;
use crate::folder_copy::copy_crashed;
use crate::stores::{BEGIN_MS, Kind, SPACE, bytes, get, in_row, on_disk, options};

const COMPRESSED: SpaceOptions = SpaceOptions { compress: true, bloom: false, block_bytes: 32 << 10 };
const ROWS: usize = 3000;

fn key(n: usize) -> String {
    format!("row {n:05}")
}

fn value(n: usize, round: usize) -> String {
    format!("{n} {round} {}", "compressible ".repeat(60))
}

fn filled() -> Kind {
    let kind = on_disk();
    for from in (0..ROWS).step_by(100) {
        kind.in_row("r", |t| {
            (from..from + 100).for_each(|n| t.put(SPACE, bytes(&key(n)), bytes(&value(n, 0))));
        });
    }
    kind.store.flush(SPACE).unwrap();
    kind
}

fn folders(folder: &Path) -> usize {
    fs::read_dir(folder.join("data/keyspaces")).unwrap().count()
}

fn assert_holds(store: &dyn Store, expected: &BTreeMap<usize, usize>) {
    let snapshot = store.snapshot().unwrap();
    for n in 0..ROWS {
        let stored = snapshot.get(SPACE, key(n).as_bytes()).unwrap();
        assert_eq!(stored, expected.get(&n).map(|round| bytes(&value(n, *round))), "row {n}");
    }
}

#[test]
fn options_change_while_reads_and_writes_continue() {
    let kind = filled();
    let before = kind.store.files(SPACE).unwrap().bytes;
    let old = kind.store.snapshot().unwrap();
    let whole: BTreeMap<usize, usize> = (0..ROWS).map(|n| (n, 0)).collect();
    let ended = AtomicBool::new(false);
    let expected = std::thread::scope(|scope| {
        let writer = scope.spawn(|| {
            let mut expected = whole.clone();
            let mut round = 0;
            while !ended.load(Ordering::Relaxed) || round < 500 {
                round += 1;
                let n = round * 7919 % ROWS;
                let deletes = round % 3 == 0;
                kind.in_row("r", |t| match deletes {
                    true => t.delete(SPACE, bytes(&key(n))),
                    false => t.put(SPACE, bytes(&key(n)), bytes(&value(n, round))),
                });
                if deletes {
                    expected.remove(&n)
                } else {
                    expected.insert(n, round)
                };
                assert_eq!(kind.get(&key(n)), (!deletes).then(|| value(n, round)));
            }
            expected
        });
        kind.store.change_options(SPACE, &COMPRESSED, &Arc::default()).unwrap();
        ended.store(true, Ordering::Relaxed);
        writer.join().unwrap()
    });
    assert_holds(&*kind.store, &expected);
    for n in (0..ROWS).step_by(97) {
        assert_eq!(old.get(SPACE, key(n).as_bytes()).unwrap().unwrap(), value(n, 0), "an older snapshot");
    }
    drop(old);
    kind.store.compact(SPACE, true).unwrap();
    let after = kind.store.files(SPACE).unwrap().bytes;
    assert!(after < before / 4, "{before} bytes before, {after} after");
    // With the same options, nothing is done.
    let count = folders(kind.folder());
    kind.store.change_options(SPACE, &COMPRESSED, &Arc::default()).unwrap();
    assert_eq!(folders(kind.folder()), count);

    let crashed = TempDir::new().unwrap();
    copy_crashed(kind.folder(), crashed.path());
    let open = || FjallStore::open(crashed.path(), options(&Arc::new(ManualClock::at(BEGIN_MS)))).unwrap();
    let store = open();
    assert_holds(&*store, &expected);
    // The index, the catalog, and the space.
    assert_eq!(folders(crashed.path()), 3);
    store.close().unwrap();
    let store = open();
    assert_eq!(store.spaces().unwrap(), [0, SPACE]);
    store.change_options(SPACE, &SpaceOptions::default(), &Arc::default()).unwrap();
    assert_holds(&*store, &expected);
    store.drop_space(SPACE).unwrap();
    store.close().unwrap();
    let store = open();
    assert_eq!(store.spaces().unwrap(), [0]);
    assert_eq!(folders(crashed.path()), 2);
}

#[test]
fn a_change_of_options_that_does_not_end_leaves_the_space_as_it_was() {
    let kind = filled();
    let before = folders(kind.folder());
    let control = Arc::new(CompactionControl::default());
    control.set_pace(Some(1));
    let crashed = TempDir::new().unwrap();
    std::thread::scope(|scope| {
        let changing = scope.spawn(|| kind.store.change_options(SPACE, &COMPRESSED, &control));
        eventually("the change has begun", || {
            assert!(!changing.is_finished());
            control.read_bytes() > 0
        });
        // The change now sleeps after its first step.
        kind.put(&key(0), &value(0, 1));
        kind.put(&key(ROWS - 1), &value(ROWS - 1, 1));
        copy_crashed(kind.folder(), crashed.path());
        control.stop();
        let error = changing.join().unwrap().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Cancelled, "{error}");
    });
    let mut expected: BTreeMap<usize, usize> = (0..ROWS).map(|n| (n, 0)).collect();
    expected.extend([(0, 1), (ROWS - 1, 1)]);
    assert_holds(&*kind.store, &expected);
    in_row(&*kind.store, "r", |t| t.put(SPACE, bytes("more"), bytes("v"))).unwrap();
    assert_eq!(get(&*kind.store, "more").unwrap(), "v");

    assert_eq!(folders(crashed.path()), before + 1, "the copy was taken during the change");
    let store = FjallStore::open(crashed.path(), options(&Arc::new(ManualClock::at(BEGIN_MS)))).unwrap();
    assert_holds(&*store, &expected);
    assert_eq!(store.spaces().unwrap(), [0, SPACE]);
    store.close().unwrap();
    let store = FjallStore::open(crashed.path(), options(&Arc::new(ManualClock::at(BEGIN_MS)))).unwrap();
    assert_eq!(folders(crashed.path()), before);
    assert_holds(&*store, &expected);
}

#[test]
fn closing_ends_a_change_of_options() {
    let kind = filled();
    let control = Arc::new(CompactionControl::default());
    control.set_pace(Some(1));
    std::thread::scope(|scope| {
        let changing = scope.spawn(|| kind.store.change_options(SPACE, &COMPRESSED, &control));
        eventually("the change has begun", || {
            assert!(!changing.is_finished());
            control.read_bytes() > 0
        });
        kind.store.close().unwrap();
        assert_eq!(changing.join().unwrap().unwrap_err().kind(), ErrorKind::Busy);
    });
}
