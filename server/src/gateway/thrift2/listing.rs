//! Lists of tables by name, pattern or namespace.

use hjall_engine::ErrorKind;
use hjall_engine::filter::regex::JavaRegex;
use hjall_engine::name::{TableName, namespace_text};
use hjall_engine::read::Budget;
use hjall_engine::schema::TableDescriptor;
use hjall_idl::hbase2::{
    GetTableDescriptorsArgs, GetTableDescriptorsByNamespaceArgs, GetTableDescriptorsByPatternArgs,
    GetTableNamesByNamespaceArgs, GetTableNamesByPatternArgs, TTableDescriptor, TTableName,
};

use super::convert::{full_table_name, table_name_back};
use super::error::{Answer, illegal, local};
use super::namespace::missing;
use super::table::descriptor_within;
use crate::gateway::context::CallContext;
use crate::gateway::filters::{self, Unbuilt};
use crate::wire::method::{Method, Thrift2};

/// Descriptors of the named tables, in that order, without missing ones. Without names, of all user tables.
pub fn get_table_descriptors(context: &CallContext<'_>, a: GetTableDescriptorsArgs) -> Answer<Vec<TTableDescriptor>> {
    if a.tables.is_empty() {
        return by_pattern(context, None, false, &DESCRIPTORS);
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

/// The form of a list: its tables, and the part of each table that it contains.
struct Listing<T> {
    /// Whether the user may see the table in the list. It is asked first: neither the time that a pattern takes nor its
    /// failure may depend on the names of other tables.
    visible: fn(&CallContext<'_>, &TableName) -> bool,
    entry: fn(&CallContext<'_>, &TableDescriptor) -> Answer<T>,
}

/// The descriptors of the tables that the user administers.
const DESCRIPTORS: Listing<TTableDescriptor> =
    Listing { visible: |context, table| context.administers(table), entry: descriptor_within };

/// The names of the tables for which the user has a role.
const NAMES: Listing<TTableName> = Listing { visible: |context, table| context.sees(table), entry: name_within };

/// All tables whose whole name matches. For the default namespace, `default:name` may match as well.
fn by_pattern<T>(
    context: &CallContext<'_>,
    regex: Option<&[u8]>,
    system: bool,
    listing: &Listing<T>,
) -> Answer<Vec<T>> {
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
    context.engine.visit_tables(|table, _| -> Answer<()> {
        if !system && table.name.is_system() || !(listing.visible)(context, &table.name) {
            return Ok(());
        }
        // A pattern may take long for each name.
        context.scope.check().map_err(|error| local(&error))?;
        let wanted = match &regex {
            None => true,
            Some(regex) => {
                regex.is_match(&table.name.to_string()).map_err(illegal)?
                    || regex.is_match(&table.name.with_namespace()).map_err(illegal)?
            }
        };
        if wanted {
            found.push((listing.entry)(context, table)?);
        }
        Ok(())
    })?;
    Ok(found)
}

/// All tables of a namespace, or of all namespaces if the name is empty.
fn by_namespace<T>(context: &CallContext<'_>, namespace: &[u8], listing: &Listing<T>) -> Answer<Vec<T>> {
    let name = namespace_text(namespace);
    if !name.is_empty() && context.engine.namespace(&name).is_err() {
        return Err(missing(namespace));
    }
    let mut found = Vec::new();
    context.engine.visit_tables(|table, _| -> Answer<()> {
        if (name.is_empty() || table.name.namespace() == name) && (listing.visible)(context, &table.name) {
            found.push((listing.entry)(context, table)?);
        }
        Ok(())
    })?;
    Ok(found)
}

/// The name of a table, if the limits of the call leave room for it.
fn name_within(context: &CallContext<'_>, table: &TableDescriptor) -> Answer<TTableName> {
    let name = table_name_back(&table.name);
    let bytes = NAME_FIXED_BYTES + name.ns.as_ref().map_or(0, Vec::len) + name.qualifier.len();
    context.scope.take(0, bytes).map_err(|error| local(&error))?;
    Ok(name)
}

/// The length of a name in a reply, without its characters.
const NAME_FIXED_BYTES: usize = 8;

/// Descriptors of all matching tables.
pub fn get_table_descriptors_by_pattern(
    context: &CallContext<'_>,
    a: GetTableDescriptorsByPatternArgs,
) -> Answer<Vec<TTableDescriptor>> {
    by_pattern(context, a.regex.as_deref(), a.include_sys_tables, &DESCRIPTORS)
}

/// Names of all matching tables.
pub fn get_table_names_by_pattern(context: &CallContext<'_>, a: GetTableNamesByPatternArgs) -> Answer<Vec<TTableName>> {
    by_pattern(context, a.regex.as_deref(), a.include_sys_tables, &NAMES)
}

/// Descriptors of the tables of a namespace.
pub fn get_table_descriptors_by_namespace(
    context: &CallContext<'_>,
    a: GetTableDescriptorsByNamespaceArgs,
) -> Answer<Vec<TTableDescriptor>> {
    by_namespace(context, &a.name, &DESCRIPTORS)
}

/// Names of the tables of a namespace.
pub fn get_table_names_by_namespace(
    context: &CallContext<'_>,
    a: GetTableNamesByNamespaceArgs,
) -> Answer<Vec<TTableName>> {
    by_namespace(context, &a.name, &NAMES)
}
