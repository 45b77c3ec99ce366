//! Reading one row.

use std::cell::Cell;
use std::sync::Arc;

use bytes::Bytes;

use super::budget::{Budget, Unlimited, take_row};
use super::family_cursor::FamilyCursor;
use super::family_scan::{FamilyScan, Reader, Selection};
use super::key_range::KeyRange;
use super::pairs::Pairs;
use super::region_scanner::{RegionScan, RegionScanner};
use super::store_scanner::Window;
use super::stored_row::{StoredAnswer, StoredRow};
use super::work_limit::{self, WorkLimit};
use crate::catalog::{Family, TableSlot, TableState};
use crate::cell::Row;
use crate::core::Core;
use crate::error::{Error, ErrorKind, Result};
use crate::filter::{Filter, work};
use crate::key;
use crate::name::TableName;
use crate::request::{Columns, Get, TimeRange, check_row};
use crate::row_cache::{CachedRow, Lookup, PackedRow, PartlyCachedRow, RowSource};
use crate::stop::Stop;
use crate::store::{Order, Snapshot, SpaceId};
use crate::value::Value;

/// Pairs that a read of one column fetches at first.
const COLUMN_PAIRS: usize = 2;

/// The work of a read of one column if its call must not wait.
const COLUMN_WORK: WorkLimit = WorkLimit { pairs: 64, bytes: 32 << 10 };

/// The work of a read of a whole row if its call must not wait.
const ROW_WORK: WorkLimit = WorkLimit { pairs: 128, bytes: 64 << 10 };

/// One version of a column as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Stored {
    /// Milliseconds since 1970.
    pub(crate) timestamp: i64,
    /// The value and its TTL.
    pub(crate) value: Value,
}

/// Runs a get. A row without visible cells is an empty [`Row`].
///
/// # Errors
/// Those of the table (missing, disabled), `FamilyNotFound`, `InvalidArgument` for a bad row or no version; those of
/// store, filter and budget.
pub(crate) fn get(core: &Core, name: &TableName, get: &Get, budget: &dyn Budget) -> Result<Row> {
    of_current_table(core, name, || read(core, name, get, budget))
}

/// Runs a read again if it failed because its table has been changed or dropped: then it reads the current state, or
/// fails because the table does not exist.
fn of_current_table<T>(core: &Core, name: &TableName, read: impl Fn() -> Result<T>) -> Result<T> {
    let result = match read() {
        Err(error) if error.kind() == ErrorKind::Stale => {
            core.catalog.with_shared_lock(name, |table| table.check_readable())?;
            read()
        }
        other => other,
    };
    core.damage.watch(Some(name), result)
}

fn read(core: &Core, name: &TableName, get: &Get, budget: &dyn Budget) -> Result<Row> {
    let _stoppable = get.filter.as_ref().map(|_| work::stopped_by(&budget.stop()));
    let (table, opened) = open(core, name, get, budget)?;
    read_opened(core, &table, opened, get, budget)
}

/// As [`get`], of the table with this entry. `None` if the table has been dropped, or if its lock is not free.
///
/// # Errors
/// Those of [`get`], and `Stale`: the table has been changed during the read.
pub(super) fn get_at_once(core: &Core, slot: &TableSlot, get: &Get, budget: &dyn Budget) -> Result<Option<Row>> {
    let opened = core.catalog.with_slot_at_once(slot, |table| Some(open_in(core, table, get, budget)));
    let Some((table, opened)) = opened.transpose()? else { return Ok(None) };
    read_opened(core, &table, opened, get, budget).map(Some)
}

fn read_opened(core: &Core, table: &TableState, opened: Opened, get: &Get, budget: &dyn Budget) -> Result<Row> {
    let (mut rows, cached) = match opened {
        Opened::Answer(row) => {
            take_row(budget, &row)?;
            table.count_reads(&get.row, 1, row.bytes());
            return Ok(row);
        }
        Opened::Stored(stored) => match stored.read(get, budget)? {
            StoredAnswer::Row(row) => {
                table.count_reads(&get.row, 1, row.bytes());
                return Ok(row);
            }
            StoredAnswer::Rows(rows) => (rows, None),
        },
        Opened::Rows(rows, cached) => (rows, cached),
    };
    let row = rows.next(budget)?.unwrap_or_default();
    table.count_garbage(rows.take_garbage_bytes());
    table.count_reads(&get.row, 1, row.bytes());
    match cached {
        Some(cached) if is_whole(get) => cached.remember(&row),
        Some(cached) if is_of_newest(get) && cached.is_small() => remember_whole(core, table, &get.row, &cached)?,
        _ => {}
    }
    Ok(row)
}

/// Whether the get would return a cell.
///
/// # Errors
/// As for [`get`].
pub(crate) fn exists(core: &Core, name: &TableName, get: &Get, budget: &dyn Budget) -> Result<bool> {
    let _stoppable = get.filter.as_ref().map(|_| work::stopped_by(&budget.stop()));
    of_current_table(core, name, || {
        let (table, opened) = open(core, name, get, budget)?;
        let exists = match opened {
            Opened::Answer(row) => !row.cells.is_empty(),
            Opened::Stored(stored) => has_cell(&table, &mut stored.open(get)?, budget)?,
            Opened::Rows(mut rows, _) => has_cell(&table, &mut rows, budget)?,
        };
        table.count_reads(&get.row, 1, 0);
        Ok(exists)
    })
}

fn has_cell(table: &TableState, rows: &mut RegionScanner, budget: &dyn Budget) -> Result<bool> {
    let exists = rows.has_cell(budget)?;
    table.count_garbage(rows.take_garbage_bytes());
    Ok(exists)
}

/// A get that has been validated and opened.
enum Opened {
    /// The answer, from what a cached row remembers.
    Answer(Row),
    /// A row of the store, of which the newest version of each column is read.
    Stored(StoredRow),
    /// A scanner over the row, and the cached row if it reads from one.
    Rows(Box<RegionScanner>, Option<Arc<CachedRow>>),
}

/// Whether a get requests the newest version of every column, as most gets do.
fn is_whole(get: &Get) -> bool {
    get.columns.is_all() && is_of_newest(get)
}

/// Whether a get requests the newest version of some columns or of all.
fn is_of_newest(get: &Get) -> bool {
    get.max_versions == 1
        && get.filter.is_none()
        && !get.raw
        && get.store_limit < 0
        && get.store_offset <= 0
        && get.time_range == TimeRange::ALL
}

/// Validates and opens a get. Also returns the state of the table that it reads.
fn open(core: &Core, name: &TableName, get: &Get, budget: &dyn Budget) -> Result<(Arc<TableState>, Opened)> {
    core.catalog.with_shared_lock(name, |table| open_in(core, table, get, budget))
}

/// As [`open`], of the state of a table whose shared lock the caller holds.
fn open_in(core: &Core, table: &Arc<TableState>, get: &Get, budget: &dyn Budget) -> Result<(Arc<TableState>, Opened)> {
    check_row(&get.row)?;
    if get.max_versions <= 0 {
        return Err(Error::invalid("versions must be positive").with_remedy("ask for 1 or more"));
    }
    table.check_readable()?;
    let families = table.families();
    // Raw gets and gets with a time range bypass the cache: they can return cells that a compaction has dropped
    // since they were cached, or that are not cached for that reason.
    let found = if get.raw || get.time_range != TimeRange::ALL {
        Lookup::Miss
    } else {
        core.row_cache.find(table.number(), &get.row, families, &*core.store)
    };
    if is_of_newest(get)
        && let Some(answer) = remembered(&found, &get.columns, families)
    {
        return Ok((Arc::clone(table), Opened::Answer(answer)));
    }
    if get.filter.is_some() {
        WorkLimit::charge_unbounded()?;
    }
    let filter = get.filter.as_ref().map(|spec| spec.start(false)).transpose()?;
    let plans = plans(table, get)?;
    let from = key::row_prefix(&get.row);
    let to = key::row_end(&from);
    let wanted = |space| plans.iter().any(|plan| plan.family.space == space);
    let (snapshot, cached) = match source(core, found, table, wanted, (&from, &to))? {
        Source::Cached(_, _, Some(packed))
            if is_of_newest(get)
                && let Some(answer) = of_packed(&packed, &get.columns, families) =>
        {
            return Ok((Arc::clone(table), Opened::Answer(answer)));
        }
        Source::Cached(row, rest, _) => {
            (Arc::new(PartlyCachedRow { row: Arc::clone(&row), rest }) as Arc<dyn Snapshot>, Some(row))
        }
        Source::Stored(snapshot) if is_of_newest(get) => {
            let reader = Arc::new(Reader { snapshot, now: core.store.now_ms(), stop: budget.stop() });
            let stored = StoredRow { plans, reader, extent: KeyRange { from, to } };
            return Ok((Arc::clone(table), Opened::Stored(stored)));
        }
        Source::Stored(snapshot) => (snapshot, None),
    };
    let reader = Reader { snapshot, now: core.store.now_ms(), stop: budget.stop() };
    let rows = scanner(plans, get, filter, reader, KeyRange { from, to })?;
    Ok((Arc::clone(table), Opened::Rows(Box::new(rows), cached)))
}

/// The selection of a get in each family.
fn plans(table: &TableState, get: &Get) -> Result<Vec<FamilyScan>> {
    let selection = Selection {
        columns: &get.columns,
        max_versions: get.max_versions,
        filtered: get.filter.is_some(),
        raw: get.raw,
    };
    FamilyScan::all(table.families(), &selection, |_| get.time_range, &|family| table.no_family(family, &get.row))
}

/// A scanner over the row of a get, whose keys are `extent`.
fn scanner(
    plans: Vec<FamilyScan>,
    get: &Get,
    filter: Option<Box<dyn Filter>>,
    reader: Reader,
    extent: KeyRange,
) -> Result<RegionScanner> {
    RegionScanner::open(plans, &Arc::new(reader), row_scan(get, filter, extent))
}

/// The scan of the row of a get, whose keys are `extent`.
pub(super) fn row_scan(get: &Get, filter: Option<Box<dyn Filter>>, extent: KeyRange) -> RegionScan {
    let limit = (get.store_limit >= 0).then_some(get.store_limit);
    let window = Window { offset: get.store_offset.max(0), limit };
    RegionScan { order: Order::Ascending, extent, batch: None, window, filter, closed: Vec::new() }
}

/// Reads the whole of a small cached row, of which a get has read some columns, so that it answers further ones.
fn remember_whole(core: &Core, table: &TableState, row: &Bytes, cached: &Arc<CachedRow>) -> Result<()> {
    let get = Get::new(row.clone());
    let from = key::row_prefix(row);
    let to = key::row_end(&from);
    let snapshot = Arc::new(PartlyCachedRow { row: Arc::clone(cached), rest: None });
    let reader = Reader { snapshot, now: core.store.now_ms(), stop: Stop::never() };
    let mut rows = scanner(plans(table, &get)?, &get, None, reader, KeyRange { from, to })?;
    cached.remember(&rows.next(&Unlimited)?.unwrap_or_default());
    Ok(())
}

/// The answer to a get of the newest versions, if a cached row shows it without being evaluated.
fn remembered(found: &Lookup, columns: &Columns, families: &[Family]) -> Option<Row> {
    match found {
        Lookup::Packed(packed) => of_packed(packed, columns, families),
        Lookup::Hit(row, _) => of_columns(row.answer()?, columns, families),
        Lookup::Admitted(_) | Lookup::Miss => None,
    }
}

/// Whether a table has all families that these columns name.
fn has_families(columns: &Columns, families: &[Family]) -> bool {
    let is_known = |name: &Bytes| families.binary_search_by(|family| family.name.cmp(name)).is_ok();
    columns.families().all(|(name, _)| is_known(name))
}

/// The part of a packed row that these columns select; `None` if the table does not have all of their families.
pub(super) fn of_packed(packed: &PackedRow, columns: &Columns, families: &[Family]) -> Option<Row> {
    has_families(columns, families).then(|| packed.to_row(|family, qualifier| columns.contains(family, qualifier)))
}

/// The part of a whole row that these columns select; `None` if the table does not have all of their families.
pub(super) fn of_columns(whole: &Row, columns: &Columns, families: &[Family]) -> Option<Row> {
    if columns.is_all() {
        return Some(whole.clone());
    }
    if !has_families(columns, families) {
        return None;
    }
    let cells: Vec<_> =
        whole.cells.iter().filter(|cell| columns.contains(&cell.family, &cell.qualifier)).cloned().collect();
    Some(if cells.is_empty() { Row::default() } else { Row { key: whole.key.clone(), cells, partial: false } })
}

/// The source of a row.
enum Source {
    /// The row cache; families that are not cached, a snapshot of the same state. And the whole row in its packed form,
    /// if it has just been packed.
    Cached(Arc<CachedRow>, Option<Arc<dyn Snapshot>>, Option<PackedRow>),
    /// A snapshot of the store.
    Stored(Arc<dyn Snapshot>),
}

/// Determines where to read the wanted families of a row from, and caches those that should be cached. The row's keys
/// lie in `from <= key < to`.
fn source(
    core: &Core,
    found: Lookup,
    table: &TableState,
    wanted: impl Fn(SpaceId) -> bool,
    (from, to): (&[u8], &[u8]),
) -> Result<Source> {
    let families = table.families();
    let (row, admission) = match found {
        Lookup::Packed(packed) => {
            return Ok(match packed.unpack(families) {
                Some(row) => Source::Cached(Arc::new(row), None, None),
                None => Source::Stored(core.store.snapshot()?),
            });
        }
        Lookup::Hit(row, _) if row.has(&wanted) => return Ok(Source::Cached(row, None, None)),
        Lookup::Hit(row, admission) => (row, admission),
        Lookup::Admitted(admission) => (Arc::new(CachedRow::unread(families)), admission),
        Lookup::Miss => return Ok(Source::Stored(core.store.snapshot()?)),
    };
    let snapshot = core.store.snapshot()?;
    if !core.row_cache.is_unchanged(&admission, core.store.generation()) {
        // The cached families may be older than the snapshot.
        return Ok(Source::Stored(snapshot));
    }
    let more = read_for_cache(&row, table, &wanted, &snapshot, (from, to), core.store.now_ms());
    let (row, packed) = match more? {
        Some(more) if more.is_too_large() => {
            core.row_cache.refuse_admitted(&admission);
            return Ok(Source::Stored(snapshot));
        }
        Some(more) => {
            let more = Arc::new(more);
            let packed = core.row_cache.put(admission, &more);
            (more, packed)
        }
        None => (row, None),
    };
    let rest = (!row.has(&wanted)).then_some(snapshot);
    Ok(Source::Cached(row, rest, packed))
}

/// Reads the wanted families of a row for the row cache, as [`CachedRow::with`] does. The row's keys lie in
/// `from <= key < to`. `now_ms` is the time by which cells expire.
fn read_for_cache(
    row: &CachedRow,
    table: &TableState,
    wanted: impl Fn(SpaceId) -> bool,
    snapshot: &Arc<dyn Snapshot>,
    (from, to): (&[u8], &[u8]),
    now_ms: i64,
) -> Result<Option<CachedRow>> {
    // A cached row is bounded in pairs and bytes.
    work_limit::charge_seeks(table.families().len())?;
    let charge = |seeks, pairs| work_limit::charge_seeks(seeks).and_then(|()| work_limit::charge(pairs, 0));
    let garbage = Cell::new(0);
    let more = row.with(wanted, &RowSource { snapshot, from, to, now_ms, charge: &charge, garbage: &garbage });
    table.count_garbage(garbage.get());
    more
}

/// A whole row for the row cache, as a transaction that has locked it sees it. Cells expire by the time `now`, in
/// milliseconds.
///
/// # Errors
/// Those of the store.
pub(crate) fn whole_row(snapshot: &Arc<dyn Snapshot>, table: &TableState, row: &[u8], now: i64) -> Result<CachedRow> {
    let from = key::row_prefix(row);
    let to = key::row_end(&from);
    let unread = CachedRow::unread(table.families());
    let read = work_limit::read_in_transaction(ROW_WORK, || {
        read_for_cache(&unread, table, |_| true, snapshot, (&from, &to), now)
    })?;
    Ok(read.unwrap_or(unread))
}

/// A read of the newest visible versions of one column, newest first. Increments, appends, checks and deletes of a
/// newest version make it.
pub(crate) struct ColumnRead<'a> {
    pub family: &'a Family,
    pub row: &'a [u8],
    pub qualifier: &'a [u8],
    /// The largest number of versions. There are never more than VERSIONS.
    pub count: usize,
    /// The time by which cells expire, in milliseconds.
    pub now: i64,
}

/// The versions that the read finds.
///
/// # Errors
/// Those of the store.
pub(crate) fn newest(snapshot: &Arc<dyn Snapshot>, read: &ColumnRead<'_>) -> Result<Vec<Stored>> {
    let mut found = Vec::new();
    each_newest(snapshot, read, &mut |timestamp, value| found.push(Stored { timestamp, value }))?;
    Ok(found)
}

/// The timestamps of the versions that [`newest`] returns, without keeping their values.
///
/// # Errors
/// Those of the store.
pub(crate) fn newest_times(snapshot: &Arc<dyn Snapshot>, read: &ColumnRead<'_>) -> Result<Vec<i64>> {
    let mut found = Vec::new();
    each_newest(snapshot, read, &mut |timestamp, _| found.push(timestamp))?;
    Ok(found)
}

fn each_newest(
    snapshot: &Arc<dyn Snapshot>,
    &ColumnRead { family, row, qualifier, count, now }: &ColumnRead<'_>,
    each: &mut dyn FnMut(i64, Value),
) -> Result<()> {
    work_limit::read_in_transaction(COLUMN_WORK, || {
        let prefix = key::row_prefix(row);
        let to = key::prefix_end(&key::column_prefix(&prefix, qualifier));
        let reader = Arc::new(Reader { snapshot: Arc::clone(snapshot), now, stop: Stop::never() });
        let plan = FamilyScan::column(family, qualifier, i32::try_from(count).unwrap_or(i32::MAX));
        let pairs = Pairs::read(snapshot, family.space, (&prefix, &to), COLUMN_PAIRS, &reader.stop)?;
        let mut cursor = FamilyCursor::over(plan, &reader, pairs);
        if cursor.next_row()?.is_some() {
            cursor.open_row(&prefix, &Bytes::copy_from_slice(row))?;
            while let Some(version) = cursor.next_version()? {
                each(version.timestamp, Value { ttl_ms: version.ttl_ms, sequence: None, bytes: version.value });
            }
        }
        Ok(())
    })
}
