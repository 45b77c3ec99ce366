//! `mutateRow` that puts a few cells, run directly from its encoded arguments.

use hjall_engine::LATEST;
use hjall_engine::mutation::{Durability, PutCellOf, PutOf};
use hjall_idl::hbase1::MutateRowResult;
use thrift::protocol::{TSerializable, TType};

use super::error::{declared, ia, io};
use crate::gateway::context::CallContext;
use crate::gateway::short_put::{ShortPut, read_cells};
use crate::wire::Encoding;
use crate::wire::fault::Fault;
use crate::wire::fields::{Fields, Unusual};
use crate::wire::method::{Method, Thrift1};
use crate::wire::reply::Output;

/// Runs such a call. Returns `None`, and has no effect, if the arguments have another form.
pub fn short_put(
    context: &CallContext<'_>,
    encoding: Encoding,
    arguments: &[u8],
    output: &mut Output<'_>,
) -> Option<Result<(), Fault>> {
    let wanted = read(Fields::new(encoding, arguments)).ok()?;
    wanted.run(context, Method::Thrift1(Thrift1::MutateRow), output, declared, refuse)
}

/// As the method answers.
fn refuse(fault: Fault, output: &mut Output<'_>) -> Result<(), Fault> {
    let mut result = MutateRowResult::default();
    ia(io(Err(fault), &mut result.io), &mut result.ia)?;
    Ok(output.generated(|output| result.write_to_out_protocol(output))?)
}

fn read(mut fields: Fields<'_>) -> Result<ShortPut<'_>, Unusual> {
    let (mut table, mut row, mut cells) = (None, None, None);
    while let Some(field) = fields.next_field()? {
        match field {
            (1, TType::String) => table = Some(fields.bytes()?),
            (2, TType::String) => row = Some(fields.bytes()?),
            (3, TType::List) => cells = Some(read_cells(&mut fields, read_cell)?),
            // HappyBase sends attributes with every call.
            (4, TType::Map) => fields.empty_map()?,
            _ => return Err(Unusual),
        }
    }
    let (table, row, cells) = (table.ok_or(Unusual)?, row.ok_or(Unusual)?, cells.ok_or(Unusual)?);
    Ok(ShortPut { table, put: PutOf { row, cells, ttl_ms: None, durability: Durability::SyncWal } })
}

/// Reads a mutation, which must be a put with a qualifier that is written to the journal.
pub(super) fn read_cell<'a>(fields: &mut Fields<'a>) -> Result<PutCellOf<&'a [u8]>, Unusual> {
    let (mut column, mut value) = (None, &[][..]);
    while let Some(field) = fields.next_field()? {
        match field {
            (1, TType::Bool) if !fields.bool()? => {}
            (2, TType::String) => column = Some(fields.bytes()?),
            (3, TType::String) => value = fields.bytes()?,
            (4, TType::Bool) if fields.bool()? => {}
            _ => return Err(Unusual),
        }
    }
    let (family, qualifier) = family_and_qualifier(column.ok_or(Unusual)?)?;
    Ok(PutCellOf { family, qualifier, timestamp: LATEST, value })
}

/// The parts of a column's name, which must have a qualifier.
pub(super) fn family_and_qualifier(column: &[u8]) -> Result<(&[u8], &[u8]), Unusual> {
    let colon = column.iter().position(|byte| *byte == b':').ok_or(Unusual)?;
    Ok((&column[..colon], &column[colon + 1..]))
}
