//! Names of regions and their order in `hbase:meta`.

use std::cmp::Ordering;

use bytes::{BufMut, Bytes, BytesMut};
use md5::{Digest, Md5};

use super::{META_REGION_NAME, Region};
use crate::name::TableName;

const META_ENCODED: &str = "1588230740";

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

/// The index of the greatest of these names that is not after `key` in the order of `hbase:meta`.
pub fn greatest_not_after<'a>(names: impl IntoIterator<Item = &'a [u8]>, key: &[u8]) -> Option<usize> {
    names
        .into_iter()
        .enumerate()
        .filter(|(_, name)| compare_names(name, key) != Ordering::Greater)
        .max_by(|(_, a), (_, b)| compare_names(a, b))
        .map(|(at, _)| at)
}
