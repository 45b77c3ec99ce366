//! A table's regions, the region of a catalog key, and compactions.

use hjall_engine::name::TableName;
use hjall_engine::quote;
use hjall_engine::read::Budget;
use hjall_engine::region::Region;
use hjall_engine::{Error, ErrorKind};
use hjall_idl::hbase1::*;

use super::convert::{sent, table_name};
use super::error::{Answer, io_error, undeclared};
use crate::gateway::compactor::Depth;
use crate::gateway::context::{CallContext, Context};
use crate::gateway::error::{IO, Raised};
use crate::wire::method::{Method, Thrift1};

/// The regions of a table by start key. An unknown table has none.
pub fn get_table_regions(context: &CallContext<'_>, a: GetTableRegionsArgs) -> Answer<Vec<TRegionInfo>> {
    let name = table_name(a.table_name, undeclared)?;
    let regions = context.engine.with_regions(&name, |regions| {
        let within = |region: &Region| {
            let info = region_info(context, &name, region);
            context.scope.take(0, bytes_of(&info)).map_err(undeclared)?;
            Ok(info)
        };
        regions.iter().map(within).collect()
    });
    match regions {
        Ok(regions) => regions,
        Err(error) if error.kind() == ErrorKind::TableNotFound => Ok(Vec::new()),
        Err(error) => Err(undeclared(error)),
    }
}

/// The region at or before a key of HBase's catalog, which may belong to another table than the key. Tables for which
/// the user has no role are skipped, because a refusal would reveal that they exist.
pub fn get_region_info(context: &CallContext<'_>, a: GetRegionInfoArgs) -> Answer<TRegionInfo> {
    let key = sent(a.row, "row")?;
    match context.engine.region_not_after(&key, |table| context.sees(table)) {
        Some((table, region)) => Ok(region_info(context, &table, &region)),
        None => {
            let text = format!("Cannot find row in hbase:meta, row={}", quote::binary(&key));
            let remedy = "send the name of a table and a row, as in TABLE,ROW,";
            Err(io_error(&Raised::new(IO, text).with_remedy(remedy)))
        }
    }
}

/// Requests a minor compaction of a table, or of the table of a region.
pub fn compact(context: &CallContext<'_>, a: CompactArgs) -> Answer<()> {
    request(context, Thrift1::Compact, a.table_name_or_region_name, Depth::Minor)
}

/// Requests a major compaction of a table, or of the table of a region. HBase 2 runs a minor one here.
pub fn major_compact(context: &CallContext<'_>, a: MajorCompactArgs) -> Answer<()> {
    request(context, Thrift1::MajorCompact, a.table_name_or_region_name, Depth::Major)
}

/// Requests a compaction. A name that no region has is the name of a table. A disabled table is not
/// compacted; the name of one of its regions is an error.
fn request(context: &CallContext<'_>, method: Thrift1, name: Option<Vec<u8>>, depth: Depth) -> Answer<()> {
    let name = sent(name, "tableNameOrRegionName")?;
    if let Some(table) = table_of_region(context, method, &name)? {
        context.require_admin(Method::Thrift1(method), &table)?;
        if !context.engine.is_table_enabled(&table).map_err(undeclared)? {
            let text = format!("{} is not online", quote::binary(&name));
            let remedy = format_args!("table {table} is disabled; enable it first");
            return Err(undeclared(Error::new(ErrorKind::NotServing, text).with_remedy(remedy)));
        }
        context.compactor.request(&table, depth);
        return Ok(());
    }
    let table = table_name(Some(name), undeclared)?;
    context.require_admin(Method::Thrift1(method), &table)?;
    if context.engine.is_table_enabled(&table).map_err(undeclared)? {
        context.compactor.request(&table, depth);
    }
    Ok(())
}

/// The length of the hash in the name of a region.
const HASH_LENGTH: usize = 32;

/// The hash of the region of `hbase:meta`, which is none.
const META_HASH: &[u8] = b"1588230740";

/// The table with a region of this full name, with or without the hash, or with this hash. Computing the names of
/// regions takes time, so only tables that the user administers are searched. A full name of another table is refused,
/// whether or not the table has such a region.
fn table_of_region(context: &CallContext<'_>, method: Thrift1, name: &[u8]) -> Answer<Option<TableName>> {
    let has = |table: &TableName, is_named: &dyn Fn(&Region) -> bool| {
        let any = |regions: &[Region]| regions.iter().any(is_named);
        context.administers(table) && context.engine.with_regions(table, any).unwrap_or(false)
    };
    if let Some(comma) = name.iter().position(|&byte| byte == b',') {
        let Ok(table) = TableName::parse(&name[..comma]) else { return Ok(None) };
        context.require_admin(Method::Thrift1(method), &table)?;
        let rest = &name[comma + 1..];
        let is_named = |region: &Region| {
            if rest.strip_prefix(&region.start[..]).is_none_or(|rest| rest.first() != Some(&b',')) {
                return false;
            }
            let full = region.name(&table);
            // The hash is between two dots.
            name == &full[..] || full.len().checked_sub(HASH_LENGTH + 2).and_then(|end| full.get(..end)) == Some(name)
        };
        return Ok(has(&table, &is_named).then_some(table));
    }
    if !(name.len() == HASH_LENGTH || name == META_HASH) || !name.iter().all(u8::is_ascii_hexdigit) {
        return Ok(None);
    }
    for table in context.engine.table_names() {
        // Between two tables, because there may be many.
        context.scope.check().map_err(undeclared)?;
        if has(&table, &|region| name == region.encoded_name(&table).as_bytes()) {
            return Ok(Some(table));
        }
    }
    Ok(None)
}

/// An estimate of the memory of a region. Its encoded form is at least as long.
fn bytes_of(region: &TRegionInfo) -> usize {
    let texts = [&region.start_key, &region.end_key, &region.name, &region.server_name];
    REGION_FIXED_BYTES + texts.into_iter().flatten().map(Vec::len).sum::<usize>()
}

/// The length of the numbers and field headers of a region in a reply.
const REGION_FIXED_BYTES: usize = 60;

fn region_info(context: &Context, table: &TableName, region: &Region) -> TRegionInfo {
    TRegionInfo {
        start_key: Some(region.start.to_vec()),
        end_key: Some(region.end.to_vec()),
        id: Some(region.id),
        name: Some(region.name(table).to_vec()),
        version: Some(1),
        server_name: Some(context.identity.host.clone().into_bytes()),
        port: Some(i32::from(context.identity.port)),
    }
}
