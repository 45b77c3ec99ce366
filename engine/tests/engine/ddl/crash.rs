//! A change of a table that does not come to its end: whichever call of the store is the last one, the table is afterwards as it was before or
//! as it was to be, with its data, and no space is left that belongs to nobody.

use std::sync::Arc;

use crate::fixture::{NOW, descriptor, family, name, put, read};
use bytes::Bytes;
use hjall_engine::clock::ManualClock;
use hjall_engine::schema::{NamespaceDescriptor, TableDescriptor};
use hjall_engine::store::fault::{Call, Counted, Fault, FaultStore, When};
use hjall_engine::store::{FjallStore, MemoryStore, Store, StoreOptions};
use hjall_engine::{Engine, ErrorKind, Result};

/// A change, by what it is called.
type Change = (&'static str, fn(&Engine) -> Result<()>);

/// What each change finds: `t` (families f and g, a row in each, three regions), `off` (the same, disabled), namespace `n`.
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

/// Everything a client can see.
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

/// Where the data is.
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

    /// Ends the engine as a crash does, without closing the store, and opens another one.
    fn again(&mut self, engine: Engine) -> Engine {
        self.store.fail(Fault {
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
        assert_eq!(self.inner.spaces().unwrap().len(), spaces_needed(&engine), "spaces that belong to nobody");
        engine
    }
}

/// What is seen before and after a change that nothing disturbs.
fn undisturbed(change: fn(&Engine) -> Result<()>) -> (Seen, Seen) {
    let (_, engine) = Broken::new();
    let before = look(&engine);
    change(&engine).unwrap();
    (before, look(&engine))
}

/// Ends a change at one call of the store; whether it got that far.
fn crash(what: &str, change: fn(&Engine) -> Result<()>, fault: Fault, make: fn() -> (Broken, Engine)) -> bool {
    let (before, after) = undisturbed(change);
    let (mut broken, engine) = make();
    broken.store.fail(fault);
    let done = change(&engine);
    if !broken.store.heal() {
        done.unwrap();
        return false;
    }
    let engine = broken.again(engine);
    let seen = look(&engine);
    assert!(seen == before || seen == after, "{what}, {fault:?}: {seen:#?}");
    if done.is_ok() {
        assert_eq!(seen, after, "{what}, {fault:?}: it was told to be done");
    }
    true
}

#[test]
fn a_crash_at_any_call_leaves_the_old_state_or_the_new_one() {
    for (what, change) in CHANGES {
        for when in [When::Before, When::After] {
            let fault = |nth| Fault { counted: Counted::All, nth, when, kind: ErrorKind::Io, lasting: true };
            let calls = (1..).take_while(|nth| crash(what, change, fault(*nth), Broken::new)).count();
            assert!(calls > 0, "{what} calls the store");
        }
    }
}

#[test]
fn so_it_is_on_disk() {
    for (what, change) in [CHANGES[2], CHANGES[9]] {
        let fault =
            |nth| Fault { counted: Counted::Writes, nth, when: When::After, kind: ErrorKind::Io, lasting: true };
        let calls = (1..).take_while(|nth| crash(what, change, fault(*nth), Broken::on_disk)).count();
        assert!(calls > 3, "{what} makes spaces, writes the catalog, drops spaces");
    }
}

#[test]
fn after_a_failure_the_engine_goes_on_with_what_is_stored() {
    for (what, change) in CHANGES {
        let (before, after) = undisturbed(change);
        for when in [When::Before, When::After] {
            for nth in 1.. {
                let (mut broken, engine) = Broken::new();
                broken.store.fail(Fault { counted: Counted::All, nth, when, kind: ErrorKind::Io, lasting: false });
                let done = change(&engine);
                if !broken.store.heal() {
                    done.unwrap();
                    break;
                }
                let seen = look(&engine);
                assert!(seen == before || seen == after, "{what}, call {nth} {when:?}: {seen:#?}");
                // Writes go where a later opening looks for them.
                if engine.is_table_enabled(&name("t")).unwrap() {
                    let _ = engine.table(&name("t")).put(&put("r", &[("f:q", 2, "later")]));
                }
                let seen = look(&engine);
                let engine = broken.again(engine);
                assert_eq!(look(&engine), seen, "{what}, call {nth} {when:?}");
                // Nothing stands in the way of trying once more.
                let again = change(&engine);
                assert!(again.is_ok() || seen.tables == after.tables, "{what}, call {nth} {when:?}: {again:?}");
            }
        }
    }
}

#[test]
fn while_nobody_can_say_what_is_stored_tables_are_not_guessed_at() {
    let (broken, engine) = Broken::new();
    // The change is written, but the answer is lost, and nothing can be read after it.
    broken.store.fail(Fault {
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
    assert!(!engine.is_table_enabled(&name("t")).unwrap(), "as it was written");
}

#[test]
fn numbers_of_spaces_are_never_used_twice() {
    let (mut broken, engine) = Broken::new();
    let mut used = broken.inner.spaces().unwrap();
    let mut engine = Some(engine);
    for round in 0..6 {
        let table = format!("new{round}");
        // Every other change ends in a crash before the catalog is written.
        let lasting = round % 2 == 0;
        if lasting {
            broken.store.fail(Fault {
                counted: Counted::Only(Call::Transact),
                nth: 1,
                when: When::Before,
                kind: ErrorKind::Io,
                lasting,
            });
        }
        let _ = engine.as_ref().unwrap().create_table(descriptor(&table, &["a"]), vec![]);
        let made: Vec<_> = broken.inner.spaces().unwrap().into_iter().filter(|s| !used.contains(s)).collect();
        assert_eq!(made.len(), 1, "round {round}: {made:?} after {used:?}");
        used.extend(made);
        broken.store.heal();
        engine = Some(broken.again(engine.take().unwrap()));
    }
}
