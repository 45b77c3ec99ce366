//! `put` of a few cells, run directly from its encoded arguments.

use hjall_engine::LATEST;
use hjall_engine::mutation::{PutCellOf, PutOf};
use hjall_idl::hbase2::PutResult;
use thrift::protocol::{TSerializable, TType};

use super::convert::durability;
use super::error::{data, io};
use crate::gateway::context::CallContext;
use crate::gateway::short_put::{ShortPut, read_cells};
use crate::wire::Encoding;
use crate::wire::fault::Fault;
use crate::wire::fields::{Fields, Unusual};
use crate::wire::method::{Method, Thrift2};
use crate::wire::reply::Output;

/// Runs such a call. Returns `None`, and has no effect, if the arguments have another form.
pub fn short_put(
    context: &CallContext<'_>,
    encoding: Encoding,
    arguments: &[u8],
    output: &mut Output<'_>,
) -> Option<Result<(), Fault>> {
    let wanted = read(Fields::new(encoding, arguments)).ok()?;
    wanted.run(context, Method::Thrift2(Thrift2::Put), output, |error| data(&error), refuse)
}

/// As the method answers.
fn refuse(fault: Fault, output: &mut Output<'_>) -> Result<(), Fault> {
    let mut result = PutResult::default();
    io(Err(fault), &mut result.io)?;
    Ok(output.generated(|output| result.write_to_out_protocol(output))?)
}

fn read(mut fields: Fields<'_>) -> Result<ShortPut<'_>, Unusual> {
    let (mut table, mut put) = (None, None);
    while let Some(field) = fields.next_field()? {
        match field {
            (1, TType::String) => table = Some(fields.bytes()?),
            (2, TType::Struct) => put = Some(fields.within(|put| read_put(put, |cells| read_cells(cells, read_cell)))?),
            _ => return Err(Unusual),
        }
    }
    Ok(ShortPut { table: table.ok_or(Unusual)?, put: put.ok_or(Unusual)? })
}

/// Reads a put without a timestamp and a visibility. `read_list` reads its cells.
pub(super) fn read_put<'a>(
    fields: &mut Fields<'a>,
    mut read_list: impl FnMut(&mut Fields<'a>) -> Result<Vec<PutCellOf<&'a [u8]>>, Unusual>,
) -> Result<PutOf<&'a [u8]>, Unusual> {
    let (mut row, mut cells, mut level) = (None, None, None);
    while let Some(field) = fields.next_field()? {
        match field {
            (1, TType::String) => row = Some(fields.bytes()?),
            (2, TType::List) if cells.is_none() => cells = Some(read_list(fields)?),
            (5, TType::Map) => fields.empty_map()?,
            (6, TType::I32) => level = Some(fields.i32()?),
            _ => return Err(Unusual),
        }
    }
    let (row, cells) = (row.ok_or(Unusual)?, cells.ok_or(Unusual)?);
    Ok(PutOf { row, cells, ttl_ms: None, durability: durability(level) })
}

/// Reads a cell without a timestamp and tags.
pub(super) fn read_cell<'a>(fields: &mut Fields<'a>) -> Result<PutCellOf<&'a [u8]>, Unusual> {
    let (mut family, mut qualifier, mut value) = (None, None, None);
    while let Some(field) = fields.next_field()? {
        match field {
            (1, TType::String) => family = Some(fields.bytes()?),
            (2, TType::String) => qualifier = Some(fields.bytes()?),
            (3, TType::String) => value = Some(fields.bytes()?),
            _ => return Err(Unusual),
        }
    }
    let (family, qualifier, value) = (family.ok_or(Unusual)?, qualifier.ok_or(Unusual)?, value.ok_or(Unusual)?);
    Ok(PutCellOf { family, qualifier, timestamp: LATEST, value })
}
