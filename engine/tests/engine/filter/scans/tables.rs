//! Random tables: few rows, columns and values, so that filters often match.

use bytes::Bytes;
use hjall_engine::cell::{Cell, CellKind};
use proptest::collection::{btree_set, vec};
use proptest::prelude::*;

use super::plain::Plain;

pub const ROWS: &[&str] = &["a", "a1", "a1x", "a2", "ab", "b", "b1", "b1y", "c", "c\u{7f}", "d1x"];
pub const FAMILIES: &[&str] = &["f", "g", "h"];
pub const QUALIFIERS: &[&str] = &["", "a", "ab", "abc", "b", "c"];
pub const VALUES: &[&str] = &["", "1", "2", "a", "ab", "x2"];

fn text(of: &'static [&'static str]) -> impl Strategy<Value = Bytes> {
    proptest::sample::select(of).prop_map(|text| Bytes::from_static(text.as_bytes()))
}

fn cell() -> impl Strategy<Value = Cell> {
    (text(ROWS), text(FAMILIES), text(QUALIFIERS), 1..4i64, text(VALUES)).prop_map(
        |(row, family, qualifier, timestamp, value)| Cell {
            row,
            family,
            qualifier,
            timestamp,
            kind: CellKind::Put,
            value,
        },
    )
}

/// Any table.
pub fn any_table() -> impl Strategy<Value = Plain> {
    let regions = btree_set(text(&["a1", "b", "c"]), 0..3);
    (vec(cell(), 0..40), regions, vec(1..4usize, 3)).prop_map(|(mut cells, splits, versions)| {
        let order = |cell: &Cell| (cell.row.clone(), cell.family.clone(), cell.qualifier.clone(), -cell.timestamp);
        cells.sort_by_key(order);
        cells.dedup_by_key(|cell| order(cell));
        let families = FAMILIES.iter().map(|name| Bytes::from_static(name.as_bytes())).zip(versions).collect();
        let regions = std::iter::once(Bytes::new()).chain(splits).collect();
        Plain { families, regions, cells }
    })
}

/// Either all columns or some named ones.
pub fn any_columns() -> impl Strategy<Value = Vec<(Bytes, Bytes)>> {
    prop_oneof![2 => Just(Vec::new()), 1 => vec((text(FAMILIES), text(QUALIFIERS)), 1..4)]
}
