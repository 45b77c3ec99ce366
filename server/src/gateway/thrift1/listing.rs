//! Lists of tables.

use std::collections::BTreeMap;

use hjall_idl::hbase1::*;

use super::error::Answer;
use crate::gateway::context::CallContext;

/// The names of all user tables, in the order of namespace and name.
pub fn get_table_names(context: &CallContext<'_>, _: GetTableNamesArgs) -> Answer<Vec<Vec<u8>>> {
    Ok(of_users(context).map(|(name, _)| name).collect())
}

/// The names of all user tables, and whether they are enabled.
pub fn get_table_names_with_is_table_enabled(
    context: &CallContext<'_>,
    _: GetTableNamesWithIsTableEnabledArgs,
) -> Answer<BTreeMap<Vec<u8>, bool>> {
    Ok(of_users(context).collect())
}

fn of_users(context: &CallContext<'_>) -> impl Iterator<Item = (Vec<u8>, bool)> {
    let tables = context.engine.tables().into_iter();
    tables
        .filter(|(table, _)| !table.name.is_system() && context.sees(&table.name))
        .map(|(table, on)| (table.name.to_string().into_bytes(), on))
}
