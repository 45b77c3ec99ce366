//! What a read is of, and what it wants of each family.

use std::sync::Arc;

use bytes::Bytes;

use super::stop::Stop;
use crate::catalog::Family;
use crate::error::{Error, ErrorKind, Result};
use crate::request::{Columns, TimeRange};
use crate::store::Snapshot;

/// One read: of which state, at what time.
#[derive(Clone)]
pub(super) struct Reader {
    pub(super) snapshot: Arc<dyn Snapshot>,
    /// The time by which cells expire, in milliseconds.
    pub(super) now: i64,
    pub(super) stop: Stop,
}

/// What a read wants of one family.
#[derive(Debug, Clone)]
pub(super) struct FamilyScan {
    pub(super) family: Family,
    /// The columns in order; `None`: all of them.
    pub(super) wanted: Option<Vec<Bytes>>,
    /// The oldest timestamp wanted.
    pub(super) oldest: i64,
    /// The newest timestamp wanted; before `oldest`: nothing at all.
    pub(super) newest: i64,
    /// Visible versions of a column to look at.
    pub(super) examine: i32,
    /// Of those that a filter lets through, versions to return.
    pub(super) keep: i32,
    /// Markers and hidden cells as they are stored.
    pub(super) raw: bool,
}

/// The part of a request that is the same for every family.
pub(super) struct Wish<'a> {
    pub(super) columns: &'a Columns,
    pub(super) max_versions: i32,
    pub(super) filtered: bool,
    pub(super) raw: bool,
}

impl FamilyScan {
    /// The newest `versions` of one column, of all time.
    pub(super) fn column(family: &Family, qualifier: &[u8], versions: i32) -> Self {
        let examine = versions.min(family.rules.versions);
        let wanted = Some(vec![Bytes::copy_from_slice(qualifier)]);
        Self { family: family.clone(), wanted, oldest: 0, newest: i64::MAX, examine, keep: examine, raw: false }
    }

    /// One for each family wanted, in order.
    pub(super) fn all(
        families: &[Family],
        wish: &Wish<'_>,
        range: impl Fn(&Bytes) -> TimeRange,
        unknown_family: &dyn Fn(&[u8]) -> Error,
    ) -> Result<Vec<Self>> {
        let find = |name: &Bytes| families.iter().find(|f| f.name == name).ok_or_else(|| unknown_family(name));
        let plans = if wish.columns.is_all() {
            families.iter().map(|family| Self::new(family, None, wish, range(&family.name))).collect()
        } else {
            let chosen = wish.columns.families().map(|(name, qualifiers)| {
                let wanted = qualifiers.map(|q| q.iter().cloned().collect());
                Ok(Self::new(find(name)?, wanted, wish, range(name)))
            });
            chosen.collect::<Result<_>>()?
        };
        if wish.raw && wish.columns.names_a_qualifier() {
            return Err(Error::new(ErrorKind::Refused, "Cannot specify any column for a raw scan"));
        }
        Ok(plans)
    }

    fn new(family: &Family, wanted: Option<Vec<Bytes>>, wish: &Wish<'_>, range: TimeRange) -> Self {
        let versions = family.rules.versions;
        let keep = if wish.raw { wish.max_versions } else { wish.max_versions.min(versions) };
        let examine = match (&wanted, wish.filtered) {
            // A filter may look at all that the family keeps; a raw read keeps to no family's VERSIONS.
            (_, true) if wish.raw => i32::MAX,
            (_, true) => versions,
            // HBase looks at one version of a named column before it counts.
            (Some(_), false) => keep.max(1),
            (None, false) => keep,
        };
        let newest = if range.is_all() { i64::MAX } else { range.max().saturating_sub(1) };
        Self { family: family.clone(), wanted, oldest: range.min(), newest, examine, keep, raw: wish.raw }
    }

    /// Whether no timestamp can be wanted.
    pub(super) fn is_empty(&self) -> bool {
        self.newest < self.oldest
    }

    /// Whether a cell of that age is beyond the family's TTL.
    pub(super) fn is_expired(&self, timestamp: i64, now: i64) -> bool {
        self.family.rules.ttl_ms != i64::MAX && timestamp < now.saturating_sub(self.family.rules.ttl_ms)
    }
}
