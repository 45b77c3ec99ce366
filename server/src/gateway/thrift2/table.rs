//! Creates, changes and describes tables.

use std::collections::HashSet;

use bytes::Bytes;
use hjall_engine::ErrorKind;
use hjall_engine::mutation::Durability;
use hjall_engine::name::TableName;
use hjall_engine::read::Budget;
use hjall_engine::schema::{FamilyDescriptor, TableDescriptor};
use hjall_idl::hbase2::*;

use super::convert::{full_table_name, table_name_back};
use super::error::{Answer, data, illegal, local, master};
use super::family::{family, family_back};
use crate::gateway::context::{CallContext, Context};
use crate::gateway::error::{ILLEGAL_ARGUMENT, NULL_POINTER};
use crate::wire::fault::Fault;

/// The descriptor in a request. The durability field has precedence over the attribute.
fn descriptor(sent: &TTableDescriptor) -> Answer<TableDescriptor> {
    let mut table = TableDescriptor::new(full_table_name(&sent.table_name)?);
    let Some(columns) = &sent.columns else {
        return Err(Fault::undeclared(NULL_POINTER, "the table descriptor has no list of families: send columns"));
    };
    for column in columns {
        table.add_family(family(column).map_err(illegal)?).map_err(illegal)?;
    }
    for (key, value) in sent.attributes.iter().flatten() {
        table.set(Bytes::copy_from_slice(key), Bytes::copy_from_slice(value));
    }
    if let Some(durability) = Durability::ALL.into_iter().find(|d| Some(*d as i32) == sent.durability) {
        table.set_durability(durability);
    }
    Ok(table)
}

/// The descriptor in an answer. The durability field is always set.
fn descriptor_back(table: &TableDescriptor) -> Answer<TTableDescriptor> {
    let families = table.families.values().map(family_back).collect::<Result<Vec<_>, _>>();
    Ok(TTableDescriptor {
        table_name: table_name_back(&table.name),
        columns: Some(families.map_err(illegal)?),
        attributes: Some(table.attributes.iter().map(|(k, v)| (k.to_vec(), v.to_vec())).collect()),
        durability: Some(table.durability() as i32),
    })
}

/// The descriptor of a table. It counts towards the memory of the call.
pub fn descriptor_within(context: &CallContext<'_>, table: &TableDescriptor) -> Answer<TTableDescriptor> {
    context.scope.take(0, bytes_of(table)).map_err(|e| data(&e))?;
    descriptor_back(table)
}

/// An estimate of the memory of a descriptor. Its encoded form is at least as long.
fn bytes_of(table: &TableDescriptor) -> usize {
    let of_family = |family: &FamilyDescriptor| {
        let pairs = family.attributes.iter().chain(&family.configuration);
        FAMILY_FIXED_BYTES + family.name.len() + pairs.map(|(key, value)| key.len() + value.len()).sum::<usize>()
    };
    let attributes = table.attributes.iter().map(|(key, value)| key.len() + value.len()).sum::<usize>();
    attributes + table.families.values().map(of_family).sum::<usize>()
}

/// The length of the numbers and field headers of a family in a reply.
const FAMILY_FIXED_BYTES: usize = 60;

/// Creates a table, split at these keys.
pub fn create_table(context: &CallContext<'_>, a: CreateTableArgs) -> Answer<()> {
    let table = descriptor(&a.desc)?;
    let splits = a.split_keys.unwrap_or_default().into_iter().map(Bytes::from).collect();
    context.changes().create_table(table, splits).map_err(|error| match error.kind() {
        // The gateway refuses other split keys, and the master a region whose name is no row key.
        ErrorKind::InvalidArgument if error.message().starts_with("Row length ") => {
            Fault::io(format!("{ILLEGAL_ARGUMENT}: {}", error.message()), true)
        }
        _ => master(&error),
    })
}

/// Replaces the descriptor of a table.
pub fn modify_table(context: &CallContext<'_>, a: ModifyTableArgs) -> Answer<()> {
    let table = descriptor(&a.desc)?;
    context.changes().modify_table(table).map_err(|e| master(&e))
}

/// Runs one of the master's procedures on a table.
fn on_master(name: &TTableName, procedure: impl FnOnce(&TableName) -> hjall_engine::error::Result<()>) -> Answer<()> {
    let name = full_table_name(name)?;
    procedure(&name).map_err(|e| master(&e))
}

/// Drops a disabled table.
pub fn delete_table(context: &CallContext<'_>, a: DeleteTableArgs) -> Answer<()> {
    on_master(&a.table_name, |name| context.changes().delete_table(name))
}

/// Empties a disabled table and enables it.
pub fn truncate_table(context: &CallContext<'_>, a: TruncateTableArgs) -> Answer<()> {
    on_master(&a.table_name, |name| context.changes().truncate_table(name, a.preserve_splits))
}

/// Disables an enabled table.
pub fn disable_table(context: &CallContext<'_>, a: DisableTableArgs) -> Answer<()> {
    on_master(&a.table_name, |name| context.changes().disable_table(name))
}

/// Enables a disabled table. HBase's client library checks the state itself, so its messages are bare.
pub fn enable_table(context: &CallContext<'_>, a: EnableTableArgs) -> Answer<()> {
    let name = full_table_name(&a.table_name)?;
    context.changes().enable_table(&name).map_err(|e| local(&e))
}

/// Adds a family.
pub fn add_column_family(context: &CallContext<'_>, a: AddColumnFamilyArgs) -> Answer<()> {
    let family = family(&a.column).map_err(illegal)?;
    on_master(&a.table_name, |name| context.changes().add_family(name, family))
}

/// Replaces the descriptor of a family.
pub fn modify_column_family(context: &CallContext<'_>, a: ModifyColumnFamilyArgs) -> Answer<()> {
    let family = family(&a.column).map_err(illegal)?;
    on_master(&a.table_name, |name| context.changes().modify_family(name, family))
}

/// Removes a family and its data.
pub fn delete_column_family(context: &CallContext<'_>, a: DeleteColumnFamilyArgs) -> Answer<()> {
    on_master(&a.table_name, |name| context.changes().delete_family(name, &a.column))
}

/// Whether a table exists.
pub fn table_exists(context: &Context, a: TableExistsArgs) -> Answer<bool> {
    let name = full_table_name(
        a.table_name.as_ref().ok_or_else(|| Fault::undeclared(NULL_POINTER, "the table name is missing: send it"))?,
    )?;
    Ok(context.engine.table_exists(&name))
}

/// Whether a table is enabled.
pub fn is_table_enabled(context: &Context, a: IsTableEnabledArgs) -> Answer<bool> {
    enabled(context, &a.table_name)
}

/// Whether a table is disabled.
pub fn is_table_disabled(context: &Context, a: IsTableDisabledArgs) -> Answer<bool> {
    enabled(context, &a.table_name).map(|enabled| !enabled)
}

/// Whether all regions are served, which they are while the table is enabled. A missing table is not available.
pub fn is_table_available(context: &Context, a: IsTableAvailableArgs) -> Answer<bool> {
    available(context, &full_table_name(&a.table_name)?)
}

/// Whether a table is available, and the number of regions that begin at one of these keys or have no start
/// key is one more than the number of keys.
pub fn is_table_available_with_split(context: &Context, a: IsTableAvailableWithSplitArgs) -> Answer<bool> {
    let name = full_table_name(&a.table_name)?;
    let splits = a.split_keys.unwrap_or_default();
    if !available(context, &name)? || splits.is_empty() {
        return available(context, &name);
    }
    let keys: HashSet<&[u8]> = splits.iter().map(Vec::as_slice).collect();
    let begin = |region: &&hjall_engine::schema::Region| region.start.is_empty() || keys.contains(&region.start[..]);
    let regions = context.engine.with_regions(&name, |regions| regions.iter().filter(begin).count());
    Ok(regions.map_err(|e| local(&e))? == splits.len() + 1)
}

fn enabled(context: &Context, name: &TTableName) -> Answer<bool> {
    context.engine.is_table_enabled(&full_table_name(name)?).map_err(|e| local(&e))
}

fn available(context: &Context, name: &TableName) -> Answer<bool> {
    match context.engine.is_table_enabled(name) {
        Err(error) if error.kind() == ErrorKind::TableNotFound => Ok(false),
        answer => answer.map_err(|e| local(&e)),
    }
}

/// The descriptor of a table.
pub fn get_table_descriptor(context: &CallContext<'_>, a: GetTableDescriptorArgs) -> Answer<TTableDescriptor> {
    let name = full_table_name(&a.table)?;
    descriptor_within(context, &context.engine.describe(&name).map_err(|e| local(&e))?)
}
