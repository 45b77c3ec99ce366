//! Random filters over the small alphabet of the random tables.

use bytes::Bytes;
use hjall_engine::filter::{BitwiseOp, ColumnCheck, Comparator, FilterSpec, FuzzyPair, RowRange};
use hjall_engine::mutation::CompareOp;
use proptest::collection::vec;
use proptest::prelude::*;

use super::tables::{FAMILIES, QUALIFIERS, ROWS, VALUES};

fn pick(of: &'static [&'static str]) -> impl Strategy<Value = Bytes> {
    proptest::sample::select(of).prop_map(|text| Bytes::from_static(text.as_bytes()))
}

fn op() -> impl Strategy<Value = CompareOp> {
    proptest::sample::select(vec![
        CompareOp::Less,
        CompareOp::LessOrEqual,
        CompareOp::Equal,
        CompareOp::Equal,
        CompareOp::NotEqual,
        CompareOp::GreaterOrEqual,
        CompareOp::Greater,
        CompareOp::NoOp,
    ])
}

fn comparator(of: &'static [&'static str]) -> impl Strategy<Value = Comparator> {
    prop_oneof![
        4 => pick(of).prop_map(Comparator::binary),
        2 => pick(of).prop_map(Comparator::binary_prefix),
        1 => pick(of).prop_map(|b| Comparator::substring(&String::from_utf8_lossy(&b))),
        1 => proptest::sample::select(vec!["a", "^a", "b$", "[12]", "x|2", "(?!a)b"])
            .prop_map(|p| Comparator::regex_string(p).unwrap()),
        1 => pick(of).prop_map(|value| Comparator::bit(value, BitwiseOp::Xor)),
        1 => Just(Comparator::null()),
    ]
}

fn check() -> impl Strategy<Value = ColumnCheck> {
    (pick(FAMILIES), pick(QUALIFIERS), op(), comparator(VALUES), any::<bool>(), any::<bool>()).prop_map(
        |(family, qualifier, op, comparator, filter_if_missing, latest_version_only)| {
            let op = if op == CompareOp::NoOp { CompareOp::Equal } else { op };
            ColumnCheck {
                filter_if_missing,
                latest_version_only,
                ..ColumnCheck::new(family, qualifier, op, comparator)
            }
        },
    )
}

fn ranges() -> impl Strategy<Value = FilterSpec> {
    let range =
        (pick(ROWS), any::<bool>(), pick(ROWS), any::<bool>()).prop_map(|(a, start_inclusive, b, stop_inclusive)| {
            let (start, stop) = if a <= b { (a, b) } else { (b, a) };
            RowRange { stop_inclusive: stop_inclusive || start == stop, start, start_inclusive, stop }
        });
    vec(range, 1..4).prop_map(|ranges| FilterSpec::multi_row_range(ranges).unwrap())
}

fn fuzzy() -> impl Strategy<Value = FilterSpec> {
    let pair = (pick(ROWS), vec(0u8..2, 8)).prop_map(|(key, mask)| {
        let mask = mask.into_iter().take(key.len()).collect::<Vec<u8>>().into();
        FuzzyPair { key, mask }
    });
    vec(pair, 1..4).prop_map(|pairs| FilterSpec::fuzzy_row(pairs).unwrap())
}

fn columns() -> impl Strategy<Value = FilterSpec> {
    prop_oneof![
        pick(QUALIFIERS).prop_map(FilterSpec::column_prefix),
        proptest::collection::btree_set(pick(QUALIFIERS), 0..4)
            .prop_map(|set| FilterSpec::multiple_column_prefix(set).unwrap()),
        (proptest::option::of(pick(QUALIFIERS)), any::<bool>(), proptest::option::of(pick(QUALIFIERS)), any::<bool>())
            .prop_map(|(min, a, max, b)| FilterSpec::column_range(min, a, max, b)),
        (0..4i32, 0..3i32).prop_map(|(limit, offset)| FilterSpec::column_pagination(limit, offset).unwrap()),
        (0..4i32, pick(QUALIFIERS)).prop_map(|(limit, from)| FilterSpec::column_pagination_from(limit, from).unwrap()),
        (0..4i32).prop_map(|limit| FilterSpec::column_count_get(limit).unwrap()),
        (proptest::collection::btree_set(0..5i64, 0..4), any::<bool>())
            .prop_map(|(set, can_hint)| FilterSpec::timestamps(set, can_hint).unwrap()),
    ]
}

fn simple() -> impl Strategy<Value = FilterSpec> {
    prop_oneof![
        3 => columns(),
        1 => any::<bool>().prop_map(FilterSpec::key_only),
        1 => Just(FilterSpec::first_key_only()),
        1 => vec(pick(QUALIFIERS), 0..3).prop_map(FilterSpec::first_key_value_matching_qualifiers),
        2 => pick(ROWS).prop_map(FilterSpec::prefix),
        1 => pick(ROWS).prop_map(FilterSpec::inclusive_stop),
        1 => (0..5i64).prop_map(|size| FilterSpec::page(size).unwrap()),
        2 => (op(), comparator(ROWS)).prop_map(|(op, c)| FilterSpec::row(op, c)),
        1 => (op(), comparator(FAMILIES)).prop_map(|(op, c)| FilterSpec::family(op, c)),
        1 => (op(), comparator(QUALIFIERS)).prop_map(|(op, c)| FilterSpec::qualifier(op, c)),
        2 => (op(), comparator(VALUES)).prop_map(|(op, c)| FilterSpec::value(op, c)),
        1 => check().prop_map(FilterSpec::single_column_value),
        1 => check().prop_map(FilterSpec::single_column_value_exclude),
        1 => (pick(FAMILIES), pick(QUALIFIERS), op(), comparator(VALUES))
            .prop_map(|(family, qualifier, op, c)| FilterSpec::column_value(family, qualifier, op, c)),
        1 => (pick(FAMILIES), pick(QUALIFIERS), any::<bool>(), proptest::option::of((op(), comparator(VALUES))))
            .prop_map(|(family, qualifier, drop, compare)| FilterSpec::dependent(family, qualifier, drop, compare)),
        1 => proptest::sample::select(vec![-1f32, 2.0]).prop_map(FilterSpec::random_row),
        2 => ranges(),
        2 => fuzzy(),
    ]
}

/// Any filter.
pub fn any_filter() -> impl Strategy<Value = FilterSpec> {
    simple().prop_recursive(3, 12, 4, |inner| {
        prop_oneof![
            4 => vec(inner.clone(), 0..4).prop_map(FilterSpec::all),
            4 => vec(inner.clone(), 0..4).prop_map(FilterSpec::one),
            2 => inner.clone().prop_map(FilterSpec::skip),
            2 => inner.clone().prop_map(FilterSpec::while_match),
            1 => inner.prop_map(FilterSpec::wrapper),
        ]
    })
}
