//! Lists of tables.

use std::collections::BTreeMap;

use hjall_engine::read::Budget;
use hjall_idl::hbase1::*;

use super::error::{Answer, undeclared};
use crate::gateway::context::CallContext;

/// The names of all user tables, in the order of namespace and name.
pub fn get_table_names(context: &CallContext<'_>, _: GetTableNamesArgs) -> Answer<Vec<Vec<u8>>> {
    Ok(of_users(context)?.into_iter().map(|(name, _)| name).collect())
}

/// The names of all user tables, and whether they are enabled.
pub fn get_table_names_with_is_table_enabled(
    context: &CallContext<'_>,
    _: GetTableNamesWithIsTableEnabledArgs,
) -> Answer<BTreeMap<Vec<u8>, bool>> {
    Ok(of_users(context)?.into_iter().collect())
}

/// The names count towards the memory of the call.
fn of_users(context: &CallContext<'_>) -> Answer<Vec<(Vec<u8>, bool)>> {
    let mut all = Vec::new();
    context.engine.visit_tables(|table, enabled| -> Answer<()> {
        if !table.name.is_system() && context.sees(&table.name) {
            let name = table.name.to_string().into_bytes();
            context.scope.take(0, NAME_FIXED_BYTES + name.len()).map_err(undeclared)?;
            all.push((name, enabled));
        }
        Ok(())
    })?;
    Ok(all)
}

/// The length of a name in a reply, without its characters.
const NAME_FIXED_BYTES: usize = 4;
