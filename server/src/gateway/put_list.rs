//! Lists of puts, run directly from their encoded arguments, with the table that the connection has named last. No part
//! of the message is copied before the engine encodes the cells.

use hjall_engine::Error;
use hjall_engine::mutation::{PutCellOf, PutOf};
use thrift::protocol::TType;

use super::context::CallContext;
use super::short_put::Nothing;
use super::{last_table, permission};
use crate::dispatch::caller::LastTable;
use crate::wire::fault::Fault;
use crate::wire::fields::{Fields, Unusual};
use crate::wire::method::Method;
use crate::wire::reply::Output;

/// The memory that is claimed at once for decoded puts, in bytes.
const CLAIM_STEP: usize = 16 << 10;

/// The memory of a put besides its bytes: it, its result, and its lock.
const PUT_BYTES: usize = size_of::<PutOf<&[u8]>>() + 256;

/// The memory of a cell besides its bytes: it, and its writes in the transaction, before and after they have been
/// sorted, in the batch of the store and in the memtable.
const CELL_BYTES: usize = size_of::<PutCellOf<&[u8]>>() + 464;

/// Puts whose rows and cells belong to a message.
pub struct PutList<'a> {
    /// The table.
    pub table: &'a [u8],
    /// At least one put.
    pub puts: Vec<PutOf<&'a [u8]>>,
}

impl PutList<'_> {
    /// Writes the cells, and the result of the method. Returns `None`, and has no effect, if the method has to be run.
    ///
    /// `as_fault` converts the errors of the puts that have failed to a fault, and `answer` writes the result with a
    /// fault.
    pub fn run(
        &self,
        context: &CallContext<'_>,
        method: Method,
        output: &mut Output<'_>,
        as_fault: impl FnOnce(&[Error]) -> Fault,
        answer: impl FnOnce(Fault, &mut Output<'_>) -> Result<(), Fault>,
    ) -> Option<Result<(), Fault>> {
        // If one of the puts is malformed, the method answers, before it writes any.
        let cell_bytes_max = context.engine.limits().client_cell_bytes;
        for put in &self.puts {
            put.validate().and_then(|()| put.check_cell_bytes(cell_bytes_max)).ok()?;
        }
        let done = match permission::check(context, method, &self.table) {
            Ok(()) => {
                let put = |LastTable { table, .. }: &mut LastTable| (table.put_many(&self.puts), false);
                let results = last_table::with_table(context, self.table, put)?;
                let errors: Vec<_> = results.into_iter().filter_map(Result::err).collect();
                if errors.is_empty() { Ok(()) } else { Err(as_fault(&errors)) }
            }
            Err(denied) => Err(denied),
        };
        Some(match done {
            Ok(()) => output.append(&Nothing).map_err(Fault::from),
            Err(fault) => answer(fault, output),
        })
    }
}

/// The memory of the puts of a call. It is claimed before it is used.
pub struct PutMemory<'a> {
    context: &'a CallContext<'a>,
    claimed: usize,
    unclaimed: usize,
}

impl<'a> PutMemory<'a> {
    /// The memory of a call with arguments of this size. The transaction has a copy of the cells.
    ///
    /// # Errors
    /// There is no room for the copy.
    pub fn of(context: &'a CallContext<'a>, arguments: usize) -> Result<Self, Unusual> {
        let mut memory = Self { context, claimed: 0, unclaimed: 0 };
        memory.claim(arguments)?;
        Ok(memory)
    }

    /// Counts memory that is about to be used, in bytes.
    fn take(&mut self, bytes: usize) -> Result<(), Unusual> {
        self.unclaimed = self.unclaimed.saturating_add(bytes);
        if self.unclaimed < CLAIM_STEP { Ok(()) } else { self.claim(0) }
    }

    fn claim(&mut self, more: usize) -> Result<(), Unusual> {
        let bytes = std::mem::take(&mut self.unclaimed).saturating_add(more);
        if !self.context.scope.try_claim_request(bytes) {
            return Err(Unusual);
        }
        self.claimed += bytes;
        Ok(())
    }

    /// Releases the memory, because the method has to be run. It claims its own, and reports that there is none.
    pub fn release(self) {
        self.context.scope.release_request(self.claimed);
    }
}

/// Reads a list of puts. `read` reads one.
pub fn read_puts<'a>(
    fields: &mut Fields<'a>,
    memory: &mut PutMemory<'_>,
    mut read: impl FnMut(&mut Fields<'a>, &mut PutMemory<'_>) -> Result<PutOf<&'a [u8]>, Unusual>,
) -> Result<Vec<PutOf<&'a [u8]>>, Unusual> {
    let many = fields.list(TType::Struct)?;
    if many == 0 {
        return Err(Unusual);
    }
    let mut puts = Vec::new();
    for n in 0..many {
        if puts.len() == puts.capacity() {
            // The list may announce more elements than follow.
            let more = (many - n).min(puts.len().max(1024));
            memory.take(more * PUT_BYTES)?;
            puts.reserve_exact(more);
        }
        puts.push(fields.within(|fields| read(fields, memory))?);
    }
    Ok(puts)
}

/// Reads the list of the cells of a put. `read` reads one.
pub fn read_cells<'a>(
    fields: &mut Fields<'a>,
    memory: &mut PutMemory<'_>,
    mut read: impl FnMut(&mut Fields<'a>) -> Result<PutCellOf<&'a [u8]>, Unusual>,
) -> Result<Vec<PutCellOf<&'a [u8]>>, Unusual> {
    let many = fields.list(TType::Struct)?;
    if many == 0 {
        return Err(Unusual);
    }
    memory.take(many.saturating_mul(CELL_BYTES))?;
    let mut cells = Vec::with_capacity(many);
    for _ in 0..many {
        cells.push(fields.within(&mut read)?);
    }
    Ok(cells)
}
