//! Locations of regions, which are all on this server.

use hjall_engine::ErrorKind;
use hjall_engine::name::TableName;
use hjall_engine::read::Budget;
use hjall_engine::region::locate;
use hjall_engine::schema::{REGION_REPLICATION_MAX, Region};
use hjall_idl::hbase2::{
    GetAllRegionLocationsArgs, GetRegionLocationArgs, THRegionInfo, THRegionLocation, TServerName,
};

use super::convert::table_name;
use super::error::{Answer, data, local};
use crate::gateway::context::{CallContext, Context};
use crate::wire::fault::Fault;

/// The length of the numbers and field headers of a location in a reply.
const FIXED_BYTES: usize = 40;

fn location(context: &Context, table: &TableName, region: &Region, replica: i32) -> THRegionLocation {
    THRegionLocation {
        server_name: TServerName {
            host_name: context.identity.host.clone().into_bytes(),
            port: Some(i32::from(context.identity.port)),
            start_code: Some(context.identity.start_code),
        },
        region_info: THRegionInfo {
            region_id: region.id,
            table_name: table.to_string().into_bytes(),
            start_key: Some(region.start.to_vec()),
            end_key: Some(region.end.to_vec()),
            offline: Some(false),
            split: Some(false),
            replica_id: Some(replica),
        },
    }
}

/// REGION_REPLICATION: the number of replicas of each region that clients see.
fn replicas(context: &Context, table: &TableName) -> Answer<i32> {
    let table = context.engine.describe(table).map_err(|e| local(&e))?;
    Ok(table.region_replication().unwrap_or(1).min(REGION_REPLICATION_MAX))
}

/// Whether a table lacks this replica. Replica 0 is the region itself.
pub fn replica_missing(context: &Context, table: &TableName, id: i32) -> Answer<bool> {
    Ok(id >= replicas(context, table)?)
}

/// An estimate of the memory of a location. Its encoded form is at least as long.
fn bytes_of(location: &THRegionLocation) -> usize {
    let region = &location.region_info;
    let keys = [&region.start_key, &region.end_key].into_iter().flatten().map(Vec::len).sum::<usize>();
    FIXED_BYTES + location.server_name.host_name.len() + region.table_name.len() + keys
}

/// The region of a row, which may be any bytes. `reload` has no effect, because locations are not cached.
pub fn get_region_location(context: &Context, a: GetRegionLocationArgs) -> Answer<THRegionLocation> {
    let name = table_name(&a.table)?;
    let region = context.engine.with_regions(&name, |regions| locate(regions, &a.row).cloned());
    match region.map_err(|e| local(&e))? {
        Some(region) => Ok(location(context, &name, &region, 0)),
        None => Err(Fault::io(
            format!("no region of {name} contains the row: call getAllRegionLocations, and repeat this call"),
            true,
        )),
    }
}

/// All regions by start key, each with its replicas. The list is empty for a table that does not exist.
pub fn get_all_region_locations(
    context: &CallContext<'_>,
    a: GetAllRegionLocationsArgs,
) -> Answer<Vec<THRegionLocation>> {
    let name = table_name(&a.table)?;
    let replicas = match replicas(context, &name) {
        Ok(replicas) => replicas,
        Err(_) if !context.engine.table_exists(&name) => return Ok(Vec::new()),
        Err(fault) => return Err(fault),
    };
    let locations = context.engine.with_regions(&name, |regions| {
        let all = regions.iter().flat_map(|region| (0..replicas).map(move |replica| (region, replica)));
        let mut locations = Vec::new();
        for (region, replica) in all {
            let location = location(context, &name, region, replica);
            context.scope.take(0, bytes_of(&location)).map_err(|e| data(&e))?;
            locations.push(location);
        }
        Ok(locations)
    });
    match locations {
        Ok(locations) => locations,
        Err(error) if error.kind() == ErrorKind::TableNotFound => Ok(Vec::new()),
        Err(error) => Err(local(&error)),
    }
}
