//! Reads of rows that the row cache remembers. They are the most frequent calls, and are answered straight from their
//! encoded arguments, with the table that the connection has named last.

use std::borrow::Borrow;
use std::sync::{Arc, PoisonError, TryLockError};

use hjall_engine::name::TableName;
use hjall_engine::request::Columns;
use hjall_engine::{Error, Row};

use super::context::CallContext;
use super::permission;
use crate::dispatch::caller::LastTable;
use crate::wire::fault::Fault;
use crate::wire::method::Method;

/// The most columns that such a read may name.
pub const COLUMNS_MAX: usize = 32;

/// A read of the newest cells of a row.
pub struct RowRead<'a> {
    /// The table.
    pub table: &'a [u8],
    /// The row.
    pub row: &'a [u8],
    /// The columns.
    pub columns: Columns,
}

/// The answer to such a read.
pub enum Remembered {
    /// All cells.
    Whole(Arc<Row>),
    /// Those of the columns.
    Part(Row),
}

impl Borrow<Row> for Remembered {
    fn borrow(&self) -> &Row {
        match self {
            Self::Whole(row) => row,
            Self::Part(row) => row,
        }
    }
}

impl RowRead<'_> {
    /// The answer, or `None` if it is not remembered: then the method has to be run.
    ///
    /// # Errors
    /// The call is not allowed, or `refuse` has made a fault of the error of its budget.
    pub fn find(
        &self,
        context: &CallContext<'_>,
        method: Method,
        refuse: impl FnOnce(Error) -> Fault,
    ) -> Result<Option<Remembered>, Fault> {
        permission::check(context, method, &self.table)?;
        let mut last = match context.scope.caller.last_table.try_lock() {
            Ok(last) => last,
            Err(TryLockError::Poisoned(last)) => PoisonError::into_inner(last),
            // A connection has one call at a time, except over HTTP.
            Err(TryLockError::WouldBlock) => return Ok(None),
        };
        let table = match &mut *last {
            Some(table) if *table.name == *self.table => table,
            last => match self.resolve(context) {
                Some(table) => last.insert(table),
                None => return Ok(None),
            },
        };
        let found = match self.columns.is_all() {
            true => table.rows.get(self.row, context.scope).map(|row| row.map(Remembered::Whole)),
            false => {
                let part = table.rows.get_columns(self.row, &self.columns, context.scope);
                part.map(|row| row.map(Remembered::Part))
            }
        };
        let found = found.map_err(refuse)?;
        if found.is_none() && table.rows.is_dropped() {
            // Another table may have the name by now.
            *last = None;
        }
        Ok(found)
    }

    /// Looks the table up. The method reports what is wrong with its name.
    fn resolve(&self, context: &CallContext<'_>) -> Option<LastTable> {
        let name = TableName::parse(self.table).ok()?;
        let rows = context.engine.table_named(name).remembered_rows().ok()?;
        Some(LastTable { name: self.table.into(), rows })
    }
}
