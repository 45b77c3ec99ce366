//! Puts of a few cells of one row. They are the most frequent writes, and are run straight from their encoded
//! arguments, with the table that the connection has named last. Nothing of the message is copied before the engine
//! encodes the cells.

use hjall_engine::Error;
use hjall_engine::mutation::{PutCellOf, PutOf};
use thrift::protocol::TType;

use super::context::CallContext;
use super::{last_table, permission};
use crate::dispatch::caller::LastTable;
use crate::wire::fault::Fault;
use crate::wire::fields::{Fields, Unusual};
use crate::wire::method::Method;
use crate::wire::writer::{WriteWith, Writer};

/// The most cells of such a put.
const CELLS_MAX: usize = 16;

/// A put whose row and cells belong to a message.
pub struct ShortPut<'a> {
    /// The table.
    pub table: &'a [u8],
    /// At least one cell.
    pub put: PutOf<&'a [u8]>,
}

impl ShortPut<'_> {
    /// Writes the cells. `None`, with nothing done: the method has to be run.
    ///
    /// # Errors
    /// The call is not allowed, or `refuse` has made a fault of the error of the put.
    pub fn run(
        &self,
        context: &CallContext<'_>,
        method: Method,
        refuse: impl FnOnce(Error) -> Fault,
    ) -> Option<Result<(), Fault>> {
        if let Err(fault) = permission::check(context, method, &self.table) {
            return Some(Err(fault));
        }
        let done =
            last_table::with_table(context, self.table, |LastTable { table, .. }| (table.put(&self.put), false))?;
        Some(done.map_err(refuse))
    }
}

/// Reads a list of cells. `read` reads one.
pub fn read_cells<'a>(
    fields: &mut Fields<'a>,
    mut read: impl FnMut(&mut Fields<'a>) -> Result<PutCellOf<&'a [u8]>, Unusual>,
) -> Result<Vec<PutCellOf<&'a [u8]>>, Unusual> {
    let many = fields.list(TType::Struct)?;
    if !(1..=CELLS_MAX).contains(&many) {
        return Err(Unusual);
    }
    let mut cells = Vec::with_capacity(many);
    for _ in 0..many {
        cells.push(fields.within(&mut read)?);
    }
    Ok(cells)
}

/// The result of a method that returns nothing and has succeeded.
pub struct Nothing;

impl WriteWith for Nothing {
    fn write(&self, writer: &mut impl Writer) {
        writer.stop();
    }
}
