//! The versions of one column that a reader sees.
//!
//! HBase's rule: of the values inside the time range which no marker hides, newest first, the first n; one beyond the family's TTL counts
//! only among the first MIN_VERSIONS. A value beyond its own TTL is not there at all.

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

/// One version of a column; in raw reads also a marker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Version {
    pub(super) timestamp: i64,
    pub(super) kind: CellKind,
    pub(super) value: Bytes,
    pub(super) ttl_ms: Option<i64>,
}

/// One column of one row under way.
pub(super) enum Column {
    /// Read as it goes.
    Walked(Walked),
    /// Worked out beforehand, since one version depends on others.
    Known(vec::IntoIter<Version>),
}

/// A column whose values need nothing but the markers ahead of them.
pub(super) struct Walked {
    marks: DeleteTracker,
    seen: ColumnTracker,
}

impl Column {
    /// The next version. Leaves `pairs` somewhere in the column.
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

    /// Passes over the versions newer than that.
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

    /// Whether the versions to look at are all seen.
    pub(super) fn is_full(&self, plan: &FamilyScan) -> bool {
        match self {
            Self::Walked(column) => column.seen.is_full(plan),
            Self::Known(versions) => versions.as_slice().is_empty(),
        }
    }
}

impl Walked {
    /// Begins at the column's first key.
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

    /// The same with the column's first version, if that is the very next pair, as it mostly is: no marker stands before it and nothing
    /// speaks against it. Takes the pair then, and returns its key as the column's prefix, which is so long; else leaves all as it is.
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
            if timestamp < plan.oldest || self.marks.hides_from(timestamp) {
                return Ok(None);
            }
            let dead = value::is_expired(stored, timestamp, reader.now)?;
            if dead || self.marks.hides(timestamp, reader)? || family.hides(timestamp, reader)? {
                pairs.step();
                continue;
            }
            if !self.seen.admit(plan, timestamp, reader.now) {
                return Ok(None);
            }
            let value = Value::decode(pairs.take().unwrap_or_default().1)?;
            return Ok(Some(Version { timestamp, kind, value: value.bytes, ttl_ms: value.ttl_ms }));
        }
        Ok(None)
    }
}
