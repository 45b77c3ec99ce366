//! Names of regions and their order in `hbase:meta`.

use std::cmp::Ordering;

use bytes::{BufMut, Bytes, BytesMut};
use md5::{Digest, Md5};

use super::{META_REGION_NAME, Region};
use crate::name::TableName;

const META_ENCODED: &str = "1588230740";

#[cfg(feature = "testing")]
thread_local! {
    static DIGESTS: std::cell::Cell<u64> = const { std::cell::Cell::new(0) };
}

/// The number of digests that this thread has computed for names of regions, for tests of the work of a call.
#[cfg(feature = "testing")]
pub fn digests_computed() -> u64 {
    DIGESTS.get()
}

fn without_digest(table: &TableName, region: &Region) -> BytesMut {
    let mut out = BytesMut::new();
    out.put_slice(table.to_string().as_bytes());
    out.put_u8(b',');
    out.put_slice(&region.start);
    out.put_u8(b',');
    out.put_slice(region.id.to_string().as_bytes());
    out
}

pub(super) fn encoded(table: &TableName, region: &Region) -> String {
    if table.is_meta() {
        return META_ENCODED.to_owned();
    }
    #[cfg(feature = "testing")]
    DIGESTS.set(DIGESTS.get() + 1);
    Md5::digest(without_digest(table, region)).iter().map(|b| format!("{b:02x}")).collect()
}

pub(super) fn full(table: &TableName, region: &Region) -> Bytes {
    if table.is_meta() {
        return Bytes::from_static(META_REGION_NAME.as_bytes());
    }
    let mut out = without_digest(table, region);
    let digest = encoded(table, region);
    out.put_u8(b'.');
    out.put_slice(digest.as_bytes());
    out.put_u8(b'.');
    out.freeze()
}

/// The parts of a region name by which `hbase:meta` orders its rows.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Parts<'a> {
    table: &'a [u8],
    /// The start key and the rest; `None`, which sorts first, if the name has no comma.
    after: Option<(&'a [u8], &'a [u8])>,
}

fn parts(name: &[u8]) -> Parts<'_> {
    let Some(first) = name.iter().position(|&b| b == b',') else { return Parts { table: name, after: None } };
    let last = name.iter().rposition(|&b| b == b',').unwrap_or(first);
    let after = if last > first {
        (&name[first + 1..last], &name[last + 1..])
    } else {
        // If there is a single comma, HBase compares the whole name as the last part.
        (&name[first + 1..], name)
    };
    Parts { table: &name[..first], after: Some(after) }
}

/// The order of rows in `hbase:meta` (HBase's `MetaCellComparator`): by table, then start key, then the rest, all as
/// bytes.
pub fn compare_names(a: &[u8], b: &[u8]) -> Ordering {
    parts(a).cmp(&parts(b))
}

/// The region with the greatest name that is not after `key` in the order of `hbase:meta`, and its table. Regions are
/// given by table, in the order of their start keys. No region is after the empty key, as a reversed scan from an empty
/// row begins with the last one.
///
/// The name of at most one region is computed, because it contains a digest.
pub fn greatest_not_after<'a>(
    tables: impl IntoIterator<Item = (&'a TableName, &'a [Region])>,
    key: &[u8],
) -> Option<(&'a TableName, &'a Region)> {
    let key_parts = parts(key);
    let mut greatest: Option<(String, &TableName, &Region)> = None;
    for (table, regions) in tables {
        let name = table.to_string();
        let last = match name.as_bytes().cmp(key_parts.table) {
            _ if key.is_empty() => regions.last(),
            Ordering::Less => regions.last(),
            Ordering::Equal => key_parts.after.and_then(|(start, _)| {
                // Those that begin at or before the start key. The last one may begin there, and be after the key.
                let regions = &regions[..regions.partition_point(|region| region.start[..] <= *start)];
                let (last, before) = regions.split_last()?;
                let is_after = last.start == start && compare_names(&last.name(table), key) == Ordering::Greater;
                if is_after { before.last() } else { Some(last) }
            }),
            Ordering::Greater => None,
        };
        if let Some(region) = last
            && greatest.as_ref().is_none_or(|(than, ..)| *than < name)
        {
            greatest = Some((name, table, region));
        }
    }
    greatest.map(|(_, table, region)| (table, region))
}
