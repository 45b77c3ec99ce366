//! What can be asked of a table: reads.

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
        0 => Err(Error::invalid("Row length is 0")),
        n if n > ROW_LENGTH_MAX => Err(Error::invalid(format!("Row length {n} is > {ROW_LENGTH_MAX}"))),
        _ => Ok(()),
    }
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
            return Err(Error::invalid(format!("Timestamp cannot be negative. minStamp:{min}, maxStamp:{max}")));
        }
        if max < min {
            return Err(Error::invalid("maxStamp is smaller than minStamp"));
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

    /// The first timestamp inside.
    pub fn min(self) -> i64 {
        self.min
    }

    /// The first timestamp beyond.
    pub fn max(self) -> i64 {
        self.max
    }

    /// Whether this is all time.
    pub fn is_all(self) -> bool {
        self == Self::ALL
    }

    /// Whether a timestamp lies inside.
    pub fn contains(self, timestamp: i64) -> bool {
        timestamp >= self.min && (timestamp < self.max || self.is_all())
    }
}

/// Which columns are wanted: nothing named means everything. Clones share one list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Columns(Arc<BTreeMap<Bytes, Option<BTreeSet<Bytes>>>>);

impl Columns {
    /// Everything.
    pub fn all() -> Self {
        Self::default()
    }

    /// A whole family; forgets columns of it named before (HBase's `addFamily`).
    pub fn add_family(&mut self, family: impl Into<Bytes>) -> &mut Self {
        Arc::make_mut(&mut self.0).insert(family.into(), None);
        self
    }

    /// One column; narrows the family if it was wanted whole before (HBase's `addColumn`).
    pub fn add_column(&mut self, family: impl Into<Bytes>, qualifier: impl Into<Bytes>) -> &mut Self {
        let qualifiers = Arc::make_mut(&mut self.0).entry(family.into()).or_default();
        qualifiers.get_or_insert_default().insert(qualifier.into());
        self
    }

    /// Whether everything is wanted.
    pub fn is_all(&self) -> bool {
        self.0.is_empty()
    }

    /// The families named, ascending, with their qualifiers (`None`: the whole family).
    pub fn families(&self) -> impl Iterator<Item = (&Bytes, Option<&BTreeSet<Bytes>>)> {
        self.0.iter().map(|(f, q)| (f, q.as_ref()))
    }

    /// Whether a column is named with its qualifier (raw reads refuse that).
    pub fn names_a_qualifier(&self) -> bool {
        self.0.values().any(Option::is_some)
    }
}

/// Reads one row.
#[derive(Debug, Clone)]
pub struct Get {
    /// The row key.
    pub row: Bytes,
    /// Which columns.
    pub columns: Columns,
    /// Which timestamps.
    pub time_range: TimeRange,
    /// Versions of a column, newest first; bounded by the family's VERSIONS. Positive.
    pub max_versions: i32,
    /// Cells of a family; negative: all; 0 counts as 1 (as HBase does).
    pub store_limit: i32,
    /// Cells of a family passed over first; negative: none.
    pub store_offset: i32,
    /// Keeps only what it lets through.
    pub filter: Option<Arc<FilterSpec>>,
    /// Shows delete markers and hidden cells as they are stored.
    pub raw: bool,
}

impl Get {
    /// The newest version of every column of a row.
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
    /// The first row, included; empty: from the end of the table at which the scan begins.
    pub start: Bytes,
    /// The last row, excluded unless it equals a non-empty `start` (then that one row is read); empty: to the end.
    pub stop: Bytes,
    /// Which columns.
    pub columns: Columns,
    /// Which timestamps.
    pub time_range: TimeRange,
    /// Ranges which replace `time_range` for single families; unknown families are ignored.
    pub family_time_ranges: BTreeMap<Bytes, TimeRange>,
    /// Versions of a column; 0 or less: none of whole families, one of columns named with a qualifier (as HBase does).
    pub max_versions: i32,
    /// Cells in one result; 0 or less: whole rows.
    pub batch: i32,
    /// Rows in all; negative: no limit; 0: what the first fetch brings (as HBase does).
    pub limit: i32,
    /// Rows brought in at once; 0 or less: as many as 2 MiB hold.
    pub caching: i32,
    /// Rows downwards, from `start` down to `stop`; cells inside a row stay in order.
    pub reversed: bool,
    /// Keeps only what it lets through.
    pub filter: Option<Arc<FilterSpec>>,
    /// Shows delete markers and hidden cells as they are stored.
    pub raw: bool,
}

impl Scan {
    /// Checks what can be said of the arguments alone.
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
