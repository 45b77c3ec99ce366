//! The selection of a read in each family, and the state that it reads.

use std::sync::Arc;

use bytes::Bytes;

use crate::catalog::Family;
use crate::error::{Error, ErrorKind, Result};
use crate::key;
use crate::request::{Columns, TimeRange};
use crate::stop::Stop;
use crate::store::Snapshot;

/// The state that a read sees, and its time.
#[derive(Clone)]
pub(super) struct Reader {
    pub(super) snapshot: Arc<dyn Snapshot>,
    /// The time by which cells expire, in milliseconds.
    pub(super) now: i64,
    pub(super) stop: Stop,
}

/// The selection of a read in one family.
#[derive(Debug, Clone)]
pub(super) struct FamilyScan {
    pub(super) family: Family,
    /// The selected columns in order; `None`: all columns.
    pub(super) wanted: Option<Vec<Bytes>>,
    /// The oldest timestamp of the time range.
    pub(super) oldest: i64,
    /// The newest timestamp of the time range; less than `oldest` if the range is empty.
    pub(super) newest: i64,
    /// The number of visible versions of a column to examine.
    pub(super) examine: i32,
    /// The number of versions of a column to return, of those that pass the filter.
    pub(super) keep: i32,
    /// Whether to return delete markers and deleted cells (HBase's raw reads).
    pub(super) raw: bool,
}

/// The part of a request that is common to all families.
pub(super) struct Selection<'a> {
    pub(super) columns: &'a Columns,
    pub(super) max_versions: i32,
    pub(super) filtered: bool,
    pub(super) raw: bool,
}

impl FamilyScan {
    /// Selects the newest `versions` of one column, in any time range.
    pub(super) fn column(family: &Family, qualifier: &[u8], versions: i32) -> Self {
        let examine = versions.min(family.rules.versions);
        let wanted = Some(vec![Bytes::copy_from_slice(qualifier)]);
        Self { family: family.clone(), wanted, oldest: 0, newest: i64::MAX, examine, keep: examine, raw: false }
    }

    /// One for each selected family, in order.
    ///
    /// # Errors
    /// `unknown_family` for a family that the table does not have; `Refused` for a raw read that names a column.
    pub(super) fn all(
        families: &[Family],
        selection: &Selection<'_>,
        range: impl Fn(&Bytes) -> TimeRange,
        unknown_family: &dyn Fn(&[u8]) -> Error,
    ) -> Result<Vec<Self>> {
        let find = |name: &Bytes| families.iter().find(|f| f.name == name).ok_or_else(|| unknown_family(name));
        let plans = if selection.columns.is_all() {
            families.iter().map(|family| Self::new(family, None, selection, range(&family.name))).collect()
        } else {
            let chosen = selection.columns.families().map(|(name, qualifiers)| {
                let wanted = qualifiers.map(|q| q.iter().cloned().collect());
                Ok(Self::new(find(name)?, wanted, selection, range(name)))
            });
            chosen.collect::<Result<_>>()?
        };
        if selection.raw && selection.columns.names_a_qualifier() {
            return Err(Error::new(ErrorKind::Refused, "Cannot specify any column for a raw scan")
                .with_remedy("select families, and choose among their cells in the program"));
        }
        Ok(plans)
    }

    fn new(family: &Family, wanted: Option<Vec<Bytes>>, selection: &Selection<'_>, range: TimeRange) -> Self {
        let versions = family.rules.versions;
        let keep = if selection.raw { selection.max_versions } else { selection.max_versions.min(versions) };
        let examine = match (&wanted, selection.filtered) {
            // A filter may examine all versions that the family keeps. VERSIONS does not limit raw reads.
            (_, true) if selection.raw => i32::MAX,
            (_, true) => versions,
            // HBase examines one version of a named column before it counts.
            (Some(_), false) => keep.max(1),
            (None, false) => keep,
        };
        let newest = if range.is_all() { i64::MAX } else { range.max().saturating_sub(1) };
        Self { family: family.clone(), wanted, oldest: range.min(), newest, examine, keep, raw: selection.raw }
    }

    /// Whether the time range is empty.
    pub(super) fn is_empty(&self) -> bool {
        self.newest < self.oldest
    }

    /// The selected columns in the encoding of keys; none if all columns are selected.
    pub(super) fn wanted_parts(&self) -> Vec<Bytes> {
        self.wanted.iter().flatten().map(|qualifier| key::as_part(qualifier)).collect()
    }

    /// Whether only the newest version of each selected column is read, and the first value of a column is that version
    /// unless a marker hides it.
    pub(super) fn is_of_newest(&self) -> bool {
        self.examine == 1 && !self.raw && !self.family.rules.new_version_behavior && !self.is_empty()
    }

    /// Whether a cell with this timestamp has exceeded the family's TTL.
    pub(super) fn is_expired(&self, timestamp: i64, now: i64) -> bool {
        self.family.rules.is_expired(timestamp, now)
    }
}
