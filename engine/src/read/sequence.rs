//! Columns of families with NEW_VERSION_BEHAVIOR: deletes and versions apply in write order.
//!
//! A marker hides only what was written before it or together with it. A version that was once superseded by VERSIONS
//! newer ones stays hidden, even if those are deleted later; the versions of one request count as one. So every version
//! has a lifetime: from the request that wrote it to the first one that hid it.
//!
//! Cells that were written while NEW_VERSION_BEHAVIOR was off share a sequence number, as those of one request do:
//! among each other, timestamps decide. It is 0, which is not stored, if it had not been on before.

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

/// A moment in the history of a column. A request first writes its versions, then its markers hide.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Moment(u64, Step);

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Step {
    Versions,
    Markers,
}

impl Moment {
    const NEVER: Self = Self(u64::MAX, Step::Markers);
}

/// How many requests have a visible version of a column, at each moment. The versions of one request count as one.
#[derive(Default)]
struct VisibleCount {
    /// By how much the number changes at each moment.
    changes: BTreeMap<Moment, i64>,
    /// From when until when each request counts.
    spans: HashMap<u64, (Moment, Moment)>,
}

impl VisibleCount {
    /// Counts a version that is visible from the request `written` on, until `hidden`.
    fn add(&mut self, written: u64, hidden: Moment) {
        let begin = Moment(written, Step::Versions);
        let (from, until) = *self.spans.entry(written).or_insert((begin, begin));
        self.move_change(from, begin, 1);
        self.move_change(until, until.max(hidden), -1);
        self.spans.insert(written, (begin, until.max(hidden)));
    }

    /// Applies HBase's rule for a Delete and newer versions of the same request: these count only from the Delete on.
    fn pass_delete(&mut self, sequence: u64) {
        let begin = Moment(sequence, Step::Markers);
        if let Some((from, _)) = self.spans.get_mut(&sequence).filter(|(from, until)| *from < begin && begin <= *until)
        {
            let from = std::mem::replace(from, begin);
            self.move_change(from, begin, 1);
        }
    }

    fn move_change(&mut self, from: Moment, to: Moment, change: i64) {
        if from != to {
            *self.changes.entry(from).or_default() -= change;
            *self.changes.entry(to).or_default() += change;
        }
    }

    /// The first moment, from the request `written` on and before `deleted`, at which `versions` requests, which may
    /// include `written`, have a counted version that is visible.
    ///
    /// Looks at the earlier moments and at the later ones up to the result. If timestamps follow the order of writing,
    /// these are about `versions`, however many versions have been counted.
    fn first_full(&self, written: u64, deleted: Moment, versions: i32) -> Moment {
        let (begin, versions) = (Moment(written, Step::Versions), i64::from(versions));
        let mut above: i64 = self.changes.range(..=begin).map(|(_, change)| change).sum();
        if above >= versions {
            return begin;
        }
        for (moment, change) in self.changes.range((Bound::Excluded(begin), Bound::Excluded(deleted))) {
            above += change;
            if above >= versions {
                return *moment;
            }
        }
        Moment::NEVER
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
    // HBase counts no versions in the column with the empty qualifier, as long as the row has no markers for it.
    let unlimited =
        marks.is_empty() && family.is_empty() && key::is_of_qualifier(prefix, key::row_prefix_len(prefix)?, b"");
    let mut deletes = marks.iter().filter(|m| m.kind == CellKind::Delete).peekable();
    let mut newer = VisibleCount::default();
    let mut count = ColumnTracker::new();
    let mut visible = Vec::new();
    for (version, written) in values {
        while let Some(delete) = deletes.next_if(|delete| delete.timestamp >= version.timestamp) {
            newer.pass_delete(delete.sequence);
        }
        let hiding = marks.iter().chain(family).filter(|m| m.sequence >= written && m.covers(version.timestamp));
        let deleted = hiding.map(|m| Moment(m.sequence, Step::Markers)).min().unwrap_or(Moment::NEVER);
        let hidden = match unlimited {
            true => deleted,
            false => deleted.min(newer.first_full(written, deleted, plan.family.rules.versions)),
        };
        newer.add(written, hidden);
        if hidden != Moment::NEVER || version.timestamp > plan.newest {
            continue;
        }
        if version.timestamp < plan.oldest || !count.admit(plan, version.timestamp, reader.now) {
            break;
        }
        visible.push(version);
    }
    Ok(visible)
}
