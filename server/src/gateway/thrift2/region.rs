//! Where regions are: all on this server.

use hjall_engine::ErrorKind;
use hjall_engine::name::TableName;
use hjall_engine::schema::Region;
use hjall_idl::hbase2::{
    GetAllRegionLocationsArgs, GetRegionLocationArgs, THRegionInfo, THRegionLocation, TServerName,
};

use super::convert::table_name;
use super::error::{Answer, local};
use crate::gateway::context::Context;
use crate::wire::fault::Fault;

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

/// REGION_REPLICATION: how many copies of each region clients are told of.
fn replicas(context: &Context, table: &TableName) -> Answer<i32> {
    let table = context.engine.describe(table).map_err(|e| local(&e))?;
    Ok(table.region_replication().unwrap_or(1))
}

/// Whether a table has no such replica; 0 is the region itself.
pub fn replica_missing(context: &Context, table: &TableName, id: i32) -> Answer<bool> {
    Ok(id >= replicas(context, table)?)
}

/// The region that holds a row; any bytes are a row here. `reload` asks to forget cached locations; none are cached.
pub fn get_region_location(context: &Context, a: GetRegionLocationArgs) -> Answer<THRegionLocation> {
    let name = table_name(&a.table)?;
    let regions = context.engine.regions(&name).map_err(|e| local(&e))?;
    match regions.iter().find(|region| region.contains(&a.row)) {
        Some(region) => Ok(location(context, &name, region, 0)),
        None => Err(Fault::io(format!("no region of {name} holds the &a.row"), true)),
    }
}

/// All regions by start key, each with its replicas; none of a table that is not there.
pub fn get_all_region_locations(context: &Context, a: GetAllRegionLocationsArgs) -> Answer<Vec<THRegionLocation>> {
    let name = table_name(&a.table)?;
    let regions = match context.engine.regions(&name) {
        Ok(regions) => regions,
        Err(error) if error.kind() == ErrorKind::TableNotFound => return Ok(Vec::new()),
        Err(error) => return Err(local(&error)),
    };
    let replicas = replicas(context, &name)?;
    let all = regions.iter().flat_map(|region| (0..replicas).map(move |replica| (region, replica)));
    Ok(all.map(|(region, replica)| location(context, &name, region, replica)).collect())
}
