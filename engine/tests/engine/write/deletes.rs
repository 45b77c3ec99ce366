//! Deletes: the four markers, whole rows, markers without a timestamp, and their order relative to puts.

use crate::fixture::{Database, NOW, SERVER, delete, kind, put, read};
use hjall_engine::ErrorKind as E;
use hjall_engine::mutation::{Delete, MarkerKind as M, Mutation};
use hjall_engine::read::WorkLimit;
use hjall_engine::{LATEST, Table};

fn three(t: &Table, row: &str) {
    t.put(&put(row, &[("f:a", 10, "x"), ("f:a", 20, "y"), ("f:a", 30, "z"), ("f:b", 20, "b")])).unwrap();
}

#[test]
fn each_marker_hides_what_it_covers() {
    for db in Database::all() {
        let t = db.table("t", &["f VERSIONS=5"]);
        for (row, marker, left) in [
            ("1", (M::Version, "f:a", 20), "f:a@30=z f:a@10=x f:b@20=b"),
            ("2", (M::Column, "f:a", 20), "f:a@30=z f:b@20=b"),
            ("3", (M::Family, "f:ignored", 20), "f:a@30=z"),
            ("4", (M::FamilyVersion, "f:ignored", 20), "f:a@30=z f:a@10=x"),
        ] {
            three(&t, row);
            t.delete(&delete(row, &[marker])).unwrap();
            assert_eq!(read(&t, row).join(" "), left, "{}: {marker:?}", db.kind);
            // The write order does not matter.
            t.delete(&delete(&format!("{row} later"), &[marker])).unwrap();
            three(&t, &format!("{row} later"));
            assert_eq!(read(&t, &format!("{row} later")).join(" "), left);
        }
    }
}

#[test]
fn deleting_a_row_hides_every_family_up_to_the_timestamp() {
    for db in Database::all() {
        let t = db.table("t", &["f", "g"]);
        t.put(&put("r", &[("f:a", 5, "x"), ("g:a", 6, "y"), ("g:b", NOW + 5, "future")])).unwrap();
        t.delete(&Delete { timestamp: 5, ..Delete::row("r") }).unwrap();
        assert_eq!(read(&t, "r"), ["g:a@6=y".to_owned(), format!("g:b@{}=future", NOW + 5)]);
        t.delete(&Delete::row("r")).unwrap();
        assert_eq!(read(&t, "r"), [format!("g:b@{}=future", NOW + 5)]);
    }
}

#[test]
fn the_kth_marker_without_a_timestamp_covers_the_kth_newest_version() {
    for db in Database::all() {
        let t = db.table("t", &["f VERSIONS=5", "one"]);
        three(&t, "r");
        t.delete(&delete("r", &[(M::Version, "f:a", LATEST), (M::Version, "f:a", LATEST)])).unwrap();
        assert_eq!(read(&t, "r").join(" "), "f:a@10=x f:b@20=b", "{}", db.kind);
        // Markers with explicit timestamps do not count.
        three(&t, "s");
        t.delete(&delete("s", &[(M::Version, "f:a", 30), (M::Version, "f:a", LATEST)])).unwrap();
        assert_eq!(read(&t, "s").join(" "), "f:a@20=y f:a@10=x f:b@20=b");
        // Two separate deletes cover the newest version one after the other.
        three(&t, "u");
        for _ in 0..2 {
            t.delete(&delete("u", &[(M::Version, "f:a", LATEST)])).unwrap();
        }
        assert_eq!(read(&t, "u").join(" "), "f:a@10=x f:b@20=b");
        // In one row mutation both cover the same version.
        three(&t, "v");
        let newest = || Mutation::Delete(delete("v", &[(M::Version, "f:a", LATEST)]));
        t.mutate_row(b"v", &[newest(), newest()]).unwrap();
        assert_eq!(read(&t, "v").join(" "), "f:a@20=y f:a@10=x f:b@20=b");
    }
}

#[test]
fn a_long_list_of_deletes_is_applied_in_full() {
    const COLUMNS: usize = 40_000;
    let db = Database::memory();
    let t = db.table("t", &["f VERSIONS=3"]);
    let names: Vec<String> = (0..COLUMNS).map(|n| format!("f:{n:05}")).collect();
    for time in 1..=3 {
        t.put(&put("r", &names.iter().map(|name| (&name[..], time, "v")).collect::<Vec<_>>())).unwrap();
    }
    // Two of the three versions of each column: the markers of one column are far apart in the list.
    let markers: Vec<_> = names.iter().chain(&names).map(|name| (M::Version, &name[..], LATEST)).collect();
    t.delete(&delete("r", &markers)).unwrap();
    let left = read(&t, "r");
    assert_eq!(left.len(), COLUMNS);
    assert!(left.iter().zip(&names).all(|(cell, name)| *cell == format!("{name}@1=v")));
}

#[test]
fn the_work_of_a_delete_grows_in_proportion_to_its_markers() {
    const MARKERS: usize = 1000;
    let db = Database::memory();
    let t = db.table("t", &["f VERSIONS=2000"]);
    let names: Vec<String> = (0..MARKERS).map(|n| format!("f:{n:05}")).collect();
    t.put(&put("wide", &names.iter().map(|name| (&name[..], 1, "v")).collect::<Vec<_>>())).unwrap();
    t.put(&put("deep", &(1..=MARKERS as i64).map(|time| ("f:a", time, "v")).collect::<Vec<_>>())).unwrap();
    let columns: Vec<_> = names.iter().map(|name| (M::Version, &name[..], LATEST)).collect();
    for (row, markers) in [("wide", columns), ("deep", vec![(M::Version, "f:a", LATEST); MARKERS])] {
        // A delete that read the row again for each marker would read half a million pairs.
        let work = WorkLimit { pairs: 50 * MARKERS, bytes: usize::MAX };
        let deleted = work.run(|| t.delete(&delete(row, &markers)));
        deleted.unwrap_or_else(|| panic!("{row}: more than 50 pairs for each marker")).unwrap();
        assert!(read(&t, row).is_empty(), "{row}");
    }
}

#[test]
fn a_put_after_a_delete_in_the_same_millisecond_is_visible() {
    for db in Database::all() {
        let t = db.table("t", &["f VERSIONS=3"]);
        for round in 0..5 {
            t.put(&put("r", &[("f:a", SERVER, "v")])).unwrap();
            assert_eq!(read(&t, "r").len(), 1, "{}, round {round}", db.kind);
            match round % 3 {
                0 => t.delete(&Delete::row("r")).unwrap(),
                1 => t.delete(&delete("r", &[(M::Column, "f:a", SERVER)])).unwrap(),
                _ => t.delete(&delete("r", &[(M::Version, "f:a", SERVER)])).unwrap(),
            }
            assert!(read(&t, "r").is_empty(), "{}, round {round}", db.kind);
        }
    }
}

#[test]
fn in_one_row_mutation_a_delete_hides_a_put_with_the_same_timestamp() {
    for db in Database::all() {
        let t = db.table("t", &["f VERSIONS=3"]);
        let new = || Mutation::Put(put("r", &[("f:a", SERVER, "new")]));
        let hide = |kind| Mutation::Delete(delete("r", &[(kind, "f:a", SERVER)]));
        t.mutate_row(b"r", &[new(), hide(M::Column)]).unwrap();
        t.mutate_row(b"r", &[hide(M::Column), new()]).unwrap();
        assert!(read(&t, "r").is_empty());
        // Without a version the marker gets the current time; otherwise it covers the existing version.
        t.mutate_row(b"r", &[hide(M::Version), new()]).unwrap();
        assert!(read(&t, "r").is_empty());
        db.clock.advance(10);
        t.put(&put("r", &[("f:a", SERVER, "old")])).unwrap();
        db.clock.advance(10);
        t.mutate_row(b"r", &[hide(M::Version), new()]).unwrap();
        assert_eq!(read(&t, "r"), [format!("f:a@{}=new", NOW + 20)]);
    }
}

#[test]
fn a_version_in_the_future_is_covered_and_later_puts_get_the_clocks_time() {
    for db in Database::all() {
        let t = db.table("t", &["f"]);
        let future = NOW + 3_600_000;
        t.put(&put("r", &[("f:a", future, "far")])).unwrap();
        t.delete(&delete("r", &[(M::Column, "f:a", SERVER)])).unwrap();
        assert_eq!(read(&t, "r"), [format!("f:a@{future}=far")]);
        t.delete(&delete("r", &[(M::Version, "f:a", SERVER)])).unwrap();
        assert!(read(&t, "r").is_empty());
        db.clock.advance(5);
        t.put(&put("r", &[("f:a", SERVER, "now")])).unwrap();
        assert_eq!(read(&t, "r"), [format!("f:a@{}=now", NOW + 5)]);
    }
}

#[test]
fn refused_deletes_hide_nothing() {
    let db = Database::memory();
    let t = db.table("t", &["f VERSIONS=5"]);
    three(&t, "r");
    assert_eq!(kind(t.delete(&delete("r", &[(M::Column, "f:a", 20), (M::Column, "no:a", 20)]))), E::FamilyNotFound);
    assert_eq!(kind(t.delete(&delete("r", &[(M::Column, "f:a", -1)]))), E::InvalidArgument);
    assert_eq!(kind(t.delete(&Delete { timestamp: -1, ..Delete::row("r") })), E::InvalidArgument);
    assert_eq!(kind(t.delete(&Delete::row(""))), E::InvalidArgument);
    let results = t.delete_many(&[delete("r", &[(M::Column, "no:a", 9)]), delete("r", &[(M::Column, "f:b", 99)])]);
    assert!(results[0].is_err() && results[1].is_ok());
    assert_eq!(read(&t, "r").join(" "), "f:a@30=z f:a@20=y f:a@10=x");
}

#[test]
fn markers_with_a_ttl_expire() {
    for db in Database::all() {
        let t = db.table("t", &["f"]);
        t.put(&put("r", &[("f:a", NOW - 10, "v")])).unwrap();
        t.delete(&Delete { ttl_ms: Some(1_000), ..delete("r", &[(M::Column, "f:a", NOW)]) }).unwrap();
        assert!(read(&t, "r").is_empty());
        db.clock.advance(1_001);
        assert_eq!(read(&t, "r").len(), 1, "{}", db.kind);
    }
}
