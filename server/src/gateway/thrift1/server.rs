//! The server itself: which service this is, and which cluster.

use hjall_idl::hbase1::*;

use super::error::Answer;
use crate::gateway::context::Context;

/// `TThriftServerType.ONE`.
const SERVER_TYPE: i32 = 1;

/// HBase's number for this service.
pub fn get_thrift_server_type(_: &Context, _: GetThriftServerTypeArgs) -> Answer<i32> {
    Ok(SERVER_TYPE)
}

/// The identifier of the store, which it keeps for life.
pub fn get_cluster_id(context: &Context, _: GetClusterIdArgs) -> Answer<String> {
    Ok(context.engine.cluster_id().to_owned())
}
