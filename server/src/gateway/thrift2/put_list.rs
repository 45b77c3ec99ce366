//! `putMultiple`, run directly from its encoded arguments.

use hjall_engine::Error;
use hjall_engine::mutation::PutOf;
use hjall_idl::hbase2::PutMultipleResult;
use thrift::protocol::{TSerializable, TType};

use super::error::{batch, io};
use super::short_put::{self, read_cell};
use crate::gateway::context::CallContext;
use crate::gateway::put_list::{PutList, PutMemory, read_cells, read_puts};
use crate::wire::Encoding;
use crate::wire::fault::Fault;
use crate::wire::fields::{Fields, Unusual};
use crate::wire::method::{Method, Thrift2};
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
        let failed = |errors: &[Error]| batch(context, errors.iter());
        wanted.run(context, Method::Thrift2(Thrift2::PutMultiple), output, failed, refuse)
    });
    if answered.is_none() {
        memory.release();
    }
    answered
}

/// As the method answers.
fn refuse(fault: Fault, output: &mut Output<'_>) -> Result<(), Fault> {
    let mut result = PutMultipleResult::default();
    io(Err(fault), &mut result.io)?;
    Ok(output.generated(|output| result.write_to_out_protocol(output))?)
}

fn read<'a>(mut fields: Fields<'a>, memory: &mut PutMemory<'_>) -> Result<PutList<'a>, Unusual> {
    let (mut table, mut puts) = (None, None);
    while let Some(field) = fields.next_field()? {
        match field {
            (1, TType::String) => table = Some(fields.bytes()?),
            (2, TType::List) if puts.is_none() => puts = Some(read_puts(&mut fields, memory, read_put)?),
            _ => return Err(Unusual),
        }
    }
    Ok(PutList { table: table.ok_or(Unusual)?, puts: puts.ok_or(Unusual)? })
}

/// Reads a put of the list.
fn read_put<'a>(fields: &mut Fields<'a>, memory: &mut PutMemory<'_>) -> Result<PutOf<&'a [u8]>, Unusual> {
    short_put::read_put(fields, |fields| read_cells(fields, memory, read_cell))
}
