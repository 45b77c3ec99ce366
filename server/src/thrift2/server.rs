//! The server itself: which service this is, which cluster, and what was slow.

use std::collections::BTreeSet;

use hjall_idl::hbase2::{TLogQueryFilter, TOnlineLogRecord, TServerName};

use super::error::Answer;
use crate::context::Context;
use crate::fault::Fault;

/// `TThriftServerType.TWO`.
pub const SERVER_TYPE: i32 = 2;

/// Whether a server in a request is this one; HBase cannot reach any other either.
fn check_server(context: &Context, server: &TServerName) -> Answer<()> {
    let identity = &context.identity;
    let same = server.host_name == identity.host.as_bytes()
        && server.port == Some(i32::from(identity.port))
        && server.start_code == Some(identity.start_code);
    if same { Ok(()) } else { Err(Fault::internal(format!("no such server; this is {identity}"))) }
}

/// Slow and large calls of these servers. HBase keeps them only when told to (`hbase.regionserver.slowlog.buffer.enabled`); hjall logs
/// them instead, so that there are none to return.
pub fn get_slow_log_responses(
    context: &Context,
    servers: Option<&BTreeSet<TServerName>>,
    filter: Option<&TLogQueryFilter>,
) -> Answer<Vec<TOnlineLogRecord>> {
    if filter.is_none() {
        return Err(Fault::internal("a query of the slow log without a filter"));
    }
    servers.into_iter().flatten().try_for_each(|server| check_server(context, server))?;
    Ok(Vec::new())
}

/// Forgets them: false for each server, as there are none.
pub fn clear_slow_log_responses(context: &Context, servers: Option<&BTreeSet<TServerName>>) -> Answer<Vec<bool>> {
    servers.into_iter().flatten().map(|server| check_server(context, server).map(|()| false)).collect()
}
