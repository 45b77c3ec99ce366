//! The Thrift1 gateway: argument structs in, engine calls, result structs out.

mod argument;
mod atomic;
mod column;
mod convert;
mod delete;
mod error;
mod mutation;
mod read;
mod region;
mod scan;
mod table;
mod write;

use std::sync::Arc;

use hjall_idl::hbase1::*;
use thrift::protocol::{TInputProtocol, TOutputProtocol, TSerializable};

use crate::dispatch::caller::Caller;
use crate::gateway::context::Context;
use crate::wire::fault::Fault;
use crate::wire::method::Service::Thrift1;

/// HBase's number for the service that this is (`TThriftServerType.ONE`).
const SERVER_TYPE: i32 = 1;

/// Runs one call: reads the whole argument struct, does what it says, and writes the result struct, declared exceptions included.
///
/// Returns an error only for what becomes a `TApplicationException`; what was written by then is thrown away.
pub fn call(
    context: &Context,
    caller: &Arc<Caller>,
    method: &str,
    input: &mut dyn TInputProtocol,
    output: &mut dyn TOutputProtocol,
) -> Result<(), Fault> {
    /// Runs a handler and puts what it answers, or how it fails, into the fields that the method's result has for it.
    macro_rules! run {
        ($handler:path, $arguments:ident => $result:ident { $($field:ident)* }) => {{
            let arguments = $arguments::read_from_in_protocol(input)?;
            let mut result = $result::default();
            let answer = $handler(context, arguments);
            $(let answer = error::$field(answer, &mut result.$field);)*
            answer?;
            result.write_to_out_protocol(output)?;
        }};
    }
    /// Opens a scanner, which belongs to who asks for it.
    macro_rules! open {
        ($handler:path, $arguments:ident => $result:ident) => {{
            let arguments = $arguments::read_from_in_protocol(input)?;
            let mut result = $result::default();
            let answer = $handler(context, arguments).and_then(|open| context.scanners.open(Thrift1, open, caller));
            error::io(error::success(answer, &mut result.success), &mut result.io)?;
            result.write_to_out_protocol(output)?;
        }};
    }
    match method {
        "enableTable" => run!(table::enable, EnableTableArgs => EnableTableResult { io }),
        "disableTable" => run!(table::disable, DisableTableArgs => DisableTableResult { io }),
        "isTableEnabled" => run!(table::is_enabled, IsTableEnabledArgs => IsTableEnabledResult { success io }),
        "compact" => run!(region::compact, CompactArgs => CompactResult { io }),
        "majorCompact" => run!(region::major_compact, MajorCompactArgs => MajorCompactResult { io }),
        "getTableNames" => run!(table::names, GetTableNamesArgs => GetTableNamesResult { success io }),
        "getTableNamesWithIsTableEnabled" => {
            run!(table::names_with_state, GetTableNamesWithIsTableEnabledArgs => GetTableNamesWithIsTableEnabledResult { success io })
        }
        "getColumnDescriptors" => {
            run!(table::families, GetColumnDescriptorsArgs => GetColumnDescriptorsResult { success io })
        }
        "getTableRegions" => run!(region::of_table, GetTableRegionsArgs => GetTableRegionsResult { success io }),
        "createTable" => run!(table::create, CreateTableArgs => CreateTableResult { io ia exist }),
        "deleteTable" => run!(table::delete, DeleteTableArgs => DeleteTableResult { io }),
        "get" => run!(read::get, GetArgs => GetResult { success io }),
        "getVer" => run!(read::get_ver, GetVerArgs => GetVerResult { success io }),
        "getVerTs" => run!(read::get_ver_ts, GetVerTsArgs => GetVerTsResult { success io }),
        "getRow" => run!(read::get_row, GetRowArgs => GetRowResult { success io }),
        "getRowWithColumns" => {
            run!(read::get_row_with_columns, GetRowWithColumnsArgs => GetRowWithColumnsResult { success io })
        }
        "getRowTs" => run!(read::get_row_ts, GetRowTsArgs => GetRowTsResult { success io }),
        "getRowWithColumnsTs" => {
            run!(read::get_row_with_columns_ts, GetRowWithColumnsTsArgs => GetRowWithColumnsTsResult { success io })
        }
        "getRows" => run!(read::get_rows, GetRowsArgs => GetRowsResult { success io }),
        "getRowsWithColumns" => {
            run!(read::get_rows_with_columns, GetRowsWithColumnsArgs => GetRowsWithColumnsResult { success io })
        }
        "getRowsTs" => run!(read::get_rows_ts, GetRowsTsArgs => GetRowsTsResult { success io }),
        "getRowsWithColumnsTs" => {
            run!(read::get_rows_with_columns_ts, GetRowsWithColumnsTsArgs => GetRowsWithColumnsTsResult { success io })
        }
        "mutateRow" => run!(write::mutate_row, MutateRowArgs => MutateRowResult { io ia }),
        "mutateRowTs" => run!(write::mutate_row_ts, MutateRowTsArgs => MutateRowTsResult { io ia }),
        "mutateRows" => run!(write::mutate_rows, MutateRowsArgs => MutateRowsResult { io ia }),
        "mutateRowsTs" => run!(write::mutate_rows_ts, MutateRowsTsArgs => MutateRowsTsResult { io ia }),
        "atomicIncrement" => {
            run!(atomic::atomic_increment, AtomicIncrementArgs => AtomicIncrementResult { success io ia })
        }
        "deleteAll" => run!(delete::delete_all, DeleteAllArgs => DeleteAllResult { io }),
        "deleteAllTs" => run!(delete::delete_all_ts, DeleteAllTsArgs => DeleteAllTsResult { io }),
        "deleteAllRow" => run!(delete::delete_all_row, DeleteAllRowArgs => DeleteAllRowResult { io }),
        "increment" => run!(atomic::increment, IncrementArgs => IncrementResult { io }),
        "incrementRows" => run!(atomic::increment_rows, IncrementRowsArgs => IncrementRowsResult { io }),
        "deleteAllRowTs" => run!(delete::delete_all_row_ts, DeleteAllRowTsArgs => DeleteAllRowTsResult { io }),
        "scannerOpenWithScan" => {
            open!(scan::open_with_scan, ScannerOpenWithScanArgs => ScannerOpenWithScanResult)
        }
        "scannerOpen" => open!(scan::open, ScannerOpenArgs => ScannerOpenResult),
        "scannerOpenWithStop" => {
            open!(scan::open_with_stop, ScannerOpenWithStopArgs => ScannerOpenWithStopResult)
        }
        "scannerOpenWithPrefix" => {
            open!(scan::open_with_prefix, ScannerOpenWithPrefixArgs => ScannerOpenWithPrefixResult)
        }
        "scannerOpenTs" => open!(scan::open_ts, ScannerOpenTsArgs => ScannerOpenTsResult),
        "scannerOpenWithStopTs" => {
            open!(scan::open_with_stop_ts, ScannerOpenWithStopTsArgs => ScannerOpenWithStopTsResult)
        }
        "scannerGet" => run!(scan::get, ScannerGetArgs => ScannerGetResult { success io ia }),
        "scannerGetList" => run!(scan::get_list, ScannerGetListArgs => ScannerGetListResult { success io ia }),
        "scannerClose" => run!(scan::close, ScannerCloseArgs => ScannerCloseResult { io ia }),
        "getRegionInfo" => run!(region::at_or_before, GetRegionInfoArgs => GetRegionInfoResult { success io }),
        "append" => run!(atomic::append, AppendArgs => AppendResult { success io }),
        "checkAndPut" => run!(atomic::check_and_put, CheckAndPutArgs => CheckAndPutResult { success io ia }),
        "getRowOrBefore" => run!(read::get_row_or_before, GetRowOrBeforeArgs => GetRowOrBeforeResult { success io }),
        "getThriftServerType" => {
            GetThriftServerTypeArgs::read_from_in_protocol(input)?;
            GetThriftServerTypeResult { success: Some(SERVER_TYPE) }.write_to_out_protocol(output)?;
        }
        "getClusterId" => {
            GetClusterIdArgs::read_from_in_protocol(input)?;
            let id = context.engine.cluster_id().to_owned();
            GetClusterIdResult { success: Some(id) }.write_to_out_protocol(output)?;
        }
        _ => return Err(Fault::UnknownMethod),
    }
    Ok(())
}
