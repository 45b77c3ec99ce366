//! The versions of one column that a reader sees.
//!
//! HBase's rule: of the values in the time range that no marker hides, the n newest are visible. A value older than the
//! family's TTL is visible only among the first MIN_VERSIONS. A value older than its own TTL does not count at all.

use std::vec;

use bytes::Bytes;

use super::column_tracker::ColumnTracker;
use super::delete_tracker::DeleteTracker;
use super::family_scan::{FamilyScan, Reader};
use super::pairs::Pairs;
use super::prefix::Prefix;
use crate::cell::CellKind;
use crate::error::Result;
use crate::key;
use crate::value::{self, Value};

/// One version of a column or, in raw reads, a delete marker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Version {
    pub(super) timestamp: i64,
    pub(super) kind: CellKind,
    pub(super) value: Bytes,
    pub(super) ttl_ms: Option<i64>,
}

/// The column of a row that is being read.
pub(super) enum Column {
    /// Versions are read one by one.
    Walked(Walked),
    /// Versions were computed in advance, because the visibility of one depends on others.
    Known(vec::IntoIter<Version>),
}

/// A column in which the visibility of a value depends only on the markers stored before it.
pub(super) struct Walked {
    marks: DeleteTracker,
    seen: ColumnTracker,
}

impl Column {
    /// The next version. Leaves `pairs` anywhere in the column.
    pub(super) fn next(
        &mut self,
        pairs: &mut Pairs,
        (plan, reader): (&FamilyScan, &Reader),
        prefix: &[u8],
        family: &mut DeleteTracker,
    ) -> Result<Option<Version>> {
        match self {
            Self::Walked(column) => column.next(pairs, (plan, reader), prefix, family),
            Self::Known(versions) => Ok(versions.next()),
        }
    }

    /// Skips the versions newer than `newest`.
    pub(super) fn skip_to_time(&mut self, pairs: &mut Pairs, prefix: &[u8], newest: i64) -> Result<()> {
        match self {
            Self::Walked(_) => pairs.skip_to(&key::at(prefix, CellKind::Put, newest)),
            Self::Known(versions) => {
                let newer = versions.as_slice().iter().take_while(|v| v.timestamp > newest).count();
                if newer > 0 {
                    versions.nth(newer - 1);
                }
                Ok(())
            }
        }
    }

    /// Whether all versions to examine have been seen.
    pub(super) fn is_full(&self, plan: &FamilyScan) -> bool {
        match self {
            Self::Walked(column) => column.seen.is_full(plan),
            Self::Known(versions) => versions.as_slice().is_empty(),
        }
    }
}

impl Walked {
    /// Opens the column at its first key and reads its markers.
    pub(super) fn open(
        pairs: &mut Pairs,
        plan: &FamilyScan,
        reader: &Reader,
        prefix: &[u8],
        family: &DeleteTracker,
    ) -> Result<Self> {
        let marks = DeleteTracker::of_column(pairs, plan, reader, prefix, family)?;
        if let Some((head, _)) = pairs.head()?.filter(|(k, _)| k.starts_with(prefix)) {
            let (kind, timestamp) = key::kind_and_time(head, prefix.len())?;
            if kind != CellKind::Put || timestamp > plan.newest {
                pairs.skip_to(&key::at(prefix, CellKind::Put, plan.newest))?;
            }
        }
        Ok(Self { marks, seen: ColumnTracker::new() })
    }

    /// Fast path: if the next pair is a visible value, consumes it and opens the column there. The returned prefix is
    /// that of the column, `prefix_len` bytes of the pair's key. Otherwise consumes nothing.
    #[inline]
    pub(super) fn open_at_value(
        pairs: &mut Pairs,
        (plan, reader): (&FamilyScan, &Reader),
        prefix_len: usize,
        family: &mut DeleteTracker,
    ) -> Result<Option<(Prefix, Self, Version)>> {
        let Some((head, stored)) = pairs.head()? else { return Ok(None) };
        let (kind, timestamp) = key::kind_and_time(head, prefix_len)?;
        if kind != CellKind::Put || timestamp > plan.newest || timestamp < plan.oldest || family.hides_from(timestamp) {
            return Ok(None);
        }
        if value::is_expired(stored, timestamp, reader.now)? || family.hides(timestamp, reader)? {
            return Ok(None);
        }
        let mut seen = ColumnTracker::new();
        if !seen.admit(plan, timestamp, reader.now) {
            return Ok(None);
        }
        let Some((key, stored)) = pairs.take() else { return Ok(None) };
        let value = Value::decode(stored)?;
        let version = Version { timestamp, kind, value: value.bytes, ttl_ms: value.ttl_ms };
        let column = Self { marks: DeleteTracker::of_unmarked_column(family), seen };
        Ok(Some((Prefix::of(key, prefix_len), column, version)))
    }

    #[inline]
    fn next(
        &mut self,
        pairs: &mut Pairs,
        (plan, reader): (&FamilyScan, &Reader),
        prefix: &[u8],
        family: &mut DeleteTracker,
    ) -> Result<Option<Version>> {
        if self.seen.is_full(plan) {
            return Ok(None);
        }
        while let Some((head, stored)) = pairs.head()?.filter(|(k, _)| k.starts_with(prefix)) {
            let (kind, timestamp) = key::kind_and_time(head, prefix.len())?;
            if timestamp < plan.oldest {
                return Ok(None);
            }
            if self.marks.hides_from(timestamp) {
                pairs.count_garbage();
                return Ok(None);
            }
            let dead = value::is_expired(stored, timestamp, reader.now)?;
            if dead || self.marks.hides(timestamp, reader)? || family.hides(timestamp, reader)? {
                pairs.count_garbage();
                pairs.step();
                continue;
            }
            if !self.seen.admit(plan, timestamp, reader.now) {
                if plan.is_expired(timestamp, reader.now) {
                    pairs.count_garbage();
                }
                return Ok(None);
            }
            let value = Value::decode(pairs.take().unwrap_or_default().1)?;
            return Ok(Some(Version { timestamp, kind, value: value.bytes, ttl_ms: value.ttl_ms }));
        }
        Ok(None)
    }
}
