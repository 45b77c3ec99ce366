//! The table that a connection has named last, so that its next call need not look it up.

use std::sync::{PoisonError, TryLockError};

use hjall_engine::name::TableName;

use super::context::CallContext;
use crate::dispatch::caller::LastTable;

/// Passes the table of this name to `work`, which also returns whether the table has been dropped. Returns `None` if
/// there is no such table, or if another call of the connection is using its last table. The method then has to be run,
/// which reports errors in the name.
pub fn with_table<T>(
    context: &CallContext<'_>,
    name: &[u8],
    work: impl FnOnce(&mut LastTable) -> (T, bool),
) -> Option<T> {
    let mut last = match context.scope.caller.last_table.try_lock() {
        Ok(last) => last,
        Err(TryLockError::Poisoned(last)) => PoisonError::into_inner(last),
        // A connection has one call at a time, except over HTTP.
        Err(TryLockError::WouldBlock) => return None,
    };
    let table = match &mut *last {
        Some(table) if *table.name == *name => table,
        last => last.insert(look_up(context, name)?),
    };
    let (result, is_dropped) = work(table);
    if is_dropped {
        // Another table may have the name by now.
        *last = None;
    }
    Some(result)
}

fn look_up(context: &CallContext<'_>, name: &[u8]) -> Option<LastTable> {
    let table = context.engine.table_named(TableName::parse(name).ok()?);
    Some(LastTable { name: name.into(), rows: table.remembered_rows().ok()?, table: table.known().ok()? })
}
