//! Every call of the store fails, at every point of all short histories: before or after its effect, once or from then
//! on.
//!
//! After the failure, every acknowledged write is present, rows are atomic, the row cache and the store agree, and the
//! next writes succeed; all this holds after a crash and reopening, too.

use std::panic::catch_unwind;
use std::path::Path;
use std::sync::Arc;

use hjall_engine::clock::ManualClock;
use hjall_engine::store::fault::{Counted, FaultStore, InjectedFault, When};
use hjall_engine::store::{FjallStore, MemoryStore, Store, StoreOptions};
use hjall_engine::{Engine, ErrorKind};

use super::history::{Op, Possible, ensure_enabled, prepare, run};
use super::long;
use crate::fixture::NOW;
use crate::folder_copy::copy_crashed;

/// The store under the one that fails.
struct Base {
    inner: Arc<dyn Store>,
    folder: Option<tempfile::TempDir>,
}

impl Base {
    fn memory() -> Self {
        Self { inner: Arc::new(MemoryStore::new(Arc::new(ManualClock::at(NOW)))), folder: None }
    }

    fn on_disk() -> Self {
        let folder = tempfile::tempdir().unwrap();
        Self { inner: open(folder.path()), folder: Some(folder) }
    }

    /// The store after a crash: in memory the same one, on disk one that is opened in a copy of the folder.
    fn crashed(self) -> Self {
        let Some(folder) = self.folder else { return self };
        let copy = tempfile::tempdir().unwrap();
        copy_crashed(folder.path(), copy.path());
        drop(self.inner);
        Self { inner: open(copy.path()), folder: Some(copy) }
    }
}

fn open(folder: &Path) -> Arc<dyn Store> {
    let clock = Arc::new(ManualClock::at(NOW));
    FjallStore::open(folder, StoreOptions { clock: Some(clock), ..StoreOptions::default() }).unwrap()
}

const ALL_FAIL: InjectedFault =
    InjectedFault { counted: Counted::All, nth: 1, when: When::Before, kind: ErrorKind::Io, lasting: true };

/// Runs a history with a fault. Returns whether the history reached it.
fn check(history: &[Op], fault: InjectedFault, base: Base) -> bool {
    let store = Arc::new(FaultStore::new(Arc::clone(&base.inner)));
    let engine = Engine::with_store(store.clone()).unwrap();
    prepare(&engine);
    let mut possible = Possible::prepared();
    possible.check(&engine);
    store.fail(fault);
    for (n, op) in history.iter().enumerate() {
        let done = run(*op, n, &engine, &mut possible);
        if let Err(error) = done {
            assert_eq!(error.kind(), ErrorKind::Io, "{op:?}: {error}");
        }
    }
    let injected = store.heal();
    if !fault.lasting {
        ensure_enabled(&engine);
        possible.check(&engine);
        run(Op::PutList, history.len(), &engine, &mut possible).unwrap();
        possible.check(&engine);
    }
    // A crash: the store is not closed.
    store.fail(ALL_FAIL);
    drop(engine);
    store.heal();
    drop(store);
    let base = base.crashed();
    let engine = Engine::with_store(Arc::clone(&base.inner)).unwrap();
    ensure_enabled(&engine);
    possible.check(&engine);
    run(Op::Put, history.len() + 1, &engine, &mut possible).unwrap();
    possible.check(&engine);
    injected
}

/// Tries every `stride`-th point of a history. Returns the number of points tried.
fn check_all_points(history: &[Op], base: fn() -> Base, stride: usize) -> u64 {
    let mut points = 0;
    for (when, lasting) in [(When::Before, false), (When::After, false), (When::Before, true), (When::After, true)] {
        for nth in (1..).step_by(stride) {
            let fault = InjectedFault { counted: Counted::All, nth, when, kind: ErrorKind::Io, lasting };
            let reached =
                catch_unwind(|| check(history, fault, base())).unwrap_or_else(|_| panic!("{history:?} with {fault:?}"));
            if !reached {
                break;
            }
            points += 1;
        }
    }
    points
}

/// All histories of a length.
fn histories(length: usize) -> Vec<Vec<Op>> {
    let mut all = vec![vec![]];
    for _ in 0..length {
        all = all.iter().flat_map(|history| Op::ALL.map(|op| [&history[..], &[op]].concat())).collect();
    }
    all
}

fn check_histories(what: &str, histories: &[Vec<Op>], base: fn() -> Base, stride: usize) {
    let points: u64 = histories.iter().map(|history| check_all_points(history, base, stride)).sum();
    assert!(points > 0);
    println!("faults of calls, {what}: {} histories, {points} points, no loss", histories.len());
}

#[test]
fn a_failure_at_any_call_loses_nothing_in_memory() {
    // The longest histories are tried at some of their points only.
    if long() {
        check_histories("in memory", &histories(2), Base::memory, 1);
        check_histories("in memory", &histories(3), Base::memory, 5);
    } else {
        check_histories("in memory", &histories(1), Base::memory, 1);
        check_histories("in memory", &histories(2), Base::memory, 7);
    }
}

#[test]
fn a_failure_at_any_call_loses_nothing_on_disk() {
    if long() {
        check_histories("on disk", &histories(1), Base::on_disk, 1);
        check_histories("on disk", &histories(2), Base::on_disk, 7);
    } else {
        let some: Vec<_> = histories(2).into_iter().step_by(37).collect();
        check_histories("on disk", &some, Base::on_disk, 11);
    }
}
