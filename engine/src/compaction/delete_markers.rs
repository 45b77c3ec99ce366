//! The delete markers that a compaction has read so far, and what they hide.

use crate::cell::CellKind;

/// Limit on the markers of exact versions that are remembered for one column, or for one family of a row.
const EXACT_MAX: usize = 1 << 20;

/// The markers of one column, or of one family of a row. They are added widest kind first, each kind newest first.
pub(super) struct BoundedDeleteTracker {
    /// All versions up to this timestamp are hidden; `i64::MIN`: none.
    up_to: i64,
    /// Timestamps of further hidden versions, descending.
    exact: Vec<i64>,
    certain: bool,
}

impl Default for BoundedDeleteTracker {
    fn default() -> Self {
        Self { up_to: i64::MIN, exact: Vec::new(), certain: true }
    }
}

impl BoundedDeleteTracker {
    /// Adds a marker. Returns `false` if it could not be remembered because there are too many.
    pub(super) fn note(&mut self, kind: CellKind, timestamp: i64) -> bool {
        match kind {
            CellKind::DeleteColumn | CellKind::DeleteFamily => self.up_to = self.up_to.max(timestamp),
            _ if self.exact.len() < EXACT_MAX => self.exact.push(timestamp),
            _ => self.certain = false,
        }
        self.certain
    }

    /// Whether all versions up to this timestamp are hidden, so that a further marker for it is redundant.
    pub(super) fn covers(&self, timestamp: i64) -> bool {
        timestamp <= self.up_to
    }

    /// Whether a version with this timestamp is hidden.
    pub(super) fn hides(&self, timestamp: i64) -> bool {
        self.covers(timestamp) || self.exact.binary_search_by(|exact| timestamp.cmp(exact)).is_ok()
    }

    /// Whether all markers have been remembered.
    pub(super) fn is_certain(&self) -> bool {
        self.certain
    }
}
