//! Reads of the newest cells of one row. They are the most frequent calls, and are answered directly from their encoded
//! arguments, with the table that the connection has named last, and mostly with a row that the row cache remembers.

use hjall_engine::Error;
use hjall_engine::read::RememberedRow;
use hjall_engine::request::Columns;

use super::context::CallContext;
use super::{last_table, permission};
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

impl RowRead<'_> {
    /// The answer; `None` if the method has to be run.
    ///
    /// # Errors
    /// The call is not allowed, or its budget is exhausted; `refuse` converts the error of the budget.
    pub fn find(
        &self,
        context: &CallContext<'_>,
        method: Method,
        refuse: impl FnOnce(Error) -> Fault,
    ) -> Result<Option<RememberedRow>, Fault> {
        permission::check(context, method, &self.table)?;
        let found = last_table::with_table(context, self.table, |LastTable { rows, .. }| {
            let remembered = match self.columns.is_all() {
                true => rows.get(self.row, context.scope),
                false => rows.get_columns(self.row, &self.columns, context.scope),
            };
            let read = || rows.read(self.row, &self.columns, context.scope);
            let found = match remembered {
                // The method reports errors, such as that of an unknown family.
                Ok(None) => Ok(read().ok().flatten().map(RememberedRow::Own)),
                known => known,
            };
            let is_dropped = matches!(found, Ok(None)) && rows.is_dropped();
            (found, is_dropped)
        });
        found.unwrap_or(Ok(None)).map_err(refuse)
    }
}
