//! Ranges return what a model returns, while pairs are in memtables and files, and cursors are kept and moved.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use hjall_engine::clock::ManualClock;
use hjall_engine::store::{CompactionControl, Cursor, FjallStore, Order, Snapshot, SpaceOptions, Store, StoreOptions};
use tempfile::TempDir;

use crate::numbers::Numbers;
use crate::stores::{BEGIN_MS, SPACE, bytes, in_row, text};

type Model = BTreeMap<String, String>;

fn open(folder: &TempDir) -> Arc<dyn Store> {
    let clock = Arc::new(ManualClock::at(BEGIN_MS));
    let options = StoreOptions { cache_bytes: Some(64 << 10), ..crate::stores::options(&clock) };
    let store = FjallStore::open(folder.path(), options).unwrap();
    let space = SpaceOptions { block_bytes: 1 << 10, ..SpaceOptions::default() };
    store.create_space(SPACE, &space).unwrap();
    store
}

/// A cursor, and what it has to return.
struct Kept {
    cursor: Box<dyn Cursor>,
    rest: Model,
}

impl Kept {
    fn open(snapshot: &dyn Snapshot, model: &Model, numbers: &mut Numbers) -> Self {
        let (from, to) = (key(numbers), if numbers.below(3) == 0 { String::new() } else { key(numbers) });
        let cursor = snapshot.scan(SPACE, from.as_bytes(), to.as_bytes(), Order::Ascending, 10).unwrap();
        let rest = match &to[..] {
            "" => model.range(from..).map(|(key, value)| (key.clone(), value.clone())).collect(),
            to if *to <= *from => Model::new(),
            to => model.range(from..to.to_owned()).map(|(key, value)| (key.clone(), value.clone())).collect(),
        };
        Self { cursor, rest }
    }

    /// Moves the cursor ahead, or reads some pairs. Returns whether it may have more.
    fn go_on(&mut self, numbers: &mut Numbers) -> bool {
        if numbers.below(3) == 0 {
            let target = key(numbers);
            self.cursor.seek(target.as_bytes()).unwrap();
            self.rest = self.rest.split_off(&target);
        }
        let (n, size) = ([1, 3, 40, 1_000][numbers.below(4)], [50, 2_000, usize::MAX][numbers.below(3)]);
        let mut found = Vec::new();
        self.cursor.next_many(n, size, &mut found).unwrap();
        let ended = found.len() < n && found.iter().map(|(key, value)| key.len() + value.len()).sum::<usize>() < size;
        for (found_key, value) in found {
            let expected = self.rest.pop_first();
            assert_eq!(Some((text(found_key), text(value))), expected);
        }
        if ended {
            assert_eq!(self.rest, Model::new(), "the cursor has ended too soon");
        }
        !ended
    }
}

fn key(numbers: &mut Numbers) -> String {
    format!("k{:04}", numbers.below(2_000))
}

/// Writes, flushes, compactions and reopenings happen between the steps of cursors. Runs of deleted keys, and keys with
/// hundreds of versions in a memtable, are among the pairs.
#[test]
fn cursors_agree_with_a_model() {
    for seed in 0..6 {
        let folder = TempDir::new().unwrap();
        let mut store = open(&folder);
        let mut numbers = Numbers::new(seed);
        let mut model = Model::new();
        let mut kept: Vec<Kept> = Vec::new();
        for step in 0..600 {
            match numbers.below(40) {
                0 => store.compact_with(SPACE, true, &Arc::new(CompactionControl::default())).unwrap(),
                1 => store.compact_with(SPACE, false, &Arc::new(CompactionControl::default())).unwrap(),
                2..5 => store.flush(SPACE).unwrap(),
                5 if step % 4 == 0 => {
                    kept.clear();
                    store.close().unwrap();
                    store = open(&folder);
                }
                6..12 => {
                    // Adjacent keys are deleted.
                    let from = numbers.below(2_000);
                    let keys: Vec<_> = (from..from + 1 + numbers.below(300)).map(|n| format!("k{n:04}")).collect();
                    in_row(&*store, "r", |t| keys.iter().for_each(|key| t.delete(SPACE, bytes(key)))).unwrap();
                    keys.iter().for_each(|key| drop(model.remove(key)));
                }
                12..14 => {
                    // One key gets many versions.
                    let key = key(&mut numbers);
                    for version in 0..1 + numbers.below(300) {
                        let value = format!("{step} {version}");
                        in_row(&*store, "r", |t| t.put(SPACE, bytes(&key), bytes(&value))).unwrap();
                        model.insert(key.clone(), value);
                    }
                }
                _ => {
                    let keys: Vec<_> = (0..1 + numbers.below(60)).map(|_| key(&mut numbers)).collect();
                    let value = format!("{step} {}", "v".repeat(numbers.below(200)));
                    in_row(&*store, "r", |t| keys.iter().for_each(|key| t.put(SPACE, bytes(key), bytes(&value))))
                        .unwrap();
                    keys.into_iter().for_each(|key| drop(model.insert(key, value.clone())));
                }
            }
            if kept.len() < 8 {
                kept.push(Kept::open(&*store.snapshot().unwrap(), &model, &mut numbers));
            }
            kept.retain_mut(|kept| kept.go_on(&mut numbers));
        }
    }
}

/// A thread writes all keys again and again, each time with one value, while another one scans.
#[test]
fn a_scan_beside_writes_sees_one_state() {
    const KEYS: usize = 700;
    let folder = TempDir::new().unwrap();
    let store = open(&folder);
    let write = |round: usize| {
        let value = format!("{round}");
        in_row(&*store, "r", |t| (0..KEYS).for_each(|n| t.put(SPACE, bytes(&format!("k{n:04}")), bytes(&value))))
            .unwrap();
    };
    write(0);
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for round in 1..60 {
                write(round);
                if round % 5 == 0 {
                    store.flush(SPACE).unwrap();
                }
                if round % 20 == 0 {
                    store.compact_with(SPACE, true, &Arc::new(CompactionControl::default())).unwrap();
                }
            }
            is_over.store(true, Ordering::Release);
        });
        let mut last = 0;
        while !is_over.load(Ordering::Acquire) {
            let snapshot = store.snapshot().unwrap();
            let mut cursor = snapshot.scan(SPACE, b"k", b"l", Order::Ascending, 10).unwrap();
            let mut found = Vec::new();
            cursor.next_many(KEYS + 1, usize::MAX, &mut found).unwrap();
            assert_eq!(found.len(), KEYS);
            let round: usize = text(found[0].1.clone()).parse().unwrap();
            assert!(found.iter().all(|(_, value)| *value == bytes(&round.to_string())), "two states in one scan");
            assert!(round >= last, "a scan saw an older state than the one before");
            last = round;
        }
    });
}
