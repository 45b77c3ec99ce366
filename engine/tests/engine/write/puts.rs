//! Puts: atomicity by row, one timestamp, limits, and HBase's order of checks.

use crate::fixture::{Database, NOW, SERVER, kind, name, put, read};
use bytes::Bytes;
use hjall_engine::ErrorKind as E;
use hjall_engine::mutation::{Mutation, Put};

#[test]
fn cells_without_a_timestamp_get_the_same_one_in_all_rows_of_a_batch() {
    for db in Database::all() {
        let t = db.table("t", &["f", "g"]);
        let results =
            t.put_many(&[put("a", &[("f:x", SERVER, "1"), ("g:y", 7, "2")]), put("b", &[("f:x", SERVER, "3")])]);
        assert!(results.into_iter().all(|r| r.is_ok()));
        assert_eq!(read(&t, "a"), [format!("f:x@{NOW}=1"), "g:y@7=2".to_owned()], "{}", db.kind);
        assert_eq!(read(&t, "b"), [format!("f:x@{NOW}=3")]);
    }
}

#[test]
fn of_cells_with_equal_keys_the_last_one_is_stored() {
    for db in Database::all() {
        let t = db.table("t", &["f VERSIONS=3"]);
        t.put(&put("r", &[("f:x", 5, "first"), ("f:x", 5, "last")])).unwrap();
        assert_eq!(read(&t, "r"), ["f:x@5=last"]);
        assert!(t.put_many(&[put("r", &[("f:x", 5, "a")]), put("r", &[("f:x", 5, "b")])]).iter().all(Result::is_ok));
        assert_eq!(read(&t, "r"), ["f:x@5=b"]);
    }
}

#[test]
fn a_row_with_an_unknown_family_is_absent_and_the_others_are_written() {
    for db in Database::all() {
        let t = db.table("t", &["f"]);
        let results = t.put_many(&[
            put("a", &[("f:x", 1, "1")]),
            put("b", &[("f:x", 1, "1"), ("no:x", 1, "1")]),
            put("c", &[("f:x", -1, "1")]),
            put("d", &[]),
            put("e", &[("f:x", 1, "1")]),
        ]);
        let kinds: Vec<_> = results.iter().map(|r| r.as_ref().err().map(hjall_engine::Error::kind)).collect();
        assert_eq!(kinds, [None, Some(E::FamilyNotFound), Some(E::Unprocessable), Some(E::InvalidArgument), None]);
        let error = results[1].as_ref().unwrap_err().message();
        assert!(error.starts_with("Column family no does not exist in region t,,"), "{error}");
        assert!(error.contains(" in table 't', {TABLE_ATTRIBUTES => {METADATA => {'hbase.store.file-tracker.impl' => 'DEFAULT'}}}, {NAME => 'f'"), "{error}");
        for (row, cells) in [("a", 1), ("b", 0), ("c", 0), ("d", 0), ("e", 1)] {
            assert_eq!(read(&t, row).len(), cells, "{row}");
        }
    }
}

#[test]
fn the_form_is_checked_before_the_table_is_looked_up() {
    let db = Database::memory();
    let t = db.engine.table(&name("no"));
    let long = "r".repeat(32_768);
    let wide = format!("{}:q", "f".repeat(128));
    for (bad, words) in [
        (put("", &[("f:q", 1, "v")]), "Row length is 0"),
        (put(&long, &[("f:q", 1, "v")]), "Row length 32768 is > 32767"),
        (put("r", &[]), "No columns to insert"),
        (put("r", &[(":q", 1, "v")]), "Family cannot be null"),
        (put("r", &[(&wide, 1, "v")]), "Family > 127"),
    ] {
        let error = t.put(&bad).unwrap_err();
        assert_eq!((error.kind(), error.message()), (E::InvalidArgument, words));
    }
    assert_eq!(kind(t.put(&put("r", &[("f:q", 1, "v")]))), E::TableNotFound);
    assert!(t.put_many(&[]).is_empty());
}

#[test]
fn disabled_and_read_only_tables_refuse_writes() {
    for db in Database::all() {
        let t = db.table("t", &["f"]);
        let p = put("r", &[("no:q", 1, "v")]);
        let mut descriptor = db.engine.describe(&name("t")).unwrap();
        descriptor.set("READONLY", "true");
        db.engine.modify_table(descriptor).unwrap();
        assert_eq!(t.put(&p).unwrap_err().message(), "region is read only");
        assert_eq!(kind(t.mutate_row(b"r", &[Mutation::Put(p.clone())])), E::ReadOnly);
        assert_eq!(kind(t.increment(&crate::fixture::increment("r", "f:q", 1))), E::ReadOnly);
        db.engine.disable_table(&name("t")).unwrap();
        let error = t.put(&p).unwrap_err();
        assert_eq!((error.kind(), error.message()), (E::TableDisabled, "t is disabled."));
    }
}

/// A put whose one cell is this many bytes long when serialised.
fn sized(bytes: usize) -> Put {
    let mut p = put("r", &[("f:q", 1, "")]);
    p.cells[0].value = Bytes::from(vec![7; bytes - 20 - 3]);
    p
}

#[test]
fn the_client_and_the_server_have_limits_four_bytes_apart() {
    let db = Database::memory();
    let t = db.table("t", &["f"]);
    const LIMIT: usize = 10 * 1024 * 1024;
    t.put(&sized(LIMIT - 4)).unwrap();
    assert_eq!(kind(t.put(&sized(LIMIT - 3))), E::CellTooLarge);
    assert_eq!(kind(t.put(&sized(LIMIT))), E::CellTooLarge);
    let error = t.put(&sized(LIMIT + 1)).unwrap_err();
    assert_eq!((error.kind(), error.message()), (E::InvalidArgument, "KeyValue size too large"));
    // Only the server's limit applies to row mutations.
    assert_eq!(kind(t.mutate_row(b"r", &[Mutation::Put(sized(LIMIT + 1))])), E::CellTooLarge);
}

#[test]
fn the_longest_row_accepts_a_long_qualifier_and_a_longer_key_is_refused() {
    for db in Database::all() {
        let t = db.table("t", &["f"]);
        let row = "\0".repeat(32_767);
        let with = |bytes: usize| {
            let mut p = put(&row, &[("f:q", 1, "v")]);
            p.cells[0].qualifier = Bytes::from(vec![0; bytes]);
            p
        };
        t.put(&with(24 * 1024)).unwrap();
        assert_eq!(read(&t, &row).len(), 1);
        assert_eq!(kind(t.put(&with(40_000))), E::InvalidArgument);
    }
}
