//! Tracks what delete markers hide: those of a family in one row, or those of one column.

use super::family_scan::{FamilyScan, Reader};
use super::pairs::Pairs;
use super::times::Times;
use crate::cell::CellKind;
use crate::error::Result;
use crate::key;
use crate::schema::KeepDeleted;
use crate::value;

/// Tracks what the markers of one family in one row, or of one column, hide.
pub(super) struct DeleteTracker {
    /// Everything up to this timestamp is hidden. `i64::MIN` hides nothing.
    up_to: i64,
    /// Everything with one of these timestamps is hidden too.
    exact: Times,
}

/// Two kinds of markers of the same place.
#[derive(Clone, Copy)]
struct Markers {
    /// Hides everything up to its time. Stored before exact ones.
    wide: CellKind,
    /// Hides what has its time.
    exact: CellKind,
}

impl Markers {
    const OF_FAMILY: Self = Self { wide: CellKind::DeleteFamily, exact: CellKind::DeleteFamilyVersion };
    const OF_COLUMN: Self = Self { wide: CellKind::DeleteColumn, exact: CellKind::Delete };
}

impl DeleteTracker {
    /// Reads the family markers of a row.
    pub(super) fn of_family(pairs: &mut Pairs, plan: &FamilyScan, reader: &Reader, prefix: &[u8]) -> Result<Self> {
        Self::read(pairs, plan, reader, prefix, Markers::OF_FAMILY, i64::MIN)
    }

    /// Reads the markers of a column and combines them with its family's.
    pub(super) fn of_column(
        pairs: &mut Pairs,
        plan: &FamilyScan,
        reader: &Reader,
        prefix: &[u8],
        family: &Self,
    ) -> Result<Self> {
        Self::read(pairs, plan, reader, prefix, Markers::OF_COLUMN, family.up_to)
    }

    /// Wide markers are stored before exact ones, newest first. So the first unexpired wide marker suffices, and exact
    /// ones matter only if they are newer.
    fn read(
        pairs: &mut Pairs,
        plan: &FamilyScan,
        reader: &Reader,
        prefix: &[u8],
        Markers { wide, exact }: Markers,
        mut up_to: i64,
    ) -> Result<Self> {
        // With KEEP_DELETED_CELLS, markers newer than the time range do not apply.
        let newest = if plan.family.rules.keep_deleted == KeepDeleted::False { i64::MAX } else { plan.newest };
        loop {
            let Some((head, stored)) = pairs.head()?.filter(|(k, _)| k.starts_with(prefix)) else { break };
            let (kind, timestamp) = key::kind_and_time(head, prefix.len())?;
            if kind == CellKind::Put {
                break;
            }
            if kind != wide {
                let floor = up_to.max(plan.oldest - 1);
                let times = Times::read(pairs, reader, plan.family.space, prefix, exact, (floor, plan.newest))?;
                return Ok(Self { up_to, exact: times });
            }
            let is_expired = timestamp > up_to && value::is_expired(stored, timestamp, reader.now)?;
            pairs.count_garbage();
            if timestamp > newest {
                pairs.skip_to(&key::at(prefix, wide, newest))?;
            } else if is_expired {
                pairs.step();
            } else {
                up_to = up_to.max(timestamp);
                pairs.skip_to(&key::at(prefix, exact, i64::MAX))?;
            }
        }
        Ok(Self { up_to, exact: Times::default() })
    }

    /// A tracker without markers.
    pub(super) fn empty() -> Self {
        Self { up_to: i64::MIN, exact: Times::default() }
    }

    /// A tracker for a column that has no markers itself.
    pub(super) fn of_unmarked_column(family: &Self) -> Self {
        Self { up_to: family.up_to, exact: Times::default() }
    }

    /// Whether no cell is hidden.
    pub(super) fn is_empty(&self) -> bool {
        self.up_to == i64::MIN && self.exact.is_empty()
    }

    /// Whether everything with this timestamp and older ones is hidden.
    pub(super) fn hides_from(&self, timestamp: i64) -> bool {
        timestamp <= self.up_to
    }

    /// Whether the version with this timestamp is hidden by an exact marker. Cheap if timestamps are queried newest
    /// first.
    pub(super) fn hides(&mut self, timestamp: i64, reader: &Reader) -> Result<bool> {
        self.exact.contains(timestamp, reader)
    }
}
