//! What the markers that a compaction has shown so far hide.

use crate::cell::CellKind;

/// Exact markers to keep in mind for one column, or one family of a row.
const EXACT_MAX: usize = 1 << 20;

/// What the markers of one scope hide. They are shown widest first, each kind newest first.
pub(super) struct BoundedDeleteTracker {
    /// Everything up to this time; `i64::MIN`: nothing.
    up_to: i64,
    /// Besides, these times, descending.
    exact: Vec<i64>,
    certain: bool,
}

impl Default for BoundedDeleteTracker {
    fn default() -> Self {
        Self { up_to: i64::MIN, exact: Vec::new(), certain: true }
    }
}

impl BoundedDeleteTracker {
    /// Counts a marker in; `false`: there are too many, so what it hides will not be known.
    pub(super) fn note(&mut self, kind: CellKind, timestamp: i64) -> bool {
        match kind {
            CellKind::DeleteColumn | CellKind::DeleteFamily => self.up_to = self.up_to.max(timestamp),
            _ if self.exact.len() < EXACT_MAX => self.exact.push(timestamp),
            _ => self.certain = false,
        }
        self.certain
    }

    /// Whether everything of this age is hidden, so that a further marker for it means nothing.
    pub(super) fn covers(&self, timestamp: i64) -> bool {
        timestamp <= self.up_to
    }

    /// Whether this version is hidden.
    pub(super) fn hides(&self, timestamp: i64) -> bool {
        self.covers(timestamp) || self.exact.binary_search_by(|exact| timestamp.cmp(exact)).is_ok()
    }

    /// Whether all markers are counted in.
    pub(super) fn is_certain(&self) -> bool {
        self.certain
    }
}
