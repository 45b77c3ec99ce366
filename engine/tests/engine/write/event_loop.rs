//! Groups that do not wait, as event loops use them: what they stage, what they leave to other threads, and that they
//! never hold up anything.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use hjall_engine::clock::{Clock, ManualClock};
use hjall_engine::group::{self, CallWrites, Group, Outcome};
use hjall_engine::mutation::{Durability, Increment, MarkerKind, Put};
use hjall_engine::request::Get;
use hjall_engine::store::fault::{Call, Counted, FaultStore, InjectedFault, When};
use hjall_engine::store::{FjallStore, Store, StoreOptions};
use hjall_engine::{Engine, ErrorKind, Table};
use proptest::prelude::*;

use super::groups::{Step, run, step};
use crate::fixture::{Database, NOW, SERVER, delete, descriptor, increment, kind, name, put, read};

type Outcomes = Rc<RefCell<Vec<String>>>;

fn open() -> (Group, Outcomes) {
    let outcomes = Outcomes::default();
    let ended = Rc::clone(&outcomes);
    (Group::open_without_waiting(move |outcome| ended.borrow_mut().push(format!("{outcome:?}"))), outcomes)
}

/// A database on disk, whose store can be made to fail. It is not synced in the background, since commits of a group
/// that does not wait are refused during a sync.
struct World {
    store: Arc<FaultStore>,
    engine: Engine,
    table: Table,
    _folder: tempfile::TempDir,
}

impl World {
    fn new(family: &str) -> Self {
        Self::of(&[family])
    }

    fn of(families: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let clock: Arc<dyn Clock> = Arc::new(ManualClock::at(NOW));
        let options = StoreOptions { clock: Some(clock), sync_interval: None, ..StoreOptions::default() };
        let store = Arc::new(FaultStore::new(FjallStore::open(folder.path(), options).unwrap()));
        let engine = Engine::with_store(store.clone()).unwrap();
        engine.create_table(descriptor("t", families), vec![]).unwrap();
        let table = engine.table(&name("t"));
        Self { store, engine, table, _folder: folder }
    }
}

fn staged<T>((_, writes): &(T, CallWrites)) -> bool {
    matches!(writes, CallWrites::Staged { .. })
}

fn must_wait<T>((_, writes): &(T, CallWrites)) -> bool {
    matches!(writes, CallWrites::MustWait)
}

fn one(row: &str) -> Put {
    put(row, &[("f:q", 5, "v")])
}

#[test]
fn puts_and_deletes_are_committed_together() {
    let db = World::new("f");
    let t = &db.table;
    let (group, outcomes) = open();
    assert!(staged(&group.run(|| t.put(&one("a")).unwrap())));
    assert!(staged(&group.run(|| t.put(&one("b")).unwrap())));
    assert!(staged(&group.run(|| t.delete(&delete("c", &[(MarkerKind::Column, "f:q", SERVER)])).unwrap())));
    assert!(read(t, "a").is_empty(), "reads of the same thread see what is committed");
    group.commit();
    assert_eq!(*outcomes.borrow(), ["Committed"]);
    assert_eq!(read(t, "a"), ["f:q@5=v"]);
    assert_eq!(read(t, "b"), ["f:q@5=v"]);
}

#[test]
fn a_row_that_is_written_twice_is_committed_in_between() {
    let db = World::new("f");
    let t = &db.table;
    let (group, outcomes) = open();
    for time in 1..=3 {
        assert!(staged(&group.run(|| t.put(&put("a", &[("f:q", time, "v")])).unwrap())));
    }
    assert_eq!(*outcomes.borrow(), ["Committed", "Committed"]);
    group.commit();
    assert_eq!(read(t, "a"), ["f:q@3=v"]);
}

#[test]
fn calls_that_read_a_little_are_staged() {
    let db = World::new("f");
    let t = &db.table;
    let (group, outcomes) = open();
    let count = || t.increment(&increment("c", "f:n", 1)).unwrap().cells[0].value.clone();
    for expected in 1..=3_u64 {
        let counted = group.run(count);
        assert!(staged(&counted));
        assert_eq!(counted.0[..], expected.to_be_bytes());
    }
    assert_eq!(*outcomes.borrow(), ["Committed", "Committed"], "each sees the one before");
    t.put(&put("d", &[("f:q", 5, "old"), ("f:q", 6, "new")])).unwrap();
    assert!(staged(&group.run(|| t.delete(&delete("d", &[(MarkerKind::Version, "f:q", SERVER)])).unwrap())));
    let rows = ["e", "g"].map(|row| delete(row, &[(MarkerKind::Version, "f:q", SERVER)]));
    let deleted = group.run(|| t.delete_many(&rows));
    assert!(deleted.0.iter().all(Result::is_ok));
    group.commit();
    assert!(group.has_read());
    assert_eq!(read(t, "d"), ["f:q@5=old"]);
    let (done, writes) = group.run(|| t.put(&put("e", &[("g:q", 5, "v")])));
    assert_eq!((kind(done), matches!(writes, CallWrites::Done)), (ErrorKind::FamilyNotFound, true));
    assert!(!group.has_read());
}

#[test]
fn calls_that_read_much_are_left_to_another_thread() {
    const READS_MAX: usize = 16;
    // With a TTL in one of the families, the row cache does not know a row as a whole.
    let db = World::of(&["f", "g TTL=86400"]);
    let t = &db.table;
    let (group, outcomes) = open();
    assert!(staged(&group.run(|| t.put(&one("a")).unwrap())));
    let columns = (0..=READS_MAX).map(|n| ("f".into(), n.to_string().into(), 1)).collect();
    let wide = Increment { row: "wide".into(), columns, ..Increment::default() };
    assert!(must_wait(&group.run(|| t.increment(&wide))));
    // Of a list, none is staged if one of its mutations has to wait.
    let rows: Vec<_> = (0..=READS_MAX).map(|n| format!("many{n}")).collect();
    let cell = |row: &String| put(row, &[("f:q", 5, "v")]);
    t.put_many(&rows.iter().map(cell).collect::<Vec<_>>()).into_iter().for_each(Result::unwrap);
    let deletes: Vec<_> = rows.iter().map(|row| delete(row, &[(MarkerKind::Version, "f:q", SERVER)])).collect();
    assert!(must_wait(&group.run(|| t.delete_many(&deletes))));
    // A column with many versions that are deleted.
    for time in 0..100 {
        t.put(&put("deep", &[("f:n", time, "not a number")])).unwrap();
        t.delete(&delete("deep", &[(MarkerKind::Version, "f:n", time)])).unwrap();
    }
    assert!(must_wait(&group.run(|| t.increment(&increment("deep", "f:n", 1)))));
    group.commit();
    assert!(outcomes.borrow().iter().all(|outcome| outcome == "Committed"));
    assert_eq!(read(t, "a"), ["f:q@5=v"]);
    for row in ["wide", "deep"] {
        assert!(read(t, row).is_empty(), "{row} was not written");
    }
    for row in &rows {
        assert_eq!(read(t, row), ["f:q@5=v"]);
    }
    // The same calls may wait outside of the group.
    t.increment(&wide).unwrap();
    t.increment(&increment("deep", "f:n", 1)).unwrap();
}

/// The row cache reads the row once for all columns.
#[test]
fn an_increment_of_many_columns_of_a_small_row_is_staged() {
    let db = World::new("f");
    let (group, outcomes) = open();
    let columns = (0..40).map(|n| ("f".into(), n.to_string().into(), 1)).collect();
    let wide = Increment { row: "wide".into(), columns, ..Increment::default() };
    for _ in 0..2 {
        assert!(staged(&group.run(|| db.table.increment(&wide).unwrap())));
        group.commit();
    }
    assert_eq!(*outcomes.borrow(), ["Committed", "Committed"]);
    assert_eq!(read(&db.table, "wide").len(), 40);
}

#[test]
fn short_lists_are_staged_and_long_ones_are_left_to_another_thread() {
    const ROWS_MAX: usize = 32;
    let db = World::new("f");
    let t = &db.table;
    let (group, outcomes) = open();
    let rows: Vec<_> = (0..=ROWS_MAX).map(|n| one(&n.to_string())).collect();
    let put_all = |rows: &[Put]| t.put_many(rows).into_iter().for_each(Result::unwrap);
    assert!(must_wait(&group.run(|| t.put_many(&rows))));
    assert!(read(t, "0").is_empty());
    assert!(staged(&group.run(|| put_all(&rows[..ROWS_MAX]))));
    group.commit();
    assert_eq!(*outcomes.borrow(), ["Committed"]);
    assert_eq!(read(t, "0"), ["f:q@5=v"]);
    // A list with a mutation that fails: the others are staged.
    let some = [one("x"), put("y", &[("g:q", 5, "v")]), one("z")];
    let mixed = group.run(|| t.put_many(&some));
    assert!(staged(&mixed) && mixed.0[1].is_err());
    group.commit();
    assert_eq!((read(t, "x").len(), read(t, "y").len(), read(t, "z").len()), (1, 0, 1));
}

/// Writes that have to be synced take effect with the commit. The group does not wait for the sync.
#[test]
fn the_end_of_a_sync_is_told_later() {
    let db = World::new("f");
    let t = &db.table;
    let (told, ended) = std::sync::mpsc::channel();
    let outcomes = Outcomes::default();
    let (names, failures) = (Rc::clone(&outcomes), told.clone());
    let group = Group::open_without_waiting(move |outcome| {
        names.borrow_mut().push(format!("{outcome:?}"));
        if let Outcome::Written(sync) = outcome {
            let told = failures.clone();
            sync.when_ended(1, Box::new(move |synced| told.send(synced.map_err(|error| error.to_string())).unwrap()));
        }
    });
    let synced = |row| Put { durability: Durability::FsyncWal, ..one(row) };
    assert!(staged(&group.run(|| t.put(&one("a")).unwrap())));
    group.commit();
    assert_eq!(*outcomes.borrow(), ["Committed"]);
    // A commit may hold both kinds. The calls are told which one theirs is.
    let waits = |(_, writes): ((), CallWrites)| matches!(writes, CallWrites::Staged { is_synced: true });
    assert!(waits(group.run(|| t.put(&synced("b")).unwrap())));
    assert!(!waits(group.run(|| t.put(&one("e")).unwrap())));
    assert!(waits(group.run(|| t.put(&synced("c")).unwrap())));
    assert_eq!(*outcomes.borrow(), ["Committed"]);
    let before = db.store.statistics().unwrap().syncs;
    group.commit();
    assert_eq!(*outcomes.borrow(), ["Committed", "Written(JournalSync)"]);
    for row in ["a", "b", "c", "e"] {
        assert_eq!(read(t, row), ["f:q@5=v"]);
    }
    ended.recv().unwrap().unwrap();
    assert_eq!(db.store.statistics().unwrap().syncs, before + 1);
    // A call that has made its first transaction waits for the others, and is not told of syncs.
    let (done, writes) = group.run(|| t.put(&synced("d")).and_then(|()| t.put(&synced("d"))));
    done.unwrap();
    group.commit();
    if let CallWrites::Staged { .. } = writes {
        ended.recv().unwrap().unwrap();
    }
    assert!(ended.try_recv().is_err());
    // Each commit decides anew.
    assert!(!waits(group.run(|| t.put(&one("f")).unwrap())));
    group.commit();
    assert_eq!(outcomes.borrow().last().unwrap(), "Committed");
}

#[test]
fn a_call_of_several_transactions_is_left_to_another_thread_before_the_first_one() {
    let db = World::new("f");
    let t = &db.table;
    let (group, _) = open();
    let both = || {
        t.delete(&delete("a", &[(MarkerKind::Column, "f:q", SERVER)]))?;
        t.put(&put("a", &[("f:q", SERVER, "v")]))
    };
    assert!(must_wait(&group.run(|| group::begin_several().and_then(|()| both()))));
    assert!(read(t, "a").is_empty());
    // One that does not say so is not run again, since it has written.
    let (done, writes) = group.run(both);
    done.unwrap();
    assert!(!matches!(writes, CallWrites::MustWait | CallWrites::Undone(_)), "{writes:?}");
    group.commit();
    assert_eq!(read(t, "a").len(), 1);
}

#[test]
fn a_locked_row_does_not_hold_up_the_others() {
    let db = World::new("f");
    let t = &db.table;
    let (group, outcomes) = open();
    let (lock, locked) = std::sync::mpsc::channel();
    let (release, released) = std::sync::mpsc::channel::<()>();
    std::thread::scope(|scope| {
        let table = t.clone();
        scope.spawn(move || {
            let group = Group::open(|_| {});
            group.run(|| table.put(&one("locked"))).0.unwrap();
            lock.send(()).unwrap();
            released.recv().unwrap();
        });
        locked.recv().unwrap();
        assert!(staged(&group.run(|| t.put(&one("a")).unwrap())));
        assert!(must_wait(&group.run(|| t.put(&one("locked")))));
        assert!(staged(&group.run(|| t.put(&one("b")).unwrap())));
        group.commit();
        release.send(()).unwrap();
    });
    assert_eq!(*outcomes.borrow(), ["Committed", "Committed"]);
    for row in ["a", "b", "locked"] {
        assert_eq!(read(t, row), ["f:q@5=v"]);
    }
}

/// A change of a table waits for the writes of the group, and reads of its thread wait for the change.
#[test]
fn a_read_of_the_thread_commits_the_group_before_it_waits() {
    let db = World::new("f");
    let t = &db.table;
    let (group, outcomes) = open();
    let ended = AtomicBool::new(false);
    std::thread::scope(|scope| {
        assert!(staged(&group.run(|| t.put(&one("a")).unwrap())));
        scope.spawn(|| {
            db.engine.disable_table(&name("t")).unwrap();
            ended.store(true, Ordering::SeqCst);
        });
        while t.get(&Get::new("a")).is_ok() {}
        // The change has locked the table, for which the group had to be committed.
        assert_eq!(*outcomes.borrow(), ["Committed"]);
    });
    assert!(ended.into_inner());
    db.engine.enable_table(&name("t")).unwrap();
    assert_eq!(read(t, "a"), ["f:q@5=v"]);
}

#[test]
fn a_write_does_not_wait_for_a_change_of_its_table() {
    let db = World::new("f");
    let t = &db.table;
    let (group, outcomes) = open();
    std::thread::scope(|scope| {
        assert!(staged(&group.run(|| t.put(&one("a")).unwrap())));
        scope.spawn(|| db.engine.disable_table(&name("t")).unwrap());
        // While the change waits, the group is committed, and further calls are left to other threads.
        loop {
            let row = format!("row{}", outcomes.borrow().len());
            match group.run(|| t.put(&one(&row))) {
                (_, CallWrites::Staged { .. }) => group.commit(),
                (_, CallWrites::MustWait) => {}
                (done, writes) => {
                    assert_eq!((kind(done), matches!(writes, CallWrites::Done)), (ErrorKind::TableDisabled, true));
                    break;
                }
            }
        }
    });
    group.commit();
    db.engine.enable_table(&name("t")).unwrap();
    for row in 0..outcomes.borrow().len() {
        assert_eq!(read(t, &if row == 0 { "a".to_owned() } else { format!("row{row}") }).len(), 1);
    }
}

/// While a memtable is flushed, calls are left to other threads and commits are refused.
#[test]
fn writes_beside_flushes_all_take_effect() {
    let db = World::new("f");
    let (group, outcomes) = open();
    let ended = AtomicBool::new(false);
    let mut rows = 0;
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for n in 0..20 {
                db.table.put(&one(&format!("other{n}"))).unwrap();
                db.engine.flush(&name("t")).unwrap();
            }
            ended.store(true, Ordering::SeqCst);
        });
        while !ended.load(Ordering::SeqCst) {
            let row = one(&format!("row{rows}"));
            rows += 1;
            let attempt = group.run(|| db.table.put(&row));
            group.commit();
            let written = staged(&attempt) && outcomes.borrow_mut().pop().is_some_and(|outcome| outcome == "Committed");
            if !written {
                assert!(staged(&attempt) || must_wait(&attempt), "{attempt:?}");
                db.table.put(&row).unwrap();
            }
        }
    });
    for row in 0..rows {
        assert_eq!(read(&db.table, &format!("row{row}")), ["f:q@5=v"]);
    }
}

#[test]
fn a_store_without_groups_is_noticed() {
    let db = Database::memory();
    let t = db.table("t", &["f"]);
    let (group, _) = open();
    assert!(group.is_possible());
    assert!(must_wait(&group.run(|| t.put(&one("a")))));
    group.commit();
    assert!(!group.is_possible());
}

#[test]
fn the_outcome_of_a_failed_commit_is_that_of_all_its_calls() {
    for (injected, when, expected) in
        [(ErrorKind::Busy, When::Before, "NotWritten"), (ErrorKind::DiskFull, When::After, "Failed")]
    {
        let World { store, table: t, .. } = &World::new("f");
        let (group, outcomes) = open();
        for row in ["a", "b"] {
            assert!(staged(&group.run(|| t.put(&one(row)).unwrap())));
        }
        let counted = Counted::Only(Call::Transact);
        store.fail(InjectedFault { counted, nth: 1, when, kind: injected, lasting: false });
        group.commit();
        assert!(store.heal());
        assert!(outcomes.borrow()[0].starts_with(expected), "{outcomes:?}");
        assert_eq!(outcomes.borrow().len(), 1);
        for row in ["a", "b"] {
            assert_eq!(read(t, row).len(), usize::from(when == When::After));
            t.put(&put(row, &[("f:q", 6, "later")])).unwrap();
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// The calls that the group stages and those that it leaves to others act as in order.
    #[test]
    fn staged_and_other_calls_act_as_calls_in_order(steps in proptest::collection::vec(step(), 1..60)) {
        let (db, model) = (World::new("f VERSIONS=3"), Database::memory());
        let (t, m) = (&db.table, model.table("t", &["f VERSIONS=3"]));
        let (group, outcomes) = open();
        for (n, step) in steps.iter().enumerate() {
            if let Step::Commit = step {
                group.commit();
                for row in 0..4 {
                    let row = format!("row{row}");
                    prop_assert_eq!(read(t, &row), read(&m, &row));
                }
                continue;
            }
            let mut attempt = group.run(|| match step {
                Step::Both(_) => group::begin_several().map_or_else(|_| String::new(), |()| run(t, step, n)),
                _ => run(t, step, n),
            });
            if must_wait(&attempt) {
                group.commit();
                attempt.0 = run(t, step, n);
            }
            prop_assert_eq!(attempt.0, run(&m, step, n));
        }
        drop(group);
        prop_assert!(outcomes.borrow().iter().all(|outcome| outcome == "Committed"));
        for row in 0..4 {
            let row = format!("row{row}");
            prop_assert_eq!(read(t, &row), read(&m, &row));
        }
    }
}
