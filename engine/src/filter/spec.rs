//! A filter as a value.

use std::collections::BTreeSet;

use bytes::Bytes;

use super::compare::{ColumnCheck, Compare};
use super::fuzzy::FuzzyRows;
use super::ranges::RowRanges;

/// How deeply filters may lie inside each other. HBase has no bound of its own and fails where its stack ends.
pub const DEPTH_MAX: usize = 100;

/// The longest text or serialised form of a filter, in bytes.
pub const LENGTH_MAX: usize = 4 << 20;

/// Whether all members of a list must pass, or one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum ListOperator {
    /// HBase's MUST_PASS_ALL, the language's `AND`.
    All = 1,
    /// HBase's MUST_PASS_ONE, the language's `OR`.
    One = 2,
}

/// A filter as a value: built by constructors, from the filter language ([`FilterSpec::parse`]) or from HBase's serialised form
/// ([`FilterSpec::from_bytes`]). It makes its running form anew for each region ([`FilterSpec::start`]).
///
/// The constructors make HBase's checks; a tree put together by hand is not checked.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum FilterSpec {
    /// Keeps every cell without its value.
    KeyOnly {
        /// Puts the value's length there, four bytes big-endian.
        length_as_value: bool,
    },
    /// Keeps the first cell of each row.
    FirstKeyOnly,
    /// Keeps the cells of each row up to and including the first one with one of these qualifiers.
    FirstKeyValueMatchingQualifiers {
        /// The qualifiers.
        qualifiers: BTreeSet<Bytes>,
    },
    /// Keeps rows that start with some bytes.
    Prefix {
        /// The bytes; `None` (serialised form only) keeps nothing.
        prefix: Option<Bytes>,
    },
    /// Keeps columns whose qualifier starts with some bytes.
    ColumnPrefix {
        /// The bytes.
        prefix: Bytes,
    },
    /// Keeps columns whose qualifier starts with one of several prefixes; none at all keeps everything.
    MultipleColumnPrefix {
        /// The prefixes.
        prefixes: BTreeSet<Bytes>,
    },
    /// Keeps the first columns of a row. Made for gets.
    ColumnCountGet {
        /// How many.
        limit: i32,
    },
    /// Keeps the first rows of each region.
    Page {
        /// How many.
        size: i64,
    },
    /// Keeps some columns of each row, counted over all families.
    ColumnPagination {
        /// How many.
        limit: i32,
        /// How many are left out first.
        offset: i32,
        /// Left out instead: those with smaller qualifiers, as long as none was kept.
        column_offset: Option<Bytes>,
    },
    /// Ends the scan behind a row.
    InclusiveStop {
        /// The last row; `None` (serialised form only) fails when it is used.
        row: Option<Bytes>,
    },
    /// Keeps cells of exactly these timestamps.
    Timestamps {
        /// The timestamps, in milliseconds since 1970.
        timestamps: BTreeSet<i64>,
        /// Seeks from one to the next.
        can_hint: bool,
    },
    /// Compares the row key.
    Row(Compare),
    /// Compares the family's name.
    Family(Compare),
    /// Compares the qualifier.
    Qualifier(Compare),
    /// Compares the value.
    Value(Compare),
    /// Keeps columns between two qualifiers.
    ColumnRange {
        /// The least qualifier; `None`: no bound.
        min: Option<Bytes>,
        /// Whether the least one is inside.
        min_inclusive: bool,
        /// The greatest qualifier; `None`: no bound.
        max: Option<Bytes>,
        /// Whether the greatest one is inside.
        max_inclusive: bool,
    },
    /// Keeps rows by the value of one column, which must be among those read.
    SingleColumnValue(ColumnCheck),
    /// The same, and leaves that column out of them.
    SingleColumnValueExclude(ColumnCheck),
    /// Keeps the cells that share a timestamp with a cell of a reference column of their row.
    Dependent {
        /// The reference column's family.
        family: Bytes,
        /// The reference column's qualifier.
        qualifier: Bytes,
        /// Leaves the reference column out.
        drop_column: bool,
        /// Which cells of the reference column count; without a comparator all.
        compare: Compare,
    },
    /// Keeps the cells of one column that pass, and nothing else. Its last two fields are not used.
    ColumnValue(ColumnCheck),
    /// Keeps rows at random.
    RandomRow {
        /// With which probability; below 0 none, above 1 all.
        chance: f32,
    },
    /// Keeps rows that agree with patterns in some positions.
    FuzzyRow(FuzzyRows),
    /// Keeps rows inside ranges.
    MultiRowRange(RowRanges),
    /// Several filters.
    List {
        /// Whether all must pass, or one.
        operator: ListOperator,
        /// The members, in order; none keeps everything.
        members: Vec<FilterSpec>,
    },
    /// Drops a row as soon as the filter refuses a cell of it.
    Skip(Box<FilterSpec>),
    /// Ends the scan as soon as the filter refuses a row or cell.
    WhileMatch(Box<FilterSpec>),
    /// HBase's inner wrapper, which calls a filter's row methods twice a row.
    Wrapper(Box<FilterSpec>),
}

impl FilterSpec {
    /// How deeply filters lie inside it; 1 if none does.
    pub fn depth(&self) -> usize {
        // Without recursion: it is asked of trees that may be too deep for that.
        let (mut deepest, mut open) = (0, vec![(self, 1)]);
        while let Some((spec, depth)) = open.pop() {
            deepest = deepest.max(depth);
            match spec {
                Self::List { members, .. } => open.extend(members.iter().map(|member| (member, depth + 1))),
                Self::Skip(inner) | Self::WhileMatch(inner) | Self::Wrapper(inner) => open.push((inner, depth + 1)),
                _ => {}
            }
        }
        deepest
    }
}
