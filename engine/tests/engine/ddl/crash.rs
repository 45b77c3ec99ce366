//! Interrupted changes of tables. Whichever call of the store is the last one, the table has its old or its new state
//! afterwards, with its data, and every remaining space belongs to a table.

use std::sync::Arc;

use crate::fixture::{NOW, descriptor, family, name, put, read};
use bytes::Bytes;
use hjall_engine::clock::ManualClock;
use hjall_engine::schema::{NamespaceDescriptor, TableDescriptor};
use hjall_engine::store::fault::{Call, Counted, FaultStore, InjectedFault, When};
use hjall_engine::store::{FjallStore, MemoryStore, Store, StoreOptions};
use hjall_engine::{Engine, ErrorKind, Result};

/// A change and its name.
type Change = (&'static str, fn(&Engine) -> Result<()>);

/// The changes. Each starts with the table `t` (families f and g, a row in each, three regions), the same table
/// disabled as `off`, and the namespace `n`.
const CHANGES: [Change; 12] = [
    ("create", |e| e.create_table(descriptor("new", &["a", "b"]), vec![Bytes::from_static(b"k")])),
    ("delete", |e| e.delete_table(&name("off"))),
    ("truncate", |e| e.truncate_table(&name("off"), true)),
    ("truncate to one region", |e| e.truncate_table(&name("off"), false)),
    ("enable", |e| e.enable_table(&name("off"))),
    ("disable", |e| e.disable_table(&name("t"))),
    ("add a family", |e| e.add_family(&name("t"), family("h"))),
    ("change a family", |e| e.modify_family(&name("t"), family("f VERSIONS=9"))),
    ("delete a family", |e| e.delete_family(&name("t"), b"g")),
    ("change a table", |e| e.modify_table(descriptor("t", &["g TTL=2147483647", "h", "i"]))),
    ("create a namespace", |e| e.create_namespace(NamespaceDescriptor::new("m"))),
    ("delete a namespace", |e| e.delete_namespace("n")),
];

fn prepare(engine: &Engine) {
    engine.create_namespace(NamespaceDescriptor::new("n")).unwrap();
    for table in ["t", "off"] {
        engine.create_table(descriptor(table, &["f", "g"]), vec!["d".into(), "m".into()]).unwrap();
        engine.table(&name(table)).put(&put("r", &[("f:q", 1, "in f"), ("g:q", 1, "in g")])).unwrap();
    }
    engine.disable_table(&name("off")).unwrap();
}

/// Everything that a client can observe.
#[derive(Debug, PartialEq)]
struct Seen {
    namespaces: Vec<NamespaceDescriptor>,
    tables: Vec<(TableDescriptor, bool)>,
    starts: Vec<Vec<Bytes>>,
    rows: Vec<Vec<String>>,
}

fn look(engine: &Engine) -> Seen {
    let tables = engine.tables();
    let users = || tables.iter().map(|(t, on)| (&t.name, *on)).filter(|(n, _)| !n.is_system());
    let starts = users().map(|(n, _)| engine.regions(n).unwrap().into_iter().map(|r| r.start).collect()).collect();
    let rows = users().map(|(n, on)| if on { read(&engine.table(n), "r") } else { vec![] }).collect();
    Seen { namespaces: engine.namespaces(), starts, rows, tables }
}

/// Families of all tables, and the catalog.
fn spaces_needed(engine: &Engine) -> usize {
    1 + engine.tables().iter().filter(|(t, _)| !t.name.is_system()).map(|(t, _)| t.families.len()).sum::<usize>()
}

/// The place of the stored data.
enum Place {
    Memory,
    Folder(tempfile::TempDir),
}

struct Broken {
    place: Place,
    inner: Arc<dyn Store>,
    store: Arc<FaultStore>,
}

impl Broken {
    fn new() -> (Self, Engine) {
        Self::over(Arc::new(MemoryStore::new(Arc::new(ManualClock::at(NOW)))), Place::Memory)
    }

    fn on_disk() -> (Self, Engine) {
        let folder = tempfile::tempdir().unwrap();
        Self::over(FjallStore::open(folder.path(), StoreOptions::default()).unwrap(), Place::Folder(folder))
    }

    fn over(inner: Arc<dyn Store>, place: Place) -> (Self, Engine) {
        let store = Arc::new(FaultStore::new(inner.clone()));
        let engine = Engine::with_store(store.clone()).unwrap();
        prepare(&engine);
        (Self { place, inner, store }, engine)
    }

    /// Ends the engine without closing the store, as a crash does, and opens another one.
    fn crash_and_reopen(&mut self, engine: Engine) -> Engine {
        self.store.fail(InjectedFault {
            counted: Counted::All,
            nth: 1,
            when: When::Before,
            kind: ErrorKind::Io,
            lasting: true,
        });
        drop(engine);
        self.store.heal();
        if let Place::Folder(folder) = &self.place {
            self.inner.close().unwrap();
            self.inner = FjallStore::open(folder.path(), StoreOptions::default()).unwrap();
            self.store = Arc::new(FaultStore::new(self.inner.clone()));
        }
        let engine = Engine::with_store(self.store.clone()).unwrap();
        assert_eq!(self.inner.spaces().unwrap().len(), spaces_needed(&engine), "spaces that belong to no table");
        engine
    }
}

/// The observations before and after a change without faults.
fn undisturbed(change: fn(&Engine) -> Result<()>) -> (Seen, Seen) {
    let (_, engine) = Broken::new();
    let before = look(&engine);
    change(&engine).unwrap();
    (before, look(&engine))
}

/// Interrupts a change at one call of the store. Returns whether the change reached that call.
fn crash(what: &str, change: fn(&Engine) -> Result<()>, fault: InjectedFault, make: fn() -> (Broken, Engine)) -> bool {
    let (before, after) = undisturbed(change);
    let (mut broken, engine) = make();
    broken.store.fail(fault);
    let done = change(&engine);
    if !broken.store.heal() {
        done.unwrap();
        return false;
    }
    let engine = broken.crash_and_reopen(engine);
    let seen = look(&engine);
    assert!(seen == before || seen == after, "{what}, {fault:?}: {seen:#?}");
    if done.is_ok() {
        assert_eq!(seen, after, "{what}, {fault:?}: it was reported as done");
    }
    true
}

#[test]
fn a_crash_at_any_call_leaves_the_old_state_or_the_new_one() {
    for (what, change) in CHANGES {
        for when in [When::Before, When::After] {
            let fault = |nth| InjectedFault { counted: Counted::All, nth, when, kind: ErrorKind::Io, lasting: true };
            let calls = (1..).take_while(|nth| crash(what, change, fault(*nth), Broken::new)).count();
            assert!(calls > 0, "{what} calls the store");
        }
    }
}

#[test]
fn a_crash_on_disk_leaves_the_old_state_or_the_new_one() {
    for (what, change) in [CHANGES[2], CHANGES[9]] {
        let fault = |nth| InjectedFault {
            counted: Counted::Writes,
            nth,
            when: When::After,
            kind: ErrorKind::Io,
            lasting: true,
        };
        let calls = (1..).take_while(|nth| crash(what, change, fault(*nth), Broken::on_disk)).count();
        assert!(calls > 3, "{what} creates spaces, writes the catalog, drops spaces");
    }
}

#[test]
fn after_a_failure_the_engine_uses_the_stored_state() {
    for (what, change) in CHANGES {
        let (before, after) = undisturbed(change);
        for when in [When::Before, When::After] {
            for nth in 1.. {
                let (mut broken, engine) = Broken::new();
                broken.store.fail(InjectedFault {
                    counted: Counted::All,
                    nth,
                    when,
                    kind: ErrorKind::Io,
                    lasting: false,
                });
                let done = change(&engine);
                if !broken.store.heal() {
                    done.unwrap();
                    break;
                }
                let seen = look(&engine);
                assert!(seen == before || seen == after, "{what}, call {nth} {when:?}: {seen:#?}");
                // Writes go to the spaces that a later opening reads.
                if engine.is_table_enabled(&name("t")).unwrap() {
                    let _ = engine.table(&name("t")).put(&put("r", &[("f:q", 2, "later")]));
                }
                let seen = look(&engine);
                let engine = broken.crash_and_reopen(engine);
                assert_eq!(look(&engine), seen, "{what}, call {nth} {when:?}");
                // The change can be retried.
                let again = change(&engine);
                assert!(again.is_ok() || seen.tables == after.tables, "{what}, call {nth} {when:?}: {again:?}");
            }
        }
    }
}

#[test]
fn tables_cannot_be_used_while_the_stored_state_is_unknown() {
    let (broken, engine) = Broken::new();
    // The change is written, but its result is lost, and every later call fails.
    broken.store.fail(InjectedFault {
        counted: Counted::Only(Call::Transact),
        nth: 1,
        when: When::After,
        kind: ErrorKind::Io,
        lasting: true,
    });
    assert!(engine.disable_table(&name("t")).is_err());
    assert!(engine.table(&name("t")).put(&put("r", &[("f:q", 2, "lost")])).is_err());
    assert!(engine.describe(&name("t")).is_err());
    broken.store.heal();
    assert!(!engine.is_table_enabled(&name("t")).unwrap(), "the written state");
}

#[test]
fn numbers_of_spaces_are_never_reused() {
    let (mut broken, engine) = Broken::new();
    let mut used = broken.inner.spaces().unwrap();
    let mut engine = Some(engine);
    for round in 0..6 {
        let table = format!("new{round}");
        // Every other change ends in a crash before the catalog is written.
        let lasting = round % 2 == 0;
        if lasting {
            broken.store.fail(InjectedFault {
                counted: Counted::Only(Call::Transact),
                nth: 1,
                when: When::Before,
                kind: ErrorKind::Io,
                lasting,
            });
        }
        let _ = engine.as_ref().unwrap().create_table(descriptor(&table, &["a"]), vec![]);
        let created: Vec<_> = broken.inner.spaces().unwrap().into_iter().filter(|s| !used.contains(s)).collect();
        assert_eq!(created.len(), 1, "round {round}: {created:?} after {used:?}");
        used.extend(created);
        broken.store.heal();
        engine = Some(broken.crash_and_reopen(engine.take().unwrap()));
    }
}
