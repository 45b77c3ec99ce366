//! Gets of the newest cells of a row that is not cached.
//!
//! Most rows have few cells, no delete markers, and no cells that expire. Their pairs are read at once and become cells
//! without a scanner. The pairs of every other row are passed to one.

use std::sync::Arc;

use bytes::Bytes;

use super::budget::{Budget, Gathered};
use super::family_cursor::FamilyCursor;
use super::family_scan::{FamilyScan, Reader};
use super::key_range::KeyRange;
use super::pairs::Pairs;
use super::region_scanner::RegionScanner;
use super::row::row_scan;
use crate::cell::{Cell, CellKind, Row};
use crate::error::Result;
use crate::key;
use crate::request::Get;
use crate::store::Pair;
use crate::value;

/// Pairs of a family that are read at once.
const ROW_PAIRS: usize = 32;
/// Pairs that are read at once if columns are selected, which may be far ahead.
const SELECTED_PAIRS: usize = 8;

/// A row that a get reads from the store.
pub(super) struct StoredRow {
    /// The selection in each family.
    pub(super) plans: Vec<FamilyScan>,
    pub(super) reader: Arc<Reader>,
    /// The keys of the row.
    pub(super) extent: KeyRange,
}

/// The result of reading such a row.
pub(super) enum StoredAnswer {
    /// The row; empty if it has no visible cells.
    Row(Row),
    /// A scanner that has yet to read it.
    Rows(Box<RegionScanner>),
}

impl StoredRow {
    /// A scanner that reads the row.
    ///
    /// # Errors
    /// Those of the store.
    pub(super) fn open(self, get: &Get) -> Result<RegionScanner> {
        self.open_after(get, Vec::new())
    }

    /// As [`Self::open`], with the pairs of the first families.
    fn open_after(self, get: &Get, read: Vec<Pairs>) -> Result<RegionScanner> {
        let Self { plans, reader, extent } = self;
        let mut read = read.into_iter();
        let cursors = plans.into_iter().map(|plan| {
            let pairs = read.next().map_or_else(|| read_family(&plan, &reader, &extent), Ok)?;
            Ok(FamilyCursor::over(plan, &reader, pairs))
        });
        let cursors = cursors.collect::<Result<_>>()?;
        RegionScanner::over(cursors, row_scan(get, None, extent))
    }

    /// Reads the row, if it is a usual one.
    ///
    /// # Errors
    /// Those of the store and of the budget; `RowTooLarge`.
    pub(super) fn read(self, get: &Get, budget: &dyn Budget) -> Result<StoredAnswer> {
        let row_len = self.extent.from.len();
        let mut read = Vec::with_capacity(self.plans.len());
        for plan in &self.plans {
            let pairs = read_family(plan, &self.reader, &self.extent)?;
            let is_usual = pairs.all().is_some_and(|all| are_usual(all, row_len, plan, &self.reader));
            read.push(pairs);
            if !is_usual {
                return Ok(StoredAnswer::Rows(Box::new(self.open_after(get, read)?)));
            }
        }
        let mut row = Row { cells: Vec::with_capacity(read.iter().map(Pairs::buffered).sum()), ..Row::default() };
        let mut gathered = Gathered::new(budget);
        for (plan, pairs) in self.plans.iter().zip(read) {
            append_cells(plan, pairs, row_len, &get.row, &mut |cell| {
                gathered.add(&cell)?;
                row.cells.push(cell);
                Ok(())
            })?;
        }
        gathered.settle()?;
        if !row.cells.is_empty() {
            row.key = get.row.clone();
        }
        Ok(StoredAnswer::Row(row))
    }
}

fn read_family(plan: &FamilyScan, reader: &Reader, extent: &KeyRange) -> Result<Pairs> {
    let expected = if plan.wanted.is_none() { ROW_PAIRS } else { SELECTED_PAIRS };
    Pairs::read(&reader.snapshot, plan.family.space, (&extent.from, &extent.to), expected, &reader.stop)
}

/// Whether these pairs of a row are values of columns that do not expire.
fn are_usual(pairs: &[Pair], row_len: usize, plan: &FamilyScan, reader: &Reader) -> bool {
    plan.is_of_newest()
        && pairs.iter().all(|(key, stored)| {
            let version = key::version_of_column(key, row_len);
            let is_visible = |time| time >= plan.oldest && !plan.is_expired(time, reader.now);
            let is_value = matches!(version, Some((CellKind::Put, time)) if is_visible(time));
            is_value && value::is_plain(stored)
        })
}

/// Passes the newest cell of each selected column to `each`.
fn append_cells(
    plan: &FamilyScan,
    pairs: Pairs,
    row_len: usize,
    row: &Bytes,
    each: &mut dyn FnMut(Cell) -> Result<()>,
) -> Result<()> {
    let wanted = plan.wanted_parts();
    let mut wanted_at = 0;
    let mut column: Option<(Bytes, usize)> = None;
    for (key, stored) in pairs.into_fetched() {
        if column.as_ref().is_some_and(|(before, len)| key.starts_with(&before[..*len])) {
            // An older version.
            continue;
        }
        let len = key::column_prefix_len(&key, row_len)?.ok_or_else(|| key::damaged(&key))?;
        let (_, timestamp) = key::kind_and_time(&key, len)?;
        let encoded = &key[row_len + 1..len];
        let qualifier = match &plan.wanted {
            None => key::part(encoded),
            Some(names) => {
                while wanted.get(wanted_at).is_some_and(|wanted| wanted[..] < *encoded) {
                    wanted_at += 1;
                }
                match wanted.get(wanted_at) {
                    Some(wanted) if wanted[..] == *encoded => names[wanted_at].clone(),
                    Some(_) => continue,
                    None => break,
                }
            }
        };
        let (row, family, value) = (row.clone(), plan.family.name.clone(), value::of_plain(stored));
        each(Cell { row, family, qualifier, timestamp, kind: CellKind::Put, value })?;
        column = Some((key, len));
    }
    Ok(())
}
