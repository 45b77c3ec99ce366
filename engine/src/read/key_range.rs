//! The key range of a scan, and its division by regions.

use bytes::Bytes;

use crate::cell::Cell;
use crate::key;
use crate::region::Region;
use crate::request::Scan;

/// Keys with `from <= key < to`; an empty `to`: no end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct KeyRange {
    pub(super) from: Bytes,
    pub(super) to: Bytes,
}

/// The progress of a scan.
#[derive(Debug, Clone)]
pub(super) enum Progress {
    /// Nothing has been fetched.
    Start,
    /// This row has been fetched completely.
    After(Bytes),
    /// A row has been fetched up to and including this cell.
    Within(Cell),
}

impl Progress {
    /// The last row of which something has been fetched.
    pub(super) fn last_row(&self) -> Option<&Bytes> {
        match self {
            Self::Start => None,
            Self::After(row) => Some(row),
            Self::Within(cell) => Some(&cell.row),
        }
    }
}

impl KeyRange {
    /// The empty range.
    pub(super) fn empty() -> Self {
        let key = Bytes::from_static(&[0]);
        Self { from: key.clone(), to: key }
    }

    /// The keys that a scan has still to read.
    pub(super) fn of_scan(scan: &Scan, progress: &Progress) -> Self {
        let begin = |row: &[u8]| if row.is_empty() { Bytes::new() } else { key::row_prefix(row) };
        let behind = |row: &[u8]| if row.is_empty() { Bytes::new() } else { key::row_end(&key::row_prefix(row)) };
        let mut extent = if scan.start == scan.stop && !scan.start.is_empty() {
            Self { from: begin(&scan.start), to: behind(&scan.start) }
        } else if scan.reversed {
            Self { from: behind(&scan.stop), to: behind(&scan.start) }
        } else {
            Self { from: begin(&scan.start), to: begin(&scan.stop) }
        };
        match (progress, scan.reversed) {
            (Progress::Start, _) => {}
            (Progress::After(row), false) => extent.from = behind(row),
            (Progress::After(row), true) => extent.to = begin(row),
            (Progress::Within(cell), false) => extent.from = begin(&cell.row),
            (Progress::Within(cell), true) => extent.to = behind(&cell.row),
        }
        extent
    }

    /// The part of this range after a row in scan order.
    pub(super) fn after(&self, row: &[u8], reversed: bool) -> Self {
        let prefix = key::row_prefix(row);
        if reversed {
            Self { from: self.from.clone(), to: prefix }
        } else {
            Self { from: key::row_end(&prefix), to: self.to.clone() }
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        !self.to.is_empty() && self.from >= self.to
    }

    /// The keys in both ranges.
    pub(super) fn intersect(&self, other: &Self) -> Self {
        let to = match (self.to.is_empty(), other.to.is_empty()) {
            (true, _) => other.to.clone(),
            (_, true) => self.to.clone(),
            _ => self.to.clone().min(other.to.clone()),
        };
        Self { from: self.from.clone().max(other.from.clone()), to }
    }

    /// The non-empty intersections with the regions, in scan order.
    pub(super) fn in_regions(&self, regions: &[Region], reversed: bool) -> Vec<Self> {
        let bound = |row: &[u8]| if row.is_empty() { Bytes::new() } else { key::row_prefix(row) };
        let part = |region: &Region| self.intersect(&Self { from: bound(&region.start), to: bound(&region.end) });
        let mut parts: Vec<_> = regions.iter().map(part).filter(|part| !part.is_empty()).collect();
        if reversed {
            parts.reverse();
        }
        parts
    }

    /// The part of this range at and after a row in scan order.
    pub(super) fn beginning_at(&self, row: &[u8], reversed: bool) -> Self {
        let prefix = key::row_prefix(row);
        let there = if reversed {
            Self { from: Bytes::new(), to: key::row_end(&prefix) }
        } else {
            Self { from: prefix, to: Bytes::new() }
        };
        self.intersect(&there)
    }

    /// The part of this range up to and including a row in scan order.
    pub(super) fn ending_at(&self, row: &[u8], reversed: bool) -> Self {
        self.beginning_at(row, !reversed)
    }
}
