//! What a store does after a crash, and after its background work has failed.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use hjall_engine::ErrorKind;
use hjall_engine::clock::ManualClock;
use hjall_engine::mutation::Durability;
use hjall_engine::store::{
    CompactionFilter, CompactionFilterFactory, FjallStore, Order, SpaceId, SpaceOptions, Store, StoreOptions,
    Transaction, Verdict,
};
use tempfile::TempDir;

use crate::eventually::eventually;
use crate::folder_copy::copy_crashed;
use crate::stores::{BEGIN_MS, SPACE, bytes, get, in_row, options, put, rest};

fn clock() -> Arc<ManualClock> {
    Arc::new(ManualClock::at(BEGIN_MS))
}

fn open(folder: &Path, options: StoreOptions) -> Arc<dyn Store> {
    let store = FjallStore::open(folder, options).unwrap();
    store.create_space(SPACE, &SpaceOptions::default()).unwrap();
    store
}

/// fjall gives the new space the id of the dropped one. Its index of spaces must not take the new entry for an older
/// one.
#[test]
fn a_space_that_is_created_after_a_drop_and_a_crash_is_kept() {
    let (folder, crashed) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let clock = clock();
    let store = open(folder.path(), options(&clock));
    for space in 7..17 {
        store.create_space(space, &SpaceOptions::default()).unwrap();
        store.drop_space(space).unwrap();
    }
    copy_crashed(folder.path(), crashed.path());
    let store = FjallStore::open(crashed.path(), options(&clock)).unwrap();
    store.create_space(17, &SpaceOptions::default()).unwrap();
    in_row(&*store, "r", |t| t.put(17, bytes("a"), bytes("v"))).unwrap();
    store.close().unwrap();
    let store = FjallStore::open(crashed.path(), options(&clock)).unwrap();
    assert_eq!(store.spaces().unwrap(), [0, SPACE, 17]);
    assert_eq!(store.snapshot().unwrap().get(17, b"a").unwrap().unwrap(), "v");
}

/// Drops all pairs whose keys begin with `x`.
struct DropX;

impl CompactionFilterFactory for DropX {
    fn make_filter(&self, _: SpaceId, _: bool) -> Option<Box<dyn CompactionFilter>> {
        Some(Box::new(Self))
    }
}

impl CompactionFilter for DropX {
    fn filter(&mut self, key: &[u8], _: &[u8]) -> Verdict {
        if key.starts_with(b"x") { Verdict::Drop } else { Verdict::Keep }
    }
}

/// The keys that are left of those of `store` after a crash at this moment.
fn keys_after_a_crash(folder: &TempDir, clock: &Arc<ManualClock>) -> Vec<String> {
    let crashed = TempDir::new().unwrap();
    copy_crashed(folder.path(), crashed.path());
    let store = open(crashed.path(), options(clock));
    keys(&*store)
}

fn keys(store: &dyn Store) -> Vec<String> {
    rest(&mut *store.snapshot().unwrap().scan(SPACE, b"", b"", Order::Ascending, 9).unwrap())
}

/// The journal still has what a compaction has dropped. If the newest pair of the files is among that, recovery would
/// replay all that is newer than the newest one that is left, but none of the older ones: `x2` without `x1`.
#[test]
fn what_a_compaction_has_dropped_does_not_come_back() {
    let (folder, clock) = (TempDir::new().unwrap(), clock());
    let store = open(folder.path(), options(&clock));
    store.set_compaction_filters(Arc::new(DropX));
    for round in 0..3 {
        for key in ["x1", "m", "x2"] {
            put(&*store, key, "v").unwrap();
        }
        store.compact(SPACE, true).unwrap();
        assert_eq!(keys(&*store), ["m"]);
        assert_eq!(keys_after_a_crash(&folder, &clock), ["m"], "round {round}");
        store.compact(SPACE, true).unwrap();
        assert_eq!(keys_after_a_crash(&folder, &clock), ["m"], "round {round}");
    }
    // What is written afterwards is replayed.
    put(&*store, "x3", "v").unwrap();
    put(&*store, "z", "v").unwrap();
    assert_eq!(keys_after_a_crash(&folder, &clock), ["m", "x3", "z"]);
    store.flush(SPACE).unwrap();
    assert_eq!(keys_after_a_crash(&folder, &clock), ["m", "x3", "z"]);
    for compaction in [false, true] {
        store.compact(SPACE, compaction).unwrap();
        let left = keys(&*store);
        assert_eq!(keys_after_a_crash(&folder, &clock), left);
    }
    assert_eq!(keys(&*store), ["m", "z"]);
}

/// A requested compaction begins behind a fence even if other threads write and flush, and no write is behind it by
/// mistake, which recovery would leave out.
#[test]
fn compactions_beside_writes_lose_nothing_after_a_crash() {
    let (folder, clock) = (TempDir::new().unwrap(), clock());
    let store = open(folder.path(), options(&clock));
    store.set_compaction_filters(Arc::new(DropX));
    let (over, written) = (AtomicBool::new(false), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !over.load(Ordering::SeqCst) {
                let n = written.load(Ordering::SeqCst);
                in_row(&*store, "r", |t| {
                    t.put(SPACE, bytes(&format!("k{n:06}")), bytes("v"));
                    t.put(SPACE, bytes(&format!("x{n:06}")), bytes("v"));
                })
                .unwrap();
                written.fetch_add(1, Ordering::SeqCst);
                if n % 7 == 0 {
                    store.flush(SPACE).unwrap();
                }
            }
        });
        for round in 0..20 {
            match store.compact(SPACE, round % 4 > 0) {
                Ok(()) => {}
                Err(error) => assert_eq!(error.kind(), ErrorKind::Busy, "{error}"),
            }
        }
        over.store(true, Ordering::SeqCst);
    });
    let expected: Vec<_> = (0..written.into_inner()).map(|n| format!("k{n:06}")).collect();
    let kept = |keys: Vec<String>| keys.into_iter().filter(|key| key.starts_with('k')).collect::<Vec<_>>();
    assert_eq!(kept(keys(&*store)), expected);
    assert_eq!(kept(keys_after_a_crash(&folder, &clock)), expected);
    store.compact(SPACE, true).unwrap();
    assert_eq!(keys_after_a_crash(&folder, &clock), expected);
}

/// Compactions of fjall's workers drop nothing without a fence, and get one if that is worthwhile.
#[test]
fn a_compaction_of_a_worker_drops_pairs_once_their_files_have_a_fence() {
    let (folder, clock) = (TempDir::new().unwrap(), clock());
    let store = open(folder.path(), options(&clock));
    store.set_compaction_filters(Arc::new(DropX));
    let mut n = 0;
    while n < 20 || keys(&*store).iter().filter(|key| key.starts_with('x')).count() as u32 > n / 2 {
        put(&*store, &format!("k{n:06}"), "v").unwrap();
        put(&*store, &format!("x{n:06}"), "v").unwrap();
        store.flush(SPACE).unwrap();
        n += 1;
        assert!(n < 5000, "nothing was dropped");
    }
    let kept = |keys: &[String]| keys.iter().filter(|key| key.starts_with('k')).count() as u32;
    let left = keys(&*store);
    assert_eq!(kept(&left), n);
    let crashed = keys_after_a_crash(&folder, &clock);
    assert_eq!(kept(&crashed), n);
}

/// Lets the next flush fail once: reopening the store repairs it.
fn take_folders_of_files(folder: &Path) {
    for space in fs::read_dir(folder.join("data/keyspaces")).unwrap() {
        let space = space.unwrap();
        if space.file_name() != "0" {
            fs::remove_dir(space.path().join("tables")).unwrap();
        }
    }
}

/// What recovery reads from the journal goes to memory, where only later commits would have it written out. With more
/// of it than the bound allows, those commits waited for each other.
#[test]
fn recovered_memory_does_not_keep_writes_waiting() {
    let (folder, crashed, clock) = (TempDir::new().unwrap(), TempDir::new().unwrap(), clock());
    let store = open(folder.path(), options(&clock));
    let value = bytes(&"v".repeat(100_000));
    for space in 2..=5 {
        store.create_space(space, &SpaceOptions::default()).unwrap();
        for n in 0..20 {
            in_row(&*store, "r", |t| t.put(space, bytes(&format!("{n:02}")), value.clone())).unwrap();
        }
    }
    copy_crashed(folder.path(), crashed.path());
    let bound = StoreOptions { write_buffer_bytes: 1 << 20, ..options(&clock) };
    let store = open(crashed.path(), bound);
    assert_eq!(put(&*store, "a", "1").map_err(|error| error.to_string()), Ok(()));
    for space in 2..=5 {
        let snapshot = store.snapshot().unwrap();
        assert_eq!(rest(&mut *snapshot.scan(space, b"", b"", Order::Ascending, 9).unwrap()).len(), 20);
        // What is not in files counts against the bound.
        store.flush(space).unwrap();
    }
    assert!(store.statistics().unwrap().write_buffer_bytes < 1 << 20);
    assert_eq!(store.statistics().unwrap().stalls_given_up, 0);
}

/// A space that is dropped takes its memory out of the account, whatever becomes of its memtables.
#[test]
fn dropped_spaces_do_not_upset_the_account_of_memory() {
    let (folder, clock) = (TempDir::new().unwrap(), clock());
    let bound = 1 << 20;
    let store = open(folder.path(), StoreOptions { write_buffer_bytes: bound, ..options(&clock) });
    let value = bytes(&"v".repeat(100_000));
    for round in 0..10 {
        let space = 10 + round;
        store.create_space(space, &SpaceOptions::default()).unwrap();
        for n in 0..15 {
            in_row(&*store, "r", |t| t.put(space, bytes(&n.to_string()), value.clone())).unwrap();
        }
        store.drop_space(space).unwrap();
    }
    assert!(store.statistics().unwrap().write_buffer_bytes < 100_000);
    for n in 0..8 {
        in_row(&*store, "r", |t| t.put(SPACE, bytes(&n.to_string()), value.clone())).unwrap();
    }
    let counted = store.statistics().unwrap().write_buffer_bytes;
    assert!((800_000..1_000_000).contains(&counted), "{counted} bytes are counted of 800,000");
}

#[test]
fn a_failed_flush_costs_no_write_an_error() {
    let (folder, clock) = (TempDir::new().unwrap(), clock());
    let store = open(folder.path(), options(&clock));
    put(&*store, "a", "1").unwrap();
    take_folders_of_files(folder.path());
    assert_eq!(store.flush(SPACE).unwrap_err().kind(), ErrorKind::Io);
    assert_eq!(put(&*store, "b", "2").map_err(|error| error.to_string()), Ok(()));
    assert_eq!(get(&*store, "a").unwrap(), "1");
    assert_eq!(store.statistics().unwrap().reopened, 1);
    store.flush(SPACE).unwrap();
}

/// The reopened database has lost the mark of the time, as after a failed write of a page of the journal that is no
/// longer in memory. The next write that assigns a time needs another one.
#[test]
fn a_mark_of_the_time_that_a_reopening_has_lost_is_stored_again() {
    let (folder, crashed, clock) = (TempDir::new().unwrap(), TempDir::new().unwrap(), clock());
    let store = open(folder.path(), options(&clock));
    let mark = || {
        let body = |t: &mut dyn Transaction| {
            let now = t.now_ms();
            t.put(SPACE, bytes("a"), bytes("v"));
            t.assigned(now, true);
            now
        };
        in_row(&*store, "r", body).unwrap()
    };
    assert_eq!(mark(), BEGIN_MS);
    let journal = folder.path().join("data/0.jnl");
    let written = fs::read(&journal).unwrap().iter().rposition(|byte| *byte != 0).unwrap() + 1;
    clock.advance(5_000);
    assert_eq!(mark(), BEGIN_MS + 5_000);
    take_folders_of_files(folder.path());
    store.flush(SPACE).unwrap_err();
    fs::OpenOptions::new().write(true).open(&journal).unwrap().set_len(written as u64).unwrap();
    let assigned = mark();
    assert_eq!(store.statistics().unwrap().reopened, 1);
    assert_eq!(assigned, BEGIN_MS + 5_001);
    copy_crashed(folder.path(), crashed.path());
    // The machine's clock has been set back.
    let restarted = open(crashed.path(), options(&self::clock()));
    assert_eq!(get(&*restarted, "a").unwrap(), "v");
    let next = in_row(&*restarted, "r", |t| t.now_ms()).unwrap();
    assert!(next > assigned, "{} after {}", next - BEGIN_MS, assigned - BEGIN_MS);
}

/// Between what a body reads and its commit the database is reopened: what it read may not be what the commit comes
/// after.
#[test]
fn a_body_runs_again_if_the_database_was_reopened_meanwhile() {
    let (folder, clock) = (TempDir::new().unwrap(), clock());
    let store = open(folder.path(), options(&clock));
    put(&*store, "a", "1").unwrap();
    let mut runs = 0;
    let body = &mut |t: &mut dyn hjall_engine::store::Transaction| {
        runs += 1;
        let before = t.snapshot().get(SPACE, b"a")?;
        if runs == 1 {
            take_folders_of_files(folder.path());
            store.flush(SPACE).unwrap_err();
            in_row(&*store, "other", |t| t.put(SPACE, bytes("b"), bytes("2"))).unwrap();
        }
        t.put(SPACE, bytes("c"), before.unwrap());
        Ok(())
    };
    store.transact(&[bytes("r")], Durability::SyncWal, body).unwrap();
    assert_eq!(runs, 2);
    assert_eq!(get(&*store, "c").unwrap(), "1");
}

/// Keeps a compaction busy for minutes unless it is ended.
struct Slow(Arc<AtomicBool>);

impl CompactionFilterFactory for Slow {
    fn make_filter(&self, space: SpaceId, whole: bool) -> Option<Box<dyn CompactionFilter>> {
        (space == SPACE && whole).then(|| Box::new(Self(Arc::clone(&self.0))) as Box<dyn CompactionFilter>)
    }
}

impl CompactionFilter for Slow {
    fn filter(&mut self, _key: &[u8], _value: &[u8]) -> Verdict {
        self.0.store(true, Ordering::Release);
        std::thread::sleep(Duration::from_millis(5));
        Verdict::Keep
    }
}

#[test]
fn a_compaction_gives_way_to_reopening_and_to_closing() {
    let (folder, clock) = (TempDir::new().unwrap(), clock());
    let store = open(folder.path(), options(&clock));
    in_row(&*store, "r", |t| (0..50_000).for_each(|n| t.put(SPACE, bytes(&format!("{n:05}")), bytes("v")))).unwrap();
    store.flush(SPACE).unwrap();
    put(&*store, "x", "1").unwrap();
    store.create_space(2, &SpaceOptions::default()).unwrap();
    for closing in [false, true] {
        let begun = Arc::new(AtomicBool::new(false));
        store.set_compaction_filters(Arc::new(Slow(Arc::clone(&begun))));
        std::thread::scope(|scope| {
            let compaction = scope.spawn(|| store.compact(SPACE, true));
            eventually("the compaction has begun", || {
                assert!(!compaction.is_finished(), "it has ended before");
                begun.load(Ordering::Acquire)
            });
            if closing {
                store.close().unwrap();
            } else {
                in_row(&*store, "r", |t| t.put(2, bytes("k"), bytes("v"))).unwrap();
                for space in fs::read_dir(folder.path().join("data/keyspaces")).unwrap() {
                    // The one that is empty: that of space 2.
                    drop(fs::remove_dir(space.unwrap().path().join("tables")));
                }
                store.flush(2).unwrap_err();
                put(&*store, "x", "2").unwrap();
                assert_eq!(store.statistics().unwrap().reopened, 1);
                assert_eq!(get(&*store, "00007").unwrap(), "v");
            }
            let error = compaction.join().unwrap().unwrap_err();
            assert!(matches!(error.kind(), ErrorKind::Busy | ErrorKind::Closed), "{error}");
        });
    }
    let store = open(folder.path(), options(&clock));
    assert_eq!(get(&*store, "x").unwrap(), "2");
}

/// Writers of all levels at once, with journals that are rotated meanwhile: no writer waits forever, and every write is
/// stored.
#[test]
fn writers_that_wait_for_a_sync_share_it() {
    let (folder, clock) = (TempDir::new().unwrap(), clock());
    for fsync in [false, true] {
        let sync_interval = (!fsync).then_some(Duration::from_millis(1));
        let store = open(folder.path(), StoreOptions { fsync, sync_interval, ..options(&clock) });
        std::thread::scope(|scope| {
            for writer in 0..8 {
                let store = &store;
                scope.spawn(move || {
                    let durability = if writer % 2 == 0 { Durability::FsyncWal } else { Durability::SyncWal };
                    for n in 0..20 {
                        let key = bytes(&format!("{writer} {n}"));
                        let body = &mut |t: &mut dyn hjall_engine::store::Transaction| {
                            t.put(SPACE, key.clone(), bytes("v"));
                            Ok(())
                        };
                        store.transact(&[bytes("r")], durability, body).unwrap();
                    }
                });
            }
        });
        let syncs = store.statistics().unwrap().syncs;
        assert!(syncs > 0);
        store.close().unwrap();
    }
    let store = open(folder.path(), options(&clock));
    assert_eq!(rest(&mut *store.snapshot().unwrap().scan(SPACE, b"", b"", Order::Ascending, 9).unwrap()).len(), 160);
}

/// What did not wait for the disk is synced all the same, without anybody asking.
#[test]
fn writes_that_do_not_wait_are_synced_in_the_background() {
    let (folder, clock) = (TempDir::new().unwrap(), clock());
    let sync_interval = Some(Duration::from_millis(1));
    let store = open(folder.path(), StoreOptions { sync_interval, ..options(&clock) });
    for round in 0..3 {
        let before = store.statistics().unwrap().syncs;
        put(&*store, "a", &round.to_string()).unwrap();
        eventually("the write is synced", || store.statistics().unwrap().syncs > before);
    }
}
