//! Columns of families with NEW_VERSION_BEHAVIOR: deletes and versions apply in write order.
//!
//! A marker hides only what was written before it or together with it. A version that was once superseded by VERSIONS
//! newer ones stays hidden, even if those are deleted later. So every version has a lifetime: from the write that
//! created it to the first write that hid it.
//!
//! Cells that were written while NEW_VERSION_BEHAVIOR was off share a sequence number, as those of one write do: among
//! each other, timestamps decide. It is 0, which is not stored, if it had not been on before.

use std::collections::{BTreeMap, HashMap};
use std::ops::Bound;

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

/// How many versions of a column are visible after each write.
#[derive(Default)]
struct VisibleCount {
    /// By how much each write changed the number.
    changes: BTreeMap<u64, i64>,
    /// For each write, when the versions that it wrote were hidden.
    hidden_by_write: HashMap<u64, Vec<u64>>,
}

impl VisibleCount {
    /// Counts a version that is visible from the write `written` on, until the write `hidden`.
    fn add(&mut self, written: u64, hidden: u64) {
        *self.changes.entry(written).or_default() += 1;
        *self.changes.entry(hidden).or_default() -= 1;
        self.hidden_by_write.entry(written).or_default().push(hidden);
    }

    /// The first write, from `written` on and before `deleted`, after which `versions` of the counted ones are visible.
    /// Those that `written` wrote itself do not count.
    ///
    /// Looks at the earlier writes and at the later ones up to the result. If timestamps follow the order of writing,
    /// these are about `versions`, however many have been counted.
    fn first_full(&self, written: u64, deleted: u64, versions: i32) -> u64 {
        let mut own: HashMap<u64, i64> = HashMap::new();
        for hidden in self.hidden_by_write.get(&written).into_iter().flatten() {
            *own.entry(written).or_default() += 1;
            *own.entry(*hidden).or_default() -= 1;
        }
        let change = |(write, change): (&u64, &i64)| change - own.get(write).copied().unwrap_or(0);
        let versions = i64::from(versions);
        let mut above: i64 = self.changes.range(..=written).map(change).sum();
        if above >= versions {
            return written;
        }
        if written < deleted {
            for entry in self.changes.range((Bound::Excluded(written), Bound::Excluded(deleted))) {
                above += change(entry);
                if above >= versions {
                    return *entry.0;
                }
            }
        }
        u64::MAX
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
    let mut newer = VisibleCount::default();
    let mut count = ColumnTracker::new();
    let mut visible = Vec::new();
    for (version, written) in values {
        let hiding = marks.iter().chain(family).filter(|m| m.sequence >= written && m.covers(version.timestamp));
        let deleted = hiding.map(|m| m.sequence).min().unwrap_or(u64::MAX);
        let hidden = deleted.min(newer.first_full(written, deleted, plan.family.rules.versions));
        newer.add(written, hidden);
        if hidden != u64::MAX || version.timestamp > plan.newest {
            continue;
        }
        if version.timestamp < plan.oldest || !count.admit(plan, version.timestamp, reader.now) {
            break;
        }
        visible.push(version);
    }
    Ok(visible)
}
