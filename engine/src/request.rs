//! Read requests: gets and scans.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use bytes::Bytes;

use crate::error::{Error, Result};
use crate::filter::FilterSpec;

/// The longest row key, in bytes (HBase's `HConstants.MAX_ROW_LENGTH`).
pub const ROW_LENGTH_MAX: usize = 32_767;

/// Checks a row key as HBase's `Mutation.checkRow` and `Get` do.
///
/// # Errors
/// `InvalidArgument` for an empty row or one of more than [`ROW_LENGTH_MAX`] bytes.
pub fn check_row(row: &[u8]) -> Result<()> {
    match row.len() {
        0 => Err(Error::invalid("Row length is 0")
            .with_remedy(format_args!("a row key must have 1 to {ROW_LENGTH_MAX} bytes"))),
        n if n > ROW_LENGTH_MAX => {
            Err(Error::invalid(format!("Row length {n} is > {ROW_LENGTH_MAX}")).with_plain(format!(
                "Row length {n} is > {ROW_LENGTH_MAX}, the limit in bytes: shorten the row key, for example by a hash"
            )))
        }
        _ => Ok(()),
    }
}

/// The first row after all rows with this prefix. Empty, which a scan takes for the end of the table, if there is none:
/// the prefix is empty or consists of bytes 0xff.
pub fn after_prefix(prefix: &[u8]) -> Vec<u8> {
    let mut end = prefix.to_vec();
    while let Some(last) = end.pop() {
        if let Some(next) = last.checked_add(1) {
            end.push(next);
            break;
        }
    }
    end
}

/// A half-open range of timestamps [min, max). Exactly [0, 2^63-1) means all time and includes 2^63-1 itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimeRange {
    min: i64,
    max: i64,
}

impl Default for TimeRange {
    fn default() -> Self {
        Self::ALL
    }
}

impl TimeRange {
    /// All time.
    pub const ALL: Self = Self { min: 0, max: i64::MAX };

    /// [min, max), in milliseconds.
    ///
    /// # Errors
    /// `InvalidArgument` if either is negative or max is smaller than min.
    pub fn new(min: i64, max: i64) -> Result<Self> {
        if min < 0 || max < 0 {
            return Err(Error::invalid(format!("Timestamp cannot be negative. minStamp:{min}, maxStamp:{max}"))
                .with_remedy("give the range in milliseconds since 1970, or leave it out"));
        }
        if max < min {
            return Err(Error::invalid("maxStamp is smaller than minStamp")
                .with_remedy(format_args!("the range of times is {min} to {max}; exchange them")));
        }
        Ok(Self { min, max })
    }

    /// Everything before this timestamp: [0, max).
    ///
    /// # Errors
    /// `InvalidArgument` if it is negative.
    pub fn before(max: i64) -> Result<Self> {
        Self::new(0, max)
    }

    /// Exactly this timestamp.
    ///
    /// # Errors
    /// `InvalidArgument` if it is negative or 2^63-1.
    pub fn at(timestamp: i64) -> Result<Self> {
        Self::new(timestamp, timestamp.wrapping_add(1))
    }

    /// The smallest timestamp in the range.
    pub fn min(self) -> i64 {
        self.min
    }

    /// The smallest timestamp after the range.
    pub fn max(self) -> i64 {
        self.max
    }

    /// Whether this is all time.
    pub fn is_all(self) -> bool {
        self == Self::ALL
    }

    /// Whether the range contains a timestamp.
    pub fn contains(self, timestamp: i64) -> bool {
        timestamp >= self.min && (timestamp < self.max || self.is_all())
    }
}

/// The columns that a read selects: all of them if none are named. Clones share one list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Columns(Option<Arc<ColumnMap>>);

/// The qualifiers by family; `None`: the whole family. Never empty.
type ColumnMap = BTreeMap<Bytes, Option<BTreeSet<Bytes>>>;

impl Columns {
    /// Selects all columns.
    pub fn all() -> Self {
        Self::default()
    }

    /// Selects a whole family, in place of columns of it that were selected before (HBase's `addFamily`).
    pub fn add_family(&mut self, family: impl Into<Bytes>) -> &mut Self {
        self.map().insert(family.into(), None);
        self
    }

    /// Selects one column. If the whole family was selected before, narrows it to this column (HBase's `addColumn`).
    pub fn add_column(&mut self, family: impl Into<Bytes>, qualifier: impl Into<Bytes>) -> &mut Self {
        let qualifiers = self.map().entry(family.into()).or_default();
        qualifiers.get_or_insert_default().insert(qualifier.into());
        self
    }

    fn map(&mut self) -> &mut ColumnMap {
        Arc::make_mut(self.0.get_or_insert_default())
    }

    /// Whether all columns are selected.
    pub fn is_all(&self) -> bool {
        self.0.is_none()
    }

    /// The selected families, ascending, with their qualifiers (`None`: the whole family).
    pub fn families(&self) -> impl Iterator<Item = (&Bytes, Option<&BTreeSet<Bytes>>)> {
        self.0.iter().flat_map(|map| map.iter()).map(|(f, q)| (f, q.as_ref()))
    }

    /// Whether a column is selected.
    pub fn contains(&self, family: &[u8], qualifier: &[u8]) -> bool {
        let Some(map) = &self.0 else { return true };
        match map.get(family) {
            None => false,
            Some(None) => true,
            Some(Some(qualifiers)) => qualifiers.contains(qualifier),
        }
    }

    /// Whether a column is named with its qualifier, which raw reads refuse.
    pub fn names_a_qualifier(&self) -> bool {
        self.families().any(|(_, qualifiers)| qualifiers.is_some())
    }
}

/// Reads one row.
#[derive(Debug, Clone)]
pub struct Get {
    /// The row key.
    pub row: Bytes,
    /// The columns to read.
    pub columns: Columns,
    /// The timestamps to read.
    pub time_range: TimeRange,
    /// The number of versions per column, newest first; at most the family's VERSIONS. Positive.
    pub max_versions: i32,
    /// The largest number of cells per family; negative: all; 0 counts as 1, as in HBase.
    pub store_limit: i32,
    /// The number of cells to skip at the beginning of each family; negative: none.
    pub store_offset: i32,
    /// Restricts the result to what the filter accepts.
    pub filter: Option<Arc<FilterSpec>>,
    /// Whether to return delete markers and hidden cells as they are stored.
    pub raw: bool,
}

impl Get {
    /// A get of the newest version of every column of a row.
    pub fn new(row: impl Into<Bytes>) -> Self {
        Self {
            row: row.into(),
            columns: Columns::all(),
            time_range: TimeRange::ALL,
            max_versions: 1,
            store_limit: -1,
            store_offset: 0,
            filter: None,
            raw: false,
        }
    }
}

/// Reads a range of rows.
#[derive(Debug, Clone)]
pub struct Scan {
    /// The first row, inclusive; empty: the first one in scan order.
    pub start: Bytes,
    /// The last row, excluded unless it equals a non-empty `start` (then that one row is read); empty: to the end.
    pub stop: Bytes,
    /// The columns to read.
    pub columns: Columns,
    /// The timestamps to read.
    pub time_range: TimeRange,
    /// Ranges that replace `time_range` for single families; unknown families are ignored.
    pub family_time_ranges: BTreeMap<Bytes, TimeRange>,
    /// The number of versions per column; 0 or less: none of whole families, one of columns named with a qualifier, as
    /// in HBase.
    pub max_versions: i32,
    /// The largest number of cells in one result; 0 or less: whole rows.
    pub batch: i32,
    /// The number of rows to return; negative: no limit; 0: the rows of the first fetch, as in HBase.
    pub limit: i32,
    /// The number of rows per fetch; 0 or less: as many as fit into 2 MiB.
    pub caching: i32,
    /// Whether to return rows in descending order, from `start` down to `stop`. Cells within a row stay in ascending
    /// order.
    pub reversed: bool,
    /// Restricts the result to what the filter accepts.
    pub filter: Option<Arc<FilterSpec>>,
    /// Whether to return delete markers and hidden cells as they are stored.
    pub raw: bool,
}

impl Scan {
    /// Checks the arguments that need no table.
    ///
    /// # Errors
    /// `InvalidArgument` if start or stop is longer than [`ROW_LENGTH_MAX`].
    pub fn validate(&self) -> Result<()> {
        [&self.start, &self.stop].into_iter().filter(|row| !row.is_empty()).try_for_each(|row| check_row(row))
    }
}

impl Default for Scan {
    fn default() -> Self {
        Self {
            start: Bytes::new(),
            stop: Bytes::new(),
            columns: Columns::all(),
            time_range: TimeRange::ALL,
            family_time_ranges: BTreeMap::new(),
            max_versions: 1,
            batch: 0,
            limit: -1,
            caching: 0,
            reversed: false,
            filter: None,
            raw: false,
        }
    }
}
