//! Tables: making, changing and describing them.

use bytes::Bytes;
use hjall_engine::ErrorKind;
use hjall_engine::mutation::Durability;
use hjall_engine::name::TableName;
use hjall_engine::schema::TableDescriptor;
use hjall_idl::hbase2::{TColumnFamilyDescriptor, TTableDescriptor, TTableName};

use super::convert::{full_table_name, table_name_back};
use super::error::{Answer, illegal, local, master};
use super::family::{family, family_back};
use crate::gateway::context::Context;
use crate::wire::fault::Fault;

/// The descriptor of a request: families, then free attributes, then the durability field, which wins over the attribute.
fn descriptor(sent: &TTableDescriptor) -> Answer<TableDescriptor> {
    let mut table = TableDescriptor::new(full_table_name(&sent.table_name)?);
    let Some(columns) = &sent.columns else {
        return Err(Fault::internal("a table descriptor without a list of families"));
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

/// The descriptor of an answer. The durability field is always set.
fn descriptor_back(table: &TableDescriptor) -> Answer<TTableDescriptor> {
    let families = table.families.values().map(family_back).collect::<Result<Vec<_>, _>>();
    Ok(TTableDescriptor {
        table_name: table_name_back(&table.name),
        columns: Some(families.map_err(|e| Fault::internal(e.message()))?),
        attributes: Some(table.attributes.iter().map(|(k, v)| (k.to_vec(), v.to_vec())).collect()),
        durability: Some(table.durability() as i32),
    })
}

/// The descriptors of these tables, in this order.
pub fn descriptors<'a>(tables: impl IntoIterator<Item = &'a TableDescriptor>) -> Answer<Vec<TTableDescriptor>> {
    tables.into_iter().map(descriptor_back).collect()
}

/// Makes a table, split at these keys.
pub fn create_table(context: &Context, sent: &TTableDescriptor, splits: Option<&[Vec<u8>]>) -> Answer<()> {
    let table = descriptor(sent)?;
    let splits = splits.unwrap_or_default().iter().map(|key| Bytes::copy_from_slice(key)).collect();
    context.engine.create_table(table, splits).map_err(|e| master(&e))
}

/// Replaces a table's descriptor.
pub fn modify_table(context: &Context, sent: &TTableDescriptor) -> Answer<()> {
    let table = descriptor(sent)?;
    context.engine.modify_table(table).map_err(|e| master(&e))
}

/// Runs one of the master's procedures on a table.
fn on_master(name: &TTableName, procedure: impl FnOnce(&TableName) -> hjall_engine::error::Result<()>) -> Answer<()> {
    let name = full_table_name(name)?;
    procedure(&name).map_err(|e| master(&e))
}

/// Drops a disabled table.
pub fn delete_table(context: &Context, name: &TTableName) -> Answer<()> {
    on_master(name, |name| context.engine.delete_table(name))
}

/// Empties a disabled table and enables it.
pub fn truncate_table(context: &Context, name: &TTableName, preserve_splits: bool) -> Answer<()> {
    on_master(name, |name| context.engine.truncate_table(name, preserve_splits))
}

/// Disables an enabled table.
pub fn disable_table(context: &Context, name: &TTableName) -> Answer<()> {
    on_master(name, |name| context.engine.disable_table(name))
}

/// Enables a disabled table. HBase's client library itself looks at the state, so its texts are bare.
pub fn enable_table(context: &Context, name: &TTableName) -> Answer<()> {
    let name = full_table_name(name)?;
    context.engine.enable_table(&name).map_err(|e| local(&e))
}

/// Adds a family.
pub fn add_column_family(context: &Context, name: &TTableName, sent: &TColumnFamilyDescriptor) -> Answer<()> {
    let family = family(sent).map_err(illegal)?;
    on_master(name, |name| context.engine.add_family(name, family))
}

/// Replaces a family's descriptor.
pub fn modify_column_family(context: &Context, name: &TTableName, sent: &TColumnFamilyDescriptor) -> Answer<()> {
    let family = family(sent).map_err(illegal)?;
    on_master(name, |name| context.engine.modify_family(name, family))
}

/// Removes a family with its data.
pub fn delete_column_family(context: &Context, name: &TTableName, family: &[u8]) -> Answer<()> {
    on_master(name, |name| context.engine.delete_family(name, family))
}

/// Whether there is such a table.
pub fn table_exists(context: &Context, name: Option<&TTableName>) -> Answer<bool> {
    let name = full_table_name(name.ok_or_else(|| Fault::internal("no table name"))?)?;
    Ok(context.engine.table_exists(&name))
}

/// Whether a table is enabled.
pub fn is_table_enabled(context: &Context, name: &TTableName) -> Answer<bool> {
    let name = full_table_name(name)?;
    context.engine.is_table_enabled(&name).map_err(|e| local(&e))
}

/// Whether a table is disabled.
pub fn is_table_disabled(context: &Context, name: &TTableName) -> Answer<bool> {
    is_table_enabled(context, name).map(|enabled| !enabled)
}

/// Whether all regions are served, as they are while a table is enabled. A missing table is not available.
pub fn is_table_available(context: &Context, name: &TTableName) -> Answer<bool> {
    let name = full_table_name(name)?;
    match context.engine.is_table_enabled(&name) {
        Err(error) if error.kind() == ErrorKind::TableNotFound => Ok(false),
        answer => answer.map_err(|e| local(&e)),
    }
}

/// The same, and the regions that begin at one of these keys, or at the beginning, are one more than the keys.
pub fn is_table_available_with_split(context: &Context, name: &TTableName, splits: Option<&[Vec<u8>]>) -> Answer<bool> {
    let splits = splits.unwrap_or_default();
    if !is_table_available(context, name)? || splits.is_empty() {
        return is_table_available(context, name);
    }
    let name = full_table_name(name)?;
    let regions = context.engine.regions(&name).map_err(|e| local(&e))?;
    let begin = |region: &&hjall_engine::schema::Region| {
        region.start.is_empty() || splits.iter().any(|key| region.start == *key)
    };
    Ok(regions.iter().filter(begin).count() == splits.len() + 1)
}

/// One table's descriptor.
pub fn get_table_descriptor(context: &Context, name: &TTableName) -> Answer<TTableDescriptor> {
    let name = full_table_name(name)?;
    descriptor_back(&context.engine.describe(&name).map_err(|e| local(&e))?)
}
