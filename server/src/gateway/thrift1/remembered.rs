//! `getRow` and `getRowWithColumns` without attributes, answered from their encoded arguments.

use bytes::Bytes;
use hjall_engine::request::Columns;
use thrift::protocol::TType;

use super::column::Column;
use super::error::undeclared;
use super::rows::write_remembered;
use crate::gateway::context::CallContext;
use crate::gateway::remembered::{COLUMNS_MAX, RowRead};
use crate::wire::Encoding;
use crate::wire::fault::Fault;
use crate::wire::fields::{Fields, Unusual};
use crate::wire::method::{Method, Thrift1};
use crate::wire::reply::Output;

/// Answers such a call. Returns `None` if the method has to be run: because there are arguments other than table, row
/// and columns, or because of an error, which the method reports.
pub fn remembered_row(
    context: &CallContext<'_>,
    method: Thrift1,
    encoding: Encoding,
    arguments: &[u8],
    output: &mut Output<'_>,
) -> Option<Result<(), Fault>> {
    // The numbers of the columns and the attributes.
    let at = match method {
        Thrift1::GetRow => (None, 3),
        Thrift1::GetRowWithColumns => (Some(3), 4),
        _ => return None,
    };
    let wanted = read(Fields::new(encoding, arguments), at).ok()?;
    match wanted.find(context, Method::Thrift1(method), undeclared) {
        Ok(row) => Some(write_remembered(&row?, output)),
        Err(fault) => Some(Err(fault)),
    }
}

fn read(mut fields: Fields<'_>, (columns_at, attributes_at): (Option<i16>, i16)) -> Result<RowRead<'_>, Unusual> {
    let (mut table, mut row, mut columns) = (None, None, Columns::all());
    while let Some(field) = fields.next_field()? {
        match field {
            (1, TType::String) => table = Some(fields.bytes()?),
            (2, TType::String) => row = Some(fields.bytes()?),
            // HappyBase sends attributes with every call.
            (at, TType::Map) if at == attributes_at => fields.empty_map()?,
            (at, TType::List) if Some(at) == columns_at && columns.is_all() => read_columns(&mut fields, &mut columns)?,
            _ => return Err(Unusual),
        }
    }
    Ok(RowRead { table: table.ok_or(Unusual)?, row: row.ok_or(Unusual)?, columns })
}

fn read_columns(fields: &mut Fields<'_>, columns: &mut Columns) -> Result<(), Unusual> {
    let many = fields.list(TType::String)?;
    if many > COLUMNS_MAX {
        return Err(Unusual);
    }
    for _ in 0..many {
        Column::parse(Bytes::copy_from_slice(fields.bytes()?)).select(columns);
    }
    Ok(())
}
