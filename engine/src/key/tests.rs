//! The properties of keys that reads rely on: their order, that they can be decoded, and that the longest rows fit.

use std::cmp::Reverse;

use proptest::collection::vec;
use proptest::prelude::*;

use super::*;
use crate::request::ROW_LENGTH_MAX;

/// Few distinct bytes and lengths around the size of a group, so that prefixes and equal strings occur.
fn text() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        vec(prop_oneof![Just(0u8), Just(1), Just(8), Just(9), Just(0xFF)], 0..20),
        vec(any::<u8>(), 0..40),
        (0usize..40).prop_map(|n| vec![0; n]),
    ]
}

fn kind() -> impl Strategy<Value = CellKind> {
    use CellKind::*;
    prop_oneof![Just(Put), Just(Delete), Just(DeleteFamilyVersion), Just(DeleteColumn), Just(DeleteFamily)]
}

fn time() -> impl Strategy<Value = i64> {
    prop_oneof![0i64..4, Just(i64::MAX), Just(i64::MAX - 1), 0i64..i64::MAX]
}

type Place = (Vec<u8>, Vec<u8>, CellKind, i64);

fn place() -> impl Strategy<Value = Place> {
    (text(), text(), kind(), time())
        .prop_map(|(row, q, kind, t)| (row, if kind.is_family_marker() { vec![] } else { q }, kind, t))
}

/// HBase's order, except that family markers come first in their row, and that kinds are compared before timestamps.
fn rank(place: &Place) -> impl Ord + '_ {
    let (row, qualifier, kind, time) = place;
    (row, !kind.is_family_marker(), qualifier, Reverse(*kind), Reverse(*time))
}

fn encode((row, qualifier, kind, time): &Place) -> Bytes {
    cell_key(row, qualifier, *time, *kind).unwrap()
}

proptest! {
    #[test]
    fn keys_sort_by_row_column_kind_and_time(a in place(), b in place()) {
        prop_assert_eq!(encode(&a).cmp(&encode(&b)), rank(&a).cmp(&rank(&b)));
    }

    #[test]
    fn a_key_decodes_to_its_parts(place in place()) {
        let key = encode(&place);
        let (row, qualifier, kind, time) = place;
        let row_len = row_prefix_len(&key).unwrap();
        prop_assert_eq!(row_at(&key).unwrap(), (key.slice(..row_len), row.clone().into()));
        prop_assert_eq!(row_prefix(&row), &key[..row_len]);
        let prefix_len = match column_prefix_len(&key, row_len).unwrap() {
            Some(len) => {
                prop_assert_eq!(qualifier_of(&key[..len], row_len), &qualifier);
                prop_assert_eq!(column_prefix(&key[..row_len], &qualifier), &key[..len]);
                len
            }
            None => {
                prop_assert!(kind.is_family_marker());
                prop_assert_eq!(family_prefix(&key[..row_len]), &key[..row_len + 1]);
                row_len + 1
            }
        };
        prop_assert_eq!(kind_and_time(&key, prefix_len).unwrap(), (kind, time));
        prop_assert_eq!(at(&key[..prefix_len], kind, time), &key);
        prop_assert!(key < prefix_end(&key[..prefix_len]));
        prop_assert!(key < row_end(&key[..row_len]));
        prop_assert_eq!(is_of_column(&key, &key[..row_len]), !kind.is_family_marker());
        prop_assert_eq!(key < columns_start(&key[..row_len]), kind.is_family_marker());
    }

    #[test]
    fn the_end_of_a_prefix_sorts_before_the_next_prefix(a in place(), b in place()) {
        let (low, high) = (encode(&a), encode(&b));
        let (low_len, high_len) = (row_prefix_len(&low).unwrap(), row_prefix_len(&high).unwrap());
        if a.0 < b.0 {
            prop_assert!(row_end(&low[..low_len]) < high);
        } else if a.0 == b.0 {
            let columns = (column_prefix_len(&low, low_len).unwrap(), column_prefix_len(&high, high_len).unwrap());
            if let ((Some(len), Some(_)), true) = (columns, a.1 < b.1) {
                prop_assert!(prefix_end(&low[..len]) < high);
            }
        }
    }

    #[test]
    fn invalid_keys_are_refused_without_panic(bytes in vec(any::<u8>(), 0..60)) {
        if let Ok(row_len) = row_prefix_len(&bytes)
            && let Ok(prefix) = column_prefix_len(&bytes, row_len)
        {
            let _ = kind_and_time(&bytes, prefix.unwrap_or(row_len + 1));
        }
    }
}

#[test]
fn the_longest_row_has_room_for_any_qualifier_of_24_kib() {
    for byte in [0u8, 9, 0xFF] {
        let (row, qualifier) = (vec![byte; ROW_LENGTH_MAX], vec![byte; 24 * 1024]);
        assert!(cell_key(&row, &qualifier, 0, CellKind::Put).unwrap().len() <= KEY_LENGTH_MAX);
    }
}

#[test]
fn a_key_that_is_too_long_is_refused_with_its_lengths() {
    let error = cell_key(&[1; ROW_LENGTH_MAX], &[1; 30_000], 0, CellKind::Put).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidArgument);
    assert!(error.message().contains("30000 bytes"), "{error}");
    // A family marker has no qualifier, so one that is too long does not matter.
    assert!(cell_key(&[1; ROW_LENGTH_MAX], &[1; 30_000], 0, CellKind::DeleteFamily).is_ok());
}

#[test]
fn growth_is_bounded_by_nine_eighths_and_a_group() {
    for n in 0..100 {
        assert!(row_prefix(&vec![0; n]).len() <= n * 9 / 8 + 9);
    }
}
