//! Counts the versions of a column against VERSIONS, MIN_VERSIONS and the TTL.

use super::family_scan::FamilyScan;

/// How many versions of a column were seen, and whether more may be.
pub(super) struct ColumnTracker {
    seen: i32,
}

impl ColumnTracker {
    pub(super) fn new() -> Self {
        Self { seen: 0 }
    }

    /// Whether no further version will be seen.
    pub(super) fn is_full(&self, plan: &FamilyScan) -> bool {
        self.seen >= plan.examine
    }

    /// Counts the next visible value; `false`: it and all older ones are not seen.
    pub(super) fn admit(&mut self, plan: &FamilyScan, timestamp: i64, now: i64) -> bool {
        if self.is_full(plan) {
            return false;
        }
        self.seen += 1;
        self.seen <= plan.family.rules.min_versions || !plan.is_expired(timestamp, now)
    }
}
