//! Reads of rows that the row cache remembers. They are the most frequent calls, and are answered directly from their
//! encoded arguments, with the table that the connection has named last.

use std::borrow::Borrow;
use std::sync::Arc;

use hjall_engine::request::Columns;
use hjall_engine::{Error, Row};

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

/// The answer to such a read.
pub enum Remembered {
    /// All cells.
    Whole(Arc<Row>),
    /// The cells of the requested columns.
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
    /// The answer; `None` if it is not remembered, so that the method has to be run.
    ///
    /// # Errors
    /// The call is not allowed, or its budget is exhausted; `refuse` converts the error of the budget.
    pub fn find(
        &self,
        context: &CallContext<'_>,
        method: Method,
        refuse: impl FnOnce(Error) -> Fault,
    ) -> Result<Option<Remembered>, Fault> {
        permission::check(context, method, &self.table)?;
        let found = last_table::with_table(context, self.table, |LastTable { rows, .. }| {
            let found = match self.columns.is_all() {
                true => rows.get(self.row, context.scope).map(|row| row.map(Remembered::Whole)),
                false => {
                    let part = rows.get_columns(self.row, &self.columns, context.scope);
                    part.map(|row| row.map(Remembered::Part))
                }
            };
            let is_dropped = matches!(found, Ok(None)) && rows.is_dropped();
            (found, is_dropped)
        });
        found.unwrap_or(Ok(None)).map_err(refuse)
    }
}
