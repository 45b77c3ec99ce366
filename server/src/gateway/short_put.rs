//! Puts of a few cells of one row. They are the most frequent writes, and are run directly from their encoded
//! arguments, with the table that the connection has named last. No part of the message is copied before the engine
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
use crate::wire::reply::Output;
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
    /// Writes the cells, and the result of the method. Returns `None`, and has no effect, if the method has to be run.
    ///
    /// `as_fault` converts the error of the put to a fault, and `answer` writes the result with a fault.
    pub fn run(
        &self,
        context: &CallContext<'_>,
        method: Method,
        output: &mut Output<'_>,
        as_fault: impl FnOnce(Error) -> Fault,
        answer: impl FnOnce(Fault, &mut Output<'_>) -> Result<(), Fault>,
    ) -> Option<Result<(), Fault>> {
        let done = match permission::check(context, method, &self.table) {
            Ok(()) => {
                let put = |LastTable { table, .. }: &mut LastTable| (table.put(&self.put), false);
                last_table::with_table(context, self.table, put)?.map_err(as_fault)
            }
            Err(denied) => Err(denied),
        };
        Some(match done {
            Ok(()) => output.append(&Nothing).map_err(Fault::from),
            Err(fault) => answer(fault, output),
        })
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
pub(super) struct Nothing;

impl WriteWith for Nothing {
    fn write(&self, writer: &mut impl Writer) {
        writer.stop();
    }
}
