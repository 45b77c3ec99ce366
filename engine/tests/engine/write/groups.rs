//! Writes of several calls that are committed together.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use bytes::Bytes;
use hjall_engine::clock::ManualClock;
use hjall_engine::group::{self, CallWrites, Group, Outcome};
use hjall_engine::mutation::{Check, CompareOp, Durability, MarkerKind, Mutation, Put, PutCellOf, PutOf};
use hjall_engine::store::fault::{Call, Counted, FaultStore, InjectedFault, When};
use hjall_engine::store::{FjallStore, StoreOptions};
use hjall_engine::{Engine, ErrorKind, Result, Table};
use proptest::prelude::*;

use crate::fixture::{Database, NOW, SERVER, delete, descriptor, increment, name, put, read};

/// The outcomes of commits, in order.
type Outcomes = Rc<RefCell<Vec<String>>>;

fn open() -> (Group, Outcomes) {
    let outcomes = Outcomes::default();
    let ended = Rc::clone(&outcomes);
    (Group::open(move |outcome| ended.borrow_mut().push(format!("{outcome:?}"))), outcomes)
}

fn is_staged(writes: &CallWrites) -> bool {
    matches!(writes, CallWrites::Staged { .. })
}

fn is_done(writes: &CallWrites) -> bool {
    matches!(writes, CallWrites::Done)
}

#[test]
fn staged_writes_appear_together_at_the_commit() {
    let db = Database::folder();
    let t = db.table("t", &["f"]);
    let (group, outcomes) = open();
    for row in ["a", "b", "c"] {
        let (done, writes) = group.run(|| t.put(&put(row, &[("f:q", 5, "v")])));
        done.unwrap();
        assert!(is_staged(&writes), "{writes:?}");
    }
    let (row, writes) = group.run(|| t.increment(&increment("d", "f:n", 7)).unwrap());
    assert!(is_staged(&writes));
    assert_eq!(row.cells[0].value, 7_i64.to_be_bytes()[..]);
    for row in ["a", "b", "c", "d"] {
        assert!(read(&t, row).is_empty(), "{row} is visible before the commit");
    }
    assert!(outcomes.borrow().is_empty());
    group.commit();
    assert_eq!(*outcomes.borrow(), ["Committed"]);
    for row in ["a", "b", "c"] {
        assert_eq!(read(&t, row), ["f:q@5=v"]);
    }
    group.commit();
    assert_eq!(outcomes.borrow().len(), 1, "there was nothing to commit");
}

#[test]
fn a_call_of_a_staged_row_sees_the_calls_before_it() {
    let db = Database::folder();
    let t = db.table("t", &["f"]);
    let (group, outcomes) = open();
    for n in 1..=3_i64 {
        let (row, writes) = group.run(|| t.increment(&increment("r", "f:n", 1)).unwrap());
        assert_eq!(row.cells[0].value, n.to_be_bytes()[..]);
        assert!(is_staged(&writes));
        assert_eq!(outcomes.borrow().len() as i64, n - 1);
    }
    drop(group);
    assert_eq!(outcomes.borrow().len(), 3, "dropping a group commits it");
    t.increment(&increment("r", "f:n", 0)).unwrap();
}

/// Both kinds share a commit, and each call knows whether it has to wait for the sync.
#[test]
fn calls_are_told_whether_their_writes_have_to_be_synced() {
    let db = Database::folder();
    let t = db.table("t", &["f"]);
    let (group, outcomes) = open();
    for (row, durability) in [("a", Durability::SyncWal), ("b", Durability::FsyncWal), ("c", Durability::SkipWal)] {
        let (done, writes) = group.run(|| t.put(&Put { durability, ..put(row, &[("f:q", 5, "v")]) }));
        done.unwrap();
        let is_synced = durability == Durability::FsyncWal;
        assert!(matches!(writes, CallWrites::Staged { is_synced: told } if told == is_synced), "{writes:?}");
    }
    assert!(outcomes.borrow().is_empty());
    group.commit();
    assert_eq!(*outcomes.borrow(), ["Written(JournalSync)"]);
    for row in ["a", "b", "c"] {
        assert_eq!(read(&t, row), ["f:q@5=v"]);
    }
    group.run(|| t.put(&put("a", &[("f:q", 6, "v")]))).0.unwrap();
    group.commit();
    assert_eq!(*outcomes.borrow(), ["Written(JournalSync)", "Committed"], "the next commit needs no sync");
}

#[test]
fn a_large_transaction_is_committed_by_itself() {
    let db = Database::folder();
    let t = db.table("t", &["f"]);
    let (group, outcomes) = open();
    group.run(|| t.put(&put("a", &[("f:q", 5, "v")]))).0.unwrap();
    let many: Vec<_> = (0..100).map(|n| put(&format!("many{n}"), &[("f:q", 5, "v")])).collect();
    let (done, writes) = group.run(|| t.put_many(&many));
    done.into_iter().collect::<Result<()>>().unwrap();
    assert!(is_done(&writes));
    assert_eq!(*outcomes.borrow(), ["Committed"]);
}

#[test]
fn a_failed_call_leaves_the_others_in_the_group() {
    let db = Database::folder();
    let t = db.table("t", &["f"]);
    let (group, outcomes) = open();
    group.run(|| t.put(&put("a", &[("f:q", 5, "v")]))).0.unwrap();
    let (done, writes) = group.run(|| t.put(&put("b", &[("g:q", 5, "v")])));
    assert_eq!(done.unwrap_err().kind(), ErrorKind::FamilyNotFound);
    assert!(is_done(&writes));
    group.commit();
    assert_eq!(*outcomes.borrow(), ["Committed"]);
    assert_eq!(read(&t, "a"), ["f:q@5=v"]);
    assert!(read(&t, "b").is_empty());
}

#[test]
fn a_change_of_the_table_waits_for_the_commit() {
    let db = Database::folder();
    let t = db.table("t", &["f"]);
    let (group, _) = open();
    group.run(|| t.put(&put("a", &[("f:q", 5, "v")]))).0.unwrap();
    let disabled = Arc::new(AtomicBool::new(false));
    let change = std::thread::spawn({
        let (engine, disabled) = (db.engine.clone(), Arc::clone(&disabled));
        move || {
            engine.disable_table(&name("t")).unwrap();
            disabled.store(true, Ordering::SeqCst);
        }
    });
    for _ in 0..10_000 {
        std::thread::yield_now();
    }
    assert!(!disabled.load(Ordering::SeqCst), "the table was disabled before the commit");
    group.commit();
    change.join().unwrap();
    db.engine.enable_table(&name("t")).unwrap();
    assert_eq!(read(&t, "a"), ["f:q@5=v"]);
}

/// A database on disk whose store can be made to fail.
fn failing() -> (tempfile::TempDir, Arc<FaultStore>, Table) {
    let folder = tempfile::tempdir().unwrap();
    let options = StoreOptions { clock: Some(Arc::new(ManualClock::at(NOW))), ..StoreOptions::default() };
    let store = Arc::new(FaultStore::new(FjallStore::open(folder.path(), options).unwrap()));
    let engine = Engine::with_store(store.clone()).unwrap();
    engine.create_table(descriptor("t", &["f"]), vec![]).unwrap();
    let table = engine.table(&name("t"));
    (folder, store, table)
}

fn fault(when: When, kind: ErrorKind) -> InjectedFault {
    InjectedFault { counted: Counted::Only(Call::Transact), nth: 1, when, kind, lasting: false }
}

#[test]
fn a_failed_commit_is_reported_to_all_calls() {
    for when in [When::Before, When::After] {
        let (_folder, store, t) = failing();
        let (group, outcomes) = open();
        for row in ["a", "b"] {
            group.run(|| t.put(&put(row, &[("f:q", 5, "v")]))).0.unwrap();
        }
        store.fail(fault(when, ErrorKind::DiskFull));
        // Commits the group first, which fails. This call is not affected.
        let (done, writes) = group.run(|| t.put(&put("b", &[("f:q", 6, "w")])));
        done.unwrap();
        assert!(is_staged(&writes));
        let failed = outcomes.borrow_mut().remove(0);
        assert!(failed.contains("DiskFull"), "{failed}");
        group.commit();
        assert_eq!(*outcomes.borrow(), ["Committed"]);
        let applied = read(&t, "a").len();
        assert_eq!(applied, usize::from(when == When::After));
        let seen = read(&t, "b");
        assert!(seen.contains(&"f:q@6=w".to_owned()), "{seen:?}");
        t.put(&put("a", &[("f:q", 7, "later")])).unwrap();
    }
}

#[test]
fn a_call_learns_that_its_own_writes_failed() {
    for (kind, when) in [(ErrorKind::DiskFull, When::After), (ErrorKind::Busy, When::Before)] {
        let (_folder, store, t) = failing();
        let (group, outcomes) = open();
        let (second, writes) = group.run(|| {
            t.delete(&delete("r", &[(MarkerKind::Column, "f:q", SERVER)])).unwrap();
            store.fail(fault(when, kind));
            t.put(&put("r", &[("f:q", SERVER, "v")]))
        });
        assert_eq!(second.unwrap_err().kind(), kind);
        match (kind, writes) {
            (ErrorKind::DiskFull, CallWrites::Undone(Outcome::Failed(error))) => {
                assert_eq!(error.kind(), ErrorKind::DiskFull);
            }
            (ErrorKind::Busy, CallWrites::Undone(Outcome::NotWritten)) => {}
            (_, writes) => panic!("{kind:?}: {writes:?}"),
        }
        assert_eq!(outcomes.borrow().len(), 1);
        group.run_alone(|| t.put(&put("r", &[("f:q", SERVER, "alone")]))).unwrap();
        assert_eq!(read(&t, "r").len(), 1, "the write was committed by itself");
    }
}

/// Such a call is run again as a whole.
#[test]
fn a_call_whose_writes_were_not_committed_has_written_nothing() {
    let (_folder, store, t) = failing();
    let (group, outcomes) = open();
    let value = "v".repeat(300 << 10);
    // Two transactions of fewer than 16 rows each, as one has at most 4 MiB. Both are committed as soon as they have
    // been staged, because they are large.
    let rows: Vec<_> = (0..20).map(|n| format!("row{n}")).collect();
    let puts: Vec<_> = rows.iter().map(|row| put(row, &[("f:q", SERVER, &value)])).collect();
    store.fail(fault(When::Before, ErrorKind::Busy));
    let (done, writes) = group.run(|| t.put_many(&puts));
    assert!(store.heal(), "the fault was injected");
    assert!(matches!(writes, CallWrites::Undone(Outcome::NotWritten)), "{writes:?}");
    assert!(done.iter().all(Result::is_err), "no transaction can succeed after one that has to be run again");
    group.commit();
    assert_eq!(outcomes.borrow().len(), 1, "nothing was left to commit: {outcomes:?}");
    let written: Vec<_> = rows.iter().filter(|row| !read(&t, row).is_empty()).collect();
    assert!(written.is_empty(), "the call is run again and writes these rows twice: {written:?}");
}

/// Its first writes may have been applied, so the call must not be run again.
#[test]
fn a_call_that_has_failed_is_not_run_again() {
    let (_folder, store, t) = failing();
    let (group, _) = open();
    let (done, writes) = group.run(|| {
        let mut done = Vec::new();
        for (row, kind, when) in [("a", ErrorKind::DiskFull, When::After), ("b", ErrorKind::Busy, When::Before)] {
            done.push(t.put(&put(row, &[("f:q", SERVER, "v")])));
            store.fail(fault(when, kind));
            // Commits the first put of the row.
            done.push(t.put(&put(row, &[("f:q", SERVER, "w")])));
        }
        done
    });
    assert!(done[1].is_err());
    assert!(matches!(writes, CallWrites::Undone(Outcome::Failed(_))), "{writes:?}: {done:?}");
    store.heal();
    group.commit();
    assert!(read(&t, "b").is_empty(), "no transaction can succeed after one that has failed");
}

#[test]
fn what_a_call_has_committed_is_not_repeated() {
    let db = Database::folder();
    let t = db.table("t", &["f"]);
    let (group, outcomes) = open();
    let add = |row: &str| t.increment(&increment(row, "f:n", 1));
    // The second increment needs the first, which is therefore committed.
    let (done, writes) = group.run(|| add("r").and_then(|_| add("r")));
    done.unwrap();
    assert!(is_done(&writes), "the call cannot be run again, so the group must not hold a part of it: {writes:?}");
    // A large transaction is committed by itself.
    let many: Vec<_> = (0..100).map(|n| put(&format!("many{n}"), &[("f:q", 5, "v")])).collect();
    let (done, writes) = group.run(|| {
        t.put_many(&many).into_iter().collect::<Result<()>>()?;
        add("s")
    });
    done.unwrap();
    assert!(is_done(&writes), "{writes:?}");
    group.commit();
    assert_eq!(*outcomes.borrow(), ["Committed"], "nothing was left to commit");
    assert_eq!(add("r").unwrap().cells[0].value, 3_i64.to_be_bytes()[..]);
    assert_eq!(add("s").unwrap().cells[0].value, 2_i64.to_be_bytes()[..]);
}

#[test]
fn the_error_of_a_failed_commit_can_be_repeated() {
    let (_folder, _store, t) = failing();
    let error = hjall_engine::Error::new(ErrorKind::DiskFull, "no room");
    let done = group::failing(&error, || t.put(&put("a", &[("f:q", 5, "v")])));
    assert_eq!(done.unwrap_err().to_string(), "no room");
    t.put(&put("a", &[("f:q", 6, "v")])).unwrap();
    assert_eq!(read(&t, "a"), ["f:q@6=v"]);
}

/// A change of a table and its name.
type Change = (&'static str, fn(&Engine) -> Result<()>);

/// A call that writes and its name.
type WriteCall<'a> = (&'static str, Box<dyn FnMut() -> Result<()> + 'a>);

/// The call is run again for its answer, when the table may have changed. The answer is still that of the failed write,
/// which may have taken effect.
#[test]
fn a_change_of_the_table_does_not_hide_the_error_of_a_failed_commit() {
    let changes: [Change; 4] = [
        ("dropped", |engine| engine.disable_table(&name("t")).and_then(|()| engine.delete_table(&name("t")))),
        ("disabled", |engine| engine.disable_table(&name("t"))),
        ("without the family", |engine| engine.modify_table(descriptor("t", &["g"]))),
        ("read only", |engine| {
            let mut table = engine.describe(&name("t"))?;
            table.set("READONLY", "true");
            engine.modify_table(table)
        }),
    ];
    let error = hjall_engine::Error::new(ErrorKind::DiskFull, "no room");
    for (what, change) in changes {
        let db = Database::folder();
        let t = db.table("t", &["f"]);
        let mut known = t.known().unwrap();
        change(&db.engine).unwrap();
        let written = put("a", &[("f:q", 5, "v")]);
        let deleted = delete("a", &[(MarkerKind::Column, "f:q", SERVER)]);
        let check =
            Check { row: "a".into(), family: "f".into(), qualifier: "q".into(), op: CompareOp::Equal, value: None };
        let cells = vec![PutCellOf { family: &b"f"[..], qualifier: b"q", timestamp: 5, value: b"v" }];
        let short = PutOf { row: &b"a"[..], cells, ..PutOf::default() };
        let mutations = [Mutation::Put(written.clone())];
        let mut calls: [WriteCall<'_>; 8] = [
            ("put", Box::new(|| t.put(&written))),
            ("put of a known table", Box::new(|| known.put(&short))),
            ("put of a table that is looked up", Box::new(|| t.known()?.put(&short))),
            ("list", Box::new(|| t.put_many(std::slice::from_ref(&written)).into_iter().collect())),
            ("delete", Box::new(|| t.delete(&deleted))),
            ("increment", Box::new(|| t.increment(&increment("a", "f:n", 1)).map(drop))),
            ("row mutation", Box::new(|| t.mutate_row(b"a", &mutations))),
            ("conditional mutation", Box::new(|| t.check_and_mutate(&check, &mutations).map(drop))),
        ];
        for (call, run) in &mut calls {
            let done = group::failing(&error, run);
            assert_eq!(done.unwrap_err().to_string(), "no room", "{call}, {what}");
        }
    }
}

#[derive(Debug, Clone)]
pub enum Step {
    Put(usize, i64),
    Both(usize),
    Delete(usize),
    Increment(usize),
    Check(usize, usize),
    Commit,
}

pub fn step() -> impl Strategy<Value = Step> {
    let row = 0..4_usize;
    prop_oneof![
        3 => (row.clone(), prop_oneof![Just(SERVER), 1..9_i64]).prop_map(|(row, time)| Step::Put(row, time)),
        1 => row.clone().prop_map(Step::Both),
        2 => row.clone().prop_map(Step::Delete),
        2 => row.clone().prop_map(Step::Increment),
        2 => (row, 0..40_usize).prop_map(|(row, value)| Step::Check(row, value)),
        1 => Just(Step::Commit),
    ]
}

/// Runs a step, whose puts have the value `n`. Returns what its call returns.
pub fn run(table: &Table, step: &Step, n: usize) -> String {
    let (row, value) = (|row: usize| format!("row{row}"), format!("{n}"));
    match step {
        Step::Put(at, time) => format!("{:?}", table.put(&put(&row(*at), &[("f:q", *time, &value)]))),
        Step::Both(at) => {
            let hide = delete(&row(*at), &[(MarkerKind::Column, "f:q", SERVER)]);
            format!("{:?} {:?}", table.delete(&hide), table.put(&put(&row(*at), &[("f:q", SERVER, &value)])))
        }
        Step::Delete(at) => {
            format!("{:?}", table.delete(&delete(&row(*at), &[(MarkerKind::Version, "f:q", SERVER)])))
        }
        Step::Increment(at) => format!("{:?}", table.increment(&increment(&row(*at), "f:n", 1))),
        Step::Check(at, old) => {
            let check = Check {
                row: row(*at).into(),
                family: "f".into(),
                qualifier: "q".into(),
                op: CompareOp::Equal,
                value: Some(Bytes::from(old.to_string())),
            };
            let new = Mutation::Put(put(&row(*at), &[("f:q", SERVER, &value)]));
            format!("{:?}", table.check_and_mutate(&check, &[new]))
        }
        Step::Commit => String::new(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// The same calls have the same results and effects with and without groups, including timestamps.
    #[test]
    fn calls_in_groups_act_as_calls_in_order(steps in proptest::collection::vec(step(), 1..60)) {
        let (db, model) = (Database::folder(), Database::memory());
        let families = ["f VERSIONS=3"];
        let (t, m) = (db.table("t", &families), model.table("t", &families));
        let (group, outcomes) = open();
        for (n, step) in steps.iter().enumerate() {
            match step {
                Step::Commit => {
                    group.commit();
                    for row in 0..4 {
                        let row = format!("row{row}");
                        prop_assert_eq!(read(&t, &row), read(&m, &row));
                    }
                }
                step => prop_assert_eq!(group.run(|| run(&t, step, n)).0, run(&m, step, n)),
            }
        }
        drop(group);
        prop_assert!(outcomes.borrow().iter().all(|outcome| outcome == "Committed"));
        for row in 0..4 {
            let row = format!("row{row}");
            prop_assert_eq!(read(&t, &row), read(&m, &row));
        }
    }
}
