//! Raw reads: the versions and markers of one column as they are stored, mixed by time as HBase mixes them.

use std::cmp::Reverse;

use super::column::Version;
use super::family_scan::{FamilyScan, Reader};
use super::pairs::Pairs;
use crate::cell::CellKind;
use crate::error::Result;
use crate::key;
use crate::value::{self, Value};

/// The unexpired markers and values under a prefix in the time range: all markers, and one value more than will be
/// returned.
pub(super) fn stored(pairs: &mut Pairs, plan: &FamilyScan, reader: &Reader, prefix: &[u8]) -> Result<Vec<Version>> {
    let mut versions = Vec::new();
    let mut values = 0;
    while let Some((head, stored)) = pairs.head()?.filter(|(k, _)| k.starts_with(prefix)) {
        let (kind, timestamp) = key::kind_and_time(head, prefix.len())?;
        if timestamp > plan.newest {
            pairs.skip_to(&key::at(prefix, kind, plan.newest))?;
            continue;
        }
        if timestamp < plan.oldest {
            if kind == CellKind::Put {
                break;
            }
            // The rest of this kind is older still: seek to the next kind.
            pairs.skip_to(&key::kind_end(prefix, kind))?;
            continue;
        }
        if !value::is_expired(stored, timestamp, reader.now)? {
            let value = Value::decode(stored.clone())?;
            versions.push(Version { timestamp, kind, value: value.bytes, ttl_ms: value.ttl_ms });
            if kind == CellKind::Put {
                values += 1;
                if values > plan.examine {
                    break;
                }
            }
        }
        pairs.step();
    }
    Ok(versions)
}

/// Orders markers and values by time, and ends before the first value in excess.
pub(super) fn mix(mut versions: Vec<Version>, plan: &FamilyScan) -> Vec<Version> {
    versions.sort_by_key(|v| (Reverse(v.timestamp), Reverse(v.kind)));
    let mut values = 0;
    let end = versions.iter().position(|v| {
        values += i32::from(v.kind == CellKind::Put);
        values > plan.examine
    });
    versions.truncate(end.unwrap_or(versions.len()));
    versions
}
