//! The type of the service and the id of the cluster.

use hjall_idl::hbase1::*;

use super::error::Answer;
use crate::gateway::context::Context;

/// `TThriftServerType.ONE`.
const SERVER_TYPE: i32 = 1;

/// HBase's number of this service.
pub fn get_thrift_server_type(_: &Context, _: GetThriftServerTypeArgs) -> Answer<i32> {
    Ok(SERVER_TYPE)
}

/// The id of the database, which never changes.
pub fn get_cluster_id(context: &Context, _: GetClusterIdArgs) -> Answer<String> {
    Ok(context.engine.cluster_id().to_owned())
}
