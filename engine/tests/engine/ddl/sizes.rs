//! Limits on the sizes of descriptors, and on what all of them take in memory.

use crate::fixture::{Database, descriptor, family, kind, name};
use bytes::Bytes;
use hjall_engine::schema::{DESCRIPTOR_BYTES_MAX, NamespaceDescriptor, TableDescriptor};
use hjall_engine::{Engine, Error, ErrorKind as E, Options, Result};

/// A value with as many bytes as a descriptor may have.
fn too_long() -> Bytes {
    vec![b'x'; DESCRIPTOR_BYTES_MAX as usize].into()
}

fn with(table: &str, value: impl Into<Bytes>) -> TableDescriptor {
    let mut descriptor = descriptor(table, &["f"]);
    descriptor.set("k", value);
    descriptor
}

fn namespace(name: &str, value: &str) -> NamespaceDescriptor {
    let mut descriptor = NamespaceDescriptor::new(name);
    descriptor.configuration.insert("k".to_owned(), value.to_owned());
    descriptor
}

/// Checks that a change is refused with a message that names the thing, the limit and the remedy.
fn refused(result: Result<()>, thing: &str, limit: &str, remedy: &str) -> Error {
    let error = result.unwrap_err();
    let message = error.message();
    assert_eq!(error.kind(), E::InvalidDescriptor, "{message}");
    assert!(message.contains(thing) && message.contains(limit) && message.contains(remedy), "{message}");
    error
}

#[test]
fn a_descriptor_has_a_limited_size() {
    let db = Database::memory();
    let (engine, t) = (&db.engine, name("t"));
    let refused = |result, thing| refused(result, thing, "the maximum is 10485760", "shorten");
    refused(engine.create_table(with("t", too_long()), vec![]), "table t ");
    assert!(!engine.table_exists(&t));
    let half = DESCRIPTOR_BYTES_MAX as usize / 2;
    let mut two = with("t", vec![b'x'; half]);
    two.families.values_mut().for_each(|f| {
        f.configuration.insert("c".into(), vec![b'x'; half].into());
    });
    refused(engine.create_table(two, vec![]), "table t ");
    let keys = (0..400_u32).map(|n| [&n.to_be_bytes()[..], &[0; 32_000]].concat().into()).collect();
    refused(engine.create_table(with("t", ""), keys), "table t ");

    engine.create_table(with("t", vec![b'x'; half]), vec![]).unwrap();
    refused(engine.modify_table(with("t", too_long())), "table t ");
    let mut long = family("f");
    long.configuration.insert("c".into(), vec![b'x'; half].into());
    refused(engine.modify_family(&t, long.clone()), "table t ");
    long.name = "g".into();
    refused(engine.add_family(&t, long), "table t ");
    assert_eq!(engine.describe(&t).unwrap().attributes[&b"k"[..]].len(), half);

    let text = "x".repeat(DESCRIPTOR_BYTES_MAX as usize);
    refused(engine.create_namespace(namespace("n", &text)), "namespace n ");
    engine.create_namespace(namespace("n", "v")).unwrap();
    refused(engine.modify_namespace(namespace("n", &text)), "namespace n ");
    assert_eq!(engine.namespace("n").unwrap(), namespace("n", "v"));
}

#[test]
fn thousands_of_regions_and_attributes_are_allowed() {
    let db = Database::memory();
    let mut table = descriptor("t", &["f"]);
    for n in 0..1000 {
        table.set(format!("key-{n}"), "v".repeat(1000));
    }
    let keys = (0..20_000).map(|n| Bytes::from(format!("user-{n:030}"))).collect();
    db.engine.create_table(table, keys).unwrap();
    assert_eq!(db.engine.regions(&name("t")).unwrap().len(), 20_001);
}

fn open(folder: &std::path::Path, catalog_bytes: u64) -> Engine {
    Engine::open(folder, Options { catalog_bytes: Some(catalog_bytes), ..Options::default() }).unwrap()
}

#[test]
fn all_descriptors_together_take_limited_memory() {
    let folder = tempfile::tempdir().unwrap();
    let engine = open(folder.path(), 1 << 20);
    let refused = |result, thing| refused(result, thing, "store.catalog", "delete tables");
    let long = vec![b'x'; 300_000];
    for n in 0..3 {
        engine.create_table(with(&format!("t{n}"), long.clone()), vec![]).unwrap();
    }
    refused(engine.create_table(with("t3", long.clone()), vec![]), "table t3,");
    refused(engine.modify_table(with("t0", vec![b'x'; 600_000])), "table t0,");
    refused(engine.create_namespace(namespace("n", &"x".repeat(300_000))), "namespace n,");
    // Small entries count with the memory that each takes.
    let mut many = descriptor("many", &["f"]);
    for n in 0..2000 {
        many.set(n.to_string(), "v");
    }
    refused(engine.create_table(many, vec![]), "table many,");
    let keys = (0..2000).map(|n| Bytes::from(n.to_string())).collect();
    refused(engine.create_table(descriptor("many", &["f"]), keys), "table many,");
    let names = (0..100).map(|n| NamespaceDescriptor::new(format!("{}{n}", "n".repeat(2000))));
    assert!(names.map(|name| engine.create_namespace(name)).any(|made| made.is_err()), "names of namespaces count");
    engine.disable_table(&name("t1")).unwrap();
    engine.delete_table(&name("t1")).unwrap();
    engine.create_table(with("t3", long), vec![]).unwrap();
    engine.close().unwrap();
}

#[test]
fn what_exceeds_the_limit_already_can_be_read_and_made_smaller() {
    let folder = tempfile::tempdir().unwrap();
    let engine = open(folder.path(), 1 << 20);
    for table in ["t", "u"] {
        engine.create_table(with(table, vec![b'x'; 100_000]), vec!["m".into()]).unwrap();
    }
    engine.create_namespace(namespace("n", "value")).unwrap();
    engine.close().unwrap();

    let engine = open(folder.path(), 100_000);
    let t = name("t");
    assert_eq!(engine.describe(&t).unwrap().attributes[&b"k"[..]].len(), 100_000);
    assert_eq!(kind(engine.create_table(descriptor("v", &["f"]), vec![])), E::InvalidDescriptor);
    assert_eq!(kind(engine.add_family(&t, family("g"))), E::InvalidDescriptor);
    assert_eq!(kind(engine.split_region(&t, b"z")), E::InvalidDescriptor);
    assert_eq!(kind(engine.modify_namespace(namespace("n", "longer value"))), E::InvalidDescriptor);
    engine.modify_namespace(namespace("n", "v")).unwrap();
    engine.disable_table(&t).unwrap();
    engine.truncate_table(&t, true).unwrap();
    engine.disable_table(&t).unwrap();
    engine.enable_table(&t).unwrap();
    engine.modify_table(with("t", vec![b'x'; 1000])).unwrap();
    engine.disable_table(&name("u")).unwrap();
    engine.delete_table(&name("u")).unwrap();
    engine.add_family(&t, family("g")).unwrap();
    engine.close().unwrap();
}

#[test]
fn a_descriptor_does_not_keep_the_message_that_it_came_in() {
    let db = Database::memory();
    let message = Bytes::from(vec![b'm'; 1 << 20]);
    let key = Bytes::from(vec![b'k'; 1 << 20]);
    db.engine.create_table(with("t", message.slice(..5)), vec![key.slice(..5)]).unwrap();
    db.engine.modify_table(with("t", message.slice(..6))).unwrap();
    db.engine.split_region(&name("t"), &key[..7]).unwrap();
    assert!(message.is_unique() && key.is_unique());
    assert_eq!(db.engine.describe(&name("t")).unwrap().attributes[&b"k"[..]], "mmmmmm");
    assert_eq!(db.engine.regions(&name("t")).unwrap()[2].start, "kkkkkkk");
}
