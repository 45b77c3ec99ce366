//! Adding, changing and deleting families, and the order of the checks.

use crate::fixture::{Database, family, kind, name};
use hjall_engine::ErrorKind as E;
use hjall_engine::schema::{FAMILIES_MAX, TableDescriptor};

#[test]
fn families_are_added_and_deleted_on_enabled_and_disabled_tables() {
    for db in Database::all() {
        let t = name("t");
        db.table("t", &["f"]);
        db.engine.add_family(&t, family("g VERSIONS=2")).unwrap();
        db.engine.disable_table(&t).unwrap();
        db.engine.modify_family(&t, family("g TTL=7")).unwrap();
        let described = db.engine.describe(&t).unwrap();
        let g = &described.families[&b"g"[..]];
        assert_eq!(
            (g.ttl_seconds().unwrap(), g.max_versions().unwrap()),
            (7, 1),
            "attributes that are not sent get their defaults"
        );
        db.engine.delete_family(&t, b"f").unwrap();
        assert!(!db.engine.is_table_enabled(&t).unwrap());
        assert_eq!(db.engine.describe(&t).unwrap().families.len(), 1);
    }
}

#[test]
fn the_table_is_checked_first_then_the_family_then_its_values() {
    let db = Database::memory();
    let (t, no) = (name("t"), name("no"));
    db.table("t", &["f"]);
    let engine = &db.engine;
    assert_eq!(kind(engine.add_family(&no, family("f TTL=0"))), E::TableNotFound);
    assert_eq!(kind(engine.modify_family(&no, family("f TTL=0"))), E::TableNotFound);
    assert_eq!(kind(engine.delete_family(&no, b"f")), E::TableNotFound);
    let error = engine.add_family(&t, family("f TTL=0")).unwrap_err();
    assert_eq!(
        (error.kind(), error.message()),
        (E::FamilyOperation, "Column family 'f' in table 't' already exists so cannot be added")
    );
    let error = engine.modify_family(&t, family("g TTL=0")).unwrap_err();
    assert_eq!(
        (error.kind(), error.message()),
        (E::FamilyOperation, "Family 'g' does not exist, so it cannot be modified")
    );
    assert_eq!(kind(engine.add_family(&t, family("g TTL=0"))), E::InvalidDescriptor);
    assert_eq!(kind(engine.modify_family(&t, family("f VERSIONS=x"))), E::Unprocessable);
    let error = engine.delete_family(&t, b"f:").unwrap_err();
    assert_eq!(error.message(), "Family 'f:' does not exist, so it cannot be deleted");
    let error = engine.delete_family(&t, b"f").unwrap_err();
    assert_eq!(error.message(), "Family 'f' is the only column family in the table, so it cannot be deleted");
}

#[test]
fn a_table_has_a_limited_number_of_families() {
    let db = Database::memory();
    let names: Vec<String> = (0..=FAMILIES_MAX).map(|n| format!("f{n}")).collect();
    let mut table = TableDescriptor::new(name("t"));
    for name in &names {
        table.add_family(family(name)).unwrap();
    }
    let error = db.engine.create_table(table.clone(), vec![]).unwrap_err();
    assert_eq!(error.kind(), E::InvalidDescriptor);
    assert!(error.message().contains("101 families, the maximum is 100"), "{error}");
    let last = family(names.last().unwrap());
    table.families.remove(&last.name);
    db.engine.create_table(table, vec![]).unwrap();
    assert_eq!(kind(db.engine.add_family(&name("t"), last)), E::InvalidDescriptor);
}
