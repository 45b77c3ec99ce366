//! Converts small values of the contract to those of the engine, and results back.

use hjall_engine::mutation::Durability;
use hjall_engine::name::TableName;
use hjall_engine::request::{Columns, TimeRange};
use hjall_idl::hbase2::{TAuthorization, TCellVisibility, TColumn, TTableName, TTimeRange};

use super::error::{Answer, illegal};
use crate::gateway::error::NULL_POINTER;
use crate::wire::fault::Fault;

/// The table of a data call: `qualifier` or `namespace:qualifier` in UTF-8.
pub fn table_name(bytes: &[u8]) -> Answer<TableName> {
    TableName::parse(bytes).map_err(illegal)
}

/// The table of an administrative call. Without a namespace it is in `default`.
pub fn full_table_name(name: &TTableName) -> Answer<TableName> {
    TableName::new(name.ns.as_deref().unwrap_or_default(), &name.qualifier).map_err(illegal)
}

/// The name of a table as the contract has it, always with a namespace.
pub fn table_name_back(name: &TableName) -> TTableName {
    TTableName { ns: Some(name.namespace().as_bytes().to_vec()), qualifier: name.qualifier().as_bytes().to_vec() }
}

/// The columns of a read. Their timestamps are ignored, as in HBase. A column without a qualifier selects a
/// family.
pub fn columns(sent: Option<Vec<TColumn>>) -> Columns {
    let mut columns = Columns::all();
    for column in sent.into_iter().flatten() {
        match column.qualifier {
            Some(qualifier) => columns.add_column(column.family, qualifier),
            None => columns.add_family(column.family),
        };
    }
    columns
}

/// The time range `[min, max)`.
pub fn time_range(sent: &TTimeRange) -> Answer<TimeRange> {
    TimeRange::new(sent.min_stamp, sent.max_stamp).map_err(illegal)
}

/// A number that HBase does not know counts as unset.
pub fn durability(sent: Option<i32>) -> Durability {
    Durability::ALL.into_iter().find(|d| Some(*d as i32) == sent).unwrap_or_default()
}

/// Checks that there are labels, which HBase requires although they restrict nothing without a visibility
/// controller.
pub fn check_authorizations(sent: Option<&TAuthorization>) -> Answer<()> {
    match sent {
        Some(TAuthorization { labels: None }) => {
            Err(Fault::undeclared(NULL_POINTER, "authorizations without labels: send labels, or no authorizations"))
        }
        _ => Ok(()),
    }
}

/// Checks that there is an expression, which HBase requires although it is not evaluated.
pub fn check_visibility(sent: Option<&TCellVisibility>) -> Answer<()> {
    match sent {
        Some(TCellVisibility { expression: None }) => Err(Fault::undeclared(
            NULL_POINTER,
            "a cell visibility without an expression: send one, or no cell visibility",
        )),
        _ => Ok(()),
    }
}
