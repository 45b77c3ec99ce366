//! BigDecimalComparator: Java's decimal numbers of any scale are compared by value.

use std::cmp::Ordering;

use bytes::Bytes;
use hjall_engine::cell::{Cell, CellKind};
use hjall_engine::filter::{Code, FilterSpec};
use num_bigint::BigInt;
use proptest::prelude::*;

/// The numbers of HBase's operators.
const LESS: u8 = 0;
const EQUAL: u8 = 2;

/// A protobuf field of bytes.
fn field(number: u8, bytes: &[u8]) -> Vec<u8> {
    let mut field = vec![number << 3 | 2];
    let mut length = bytes.len();
    while length >= 0x80 {
        field.push((length & 0x7f) as u8 | 0x80);
        length >>= 7;
    }
    field.push(length as u8);
    field.extend_from_slice(bytes);
    field
}

fn named(class: &str, body: &[u8]) -> Vec<u8> {
    let name = format!("org.apache.hadoop.hbase.filter.{class}");
    [field(1, name.as_bytes()), field(2, body)].concat()
}

/// HBase's form of a number: the scale, then the unscaled number in two's complement.
fn decimal(scale: i32, unscaled: &[u8]) -> Vec<u8> {
    [&scale.to_be_bytes()[..], unscaled].concat()
}

/// Whether ValueFilter keeps a cell of value `part` when it compares it with a decimal number.
fn keeps(op: u8, comparator: &[u8], part: &[u8]) -> bool {
    let comparator = named("BigDecimalComparator", &field(1, &field(1, comparator)));
    let compare = [vec![8, op], field(2, &comparator)].concat();
    let filter = FilterSpec::from_bytes(&named("ValueFilter", &field(1, &compare))).unwrap();
    let cell = Cell {
        row: Bytes::from_static(b"r"),
        family: Bytes::from_static(b"f"),
        qualifier: Bytes::from_static(b"q"),
        timestamp: 1,
        value: Bytes::copy_from_slice(part),
        kind: CellKind::Put,
    };
    filter.start(false).unwrap().filter_cell(&cell).unwrap() == Code::Include
}

/// The order of a cell's number relative to the comparator's.
fn order(part: &[u8], comparator: &[u8]) -> Ordering {
    match (keeps(LESS, comparator, part), keeps(EQUAL, comparator, part)) {
        (true, false) => Ordering::Less,
        (false, true) => Ordering::Equal,
        (false, false) => Ordering::Greater,
        (true, true) => panic!("both less and equal"),
    }
}

proptest! {
    #[test]
    fn numbers_are_compared_by_value(
        (a, b) in (-3000i64..3000, -3000i64..3000),
        (a_scale, b_scale) in (-12i32..12, -12i32..12),
    ) {
        let value = |unscaled: i64, scale: i32| i128::from(unscaled) * 10i128.pow(u32::try_from(12 - scale).unwrap());
        let found = order(&decimal(a_scale, &a.to_be_bytes()), &decimal(b_scale, &b.to_be_bytes()));
        prop_assert_eq!(found, value(a, a_scale).cmp(&value(b, b_scale)));
    }

    #[test]
    fn zeros_at_the_end_make_no_difference(unscaled in any::<i64>(), scale in -100i32..100, zeros in 0u32..18) {
        let padded = i128::from(unscaled) * 10i128.pow(zeros);
        let scales = (scale, scale + zeros as i32);
        let (short, long) = (decimal(scales.0, &unscaled.to_be_bytes()), decimal(scales.1, &padded.to_be_bytes()));
        prop_assert_eq!(order(&short, &long), Ordering::Equal);
        let greater = decimal(scales.1, &(padded + 1).to_be_bytes());
        prop_assert_eq!(order(&short, &greater), Ordering::Less);
        prop_assert_eq!(order(&greater, &short), Ordering::Greater);
    }
}

#[test]
fn scales_at_the_ends_of_their_range_are_compared() {
    let (tiny, huge) = (decimal(i32::MAX, &[1]), decimal(i32::MIN, &[1]));
    assert_eq!(order(&tiny, &huge), Ordering::Less);
    assert_eq!(order(&huge, &tiny), Ordering::Greater);
    let (minus_tiny, minus_huge) = (decimal(i32::MAX, &[0xff]), decimal(i32::MIN, &[0xff]));
    assert_eq!(order(&minus_huge, &minus_tiny), Ordering::Less);
    assert_eq!(order(&minus_tiny, &decimal(0, &[0])), Ordering::Less);
    assert_eq!(order(&decimal(5, &[0]), &decimal(i32::MIN, &[0])), Ordering::Equal);
}

/// Writing a number of a megabyte with decimal digits takes minutes. A comparison must not do so.
#[test]
fn long_numbers_of_different_scales_are_compared() {
    let digits = 1_000_000;
    let one = decimal(0, &[1]);
    let long = |more: u8| (BigInt::from(10).pow(digits) + more).to_signed_bytes_be();
    let scale = i32::try_from(digits).unwrap();
    assert_eq!(order(&one, &decimal(scale, &long(0))), Ordering::Equal);
    assert_eq!(order(&one, &decimal(scale, &long(1))), Ordering::Less);
    assert_eq!(order(&decimal(scale, &long(1)), &one), Ordering::Greater);
    assert_eq!(order(&decimal(scale + 1, &long(0)), &one), Ordering::Less);
}
