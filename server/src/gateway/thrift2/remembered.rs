//! `get` of the newest cells of a row, answered from its encoded arguments.

use bytes::Bytes;
use hjall_engine::request::Columns;
use thrift::protocol::TType;

use super::error::data;
use super::rows::write_remembered;
use crate::gateway::context::CallContext;
use crate::gateway::remembered::{COLUMNS_MAX, RowRead};
use crate::wire::Encoding;
use crate::wire::fault::Fault;
use crate::wire::fields::{Fields, Unusual};
use crate::wire::method::{Method, Thrift2};
use crate::wire::reply::Output;

/// Answers such a call. Returns `None` if the method has to be run: because there are arguments other than table, row
/// and columns, or because of an error, which the method reports.
pub fn remembered_row(
    context: &CallContext<'_>,
    method: Thrift2,
    encoding: Encoding,
    arguments: &[u8],
    output: &mut Output<'_>,
) -> Option<Result<(), Fault>> {
    if method != Thrift2::Get {
        return None;
    }
    let wanted = read(Fields::new(encoding, arguments)).ok()?;
    match wanted.find(context, Method::Thrift2(method), |error| data(&error)) {
        Ok(row) => Some(write_remembered(&row?, output)),
        Err(fault) => Some(Err(fault)),
    }
}

fn read(mut fields: Fields<'_>) -> Result<RowRead<'_>, Unusual> {
    let (mut table, mut get) = (None, None);
    while let Some(field) = fields.next_field()? {
        match field {
            (1, TType::String) => table = Some(fields.bytes()?),
            (2, TType::Struct) => get = Some(fields.within(read_get)?),
            _ => return Err(Unusual),
        }
    }
    let (row, columns) = get.ok_or(Unusual)?;
    Ok(RowRead { table: table.ok_or(Unusual)?, row, columns })
}

/// The row and the columns of a `TGet`.
fn read_get<'a>(fields: &mut Fields<'a>) -> Result<(&'a [u8], Columns), Unusual> {
    let (mut row, mut columns) = (None, Columns::all());
    while let Some(field) = fields.next_field()? {
        match field {
            (1, TType::String) => row = Some(fields.bytes()?),
            (2, TType::List) if columns.is_all() => {
                let many = fields.list(TType::Struct)?;
                if many > COLUMNS_MAX {
                    return Err(Unusual);
                }
                for _ in 0..many {
                    fields.within(|column| read_column(column, &mut columns))?;
                }
            }
            _ => return Err(Unusual),
        }
    }
    Ok((row.ok_or(Unusual)?, columns))
}

/// Selects a `TColumn` without a timestamp.
fn read_column(fields: &mut Fields<'_>, columns: &mut Columns) -> Result<(), Unusual> {
    let (mut family, mut qualifier) = (None, None);
    while let Some(field) = fields.next_field()? {
        match field {
            (1, TType::String) => family = Some(Bytes::copy_from_slice(fields.bytes()?)),
            (2, TType::String) => qualifier = Some(Bytes::copy_from_slice(fields.bytes()?)),
            _ => return Err(Unusual),
        }
    }
    let family = family.ok_or(Unusual)?;
    match qualifier {
        Some(qualifier) => columns.add_column(family, qualifier),
        None => columns.add_family(family),
    };
    Ok(())
}
