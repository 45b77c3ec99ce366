//! Creating, listing, disabling, truncating, changing and dropping tables, and the order of the checks.

use crate::fixture::{Database, descriptor, family, kind, name};
use bytes::Bytes;
use hjall_engine::ErrorKind as E;
use hjall_engine::schema::{NamespaceDescriptor, TableDescriptor};

#[test]
fn a_new_table_is_enabled_listed_and_described_with_hbases_attributes() {
    for db in Database::all() {
        db.engine.create_table(descriptor("t", &["f VERSIONS=3", "g"]), vec![]).unwrap();
        assert!(db.engine.is_table_enabled(&name("t")).unwrap(), "{}", db.kind);
        let described = db.engine.describe(&name("default:t")).unwrap();
        assert_eq!(described.families.keys().map(|k| &k[..]).collect::<Vec<_>>(), [b"f", b"g"]);
        assert_eq!(described.families[&b"f"[..]].max_versions().unwrap(), 3);
        assert_eq!(described.families[&b"g"[..]].attributes.len(), 12);
        assert_eq!(described.attributes[&b"IS_META"[..]], "false");
        assert_eq!(described.attributes[&b"hbase.store.file-tracker.impl"[..]], "DEFAULT");
        let names: Vec<_> = db.engine.tables().iter().map(|(t, on)| (t.name.to_string(), *on)).collect();
        assert_eq!(names, [("t".to_owned(), true), ("hbase:meta".to_owned(), true)]);
    }
}

#[test]
fn tables_are_listed_by_namespace_and_name_as_text() {
    let db = Database::memory();
    for ns in ["a", "a0", "z"] {
        db.engine.create_namespace(NamespaceDescriptor::new(ns)).unwrap();
    }
    for table in ["z:t", "t", "a:u", "a:t", "a0:t"] {
        db.engine.create_table(descriptor(table, &["f"]), vec![]).unwrap();
    }
    let names: Vec<_> = db.engine.tables().iter().map(|(t, _)| t.name.to_string()).collect();
    assert_eq!(names, ["a0:t", "a:t", "a:u", "t", "hbase:meta", "z:t"]);
}

#[test]
fn creation_is_checked_in_hbases_order() {
    let db = Database::memory();
    db.engine.create_table(descriptor("t", &["f"]), vec![]).unwrap();
    let bad = |table: &str| descriptor(table, &["f TTL=0"]);
    let empty_key = || vec![Bytes::new()];
    assert_eq!(kind(db.engine.create_table(bad("no:t"), empty_key())), E::InvalidArgument);
    assert_eq!(kind(db.engine.create_table(bad("no:t"), vec![])), E::NamespaceNotFound);
    assert_eq!(kind(db.engine.create_table(bad("t"), vec![])), E::InvalidDescriptor);
    assert_eq!(kind(db.engine.create_table(descriptor("t", &["f VERSIONS=many"]), vec![])), E::Unprocessable);
    let mut tracked = descriptor("t", &["f"]);
    tracked.set("hbase.store.file-tracker.impl", "wrong");
    assert_eq!(kind(db.engine.create_table(tracked.clone(), vec![])), E::TableExists);
    tracked.name = name("u");
    assert_eq!(kind(db.engine.create_table(tracked, vec![])), E::ClassNotFound);
    assert_eq!(kind(db.engine.create_table(descriptor("hbase:meta", &["f"]), vec![])), E::TableExists);
    assert!(!db.engine.table_exists(&name("u")));
}

#[test]
fn a_table_can_only_be_enabled_when_disabled_and_disabled_when_enabled() {
    for db in Database::all() {
        let (t, no) = (name("t"), name("no"));
        let engine = &db.engine;
        engine.create_table(descriptor("t", &["f"]), vec![]).unwrap();
        assert_eq!(engine.enable_table(&t).unwrap_err().message(), "tableName=t, state=ENABLED");
        assert_eq!(kind(engine.enable_table(&t)), E::TableNotDisabled);
        assert_eq!(engine.delete_table(&t).unwrap_err().message(), "Not DISABLED; tableName=t, state=ENABLED");
        assert_eq!(kind(engine.truncate_table(&t, true)), E::TableNotDisabled);
        engine.disable_table(&t).unwrap();
        assert_eq!(kind(engine.disable_table(&t)), E::TableDisabled);
        assert!(!engine.is_table_enabled(&t).unwrap());
        engine.enable_table(&t).unwrap();
        engine.disable_table(&t).unwrap();
        engine.delete_table(&t).unwrap();
        assert!(!engine.table_exists(&t));
        for missing in [&t, &no] {
            assert_eq!(kind(engine.enable_table(missing)), E::TableNotFound);
            assert_eq!(kind(engine.disable_table(missing)), E::TableNotFound);
            assert_eq!(kind(engine.delete_table(missing)), E::TableNotFound);
            assert_eq!(kind(engine.truncate_table(missing, false)), E::TableNotFound);
            assert_eq!(kind(engine.is_table_enabled(missing)), E::TableNotFound);
            assert_eq!(kind(engine.describe(missing)), E::TableNotFound);
            assert_eq!(kind(engine.regions(missing)), E::TableNotFound);
        }
    }
}

#[test]
fn truncating_keeps_the_descriptor_and_on_request_the_splits() {
    for db in Database::all() {
        let t = name("t");
        let mut wanted = descriptor("t", &["f VERSIONS=3"]);
        wanted.set("note", "kept");
        db.engine.create_table(wanted, vec!["m".into(), "d".into()]).unwrap();
        let before = (db.engine.describe(&t).unwrap(), db.engine.regions(&t).unwrap());
        db.engine.disable_table(&t).unwrap();
        db.engine.truncate_table(&t, true).unwrap();
        assert!(db.engine.is_table_enabled(&t).unwrap());
        assert_eq!(db.engine.describe(&t).unwrap(), before.0);
        let starts: Vec<_> = db.engine.regions(&t).unwrap().into_iter().map(|r| r.start).collect();
        assert_eq!(starts, ["", "d", "m"]);
        db.engine.disable_table(&t).unwrap();
        db.engine.truncate_table(&t, false).unwrap();
        assert_eq!(db.engine.regions(&t).unwrap().len(), 1);
    }
}

#[test]
fn modifying_replaces_the_whole_descriptor_and_keeps_the_state() {
    for db in Database::all() {
        let t = name("t");
        let mut first = descriptor("t", &["f VERSIONS=3", "g"]);
        first.set("note", "gone later");
        db.engine.create_table(first, vec!["m".into()]).unwrap();
        db.engine.disable_table(&t).unwrap();
        db.engine.modify_table(descriptor("t", &["g TTL=5", "h"])).unwrap();
        assert!(!db.engine.is_table_enabled(&t).unwrap());
        let described = db.engine.describe(&t).unwrap();
        assert_eq!(described.families.keys().map(|k| &k[..]).collect::<Vec<_>>(), [b"g", b"h"]);
        assert_eq!(described.attributes.len(), 1, "only IS_META is added");
        assert_eq!(db.engine.regions(&t).unwrap().len(), 2);
        // The descriptor is checked before the table is looked up.
        assert_eq!(kind(db.engine.modify_table(TableDescriptor::new(name("no")))), E::InvalidDescriptor);
        assert_eq!(kind(db.engine.modify_table(descriptor("no", &["f"]))), E::TableNotFound);
    }
}

#[test]
fn a_file_tracker_can_only_be_changed_through_migration() {
    let db = Database::memory();
    let tracked = |tracker: &str| {
        let mut table = descriptor("t", &["f"]);
        table.set("hbase.store.file-tracker.impl", tracker.to_owned());
        table
    };
    db.engine.create_table(tracked("FILE"), vec![]).unwrap();
    assert_eq!(kind(db.engine.modify_table(descriptor("t", &["f"]))), E::InvalidDescriptor);
    db.engine.modify_table(tracked("MIGRATION")).unwrap();
    db.engine.modify_table(tracked("DEFAULT")).unwrap();
    db.engine.modify_table(descriptor("t", &["f"])).unwrap();
}

#[test]
fn a_table_is_never_marked_as_meta() {
    let db = Database::memory();
    let mut wanted = descriptor("t", &["f"]);
    wanted.set("IS_META", "true");
    db.engine.create_table(wanted.clone(), vec![]).unwrap();
    assert_eq!(db.engine.describe(&name("t")).unwrap().attributes[&b"IS_META"[..]], "false");
    db.engine.modify_table(wanted).unwrap();
    assert_eq!(db.engine.describe(&name("t")).unwrap().attributes[&b"IS_META"[..]], "false");
}

/// The name of a region has the table's name and 49 bytes besides its first row.
#[test]
fn split_keys_are_short_enough_for_the_names_of_regions() {
    let db = Database::memory();
    let key = |length: usize| Bytes::from(vec![b'k'; length]);
    let error = db.engine.create_table(descriptor("t", &["f"]), vec!["a".into(), key(32_718)]).unwrap_err();
    assert_eq!((error.kind(), error.message()), (E::InvalidArgument, "Row length 32768 is > 32767"));
    assert!(!db.engine.table_exists(&name("t")));
    db.engine.create_table(descriptor("t", &["f"]), vec!["a".into(), key(32_717)]).unwrap();
}

#[test]
fn the_meta_table_can_be_listed_but_not_changed() {
    let db = Database::memory();
    let meta = name("hbase:meta");
    assert!(db.engine.is_table_enabled(&meta).unwrap());
    assert_eq!(db.engine.describe(&meta).unwrap().attributes[&b"IS_META"[..]], "true");
    let described = db.engine.describe(&meta).unwrap();
    let families = described.families.values().map(|family| {
        let value = |key: &str| String::from_utf8_lossy(&family.attributes[key.as_bytes()]).into_owned();
        ["VERSIONS", "BLOCKSIZE", "DATA_BLOCK_ENCODING"].map(value).join(" ")
    });
    let expected = ["3 8192 ROW_INDEX_V1", "2147483647 65536 ROW_INDEX_V1", "3 8192 ROW_INDEX_V1"];
    assert_eq!(families.collect::<Vec<_>>(), expected);
    assert_eq!(db.engine.regions(&meta).unwrap()[0].name(&meta), "hbase:meta,,1");
    assert_eq!(kind(db.engine.disable_table(&meta)), E::Constraint);
    assert_eq!(kind(db.engine.enable_table(&meta)), E::TableNotDisabled);
    assert_eq!(kind(db.engine.delete_table(&meta)), E::SystemTable);
    assert_eq!(kind(db.engine.add_family(&meta, family("f"))), E::SystemTable);
    assert_eq!(kind(db.engine.table(&meta).put(&crate::fixture::put("r", &[("info:a", 1, "v")]))), E::SystemTable);
    db.engine.compact(&meta, true).unwrap();
    db.engine.flush(&meta).unwrap();
}
