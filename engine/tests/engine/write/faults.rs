//! Writes on a failing store: a row has its old or its new state, the caller gets the error, and the next write
//! succeeds.

use std::sync::Arc;

use crate::fixture::{NOW, SERVER, delete, descriptor, increment, name, put, read};
use bytes::Bytes;
use hjall_engine::clock::ManualClock;
use hjall_engine::mutation::{Check, CompareOp, MarkerKind, Mutation};
use hjall_engine::store::MemoryStore;
use hjall_engine::store::fault::{Call, Counted, FaultStore, InjectedFault, When};
use hjall_engine::{Engine, ErrorKind, Result, Table};

/// A write of row `r` and its name.
type Write = (&'static str, fn(&Table) -> Result<()>);

const WRITES: [Write; 6] = [
    ("put", |t| t.put(&put("r", &[("f:a", 5, "new"), ("g:a", 5, "new")]))),
    ("a list of puts", |t| {
        let results = t.put_many(&[put("r", &[("f:a", 5, "new"), ("g:a", 5, "new")]), put("s", &[("f:a", 5, "new")])]);
        results.into_iter().collect()
    }),
    ("delete", |t| t.delete(&delete("r", &[(MarkerKind::Version, "f:a", SERVER), (MarkerKind::Family, "g:", 9)]))),
    ("row mutation", |t| {
        let hide = Mutation::Delete(delete("r", &[(MarkerKind::Column, "f:a", 5)]));
        t.mutate_row(b"r", &[hide, Mutation::Put(put("r", &[("g:a", 6, "new")]))])
    }),
    ("checked write", |t| {
        let (row, family, qualifier) = (Bytes::from_static(b"r"), Bytes::from_static(b"f"), Bytes::from_static(b"a"));
        let check = Check { row, family, qualifier, op: CompareOp::Equal, value: Some(Bytes::from_static(b"old")) };
        let new = [Mutation::Put(put("r", &[("f:a", 5, "new"), ("g:b", 5, "new")]))];
        t.check_and_mutate(&check, &new).map(|held| assert!(held))
    }),
    ("increment", |t| t.increment(&increment("r", "f:n", 5)).map(|_| ())),
];

fn table() -> (Arc<FaultStore>, Table) {
    let store = Arc::new(FaultStore::new(Arc::new(MemoryStore::new(Arc::new(ManualClock::at(NOW))))));
    let engine = Engine::with_store(store.clone()).unwrap();
    engine.create_table(descriptor("t", &["f VERSIONS=3", "g"]), vec![]).unwrap();
    let table = engine.table(&name("t"));
    table.put(&put("r", &[("f:a", 1, "old"), ("g:a", 1, "old")])).unwrap();
    (store, table)
}

#[test]
fn a_row_is_never_partly_written_and_the_failure_is_reported() {
    for (what, write) in WRITES {
        let (_, undisturbed) = table();
        let before = read(&undisturbed, "r");
        write(&undisturbed).unwrap();
        let after = read(&undisturbed, "r");
        assert_ne!(before, after);
        for when in [When::Before, When::After] {
            for nth in 1.. {
                let (store, t) = table();
                store.fail(InjectedFault {
                    counted: Counted::All,
                    nth,
                    when,
                    kind: ErrorKind::DiskFull,
                    lasting: false,
                });
                let done = write(&t);
                if !store.heal() {
                    done.unwrap();
                    assert!(nth > 1, "{what} calls the store");
                    break;
                }
                let error = done.expect_err("a call of the store failed");
                assert_eq!(error.kind(), ErrorKind::DiskFull, "{what}, call {nth} {when:?}: {error}");
                let seen = read(&t, "r");
                assert!(seen == before || seen == after, "{what}, call {nth} {when:?}: {seen:?}");
                t.put(&put("r", &[("f:z", 1, "later")])).unwrap();
                assert!(read(&t, "r").contains(&"f:z@1=later".to_owned()));
            }
        }
    }
}

#[test]
fn the_error_of_a_busy_row_names_it_as_the_caller_does() {
    for (what, write) in WRITES {
        let (store, t) = table();
        let counted = Counted::Only(Call::Transact);
        store.fail(InjectedFault { counted, nth: 1, when: When::Before, kind: ErrorKind::Busy, lasting: true });
        let error = write(&t).unwrap_err();
        assert!(error.message().starts_with("row \"r\" "), "{what}: {error}");
        assert_eq!(error.kind(), ErrorKind::Busy, "{what}");
    }
}
