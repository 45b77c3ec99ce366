//! Counts the versions of a column against VERSIONS, MIN_VERSIONS and the TTL.

use super::family_scan::FamilyScan;

/// Counts the versions of a column that have been seen.
pub(super) struct ColumnTracker {
    seen: i32,
}

impl ColumnTracker {
    pub(super) fn new() -> Self {
        Self { seen: 0 }
    }

    /// Whether no further version can be admitted.
    pub(super) fn is_full(&self, plan: &FamilyScan) -> bool {
        self.seen >= plan.examine
    }

    /// Counts the next undeleted value. Returns `false` if this value and all older ones are not visible.
    pub(super) fn admit(&mut self, plan: &FamilyScan, timestamp: i64, now: i64) -> bool {
        if self.is_full(plan) {
            return false;
        }
        self.seen += 1;
        self.seen <= plan.family.rules.min_versions || !plan.is_expired(timestamp, now)
    }
}
