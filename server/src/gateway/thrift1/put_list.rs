//! `mutateRows` that only puts, run directly from its encoded arguments.

use hjall_engine::Error;
use hjall_engine::mutation::{Durability, PutOf};
use hjall_idl::hbase1::MutateRowsResult;
use thrift::protocol::{TSerializable, TType};

use super::error::{ia, io, io_error};
use super::short_put::read_cell;
use crate::gateway::context::CallContext;
use crate::gateway::error::Raised;
use crate::gateway::put_list::{PutList, PutMemory, read_cells, read_puts};
use crate::wire::Encoding;
use crate::wire::fault::Fault;
use crate::wire::fields::{Fields, Unusual};
use crate::wire::method::{Method, Thrift1};
use crate::wire::reply::Output;

/// Runs such a call. Returns `None`, and has no effect, if the arguments have another form.
pub fn put_list(
    context: &CallContext<'_>,
    encoding: Encoding,
    arguments: &[u8],
    output: &mut Output<'_>,
) -> Option<Result<(), Fault>> {
    let mut memory = PutMemory::of(context, arguments.len()).ok()?;
    let wanted = read(Fields::new(encoding, arguments), &mut memory).ok();
    let answered = wanted.and_then(|wanted| {
        let failed = |errors: &[Error]| io_error(&Raised::batch(errors, &context.identity));
        wanted.run(context, Method::Thrift1(Thrift1::MutateRows), output, failed, refuse)
    });
    if answered.is_none() {
        memory.release();
    }
    answered
}

/// As the method answers.
fn refuse(fault: Fault, output: &mut Output<'_>) -> Result<(), Fault> {
    let mut result = MutateRowsResult::default();
    ia(io(Err(fault), &mut result.io), &mut result.ia)?;
    Ok(output.generated(|output| result.write_to_out_protocol(output))?)
}

fn read<'a>(mut fields: Fields<'a>, memory: &mut PutMemory<'_>) -> Result<PutList<'a>, Unusual> {
    let (mut table, mut puts) = (None, None);
    while let Some(field) = fields.next_field()? {
        match field {
            (1, TType::String) => table = Some(fields.bytes()?),
            (2, TType::List) if puts.is_none() => puts = Some(read_puts(&mut fields, memory, read_put)?),
            // HappyBase sends attributes with every call.
            (3, TType::Map) => fields.empty_map()?,
            _ => return Err(Unusual),
        }
    }
    Ok(PutList { table: table.ok_or(Unusual)?, puts: puts.ok_or(Unusual)? })
}

/// Reads the mutations of a row, all of which must be puts.
fn read_put<'a>(fields: &mut Fields<'a>, memory: &mut PutMemory<'_>) -> Result<PutOf<&'a [u8]>, Unusual> {
    let (mut row, mut cells) = (None, None);
    while let Some(field) = fields.next_field()? {
        match field {
            (1, TType::String) => row = Some(fields.bytes()?),
            (2, TType::List) if cells.is_none() => cells = Some(read_cells(fields, memory, read_cell)?),
            _ => return Err(Unusual),
        }
    }
    let (row, cells) = (row.ok_or(Unusual)?, cells.ok_or(Unusual)?);
    Ok(PutOf { row, cells, ttl_ms: None, durability: Durability::SyncWal })
}
