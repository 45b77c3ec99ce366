//! Creating, changing and deleting namespaces.

use crate::fixture::{Database, descriptor, kind, name};
use hjall_engine::ErrorKind as E;
use hjall_engine::schema::NamespaceDescriptor;

fn with(ns: &str, key: &str, value: &str) -> NamespaceDescriptor {
    let mut descriptor = NamespaceDescriptor::new(ns);
    descriptor.configuration.insert(key.to_owned(), value.to_owned());
    descriptor
}

#[test]
fn two_namespaces_always_exist_and_cannot_be_removed() {
    for db in Database::all() {
        let names: Vec<_> = db.engine.namespaces().into_iter().map(|n| n.name).collect();
        assert_eq!(names, ["default", "hbase"]);
        for reserved in ["default", "hbase"] {
            assert_eq!(kind(db.engine.create_namespace(NamespaceDescriptor::new(reserved))), E::NamespaceExists);
            assert_eq!(kind(db.engine.delete_namespace(reserved)), E::Constraint);
        }
    }
}

#[test]
fn only_an_empty_namespace_can_be_deleted() {
    for mut db in Database::all() {
        db.engine.create_namespace(with("n", "k", "")).unwrap();
        db.engine.create_table(descriptor("n:t", &["f"]), vec![]).unwrap();
        db.engine.disable_table(&name("n:t")).unwrap();
        let error = db.engine.delete_namespace("n").unwrap_err();
        assert_eq!(error.message(), "Only empty namespaces can be removed. Namespace n has 1 tables");
        db.engine.modify_namespace(with("n", "", "v")).unwrap();
        db.reopen();
        assert_eq!(db.engine.namespace("n").unwrap(), with("n", "", "v"), "{}", db.kind);
        db.engine.delete_table(&name("n:t")).unwrap();
        db.engine.delete_namespace("n").unwrap();
        assert_eq!(kind(db.engine.namespace("n")), E::NamespaceNotFound);
        assert_eq!(kind(db.engine.modify_namespace(NamespaceDescriptor::new("n"))), E::NamespaceNotFound);
        assert_eq!(kind(db.engine.delete_namespace("n")), E::NamespaceNotFound);
    }
}

#[test]
fn illegal_names_fail_as_in_hbases_master() {
    let db = Database::memory();
    for bad in ["", "no-good", "a.b", "zookeeper"] {
        assert_eq!(kind(db.engine.create_namespace(NamespaceDescriptor::new(bad))), E::Unprocessable, "{bad}");
        assert_eq!(kind(db.engine.modify_namespace(NamespaceDescriptor::new(bad))), E::Unprocessable, "{bad}");
        assert_eq!(kind(db.engine.namespace(bad)), E::NamespaceNotFound, "{bad}");
    }
    assert_eq!(kind(db.engine.delete_namespace("")), E::Unprocessable);
    assert_eq!(kind(db.engine.delete_namespace("no-good")), E::NamespaceNotFound);
}

#[test]
fn quotas_must_be_positive_numbers() {
    let db = Database::memory();
    for key in ["hbase.namespace.quota.maxregions", "hbase.namespace.quota.maxtables"] {
        for (value, refused) in
            [("0", E::Constraint), ("-1", E::Constraint), ("x", E::Refused), (" 1", E::Refused), ("1.5", E::Refused)]
        {
            assert_eq!(kind(db.engine.create_namespace(with("n", key, value))), refused, "{key}={value}");
        }
        for (at, value) in ["", "+2", "4294967296"].iter().enumerate() {
            let ns = format!("{}{at}", key.rsplit('.').next().unwrap());
            db.engine.create_namespace(with(&ns, key, value)).unwrap();
            assert_eq!(db.engine.namespace(&ns).unwrap().configuration[key], *value);
        }
    }
    assert_eq!(with("n", "k", "v").to_string(), "{NAME => 'n', k => 'v'}");
}
