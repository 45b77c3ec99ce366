//! Regions: named ranges of rows. They are recorded for clients that request them, and have no effect on storage.

mod name;
pub mod split;

use bytes::Bytes;

#[cfg(feature = "testing")]
pub use name::digests_computed;
pub use name::{compare_names, greatest_not_after};

use crate::error::{Error, Result};
use crate::name::TableName;
use crate::quote;

/// A region: a named range of rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Region {
    /// The time of its creation, in milliseconds since 1970. Part of its name.
    pub id: i64,
    /// The first row, inclusive; empty: the beginning of the table.
    pub start: Bytes,
    /// The last row, exclusive; empty: the end of the table.
    pub end: Bytes,
}

impl Region {
    /// Whether it contains a row.
    pub fn contains(&self, row: &[u8]) -> bool {
        row >= &self.start[..] && (self.end.is_empty() || row < &self.end[..])
    }
}

/// Splits a table at `n` keys, in any order, into `n + 1` regions.
///
/// # Errors
/// `InvalidArgument` if a key is empty or given twice.
pub fn cut(mut splits: Vec<Bytes>, id: i64) -> Result<Vec<Region>> {
    splits.sort();
    if splits.first().is_some_and(Bytes::is_empty) {
        return Err(Error::invalid("Empty split key must not be passed in the split keys.")
            .with_remedy("the first region always begins at the empty key; leave that key out"));
    }
    if let Some(pair) = splits.windows(2).find(|w| w[0] == w[1]) {
        return Err(Error::invalid(format!(
            "All split keys must be unique, found duplicate: {}, {}",
            quote::binary(&pair[0]),
            quote::binary(&pair[1])
        ))
        .with_remedy("give each key once"));
    }
    let mut regions = Vec::with_capacity(splits.len() + 1);
    let mut start = Bytes::new();
    for end in splits {
        regions.push(Region { id, start, end: end.clone() });
        start = end;
    }
    regions.push(Region { id, start, end: Bytes::new() });
    Ok(regions)
}

/// The region of a row. `regions` are in order and cover all rows.
pub fn locate<'a>(regions: &'a [Region], row: &[u8]) -> Option<&'a Region> {
    let after = regions.partition_point(|r| &r.start[..] <= row);
    regions.get(after.checked_sub(1)?)
}

/// Whether exactly these keys, or some of them, are where a table's regions begin (HBase's `isTableAvailable` with
/// split keys). Without keys the answer is true.
pub fn matches_splits(regions: &[Region], splits: &[Bytes]) -> bool {
    splits.is_empty()
        || regions.iter().filter(|r| r.start.is_empty() || splits.contains(&r.start)).count() == splits.len() + 1
}

/// Formats bytes as HBase does: printable ASCII unchanged, everything else and the backslash as `\xHH`. Messages use
/// [`quote::binary`], which is bounded.
pub fn to_string_binary(bytes: &[u8]) -> String {
    quote::Binary(bytes).to_string()
}

/// The name of the only region of `hbase:meta`.
pub const META_REGION_NAME: &str = "hbase:meta,,1";

impl Region {
    /// The full name: `table,start,id.md5.` (of `hbase:meta`: [`META_REGION_NAME`]).
    pub fn name(&self, table: &TableName) -> Bytes {
        name::full(table, self)
    }

    /// The encoded name: 32 hexadecimal digits (of `hbase:meta`: `1588230740`).
    pub fn encoded_name(&self, table: &TableName) -> String {
        name::encoded(table, self)
    }
}
