//! Regions: split keys, names, and look-ups by a key of hbase:meta.

use crate::fixture::{Database, descriptor, kind, name, put, read};
use bytes::Bytes;
use hjall_engine::ErrorKind;
use hjall_engine::region::{Region, compare_names, cut, locate, matches_splits, split, to_string_binary};

fn keys(splits: &[&str]) -> Vec<Bytes> {
    splits.iter().map(|s| Bytes::from((*s).to_owned())).collect()
}

#[test]
fn keys_are_sorted_and_must_be_distinct_and_not_empty() {
    let regions = cut(keys(&["m", "d"]), 7).unwrap();
    let ranges: Vec<_> = regions.iter().map(|r| (&r.start[..], &r.end[..])).collect();
    assert_eq!(ranges, [(&b""[..], &b"d"[..]), (b"d", b"m"), (b"m", b"")]);
    assert_eq!(
        cut(keys(&["a", ""]), 7).unwrap_err().message(),
        "Empty split key must not be passed in the split keys."
    );
    assert_eq!(
        cut(vec![Bytes::from_static(b"a\0"), Bytes::from_static(b"a\0")], 7).unwrap_err().message(),
        "All split keys must be unique, found duplicate: a\\x00, a\\x00"
    );
    for (row, start) in [("", ""), ("c", ""), ("d", "d"), ("lzz", "d"), ("m", "m"), ("zz", "m")] {
        assert_eq!(locate(&regions, row.as_bytes()).unwrap().start, start);
    }
    assert!(
        matches_splits(&regions, &keys(&["d", "m"]))
            && matches_splits(&regions, &keys(&["m"]))
            && matches_splits(&regions, &[])
    );
    for wrong in [&["x"][..], &["d", "m", "x"], &["d", "d"], &[""]] {
        assert!(!matches_splits(&regions, &keys(wrong)), "{wrong:?}");
    }
}

#[test]
fn names_contain_the_start_key_the_time_and_a_digest() {
    let region = Region { id: 1_700_000_000_000, start: Bytes::from_static(b"a,b"), end: Bytes::new() };
    let digest = region.encoded_name(&name("ns:t"));
    assert_eq!(digest.len(), 32);
    assert_eq!(region.name(&name("ns:t")), format!("ns:t,a,b,1700000000000.{digest}."));
    // The MD5 digest of "t,,1".
    let first = Region { id: 1, start: Bytes::new(), end: Bytes::new() };
    assert_eq!(first.encoded_name(&name("t")), "7b520268c67d8870e20f6d880327ab7e");
    assert_eq!(to_string_binary(b"a\\\x00\xFF~"), "a\\x5C\\x00\\xFF~");
}

#[test]
fn split_tools_compute_the_same_keys_as_hbases() {
    let text = |keys: Vec<Bytes>| keys.iter().map(|k| String::from_utf8_lossy(k).into_owned()).collect::<Vec<_>>();
    let hex = |keys: Vec<Bytes>| {
        keys.iter().map(|k| k.iter().map(|b| format!("{b:02x}")).collect::<String>()).collect::<Vec<_>>()
    };
    assert_eq!(text(split::hex_string(4).unwrap()), ["40000000", "80000000", "c0000000"]);
    assert_eq!(text(split::hex_string(3).unwrap()), ["55555555", "aaaaaaaa"]);
    let ten = "19999999 33333332 4ccccccb 66666664 7ffffffd 99999996 b333332f ccccccc8 e6666661";
    assert_eq!(text(split::hex_string(10).unwrap()).join(" "), ten);
    assert_eq!(text(split::decimal_string(4).unwrap()), ["25000000", "50000000", "75000000"]);
    assert_eq!(text(split::decimal_string(3).unwrap()), ["33333333", "66666666"]);
    assert_eq!(hex(split::uniform(4).unwrap()), ["4000000000000000", "8000000000000000", "c000000000000000"]);
    assert!(split::hex_string(1).is_err());
    assert_eq!(text(split::between(b"a", b"e", false, 3).unwrap()), ["a", "b", "c", "d", "e"]);
    // Adjacent one-byte keys have no room for three points between them, so the keys get longer.
    assert_eq!(hex(split::between(b"a", b"b", false, 3).unwrap()), ["61", "6140", "6180", "61c0", "62"]);
    assert_eq!(hex(split::between(b"", b"\x01\x00", false, 1).unwrap()), ["", "0080", "0100"]);
    assert!(split::between(b"b", b"a", false, 3).is_err());
    assert_eq!(text(split::range(b"c", b"w", 3).unwrap()), ["c", "w"]);
    assert_eq!(text(split::range(b"a", b"e", 6).unwrap()), ["a", "b", "c", "d", "e"]);
    assert_eq!(split::range(b"a", b"e", 2).unwrap_err().message(), "Must create at least three regions");
    assert_eq!(split::range(b"e", b"a", 4).unwrap_err().message(), "Start key must be smaller than end key");
}

#[test]
fn keys_of_meta_find_regions_by_table_start_and_rest() {
    let db = Database::memory();
    db.engine.create_table(descriptor("s", &["f"]), vec![]).unwrap();
    db.engine.create_table(descriptor("t", &["f"]), keys(&["b", "m"])).unwrap();
    let find = |key: &str| {
        db.engine.region_not_after(key.as_bytes(), |_| true).map(|(t, r)| format!("{t}/{}", to_string_binary(&r.start)))
    };
    let full = db.engine.regions(&name("t")).unwrap()[1].name(&name("t"));
    for key in ["t,b,99999999999999", "t,c,99999999999999", "t,b", std::str::from_utf8(&full).unwrap()] {
        assert_eq!(find(key).as_deref(), Some("t/b"), "{key}");
    }
    let without_digest = std::str::from_utf8(&full).unwrap().rsplit_once('.').unwrap().0.rsplit_once('.').unwrap().0;
    for key in ["t,b,", "t,b,0", without_digest] {
        assert_eq!(find(key).as_deref(), Some("t/"), "{key}");
    }
    assert_eq!(find("t").as_deref(), Some("s/"), "a name without a comma comes before the table's regions");
    assert_eq!(find("z,,9").as_deref(), Some("t/m"));
    assert_eq!(find("!"), None);
    assert_eq!(find("").as_deref(), Some("t/m"), "a reversed scan from an empty row begins with the last one");
}

#[test]
fn keys_of_meta_find_the_greatest_name_that_is_not_after_them() {
    let db = Database::memory();
    db.engine.create_namespace(hjall_engine::schema::NamespaceDescriptor::new("n")).unwrap();
    for (table, splits) in [("s", &[][..]), ("t", &["b", "b,c", "m"]), ("t-u", &["b"]), ("n:t", &["b"])] {
        db.engine.create_table(descriptor(table, &["f"]), keys(splits)).unwrap();
    }
    let mut all = Vec::new();
    for table in ["s", "t", "t-u", "n:t"] {
        all.extend(db.engine.regions(&name(table)).unwrap().iter().map(|region| region.name(&name(table))));
    }
    let starts = ["", "a", "b", "b,", "b,c", "c", "m", "z"];
    let rests = &["", "0", ".", "1", "99999999999999", ":", "b,c"];
    let tables = ["", "a", "n", "n:t", "r", "s", "t", "t-", "t-u", "t-v", "u", "default:t"];
    let made = tables.iter().flat_map(|table| {
        let parts =
            starts.iter().flat_map(move |start| rests.iter().map(move |rest| format!("{table},{start},{rest}")));
        parts.chain([(*table).to_owned(), format!("{table},")])
    });
    let made: Vec<Bytes> = made.map(Bytes::from).chain(all.clone()).collect();
    for key in made {
        let before = all.iter().filter(|name| key.is_empty() || compare_names(name, &key).is_le());
        let expected = before.max_by(|a, b| compare_names(a, b));
        let found = db.engine.region_not_after(&key, |_| true).map(|(table, region)| region.name(&table));
        assert_eq!(found.as_ref(), expected, "{key:?}");
    }
}

#[test]
fn a_region_can_be_split_and_its_rows_stay() {
    for mut db in Database::all() {
        let (t, table) = (name("t"), db.table("t", &["f"]));
        table.put(&put("a", &[("f:q", 1, "one")])).unwrap();
        table.put(&put("x", &[("f:q", 1, "two")])).unwrap();
        let before = db.engine.regions(&t).unwrap();
        let mut scanner = table.scan(hjall_engine::request::Scan::default()).unwrap();
        assert_eq!(scanner.next(1).unwrap()[0].key, "a");
        db.engine.split_region(&t, b"m").unwrap();
        assert_eq!(scanner.next(9).unwrap()[0].key, "x", "{}: a running scan continues", db.kind);
        drop(scanner);
        db.engine.split_region(&t, b"q").unwrap();
        let regions = db.engine.regions(&t).unwrap();
        let starts: Vec<_> = regions.iter().map(|region| region.start.clone()).collect();
        assert_eq!(starts, ["", "m", "q"], "{}", db.kind);
        assert_eq!((&regions[0].end[..], &regions[2].end[..]), (&b"m"[..], &b""[..]));
        assert_ne!(regions[0].name(&t), before[0].name(&t), "a region that was split has another name");
        for (row, value) in [("a", "one"), ("x", "two")] {
            assert!(read(&db.engine.table(&t), row)[0].ends_with(value), "{}", db.kind);
        }
        assert_eq!(kind(db.engine.split_region(&t, b"m")), ErrorKind::InvalidArgument, "a region begins there");
        assert_eq!(kind(db.engine.split_region(&t, b"")), ErrorKind::InvalidArgument);
        assert_eq!(kind(db.engine.split_region(&name("none"), b"m")), ErrorKind::TableNotFound);
        db.engine.disable_table(&t).unwrap();
        assert_eq!(kind(db.engine.split_region(&t, b"s")), ErrorKind::TableDisabled);
        drop(table);
        db.reopen();
        assert_eq!(db.engine.regions(&t).unwrap(), regions, "{}", db.kind);
    }
}
