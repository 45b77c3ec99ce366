//! Lists of tables by name, pattern or namespace.

use hjall_engine::ErrorKind;
use hjall_engine::filter::regex::JavaRegex;
use hjall_engine::schema::TableDescriptor;
use hjall_idl::hbase2::{
    GetTableDescriptorsArgs, GetTableDescriptorsByNamespaceArgs, GetTableDescriptorsByPatternArgs,
    GetTableNamesByNamespaceArgs, GetTableNamesByPatternArgs, TTableDescriptor, TTableName,
};

use super::convert::{full_table_name, table_name_back};
use super::error::{Answer, illegal, local};
use super::namespace::missing;
use super::table::{descriptor_within, descriptors};
use crate::gateway::context::{CallContext, Context};
use crate::gateway::filters::{self, Unbuilt};
use crate::wire::method::{Method, Thrift2};

/// Descriptors of the named tables, in that order, without missing ones. Without names, of all user tables.
pub fn get_table_descriptors(context: &CallContext<'_>, a: GetTableDescriptorsArgs) -> Answer<Vec<TTableDescriptor>> {
    if a.tables.is_empty() {
        return descriptors(context, &administered(context, by_pattern(context, None, false)?));
    }
    let names = a.tables.iter().map(full_table_name).collect::<Answer<Vec<_>>>()?;
    for name in &names {
        context.require_admin(Method::Thrift2(Thrift2::GetTableDescriptors), name)?;
    }
    let mut tables = Vec::new();
    for name in &names {
        match context.engine.describe(name) {
            Ok(table) => tables.push(descriptor_within(context, &table)?),
            Err(error) if error.kind() == ErrorKind::TableNotFound => {}
            Err(error) => return Err(local(&error)),
        }
    }
    Ok(tables)
}

/// All tables whose whole name matches. For the default namespace, `default:name` may match as well.
fn by_pattern(context: &CallContext<'_>, regex: Option<&[u8]>, system: bool) -> Answer<Vec<TableDescriptor>> {
    let compiled = |regex: &[u8]| {
        let built =
            filters::with_patterns(context, regex.len(), || JavaRegex::whole(&String::from_utf8_lossy(regex), 0));
        built.map_err(|unbuilt| match unbuilt {
            Unbuilt::Malformed(error) => illegal(error),
            Unbuilt::NoRoom(error) => local(&error),
        })
    };
    let regex = regex.map(compiled).transpose()?;
    let mut found = Vec::new();
    for (table, _) in context.engine.tables() {
        if !system && table.name.is_system() {
            continue;
        }
        let wanted = match &regex {
            None => true,
            Some(regex) => {
                regex.is_match(&table.name.to_string()).map_err(illegal)?
                    || regex.is_match(&table.name.with_namespace()).map_err(illegal)?
            }
        };
        if wanted {
            found.push(table);
        }
    }
    Ok(found)
}

/// All tables of a namespace, or of all namespaces if the name is empty.
fn by_namespace(context: &Context, namespace: &[u8]) -> Answer<Vec<TableDescriptor>> {
    let name = String::from_utf8_lossy(namespace);
    if !name.is_empty() && context.engine.namespace(&name).is_err() {
        return Err(missing(namespace));
    }
    let tables = context.engine.tables().into_iter().map(|(table, _)| table);
    Ok(tables.filter(|table| name.is_empty() || table.name.namespace() == name).collect())
}

/// Those of these tables whose descriptors the user may see.
fn administered(context: &CallContext<'_>, mut tables: Vec<TableDescriptor>) -> Vec<TableDescriptor> {
    tables.retain(|table| context.administers(&table.name));
    tables
}

/// The names of these tables, as far as the user has a role for them.
fn names(context: &CallContext<'_>, tables: Vec<TableDescriptor>) -> Vec<TTableName> {
    tables.iter().filter(|table| context.sees(&table.name)).map(|table| table_name_back(&table.name)).collect()
}

/// Descriptors of all matching tables.
pub fn get_table_descriptors_by_pattern(
    context: &CallContext<'_>,
    a: GetTableDescriptorsByPatternArgs,
) -> Answer<Vec<TTableDescriptor>> {
    descriptors(context, &administered(context, by_pattern(context, a.regex.as_deref(), a.include_sys_tables)?))
}

/// Names of all matching tables.
pub fn get_table_names_by_pattern(context: &CallContext<'_>, a: GetTableNamesByPatternArgs) -> Answer<Vec<TTableName>> {
    by_pattern(context, a.regex.as_deref(), a.include_sys_tables).map(|tables| names(context, tables))
}

/// Descriptors of the tables of a namespace.
pub fn get_table_descriptors_by_namespace(
    context: &CallContext<'_>,
    a: GetTableDescriptorsByNamespaceArgs,
) -> Answer<Vec<TTableDescriptor>> {
    descriptors(context, &administered(context, by_namespace(context, &a.name)?))
}

/// Names of the tables of a namespace.
pub fn get_table_names_by_namespace(
    context: &CallContext<'_>,
    a: GetTableNamesByNamespaceArgs,
) -> Answer<Vec<TTableName>> {
    by_namespace(context, &a.name).map(|tables| names(context, tables))
}
