//! Arguments that HBase's gateway takes for granted: they were sent, and name a table.

use hjall_engine::name::TableName;
use hjall_engine::{Error, Table};

use super::error::Answer;
use crate::gateway::context::Context;
use crate::wire::fault::Fault;

/// An argument that HBase's gateway uses without asking whether it was sent.
pub fn sent<T>(argument: Option<T>, name: &str) -> Answer<T> {
    argument.ok_or_else(|| Fault::internal(format!("NullPointerException: {name} is not set")))
}

/// The name of a table; `refuse` says where one that cannot be is reported.
pub fn table_name(name: Option<Vec<u8>>, refuse: fn(Error) -> Fault) -> Answer<TableName> {
    TableName::parse(&sent(name, "tableName")?).map_err(refuse)
}

/// A table by its name, whether it is there or not.
pub fn table(context: &Context, name: Option<Vec<u8>>, refuse: fn(Error) -> Fault) -> Answer<Table> {
    Ok(context.engine.table(&table_name(name, refuse)?))
}
