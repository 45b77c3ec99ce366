//! Columns of families with NEW_VERSION_BEHAVIOR: deletes and versions apply in write order.
//!
//! A marker hides only what was written before it or together with it. A version that was once superseded by VERSIONS
//! newer ones stays hidden, even if those are deleted later. So every version has a lifetime: from the write that
//! created it to the first write that hid it.

use super::column::Version;
use super::column_tracker::ColumnTracker;
use super::family_scan::{FamilyScan, Reader};
use super::pairs::Pairs;
use crate::cell::CellKind;
use crate::error::Result;
use crate::key;
use crate::schema::KeepDeleted;
use crate::value::{self, Value};

/// A marker with its sequence number.
#[derive(Debug, Clone, Copy)]
pub(super) struct OrderedMarker {
    kind: CellKind,
    timestamp: i64,
    sequence: u64,
}

impl OrderedMarker {
    fn covers(self, timestamp: i64) -> bool {
        match self.kind {
            CellKind::Put => false,
            CellKind::Delete | CellKind::DeleteFamilyVersion => timestamp == self.timestamp,
            CellKind::DeleteColumn | CellKind::DeleteFamily => timestamp <= self.timestamp,
        }
    }
}

/// The sequence numbers at which a version is visible: `written..hidden`.
struct Lifetime {
    written: u64,
    hidden: u64,
}

impl Lifetime {
    fn spans(&self, moment: u64) -> bool {
        self.written <= moment && moment < self.hidden
    }
}

/// Values with their sequence numbers.
type Written = Vec<(Version, u64)>;

/// The relevant markers and the unexpired values under a prefix, newest first.
fn load(pairs: &mut Pairs, plan: &FamilyScan, reader: &Reader, prefix: &[u8]) -> Result<(Vec<OrderedMarker>, Written)> {
    let (mut marks, mut values) = (Vec::new(), Vec::new());
    while let Some((head, stored)) = pairs.head()?.filter(|(k, _)| k.starts_with(prefix)) {
        let (kind, timestamp) = key::kind_and_time(head, prefix.len())?;
        if !value::is_expired(stored, timestamp, reader.now)? {
            let value = Value::decode(stored.clone())?;
            let sequence = value.sequence.unwrap_or(0);
            if kind == CellKind::Put {
                values.push((Version { timestamp, kind, value: value.bytes, ttl_ms: value.ttl_ms }, sequence));
            } else if timestamp <= plan.newest || plan.family.rules.keep_deleted == KeepDeleted::False {
                marks.push(OrderedMarker { kind, timestamp, sequence });
            }
        }
        pairs.step();
    }
    Ok((marks, values))
}

/// The family markers of one row.
pub(super) fn family_marks(
    pairs: &mut Pairs,
    plan: &FamilyScan,
    reader: &Reader,
    prefix: &[u8],
) -> Result<Vec<OrderedMarker>> {
    Ok(load(pairs, plan, reader, prefix)?.0)
}

/// The visible versions of a column.
pub(super) fn versions(
    pairs: &mut Pairs,
    plan: &FamilyScan,
    reader: &Reader,
    prefix: &[u8],
    family: &[OrderedMarker],
) -> Result<Vec<Version>> {
    let (marks, values) = load(pairs, plan, reader, prefix)?;
    let mut newer: Vec<Lifetime> = Vec::new();
    let mut count = ColumnTracker::new();
    let mut visible = Vec::new();
    for (version, written) in values {
        let hiding = marks.iter().chain(family).filter(|m| m.sequence >= written && m.covers(version.timestamp));
        let deleted = hiding.map(|m| m.sequence).min().unwrap_or(u64::MAX);
        let superseded = superseded(&newer, written, deleted, plan.family.rules.versions);
        let life = Lifetime { written, hidden: deleted.min(superseded) };
        let lives = life.hidden == u64::MAX;
        newer.push(life);
        if !lives || version.timestamp > plan.newest {
            continue;
        }
        if version.timestamp < plan.oldest || !count.admit(plan, version.timestamp, reader.now) {
            break;
        }
        visible.push(version);
    }
    Ok(visible)
}

/// The first write at which a version had `versions` newer visible ones. Those of its own request do not count.
fn superseded(newer: &[Lifetime], written: u64, deleted: u64, versions: i32) -> u64 {
    let others = || newer.iter().filter(|life| life.written != written);
    let moments =
        std::iter::once(written).chain(others().map(|life| life.written).filter(|w| *w > written && *w < deleted));
    let full = |moment: &u64| {
        i32::try_from(others().filter(|life| life.spans(*moment)).count()).is_ok_and(|above| above >= versions)
    };
    moments.filter(full).min().unwrap_or(u64::MAX)
}
