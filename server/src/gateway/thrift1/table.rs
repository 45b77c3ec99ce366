//! Creates, describes, enables, disables and drops tables.

use std::collections::BTreeMap;

use hjall_engine::name::TableName;
use hjall_engine::quote;
use hjall_engine::read::Budget;
use hjall_engine::schema::{BloomFilter, Compression, FamilyDescriptor, TableDescriptor};
use hjall_engine::{Error, ErrorKind};
use hjall_idl::hbase1::*;

use super::column::Column;
use super::convert::{column_descriptor, sent, table_name};
use super::error::{Answer, declared, io_error, undeclared};
use crate::gateway::context::{CallContext, Context};
use crate::gateway::error::{IO, Raised};
use crate::wire::fault::Fault;

/// The text of an `IllegalArgument` that HBase's gateway raises itself, without a Java class.
const NO_NAME: &str = "column name is empty: every family needs one";

/// Enables a disabled table.
pub fn enable_table(context: &CallContext<'_>, a: EnableTableArgs) -> Answer<()> {
    let name = table_name(a.table_name, undeclared)?;
    // HBase's client checks the state of the table itself, so the text names the class once.
    context.changes().enable_table(&name).map_err(|error| match error.kind() {
        ErrorKind::TableNotDisabled => io_error(&Raised::of(&error).local()),
        _ => undeclared(error),
    })
}

/// Disables a table. Unlike when enabling, HBase's master reports all errors, also for a missing table.
pub fn disable_table(context: &CallContext<'_>, a: DisableTableArgs) -> Answer<()> {
    let name = table_name(a.table_name, undeclared)?;
    context.changes().disable_table(&name).map_err(|error| io_error(&Raised::of(&error).remote()))
}

/// Whether a table is enabled.
pub fn is_table_enabled(context: &Context, a: IsTableEnabledArgs) -> Answer<bool> {
    context.engine.is_table_enabled(&table_name(a.table_name, undeclared)?).map_err(undeclared)
}

/// The families of a table, by `family:`.
pub fn get_column_descriptors(
    context: &CallContext<'_>,
    a: GetColumnDescriptorsArgs,
) -> Answer<BTreeMap<Vec<u8>, ColumnDescriptor>> {
    let table = context.engine.describe(&table_name(a.table_name, undeclared)?).map_err(undeclared)?;
    let families = table.families.values().map(|family| {
        let name = [&family.name[..], b":"].concat();
        context.scope.take(0, 2 * name.len() + size_of::<ColumnDescriptor>())?;
        Ok((name.clone(), column_descriptor(name, family)?))
    });
    families.collect::<hjall_engine::Result<_>>().map_err(undeclared)
}

/// Creates a table with one region. An existing table is reported before an error in the families.
pub fn create_table(context: &CallContext<'_>, a: CreateTableArgs) -> Answer<()> {
    let name = table_name(a.table_name, undeclared)?;
    if context.engine.table_exists(&name) {
        return Err(already_there(&name));
    }
    let mut table = TableDescriptor::new(name.clone());
    for descriptor in sent(a.column_families, "columnFamilies")? {
        let family = new_family(descriptor)?;
        table.add_family(family).map_err(declared)?;
    }
    context.changes().create_table(table, Vec::new()).map_err(|error| match error.kind() {
        // Another call has created it meanwhile.
        ErrorKind::TableExists => already_there(&name),
        _ => declared(error),
    })
}

/// Drops a disabled table. HBase's gateway reports a missing table with a text of its own.
pub fn delete_table(context: &CallContext<'_>, a: DeleteTableArgs) -> Answer<()> {
    let name = table_name(a.table_name, undeclared)?;
    context.changes().delete_table(&name).map_err(|error| match error.kind() {
        ErrorKind::TableNotFound => {
            let remedy = "name a table of getTableNames";
            io_error(&Raised::new(IO, format!("table does not exist: {name}")).with_remedy(remedy))
        }
        _ => undeclared(error),
    })
}

fn already_there(name: &TableName) -> Fault {
    Fault::AlreadyExists(format!("table name already in use: {name}: choose another one, or delete the table first"))
}

/// The family that a client describes. Missing fields have the defaults of the contract, not those of HBase.
fn new_family(d: ColumnDescriptor) -> Answer<FamilyDescriptor> {
    let text = |bytes: Option<Vec<u8>>| bytes.map_or("NONE".to_owned(), |b| quote::utf8(&b).to_string());
    let compression = text(d.compression).to_lowercase();
    let compression = Compression::from_name(&compression).ok_or_else(|| {
        illegal(format!(
            "Unsupported compression algorithm name: {compression}: use NONE, GZ, SNAPPY, LZ4, LZO or ZSTD"
        ))
    })?;
    let bloom = text(d.bloom_filter_type);
    // Unlike the name of a compression, this one is case-sensitive.
    let bloom = BloomFilter::from_name(&bloom).filter(|known| known.name() == bloom).ok_or_else(|| {
        illegal(format!(
            "No enum constant org.apache.hadoop.hbase.regionserver.BloomType.{bloom}: use NONE, ROW or ROWCOL, in \
                 capitals"
        ))
    })?;
    let name = d.name.filter(|name| !name.is_empty()).ok_or_else(|| Fault::IllegalArgument(NO_NAME.to_owned()))?;
    let mut family = FamilyDescriptor::new(Column::parse(name).family).map_err(declared)?;
    family.set_max_versions(d.max_versions.unwrap_or(3)).map_err(declared)?;
    family
        .set_compression(compression)
        .set_bloom_filter(bloom)
        .set_flag("IN_MEMORY", d.in_memory.unwrap_or(false))
        .set_flag("BLOCKCACHE", d.block_cache_enabled.unwrap_or(false))
        .set_ttl_seconds(d.time_to_live.filter(|&seconds| seconds > 0).unwrap_or(i32::MAX));
    Ok(family)
}

fn illegal(text: String) -> Fault {
    declared(Error::invalid(text))
}
