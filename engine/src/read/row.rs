//! Reading one row.

use std::sync::Arc;

use bytes::Bytes;

use super::family::FamilyWalk;
use super::hot::{Found, HotRow};
use super::plan::{Plan, Reader, Wish};
use super::region::{RegionRows, Task};
use super::sieve::Window;
use super::stop::Stop;
use crate::catalog::{Family, TableState};
use crate::cell::Row;
use crate::engine::Core;
use crate::error::{Error, Result};
use crate::key;
use crate::name::TableName;
use crate::request::{Get, check_row};
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
    Ok(open(core, name, get)?.next()?.unwrap_or_default())
}

/// Whether the same get would return a cell.
///
/// # Errors
/// As for [`get`].
pub(crate) fn exists(core: &Core, name: &TableName, get: &Get) -> Result<bool> {
    open(core, name, get)?.has_cell()
}

fn open(core: &Core, name: &TableName, get: &Get) -> Result<RegionRows> {
    check_row(&get.row)?;
    if get.max_versions <= 0 {
        return Err(Error::invalid("versions must be positive"));
    }
    core.catalog.hold(name, |table| {
        table.check_readable()?;
        let filter = get.filter.as_ref().map(|spec| spec.start(false)).transpose()?;
        let wish =
            Wish { columns: &get.columns, max_versions: get.max_versions, filtered: filter.is_some(), raw: get.raw };
        let unknown = |family: &[u8]| table.no_family(family, &get.row);
        let plans = Plan::all(table.families(), &wish, |_| get.time_range, &unknown)?;
        let from = key::row_prefix(&get.row);
        let to = key::row_end(&from);
        let limit = (get.store_limit >= 0).then_some(get.store_limit);
        let window = Window { offset: get.store_offset.max(0), limit };
        let snapshot = stored(core, table, &get.row, &from, &to)?;
        let reader = Reader { snapshot, now: core.store.now_ms(), stop: Stop::default() };
        RegionRows::open(
            plans,
            &Arc::new(reader),
            Task { order: Order::Ascending, from, to, batch: None, window, filter },
        )
    })
}

/// Where to read a row from: as it is kept in memory, or all that is stored.
fn stored(core: &Core, table: &TableState, row: &[u8], from: &[u8], to: &[u8]) -> Result<Arc<dyn Snapshot>> {
    let spaces = || table.families().iter().map(|family| family.space);
    match core.hot.find(table.row_lock(row)) {
        Found::Row(row) if row.is_of(spaces()) => Ok(row),
        Found::Wanted(place) => {
            let snapshot = core.store.snapshot()?;
            let Some(row) = HotRow::read(&snapshot, spaces(), from, to)? else {
                core.hot.refuse(&place);
                return Ok(snapshot);
            };
            let row = Arc::new(row);
            core.hot.put(place, &row);
            Ok(row)
        }
        Found::Row(_) | Found::Nothing => core.store.snapshot(),
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
