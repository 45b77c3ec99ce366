//! Increments and appends: values, timestamps, refusals and concurrency.

use crate::fixture::{Database, NOW, SERVER, delete, increment, kind, put, read};
use bytes::Bytes;
use hjall_engine::mutation::{Append, Increment, MarkerKind, Put};
use hjall_engine::request::Get;
use hjall_engine::{ErrorKind as E, Row, Table};

fn number(row: &Row) -> i64 {
    i64::from_be_bytes(row.cells[0].value[..].try_into().unwrap())
}

fn append(row: &str, columns: &[(&str, &str)]) -> Append {
    let column = |(name, value): &(&str, &str)| {
        let (family, qualifier) = name.split_once(':').unwrap();
        (Bytes::from(family.to_owned()), Bytes::from(qualifier.to_owned()), Bytes::from((*value).to_owned()))
    };
    Append { row: Bytes::from(row.to_owned()), columns: columns.iter().map(column).collect(), ..Append::default() }
}

#[test]
fn counters_start_at_zero_and_wrap() {
    for db in Database::all() {
        let t = db.table("t", &["f"]);
        for (amount, sum) in [(0, 0), (5, 5), (-7, -2), (i64::MIN, i64::MAX - 1), (2, i64::MIN)] {
            assert_eq!(number(&t.increment(&increment("r", "f:n", amount)).unwrap()), sum, "{}", db.kind);
        }
        let error = t
            .put(&put("r", &[("f:n", SERVER, "abc")]))
            .and_then(|()| t.increment(&increment("r", "f:n", 1)))
            .unwrap_err();
        assert_eq!((error.kind(), error.message()), (E::NotALong, "Field is not a long, it's 3 bytes wide"));
        t.put(&put("r", &[("f:e", 1, "")])).unwrap();
        assert_eq!(
            t.increment(&increment("r", "f:e", 1)).unwrap_err().message(),
            "Field is not a long, it's 0 bytes wide"
        );
    }
}

#[test]
fn all_columns_change_or_none() {
    for db in Database::all() {
        let t = db.table("t", &["f", "g"]);
        t.put(&put("r", &[("g:bad", 1, "x")])).unwrap();
        let mut both = increment("r", "f:a", 1);
        both.columns.push((Bytes::from_static(b"g"), Bytes::from_static(b"bad"), 1));
        assert_eq!(kind(t.increment(&both)), E::NotALong);
        both.columns[1].0 = Bytes::from_static(b"no");
        assert_eq!(kind(t.increment(&both)), E::FamilyNotFound);
        // Before the value that is no counter, although its column comes first.
        let mut both = increment("r", "g:bad", 1);
        both.columns.push((Bytes::from_static(b"no"), Bytes::from_static(b"a"), 1));
        assert_eq!(kind(t.increment(&both)), E::FamilyNotFound);
        assert_eq!(read(&t, "r"), ["g:bad@1=x"]);
    }
}

#[test]
fn results_are_ordered_by_column_and_repeated_for_a_column_named_twice() {
    for db in Database::all() {
        let t = db.table("t", &["f", "g"]);
        t.put(&put("r", &[("f:a", 1, "base")])).unwrap();
        let row = t.append(&append("r", &[("g:z", "1"), ("f:a", "P"), ("f:a", "Q"), ("f:b", "")])).unwrap();
        let shown: Vec<_> = crate::fixture::show(&row.cells);
        let want = [("f:a", "baseP"), ("f:a", "baseQ"), ("f:b", ""), ("g:z", "1")];
        assert_eq!(shown, want.map(|(c, v)| format!("{c}@{NOW}={v}")));
        assert_eq!(read(&t, "r")[0], format!("f:a@{NOW}=baseQ"));
    }
}

#[test]
fn the_new_cell_is_later_than_the_old_one() {
    for db in Database::all() {
        let t = db.table("t", &["f VERSIONS=3"]);
        let times = |row: &str| t.increment(&increment(row, "f:n", 1)).unwrap().cells[0].timestamp;
        assert_eq!([times("r"), times("r"), times("r")], [NOW, NOW + 1, NOW + 2]);
        db.clock.advance(100);
        assert_eq!(times("r"), NOW + 100);
        // A cell with a client's timestamp in the future is followed in steps of 1 ms, and the rest of the row is not
        // affected.
        let future = NOW + 3_600_000;
        let mut far = put("s", &[("f:n", future, "")]);
        far.cells[0].value = Bytes::copy_from_slice(&7i64.to_be_bytes());
        t.put(&far).unwrap();
        assert_eq!([times("s"), times("s")], [future + 1, future + 2]);
        t.put(&put("s", &[("f:other", SERVER, "v")])).unwrap();
        assert!(read(&t, "s").contains(&format!("f:other@{}=v", NOW + 100)), "{:?}", read(&t, "s"));
    }
}

#[test]
fn a_counter_runs_ahead_of_the_clock_by_a_second_at_most() {
    let db = Database::memory();
    let t = db.table("t", &["f VERSIONS=5000"]);
    // A counter does not wait for the clock: its newest version is replaced.
    for _ in 0..3_000 {
        t.increment(&increment("r", "f:n", 1)).unwrap();
    }
    let last = t.increment(&increment("r", "f:n", 0)).unwrap();
    assert_eq!((number(&last), last.cells[0].timestamp), (3_000, NOW + 1_000));
    assert_eq!(read(&t, "r").len(), 1_001, "each is a version, up to the bound");
    db.clock.advance(10_000);
    assert_eq!(t.increment(&increment("r", "f:n", 1)).unwrap().cells[0].timestamp, NOW + 10_000);
}

#[test]
fn an_increment_in_the_same_millisecond_as_a_delete_starts_at_zero() {
    for db in Database::all() {
        let t = db.table("t", &["f"]);
        for _ in 0..3 {
            assert_eq!(number(&t.increment(&increment("r", "f:n", 1)).unwrap()), 1, "{}", db.kind);
            t.delete(&delete("r", &[(MarkerKind::Column, "f:n", SERVER)])).unwrap();
        }
        // A marker in the future hides everything, so each increment starts at zero.
        t.delete(&delete("r", &[(MarkerKind::Family, "f:", NOW + 999_999)])).unwrap();
        for _ in 0..2 {
            assert_eq!(number(&t.increment(&increment("r", "f:n", 4)).unwrap()), 4);
        }
        assert!(read(&t, "r").is_empty());
    }
}

#[test]
fn the_ttl_is_that_of_the_operation_or_else_of_the_old_cell() {
    for db in Database::all() {
        let t = db.table("t", &["f"]);
        let with = |ttl_ms| Increment { ttl_ms, ..increment("r", "f:n", 1) };
        t.increment(&with(Some(1_000))).unwrap();
        db.clock.advance(600);
        assert_eq!(number(&t.increment(&with(None)).unwrap()), 2, "the TTL is carried over");
        db.clock.advance(600);
        assert_eq!(number(&t.increment(&with(None)).unwrap()), 3);
        db.clock.advance(1_001);
        assert_eq!(number(&t.increment(&with(Some(i64::MAX))).unwrap()), 1, "expired; the new cell has no TTL");
        db.clock.advance(1_000_000);
        assert_eq!(number(&t.increment(&with(None)).unwrap()), 2);
    }
}

#[test]
fn appended_values_are_subject_to_the_servers_limit() {
    let db = Database::memory();
    let t = db.table("t", &["f"]);
    let half = "x".repeat(6 * 1024 * 1024);
    t.append(&append("r", &[("f:a", &half)])).unwrap();
    let error = t.append(&append("r", &[("f:a", &half)])).unwrap_err();
    assert_eq!(error.kind(), E::CellTooLarge);
    assert!(error.message().starts_with("Cell with size 12582"), "{error}");
    assert_eq!(kind(t.append(&append("r", &[]))), E::InvalidArgument);
    assert_eq!(kind(t.append(&append("r", &[(":a", "v")]))), E::InvalidArgument);
    assert_eq!(kind(t.increment(&increment("r", ":a", 1))), E::Unprocessable);
    assert_eq!(kind(t.increment(&increment("", "f:a", 1))), E::InvalidArgument);
}

#[test]
fn concurrent_increments_add_up() {
    for db in Database::all() {
        let t = db.table("t", &["f"]);
        std::thread::scope(|threads| {
            for _ in 0..8 {
                threads.spawn(|| (0..100).for_each(|_| drop(t.increment(&increment("r", "f:n", 1)).unwrap())));
            }
        });
        assert_eq!(number(&t.get(&Get::new("r")).unwrap()), 800, "{}", db.kind);
    }
}

/// An old put with a timestamp far from the clock does not hide later writes.
#[test]
fn timestamps_far_in_the_past_do_not_affect_later_writes() {
    let db = Database::memory();
    let t: Table = db.table("t", &["f VERSIONS=2"]);
    let old: Put = put("r", &[("f:a", 1, "old")]);
    t.put(&old).unwrap();
    assert_eq!(t.append(&append("r", &[("f:a", "er")])).unwrap().cells[0].timestamp, NOW);
    assert_eq!(read(&t, "r"), [format!("f:a@{NOW}=older"), "f:a@1=old".to_owned()]);
}
