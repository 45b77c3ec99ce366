//! Reading one row.

use std::sync::Arc;

use bytes::Bytes;

use super::family::FamilyWalk;
use super::hot::{Found, HotRow};
use super::plan::{Plan, Reader, Wish};
use super::region::{RegionRows, Task};
use super::sieve::Window;
use super::stop::Stop;
use crate::catalog::Family;
use crate::cell::Row;
use crate::engine::Core;
use crate::error::{Error, Result};
use crate::key;
use crate::name::TableName;
use crate::request::{Get, TimeRange, check_row};
use crate::store::{Order, Snapshot};
use crate::value::Value;

/// One version of a column as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Stored {
    /// Milliseconds since 1970.
    pub(crate) timestamp: i64,
    /// The value, and how long it lives.
    pub(crate) value: Value,
}

/// What a get returns.
///
/// # Errors
/// Those of the table (missing, disabled), `FamilyNotFound`, `InvalidArgument` for a bad row or no version; those of store and filter.
pub(crate) fn get(core: &Core, name: &TableName, get: &Get) -> Result<Row> {
    let (mut rows, hot) = match open(core, name, get)? {
        Opened::Answer(row) => return Ok(row),
        Opened::Rows(rows, hot) => (*rows, hot),
    };
    let row = rows.next()?.unwrap_or_default();
    if let Some(hot) = hot.filter(|_| is_whole(get)) {
        hot.remember(&row);
    }
    Ok(row)
}

/// Whether the same get would return a cell.
///
/// # Errors
/// As for [`get`].
pub(crate) fn exists(core: &Core, name: &TableName, get: &Get) -> Result<bool> {
    match open(core, name, get)? {
        Opened::Answer(row) => Ok(!row.cells.is_empty()),
        Opened::Rows(mut rows, _) => rows.has_cell(),
    }
}

/// A get that has been checked.
enum Opened {
    /// It was answered before, and nothing changed since.
    Answer(Row),
    /// It has to be read, perhaps from what is kept in memory.
    Rows(Box<RegionRows>, Option<Arc<HotRow>>),
}

/// Whether a get asks for the newest version of every column, as most do.
fn is_whole(get: &Get) -> bool {
    get.columns.is_all()
        && get.max_versions == 1
        && get.filter.is_none()
        && !get.raw
        && get.store_limit < 0
        && get.store_offset <= 0
        && get.time_range == TimeRange::ALL
}

fn open(core: &Core, name: &TableName, get: &Get) -> Result<Opened> {
    check_row(&get.row)?;
    if get.max_versions <= 0 {
        return Err(Error::invalid("versions must be positive"));
    }
    core.catalog.hold(name, |table| {
        table.check_readable()?;
        let families = table.families();
        let found = core.hot.find(table.row_lock(&get.row), families);
        if let Found::Row(row) = &found
            && is_whole(get)
            && let Some(answer) = row.answer()
        {
            return Ok(Opened::Answer(answer.clone()));
        }
        let filter = get.filter.as_ref().map(|spec| spec.start(false)).transpose()?;
        let wish =
            Wish { columns: &get.columns, max_versions: get.max_versions, filtered: filter.is_some(), raw: get.raw };
        let unknown = |family: &[u8]| table.no_family(family, &get.row);
        let plans = Plan::all(families, &wish, |_| get.time_range, &unknown)?;
        let from = key::row_prefix(&get.row);
        let to = key::row_end(&from);
        let limit = (get.store_limit >= 0).then_some(get.store_limit);
        let window = Window { offset: get.store_offset.max(0), limit };
        let (snapshot, hot) = match source(core, found, families, &from, &to)? {
            Source::Hot(row) => (Arc::clone(&row) as Arc<dyn Snapshot>, Some(row)),
            Source::Stored(snapshot) => (snapshot, None),
        };
        let reader = Reader { snapshot, now: core.store.now_ms(), stop: Stop::default() };
        let task = Task { order: Order::Ascending, from, to, batch: None, window, filter };
        Ok(Opened::Rows(Box::new(RegionRows::open(plans, &Arc::new(reader), task)?), hot))
    })
}

/// Where a row is read from.
enum Source {
    /// As it is kept in memory.
    Hot(Arc<HotRow>),
    /// All that is stored.
    Stored(Arc<dyn Snapshot>),
}

fn source(core: &Core, found: Found, families: &Arc<[Family]>, from: &[u8], to: &[u8]) -> Result<Source> {
    match found {
        Found::Row(row) => Ok(Source::Hot(row)),
        Found::Nothing => Ok(Source::Stored(core.store.snapshot()?)),
        Found::Wanted(place) => {
            let snapshot = core.store.snapshot()?;
            let Some(row) = HotRow::read(&snapshot, families, from, to)? else {
                core.hot.refuse(&place);
                return Ok(Source::Stored(snapshot));
            };
            let row = Arc::new(row);
            core.hot.put(place, &row);
            Ok(Source::Hot(row))
        }
    }
}

/// The newest visible versions of one column, newest first: at most `count`, at most VERSIONS. What increments, appends, checks and
/// deletes of a newest version look at. `now` is the time by which cells expire, in milliseconds.
///
/// # Errors
/// Those of the store.
pub(crate) fn newest(
    snapshot: &Arc<dyn Snapshot>,
    family: &Family,
    row: &[u8],
    qualifier: &[u8],
    count: usize,
    now: i64,
) -> Result<Vec<Stored>> {
    let prefix = key::row_prefix(row);
    let to = key::prefix_end(&key::column_prefix(&prefix, qualifier));
    let reader = Arc::new(Reader { snapshot: Arc::clone(snapshot), now, stop: Stop::default() });
    let plan = Plan::column(family, qualifier, i32::try_from(count).unwrap_or(i32::MAX));
    let mut walk = FamilyWalk::open(plan, &reader, &prefix, &to, Order::Ascending)?;
    let mut found = Vec::new();
    if walk.next_row()?.is_some() {
        walk.open_row(&prefix, &Bytes::copy_from_slice(row))?;
        while let Some(version) = walk.next_version()? {
            let value = Value { ttl_ms: version.ttl_ms, sequence: None, bytes: version.value };
            found.push(Stored { timestamp: version.timestamp, value });
        }
    }
    Ok(found)
}
