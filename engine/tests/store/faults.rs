//! The store that fails on demand does so where it was told, and nowhere else.

use hjall_engine::ErrorKind;
use hjall_engine::store::fault::{Call, Counted, FaultStore, InjectedFault, When};
use hjall_engine::store::{SpaceOptions, Store};

use crate::stores::{SPACE, get, memory, put};

fn fault(counted: Counted, nth: u64, when: When) -> InjectedFault {
    InjectedFault { counted, nth, when, kind: ErrorKind::DiskFull, lasting: false }
}

#[test]
fn the_nth_call_of_a_kind_fails_before_or_after_its_effect() {
    let kind = memory();
    let store = FaultStore::new(kind.store.clone());
    for (when, expected) in [(When::Before, "1"), (When::After, "2")] {
        store.fail(fault(Counted::Only(Call::Transact), 2, when));
        put(&store, "a", "1").unwrap();
        store.create_space(7, &SpaceOptions::default()).unwrap();
        assert_eq!(put(&store, "a", "2").unwrap_err().kind(), ErrorKind::DiskFull);
        assert_eq!(get(&store, "a").unwrap(), expected);
        put(&store, "a", "3").unwrap();
        assert!(store.heal(), "it has struck");
    }
}

#[test]
fn reads_inside_a_transaction_count_too() {
    let kind = memory();
    let store = FaultStore::new(kind.store.clone());
    store.fail(fault(Counted::Only(Call::Get), 1, When::Before));
    let error = crate::stores::in_row(&store, "r", |t| t.snapshot().get(SPACE, b"a").unwrap_err().kind()).unwrap();
    assert_eq!(error, ErrorKind::DiskFull);
}

#[test]
fn a_lasting_fault_ends_everything() {
    let kind = memory();
    let store = FaultStore::new(kind.store.clone());
    store.fail(InjectedFault { lasting: true, ..fault(Counted::Writes, 2, When::After) });
    assert!(store.spaces().is_ok());
    store.create_space(7, &SpaceOptions::default()).unwrap();
    assert_eq!(store.drop_space(7).unwrap_err().kind(), ErrorKind::DiskFull);
    assert!(store.spaces().is_err() && store.snapshot().is_err() && put(&store, "a", "1").is_err());
    assert!(!kind.store.spaces().unwrap().contains(&7), "the last write had its effect");
    assert!(store.heal());
    assert!(put(&store, "a", "1").is_ok());
    store.fail(fault(Counted::All, 1000, When::Before));
    assert!(!store.heal(), "it has not struck");
}
