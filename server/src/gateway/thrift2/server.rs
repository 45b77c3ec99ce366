//! The type of the service, the id of the cluster, and the log of slow calls.

use hjall_engine::name::TableName;
use hjall_engine::region::{locate, to_string_binary};
use hjall_idl::hbase2::{
    ClearSlowLogResponsesArgs, GetClusterIdArgs, GetSlowLogResponsesArgs, GetThriftServerTypeArgs, TLogQueryFilter,
    TOnlineLogRecord, TServerName,
};

use super::error::Answer;
use crate::gateway::context::Context;
use crate::gateway::error::{ILLEGAL_ARGUMENT, NULL_POINTER};
use crate::observe::SlowCall;
use crate::wire::fault::Fault;

/// `TThriftServerType.TWO`.
const SERVER_TYPE: i32 = 2;

/// HBase's number of this service.
pub fn get_thrift_server_type(_: &Context, _: GetThriftServerTypeArgs) -> Answer<i32> {
    Ok(SERVER_TYPE)
}

/// The id of the database, which never changes.
pub fn get_cluster_id(context: &Context, _: GetClusterIdArgs) -> Answer<String> {
    Ok(context.engine.cluster_id().to_owned())
}

/// Checks that the server in a request is this one.
fn check_server(context: &Context, server: &TServerName) -> Answer<()> {
    let identity = &context.identity;
    let same = server.host_name == identity.host.as_bytes()
        && server.port == Some(i32::from(identity.port))
        && server.start_code == Some(identity.start_code);
    if same {
        Ok(())
    } else {
        Err(Fault::undeclared(ILLEGAL_ARGUMENT, format_args!("no such server: name this one, {identity}")))
    }
}

/// Slow and large calls of these servers, newest first. Empty unless
/// `hbase.regionserver.slowlog.buffer.enabled` is set.
pub fn get_slow_log_responses(context: &Context, a: GetSlowLogResponsesArgs) -> Answer<Vec<TOnlineLogRecord>> {
    let Some(filter) = &a.log_query_filter else {
        return Err(Fault::undeclared(NULL_POINTER, "the query of the slow log has no filter: send logQueryFilter"));
    };
    let mut records = Vec::new();
    for server in a.server_names.iter().flatten() {
        check_server(context, server)?;
        let limit = usize::try_from(filter.limit.unwrap_or(LIMIT)).unwrap_or(0);
        let kept = context.watch.slow.kept().unwrap_or_default();
        let wanted = kept.iter().filter(|call| of_type(call, filter.log_type)).map(|call| record(context, call));
        records.extend(wanted.filter(|record| fits(record, filter)).take(limit));
    }
    Ok(records)
}

/// Clears the slow logs. The answer is false for a server without a slow log.
pub fn clear_slow_log_responses(context: &Context, a: ClearSlowLogResponsesArgs) -> Answer<Vec<bool>> {
    let clear = |server| check_server(context, server).map(|()| context.watch.slow.clear());
    a.server_names.iter().flatten().map(clear).collect()
}

/// The limit of a filter that has none, as in the contract.
const LIMIT: i32 = 10;
/// `TLogType.LARGE_LOG`. Any other type, or none, stands for slow calls.
const LARGE: i32 = 2;
/// `TFilterByOperator.AND`. Any other operator, or none, is OR.
const AND: i32 = 0;

fn of_type(call: &SlowCall, log_type: Option<i32>) -> bool {
    if log_type == Some(LARGE) { call.large } else { call.slow }
}

fn record(context: &Context, call: &SlowCall) -> TOnlineLogRecord {
    let small = |number: i64| i32::try_from(number).unwrap_or(i32::MAX);
    let (gets, mutations) = match (call.many, call.writes) {
        (Some(many), false) => (many, 0),
        (Some(many), true) => (0, many),
        (None, _) => (0, 0),
    };
    TOnlineLogRecord {
        start_time: call.start_ms,
        processing_time: small(call.took_ms),
        queue_time: small(call.waited_ms),
        response_size: i64::try_from(call.reply_bytes).unwrap_or(i64::MAX),
        client_address: call.peer.to_string(),
        server_class: "hjall".to_owned(),
        method_name: call.method.to_owned(),
        call_details: format!("{}({})", call.method, call.service),
        param: parameters(call),
        user_name: call.user.as_deref().unwrap_or_default().to_owned(),
        multi_gets_count: small(gets),
        multi_mutations_count: small(mutations),
        multi_service_calls: 0,
        region_name: region(context, call),
        block_bytes_scanned: None,
        fs_read_time: None,
    }
}

/// The table and row of the call, if it has them.
fn parameters(call: &SlowCall) -> String {
    let table = call.table.iter().map(|table| format!("table={table}"));
    let row = call.row.iter().map(|row| format!("row={}", to_string_binary(row)));
    table.chain(row).collect::<Vec<_>>().join(", ")
}

/// The name of the region of its row, or of the first region if it has no row.
fn region(context: &Context, call: &SlowCall) -> Option<String> {
    let table = TableName::parse(call.table.as_ref()?.as_bytes()).ok()?;
    let row = call.row.as_deref().unwrap_or_default();
    let name = context.engine.with_regions(&table, |regions| locate(regions, row).map(|region| region.name(&table)));
    Some(String::from_utf8_lossy(&name.ok()??).into_owned())
}

/// Whether a record meets any of the conditions of a filter, or all if the operator is AND. A filter without
/// conditions accepts every record.
fn fits(record: &TOnlineLogRecord, filter: &TLogQueryFilter) -> bool {
    let region = record.region_name.as_deref().unwrap_or_default().as_bytes();
    let named = [
        (&filter.region_name, &(|wanted: &[u8]| region == wanted) as &dyn Fn(&[u8]) -> bool),
        (&filter.client_address, &|wanted| record.client_address.as_bytes() == wanted),
        (&filter.table_name, &|wanted| region.starts_with(wanted)),
        (&filter.user_name, &|wanted| record.user_name.as_bytes() == wanted),
    ];
    let met: Vec<bool> = named
        .iter()
        .filter_map(|(wanted, meets)| wanted.as_deref().filter(|wanted| !wanted.is_empty()).map(meets))
        .collect();
    let all = filter.filter_by_operator == Some(AND);
    met.is_empty() || if all { met.iter().all(|met| *met) } else { met.iter().any(|met| *met) }
}
