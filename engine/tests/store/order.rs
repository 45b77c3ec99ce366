//! Keys in byte order, ranges, and seeking in both directions and at the bounds.

use bytes::Bytes;
use hjall_engine::mutation::Durability;
use hjall_engine::store::Order::{Ascending, Descending};

use crate::stores::{Kind, SPACE, bytes, pairs, rest, text};

/// A store that compared signed bytes or text would sort 0x80 before 0x00, or "\xff" wrongly.
pub fn pairs_come_in_byte_order(kind: &Kind) {
    let keys: [&[u8]; 7] = [b"\0\0", b"\0\0\0", b"\0\x01", b"a", b"a\0", b"\x80", b"\xff\xff"];
    for key in [3, 6, 0, 5, 2, 4, 1].map(|n| keys[n]) {
        kind.in_row("r", |t| t.put(SPACE, Bytes::from_static(key), bytes("v")));
    }
    for flushed in [false, true] {
        if flushed {
            kind.store.flush(SPACE).unwrap();
        }
        let up: Vec<_> = pairs(&mut *kind.scan("", "", Ascending)).into_iter().map(|(key, _)| key).collect();
        assert_eq!(up, keys);
        let mut down: Vec<_> = pairs(&mut *kind.scan("", "", Descending)).into_iter().map(|(key, _)| key).collect();
        down.reverse();
        assert_eq!(down, keys);
    }
}

pub fn a_range_has_its_start_and_not_its_end(kind: &Kind) {
    for key in ["a", "b", "c", "d"] {
        kind.put(key, "v");
    }
    assert_eq!(rest(&mut *kind.scan("b", "d", Ascending)), ["b", "c"]);
    assert_eq!(rest(&mut *kind.scan("b", "d", Descending)), ["c", "b"]);
    assert_eq!(rest(&mut *kind.scan("aa", "cc", Ascending)), ["b", "c"]);
    assert_eq!(rest(&mut *kind.scan("c", "", Ascending)), ["c", "d"]);
    assert_eq!(rest(&mut *kind.scan("c", "", Descending)), ["d", "c"]);
}

/// Ordered maps panic at such ranges.
pub fn an_upside_down_range_is_empty(kind: &Kind) {
    kind.put("b", "v");
    for (from, to) in [("c", "a"), ("b", "b"), ("c", "c")] {
        for order in [Ascending, Descending] {
            let mut cursor = kind.scan(from, to, order);
            assert_eq!(cursor.next().unwrap(), None);
            cursor.seek(b"b").unwrap();
            assert_eq!(cursor.next().unwrap(), None);
        }
    }
}

pub fn seeking_goes_forward_only(kind: &Kind) {
    for key in ["a", "c", "e", "g", "i"] {
        kind.put(key, "v");
    }
    let mut cursor = kind.scan("b", "h", Ascending);
    cursor.seek(b"a").unwrap();
    assert_eq!(
        cursor.next().unwrap().map(|(key, _)| text(key)).unwrap(),
        "c",
        "before the range: it begins at its start"
    );
    cursor.seek(b"c").unwrap();
    assert_eq!(cursor.next().unwrap().map(|(key, _)| text(key)).unwrap(), "e", "the key just taken is behind");
    cursor.seek(b"a").unwrap();
    cursor.seek(b"g").unwrap();
    assert_eq!(cursor.next().unwrap().map(|(key, _)| text(key)).unwrap(), "g", "a key that is there is met");
    cursor.seek(b"h").unwrap();
    assert_eq!(cursor.next().unwrap(), None, "the range's end is not passed");
    cursor.seek(b"i").unwrap();
    assert_eq!(cursor.next().unwrap(), None);
}

pub fn seeking_backwards_goes_backward_only(kind: &Kind) {
    for key in ["a", "c", "e", "g", "i"] {
        kind.put(key, "v");
    }
    let mut cursor = kind.scan("b", "h", Descending);
    cursor.seek(b"i").unwrap();
    assert_eq!(cursor.next().unwrap().map(|(key, _)| text(key)).unwrap(), "g");
    cursor.seek(b"h").unwrap();
    cursor.seek(b"e").unwrap();
    assert_eq!(cursor.next().unwrap().map(|(key, _)| text(key)).unwrap(), "c", "the key sought is excluded");
    cursor.seek(b"b").unwrap();
    assert_eq!(cursor.next().unwrap(), None, "the range's start is not passed");
    let mut cursor = kind.scan("", "", Descending);
    cursor.seek(b"").unwrap();
    assert_eq!(cursor.next().unwrap(), None, "nothing is before the empty key");
}

pub fn a_range_can_be_read_at_once(kind: &Kind) {
    let keys = ["a", "b", "c", "d", "e", "f", "g"];
    for key in keys {
        kind.put(key, "value");
    }
    kind.store.flush(SPACE).unwrap();
    for (from, to) in [("", ""), ("b", "f"), ("bb", "ee"), ("x", ""), ("c", "c"), ("f", "a")] {
        let expected = rest(&mut *kind.scan(from, to, Ascending));
        for (n, bytes) in [(1, 100), (3, 100), (9, 100), (9, 7), (0, 100)] {
            let mut out = vec![(Bytes::from("before"), Bytes::new())];
            let snapshot = kind.store.snapshot().unwrap();
            let rest_of = snapshot.read(SPACE, (from.as_bytes(), to.as_bytes()), (n, bytes), &mut out).unwrap();
            let read: Vec<_> = out.drain(1..).map(|(key, _)| text(key)).collect();
            assert_eq!(read, expected[..n.min(bytes.div_ceil(6)).min(expected.len())], "{from}..{to}, {n}, {bytes}");
            let others = rest_of.map(|mut cursor| rest(&mut *cursor)).unwrap_or_default();
            assert_eq!(others, expected[read.len()..], "{from}..{to}, {n}, {bytes}");
        }
    }
    // The rest can be sought, and outlives the snapshot.
    let mut out = Vec::new();
    let mut cursor = kind.store.snapshot().unwrap().read(SPACE, (b"a", b"g"), (2, 100), &mut out).unwrap().unwrap();
    cursor.seek(b"b").unwrap();
    assert_eq!(cursor.next().unwrap().map(|(key, _)| text(key)).unwrap(), "c", "the keys just taken are behind");
    cursor.seek(b"e").unwrap();
    assert_eq!(rest(&mut *cursor), ["e", "f"]);
}

/// fjall gives all writes of a batch one number: which of two of the same key wins has to be settled above it.
pub fn the_last_write_of_a_key_counts(kind: &Kind) {
    kind.put("b", "old");
    kind.store
        .transact(&[bytes("r")], Durability::SyncWal, &mut |t| {
            t.put(SPACE, bytes("a"), bytes("1"));
            t.delete(SPACE, bytes("a"));
            t.put(SPACE, bytes("b"), bytes("1"));
            t.put(SPACE, bytes("b"), bytes("2"));
            t.delete(SPACE, bytes("c"));
            t.put(SPACE, bytes("c"), bytes("3"));
            Ok(())
        })
        .unwrap();
    for flushed in [false, true] {
        if flushed {
            kind.store.flush(SPACE).unwrap();
        }
        assert_eq!(kind.get("a"), None);
        assert_eq!(kind.get("b").unwrap(), "2");
        assert_eq!(kind.get("c").unwrap(), "3");
    }
}
