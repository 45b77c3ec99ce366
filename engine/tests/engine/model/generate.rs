//! Random histories: few rows, columns and timestamps, so that operations affect the same cells.

use proptest::prelude::*;

use super::op::{Column, FAMILIES, Kind, Op, Part, QUALIFIERS, ROWS, Rules, Time, Wanted};
use crate::fixture::NOW;

fn row() -> impl Strategy<Value = usize> {
    0..ROWS.len()
}

fn column() -> impl Strategy<Value = Column> {
    (0..FAMILIES.len(), 0..QUALIFIERS.len()).prop_map(|(f, q)| Column(f, q))
}

fn time() -> impl Strategy<Value = Time> {
    prop_oneof![3 => Just(None), 4 => (1..7i64).prop_map(Some), 2 => (-12_000..12_000i64).prop_map(|t| Some(NOW + t))]
}

fn kind() -> impl Strategy<Value = Kind> {
    prop_oneof![Just(Kind::Version), Just(Kind::Column), Just(Kind::Family), Just(Kind::FamilyVersion)]
}

fn put() -> impl Strategy<Value = Part> {
    let ttl = prop_oneof![6 => Just(None), 1 => (1..20_000i64).prop_map(Some)];
    (prop::collection::vec((column(), time(), 0..9u8), 1..4), ttl).prop_map(|(cells, ttl)| Part::Put { cells, ttl })
}

fn delete() -> impl Strategy<Value = Part> {
    (prop::collection::vec((kind(), column(), time()), 0..3), time())
        .prop_map(|(markers, at)| Part::Delete { markers, at })
}

fn part() -> impl Strategy<Value = Part> {
    prop_oneof![3 => put(), 2 => delete()]
}

/// The parts of one mutation. In a script, options apply to the whole line, so mutations of several parts have none.
fn parts() -> impl Strategy<Value = Vec<Part>> {
    prop::collection::vec(part(), 1..4).prop_map(|mut parts| {
        for part in &mut parts {
            match part {
                Part::Put { ttl, .. } => *ttl = None,
                Part::Delete { at, .. } => *at = None,
            }
        }
        parts
    })
}

pub fn rules() -> impl Strategy<Value = Rules> {
    let versions = prop_oneof![1..4i32, Just(100)];
    (versions, 0..3i32, prop_oneof![3 => Just(None), 1 => (1..20i64).prop_map(Some)], any::<bool>()).prop_map(
        |(versions, min, ttl_seconds, keep_deleted)| Rules {
            versions,
            min_versions: min.min(versions),
            ttl_seconds,
            keep_deleted,
        },
    )
}

fn wanted() -> impl Strategy<Value = Wanted> {
    let one = (0..FAMILIES.len(), prop::option::of(0..QUALIFIERS.len()));
    let columns = prop_oneof![2 => Just(vec![]), 1 => prop::collection::vec(one, 1..4)];
    let range = (0..8i64, 0..8i64).prop_map(|(a, b)| Some((a.min(b), a.max(b))));
    let late = (-12_000..12_000i64, 1..12_000i64).prop_map(|(a, n)| Some((NOW + a, NOW + a + n)));
    (columns, prop_oneof![1..5i32, Just(i32::MAX)], prop_oneof![5 => Just(None), 2 => range, 1 => late])
        .prop_map(|(columns, versions, range)| Wanted { columns, versions, range })
}

/// A read of everything.
fn look() -> Op {
    let wanted = Wanted { columns: vec![], versions: i32::MAX, range: None };
    Op::Scan { from: 0, reversed: false, wanted, batch: 0, limit: -1 }
}

fn op() -> impl Strategy<Value = Op> {
    prop_oneof![
        20 => (row(), part()).prop_map(|(r, p)| Op::Write(r, p)),
        4 => (row(), parts()).prop_map(|(r, p)| Op::Mutate(r, p)),
        4 => (row(), column(), any::<bool>(), prop::option::of(0..9u8), parts())
            .prop_map(|(row, column, not, value, parts)| Op::Check { row, column, not, value, parts }),
        4 => (row(), prop::collection::vec((column(), -3..9i64), 1..3)).prop_map(|(r, c)| Op::Increment(r, c)),
        3 => (row(), prop::collection::vec((column(), 0..9u8), 1..3)).prop_map(|(r, c)| Op::Append(r, c)),
        6 => (row(), wanted(), prop_oneof![3 => Just(-1), 1 => 1..4i32], 0..2i32)
            .prop_map(|(row, wanted, limit, offset)| Op::Get { row, wanted, limit, offset }),
        2 => (row(), wanted()).prop_map(|(r, w)| Op::Exists(r, w)),
        4 => (row(), any::<bool>(), wanted(), 0..3i32).prop_map(|(from, reversed, wanted, batch)| Op::Scan { from, reversed, wanted, batch, limit: -1 }),
        2 => (row(), any::<bool>(), wanted(), 1..4i32).prop_map(|(from, reversed, wanted, limit)| Op::Scan { from, reversed, wanted, batch: 0, limit }),
        8 => Just(look()),
        3 => prop_oneof![1..3i64, 1_000..9_000i64].prop_map(Op::Advance),
        2 => Just(Op::Flush),
        2 => any::<bool>().prop_map(|major| Op::Compact { major }),
        1 => Just(Op::Reopen),
        1 => Just(Op::Truncate),
        1 => (0..FAMILIES.len()).prop_map(Op::Renew),
        2 => (0..FAMILIES.len(), rules()).prop_map(|(f, r)| Op::Modify(f, r)),
    ]
}

/// A table and the operations on it.
pub fn history(most: usize) -> impl Strategy<Value = ([Rules; FAMILIES.len()], Vec<Op>)> {
    ([rules(), rules(), rules(), rules()], prop::collection::vec(op(), 1..most))
}
