//! `atomicIncrement`, run directly from its encoded arguments, with the table that the connection has named last.

use hjall_engine::ErrorKind;
use hjall_idl::hbase1::AtomicIncrementResult;
use thrift::protocol::{TSerializable, TType};

use super::error::{ia, io, undeclared};
use super::short_put::family_and_qualifier;
use crate::dispatch::caller::LastTable;
use crate::gateway::context::CallContext;
use crate::gateway::{last_table, permission};
use crate::wire::Encoding;
use crate::wire::fault::Fault;
use crate::wire::fields::{Fields, Unusual};
use crate::wire::method::{Method, Thrift1};
use crate::wire::reply::Output;
use crate::wire::writer::{WriteWith, Writer};

/// An increment whose names belong to a message.
struct Wanted<'a> {
    table: &'a [u8],
    row: &'a [u8],
    column: (&'a [u8], &'a [u8]),
    amount: i64,
}

/// Runs such a call. Returns `None`, and has no effect, if the method has to be run: the arguments have another form,
/// or are refused.
pub fn short_increment(
    context: &CallContext<'_>,
    encoding: Encoding,
    arguments: &[u8],
    output: &mut Output<'_>,
) -> Option<Result<(), Fault>> {
    let Wanted { table, row, column, amount } = read(Fields::new(encoding, arguments)).ok()?;
    if let Err(denied) = permission::check(context, Method::Thrift1(Thrift1::AtomicIncrement), &table) {
        return Some(refuse(denied, output));
    }
    let increment = |LastTable { table, .. }: &mut LastTable| (table.increment(row, column, amount), false);
    match last_table::with_table(context, table, increment)? {
        Ok(value) => Some(output.append(&Counted(value)).map_err(Fault::from)),
        // The only errors that the method reports in another way. Nothing has been written.
        Err(error) if matches!(error.kind(), ErrorKind::InvalidArgument | ErrorKind::Unprocessable) => None,
        // It must not be run again: after a failed sync, the increment may have taken effect.
        Err(error) => Some(refuse(undeclared(error), output)),
    }
}

/// As the method answers.
fn refuse(fault: Fault, output: &mut Output<'_>) -> Result<(), Fault> {
    let mut result = AtomicIncrementResult::default();
    ia(io(Err(fault), &mut result.io), &mut result.ia)?;
    Ok(output.generated(|output| result.write_to_out_protocol(output))?)
}

fn read(mut fields: Fields<'_>) -> Result<Wanted<'_>, Unusual> {
    let (mut table, mut row, mut column, mut amount) = (None, None, None, None);
    while let Some(field) = fields.next_field()? {
        match field {
            (1, TType::String) => table = Some(fields.bytes()?),
            (2, TType::String) => row = Some(fields.bytes()?),
            (3, TType::String) => column = Some(fields.bytes()?),
            (4, TType::I64) => amount = Some(fields.i64()?),
            _ => return Err(Unusual),
        }
    }
    let column = family_and_qualifier(column.ok_or(Unusual)?)?;
    Ok(Wanted { table: table.ok_or(Unusual)?, row: row.ok_or(Unusual)?, column, amount: amount.ok_or(Unusual)? })
}

/// The result of the method: the new value of the counter.
struct Counted(i64);

impl WriteWith for Counted {
    fn write(&self, writer: &mut impl Writer) {
        writer.field(0, 0, TType::I64);
        writer.i64(self.0);
        writer.stop();
    }
}
