//! Converts arguments to names and tables of the engine, and rows and cells to the structs of Thrift1.

use std::collections::BTreeMap;

use hjall_engine::name::TableName;
use hjall_engine::schema::FamilyDescriptor;
use hjall_engine::{Cell, Error, Result, Row, Table};
use hjall_idl::hbase1::{ColumnDescriptor, TCell, TRowResult};

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
    Ok(context.engine.table_named(table_name(name, refuse)?))
}

/// The value and timestamp of a cell.
pub fn cell(cell: &Cell) -> TCell {
    TCell { value: Some(cell.value.to_vec()), timestamp: Some(cell.timestamp) }
}

/// The values and timestamps of the cells of a row.
pub fn cells(row: &Row) -> Vec<TCell> {
    row.cells.iter().map(cell).collect()
}

/// A row with its columns in a map. Of several cells of a column the last one is kept, as in HBase.
pub fn row(row: &Row) -> TRowResult {
    let columns: BTreeMap<_, _> = row.cells.iter().map(|c| (column_name(&c.family, &c.qualifier), cell(c))).collect();
    TRowResult { row: Some(row.key.to_vec()), columns: Some(columns), sorted_columns: None }
}

/// The descriptor of a family, with every field set. `name` ends with a colon.
///
/// # Errors
/// `Unprocessable` if an attribute has an invalid value.
pub fn column_descriptor(name: Vec<u8>, family: &FamilyDescriptor) -> Result<ColumnDescriptor> {
    Ok(ColumnDescriptor {
        name: Some(name),
        max_versions: Some(family.max_versions()?),
        compression: Some(family.compression()?.name().into()),
        in_memory: Some(family.in_memory()),
        bloom_filter_type: Some(family.bloom_filter()?.name().into()),
        bloom_filter_vector_size: Some(0),
        bloom_filter_nb_hashes: Some(0),
        block_cache_enabled: Some(family.block_cache()),
        time_to_live: Some(family.ttl_seconds()?),
    })
}

/// `family:qualifier`, with the colon even if the qualifier is empty.
fn column_name(family: &[u8], qualifier: &[u8]) -> Vec<u8> {
    [family, b":", qualifier].concat()
}
