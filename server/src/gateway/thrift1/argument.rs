//! Required arguments, and names of tables.

use hjall_engine::name::TableName;
use hjall_engine::{Error, Table};

use super::error::Answer;
use crate::gateway::context::Context;
use crate::gateway::error::NULL_POINTER;
use crate::wire::fault::Fault;

/// An argument that HBase's gateway dereferences without a check.
pub fn sent<T>(argument: Option<T>, name: &str) -> Answer<T> {
    argument.ok_or_else(|| Fault::undeclared(NULL_POINTER, format_args!("the argument {name} is not set: send it")))
}

/// The name of a table. `refuse` decides how an invalid name is reported.
pub fn table_name(name: Option<Vec<u8>>, refuse: fn(Error) -> Fault) -> Answer<TableName> {
    TableName::parse(&sent(name, "tableName")?).map_err(refuse)
}

/// A table by its name. Whether it exists is checked by the calls that use it.
pub fn table(context: &Context, name: Option<Vec<u8>>, refuse: fn(Error) -> Fault) -> Answer<Table> {
    Ok(context.engine.table(&table_name(name, refuse)?))
}
