//! The decision whether a compaction may drop a pair.

use super::delete_markers::BoundedDeleteTracker;
use crate::cell::CellKind;
use crate::key;
use crate::schema::{FamilyRules, KeepDeleted};
use crate::store::{CompactionFilter, Verdict};
use crate::value;

/// What a compaction does with a pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fate {
    Kept,
    Dropped,
    /// A value that is dropped with all older ones of its column.
    DroppedWithOlder,
}

/// The compaction filter of one compaction of one family.
pub(crate) struct CellFilter {
    rules: FamilyRules,
    whole: bool,
    /// Whether it is a flush, in which cells with a TTL of their own count as others.
    is_flush: bool,
    now: i64,
    row: Vec<u8>,
    family: BoundedDeleteTracker,
    /// Family markers that have their own TTL; they hide cells only until they expire.
    family_for_now: BoundedDeleteTracker,
    column: Vec<u8>,
    hidden: BoundedDeleteTracker,
    hidden_for_now: BoundedDeleteTracker,
    /// Values of the column that are kept, are not hidden even temporarily, and have no TTL of their own.
    lasting: i32,
    /// Values of the column that are kept and have no TTL of their own, including hidden ones.
    kept: i32,
}

impl CellFilter {
    /// A filter for a compaction at `now`, in milliseconds. `whole`: the compaction covers every pair of the space.
    pub(crate) fn new(rules: FamilyRules, whole: bool, now: i64) -> Self {
        let (row, column) = (Vec::new(), Vec::new());
        Self {
            rules,
            whole,
            is_flush: false,
            now,
            row,
            family: BoundedDeleteTracker::default(),
            family_for_now: BoundedDeleteTracker::default(),
            column,
            hidden: BoundedDeleteTracker::default(),
            hidden_for_now: BoundedDeleteTracker::default(),
            lasting: 0,
            kept: 0,
        }
    }

    /// A filter for the values of a flush at `now`, in milliseconds.
    pub(super) fn of_flush(rules: FamilyRules, now: i64) -> Self {
        Self { is_flush: true, ..Self::new(rules, false, now) }
    }

    /// The prefix of the last pair's column, if no get shows any further value of it, now or later.
    pub(crate) fn full_column(&self) -> Option<&[u8]> {
        let full = !self.rules.new_version_behavior && self.lasting >= self.rules.versions;
        (full && !self.column.is_empty()).then_some(&self.column[..])
    }

    /// The fate of the next pair; `None` if it is not a valid cell.
    pub(super) fn fate(&mut self, key: &[u8], stored: &[u8]) -> Option<Fate> {
        let row_len = key::row_prefix_len(key).ok()?;
        if self.row[..] != key[..row_len] {
            self.row = key[..row_len].to_vec();
            self.family = BoundedDeleteTracker::default();
            self.family_for_now = BoundedDeleteTracker::default();
            self.column.clear();
        }
        let column_len = key::column_prefix_len(key, row_len).ok()?;
        if let Some(len) = column_len
            && self.column[..] != key[..len]
        {
            self.column = key[..len].to_vec();
            self.hidden = BoundedDeleteTracker::default();
            self.hidden_for_now = BoundedDeleteTracker::default();
            self.lasting = 0;
            self.kept = 0;
        }
        let (kind, timestamp) = key::kind_and_time(key, column_len.unwrap_or(row_len + 1)).ok()?;
        if value::is_expired(stored, timestamp, self.now).ok()? {
            return Some(Fate::Dropped);
        }
        let lasts = self.is_flush || value::ttl_of(stored).ok()?.is_none();
        if kind == CellKind::Put {
            Some(self.fate_of_value(timestamp, lasts))
        } else if self.drops_marker(kind, timestamp, lasts) {
            Some(Fate::Dropped)
        } else {
            Some(Fate::Kept)
        }
    }

    fn drops_marker(&mut self, kind: CellKind, timestamp: i64, lasts: bool) -> bool {
        if self.rules.new_version_behavior {
            return self.whole && self.is_out_of_date(timestamp);
        }
        let family = kind.is_family_marker();
        let wider = self.family.covers(timestamp) || (!family && self.hidden.covers(timestamp));
        if !lasts {
            // As long as the wider marker exists, this one hides nothing more. When a major compaction drops the wider
            // marker, this one goes too, as in HBase: it is not stored at all if the wider one has the same key.
            if wider && self.rules.keep_deleted == KeepDeleted::False {
                return true;
            }
            // What it hides reappears when it expires, so it is no reason to drop anything.
            let scope = if family { &mut self.family_for_now } else { &mut self.hidden_for_now };
            scope.note(kind, timestamp);
            return false;
        }
        let scope = if family { &mut self.family } else { &mut self.hidden };
        let noted = wider || scope.note(kind, timestamp);
        match self.rules.keep_deleted {
            KeepDeleted::False => wider || (self.whole && noted),
            KeepDeleted::True | KeepDeleted::Ttl => self.whole && self.is_out_of_date(timestamp),
        }
    }

    fn fate_of_value(&mut self, timestamp: i64, lasts: bool) -> Fate {
        let FamilyRules { versions, min_versions, keep_deleted, new_version_behavior, .. } = self.rules;
        if self.is_out_of_date(timestamp) {
            return Fate::DroppedWithOlder;
        }
        if new_version_behavior {
            // Which versions are visible depends on the history of all of them.
            return Fate::Kept;
        }
        if self.family.hides(timestamp) || self.hidden.hides(timestamp) {
            let are_all = self.family.covers(timestamp) || self.hidden.covers(timestamp);
            return match keep_deleted {
                KeepDeleted::False if are_all => Fate::DroppedWithOlder,
                KeepDeleted::False => Fate::Dropped,
                KeepDeleted::True | KeepDeleted::Ttl if self.kept >= versions => Fate::Dropped,
                KeepDeleted::True | KeepDeleted::Ttl => {
                    self.kept += i32::from(lasts);
                    Fate::Kept
                }
            };
        }
        if !self.family.is_certain() || !self.hidden.is_certain() {
            // A marker beyond the limit may hide it, so it is kept but not counted.
            return Fate::Kept;
        }
        if self.lasting >= versions || (self.lasting >= min_versions && self.is_expired(timestamp)) {
            return Fate::DroppedWithOlder;
        }
        // While a marker with a TTL hides this value, older values are visible in its place.
        self.lasting += i32::from(lasts && !self.is_hidden_for_now(timestamp));
        self.kept += i32::from(lasts);
        Fate::Kept
    }

    /// Whether a marker with a TTL of its own hides this version, or may hide it.
    fn is_hidden_for_now(&self, timestamp: i64) -> bool {
        [&self.family_for_now, &self.hidden_for_now].iter().any(|scope| scope.hides(timestamp) || !scope.is_certain())
    }

    fn is_expired(&self, timestamp: i64) -> bool {
        self.rules.is_expired(timestamp, self.now)
    }

    /// Whether no cell of this age is ever visible, because of the family's TTL alone.
    pub(super) fn is_out_of_date(&self, timestamp: i64) -> bool {
        self.rules.min_versions <= 0 && self.is_expired(timestamp)
    }
}

impl CompactionFilter for CellFilter {
    fn filter(&mut self, key: &[u8], value: &[u8]) -> Verdict {
        match self.fate(key, value) {
            Some(Fate::Dropped | Fate::DroppedWithOlder) => Verdict::Drop,
            // A pair that cannot be decoded is kept for diagnosis.
            Some(Fate::Kept) | None => Verdict::Keep,
        }
    }
}
