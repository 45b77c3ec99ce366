//! The Thrift2 gateway: argument structs in, engine calls, result structs out.

mod batch;
mod check;
mod convert;
mod counter;
mod delete;
mod error;
mod family;
mod filter;
mod get;
mod listing;
mod namespace;
mod put;
mod region;
mod scan;
mod server;
mod table;

use std::sync::Arc;

use hjall_idl::hbase2::*;
use thrift::protocol::{TInputProtocol, TOutputProtocol, TSerializable};

use crate::dispatch::caller::Caller;
use crate::gateway::context::Context;
use crate::wire::fault::Fault;
use check::Target;
use error::Answer;

/// The methods that read-only mode refuses; administration stays possible, as in HBase.
const MUTATIONS: [&str; 10] = [
    "put",
    "putMultiple",
    "checkAndPut",
    "deleteSingle",
    "deleteMultiple",
    "checkAndDelete",
    "checkAndMutate",
    "increment",
    "append",
    "mutateRow",
];

/// An answer as the fields of a result struct: what is declared becomes a field, the rest stays an error.
struct Fields<T> {
    success: Option<T>,
    io: Option<TIOError>,
    ia: Option<TIllegalArgument>,
}

impl<T> Fields<T> {
    fn new(answer: Answer<T>) -> Answer<Self> {
        let (mut io, mut ia) = (None, None);
        let success = match answer {
            Ok(value) => Some(value),
            Err(Fault::Io { message, can_retry }) => {
                io = Some(TIOError { message, can_retry: Some(can_retry) });
                None
            }
            Err(Fault::IllegalArgument(message)) => {
                ia = Some(TIllegalArgument { message: Some(message) });
                None
            }
            Err(other) => return Err(other),
        };
        Ok(Self { success, io, ia })
    }
}

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
    /// Reads the arguments, and runs the method unless the mode forbids it.
    macro_rules! run {
        ($args:ident, |$a:ident| $body:expr) => {{
            let $a = $args::read_from_in_protocol(input)?;
            if context.options.read_only && MUTATIONS.contains(&method) {
                Err(Fault::io("Thrift Server is in Read-only mode.", false))
            } else {
                $body
            }
        }};
    }
    /// A method with a result.
    macro_rules! value {
        ($args:ident, $result:ident, |$a:ident| $body:expr) => {{
            let Fields { success, io, ia: _ } = Fields::new(run!($args, |$a| $body))?;
            $result { success, io }.write_to_out_protocol(output)?
        }};
    }
    /// A method without one.
    macro_rules! void {
        ($args:ident, $result:ident, |$a:ident| $body:expr) => {{
            let Fields { success: _, io, ia: _ } = Fields::new(run!($args, |$a| $body))?;
            $result { io }.write_to_out_protocol(output)?
        }};
    }
    match method {
        "exists" => value!(ExistsArgs, ExistsResult, |a| get::exists(context, &a.table, &a.tget)),
        "existsAll" => value!(ExistsAllArgs, ExistsAllResult, |a| get::exists_all(context, &a.table, &a.tgets)),
        "get" => value!(GetArgs, GetResult, |a| get::get(context, &a.table, &a.tget)),
        "getMultiple" => value!(GetMultipleArgs, GetMultipleResult, |a| get::get_multiple(context, &a.table, &a.tgets)),
        "put" => void!(PutArgs, PutResult, |a| put::put(context, &a.table, &a.tput)),
        "putMultiple" => void!(PutMultipleArgs, PutMultipleResult, |a| put::put_multiple(context, &a.table, &a.tputs)),
        "checkAndPut" => value!(CheckAndPutArgs, CheckAndPutResult, |a| {
            let target = Target { row: &a.row, family: &a.family, qualifier: &a.qualifier };
            check::check_and_put(context, &a.table, &target, a.value.as_deref(), &a.tput)
        }),
        "deleteSingle" => {
            void!(DeleteSingleArgs, DeleteSingleResult, |a| delete::delete_single(context, &a.table, &a.tdelete))
        }
        "deleteMultiple" => {
            value!(DeleteMultipleArgs, DeleteMultipleResult, |a| delete::delete_multiple(
                context,
                &a.table,
                &a.tdeletes
            ))
        }
        "checkAndDelete" => value!(CheckAndDeleteArgs, CheckAndDeleteResult, |a| {
            let target = Target { row: &a.row, family: &a.family, qualifier: &a.qualifier };
            check::check_and_delete(context, &a.table, &target, a.value.as_deref(), &a.tdelete)
        }),
        "increment" => {
            value!(IncrementArgs, IncrementResult, |a| counter::increment(context, &a.table, &a.tincrement))
        }
        "append" => value!(AppendArgs, AppendResult, |a| counter::append(context, &a.table, &a.tappend)),
        "openScanner" => {
            value!(OpenScannerArgs, OpenScannerResult, |a| scan::open_scanner(context, caller, &a.table, &a.tscan))
        }
        "getScannerRows" => {
            let a = GetScannerRowsArgs::read_from_in_protocol(input)?;
            let Fields { success, io, ia } = Fields::new(scan::get_scanner_rows(context, a.scanner_id, a.num_rows))?;
            GetScannerRowsResult { success, io, ia }.write_to_out_protocol(output)?
        }
        "closeScanner" => {
            let a = CloseScannerArgs::read_from_in_protocol(input)?;
            let Fields { success: _, io, ia } = Fields::new(scan::close_scanner(context, a.scanner_id))?;
            CloseScannerResult { io, ia }.write_to_out_protocol(output)?
        }
        "mutateRow" => {
            void!(MutateRowArgs, MutateRowResult, |a| check::mutate_row(context, &a.table, &a.trow_mutations))
        }
        "getScannerResults" => value!(GetScannerResultsArgs, GetScannerResultsResult, |a| {
            scan::get_scanner_results(context, &a.table, &a.tscan, a.num_rows)
        }),
        "getRegionLocation" => value!(GetRegionLocationArgs, GetRegionLocationResult, |a| {
            // `reload` asks to forget what the gateway remembers of regions; nothing is remembered here.
            region::get_region_location(context, &a.table, &a.row)
        }),
        "getAllRegionLocations" => value!(GetAllRegionLocationsArgs, GetAllRegionLocationsResult, |a| {
            region::get_all_region_locations(context, &a.table)
        }),
        "checkAndMutate" => value!(CheckAndMutateArgs, CheckAndMutateResult, |a| {
            let target = Target { row: &a.row, family: &a.family, qualifier: &a.qualifier };
            check::check_and_mutate(context, &a.table, &target, a.compare_op, a.value.as_deref(), &a.row_mutations)
        }),
        "getTableDescriptor" => value!(GetTableDescriptorArgs, GetTableDescriptorResult, |a| {
            table::get_table_descriptor(context, &a.table)
        }),
        "getTableDescriptors" => value!(GetTableDescriptorsArgs, GetTableDescriptorsResult, |a| {
            listing::get_table_descriptors(context, &a.tables)
        }),
        "tableExists" => {
            value!(TableExistsArgs, TableExistsResult, |a| table::table_exists(context, a.table_name.as_ref()))
        }
        "getTableDescriptorsByPattern" => {
            value!(GetTableDescriptorsByPatternArgs, GetTableDescriptorsByPatternResult, |a| {
                listing::get_table_descriptors_by_pattern(context, a.regex.as_deref(), a.include_sys_tables)
            })
        }
        "getTableDescriptorsByNamespace" => {
            value!(GetTableDescriptorsByNamespaceArgs, GetTableDescriptorsByNamespaceResult, |a| {
                listing::get_table_descriptors_by_namespace(context, &a.name)
            })
        }
        "getTableNamesByPattern" => value!(GetTableNamesByPatternArgs, GetTableNamesByPatternResult, |a| {
            listing::get_table_names_by_pattern(context, a.regex.as_deref(), a.include_sys_tables)
        }),
        "getTableNamesByNamespace" => value!(GetTableNamesByNamespaceArgs, GetTableNamesByNamespaceResult, |a| {
            listing::get_table_names_by_namespace(context, &a.name)
        }),
        "createTable" => void!(CreateTableArgs, CreateTableResult, |a| {
            table::create_table(context, &a.desc, a.split_keys.as_deref())
        }),
        "deleteTable" => void!(DeleteTableArgs, DeleteTableResult, |a| table::delete_table(context, &a.table_name)),
        "truncateTable" => void!(TruncateTableArgs, TruncateTableResult, |a| {
            table::truncate_table(context, &a.table_name, a.preserve_splits)
        }),
        "enableTable" => void!(EnableTableArgs, EnableTableResult, |a| table::enable_table(context, &a.table_name)),
        "disableTable" => void!(DisableTableArgs, DisableTableResult, |a| table::disable_table(context, &a.table_name)),
        "isTableEnabled" => {
            value!(IsTableEnabledArgs, IsTableEnabledResult, |a| table::is_table_enabled(context, &a.table_name))
        }
        "isTableDisabled" => {
            value!(IsTableDisabledArgs, IsTableDisabledResult, |a| table::is_table_disabled(context, &a.table_name))
        }
        "isTableAvailable" => {
            value!(IsTableAvailableArgs, IsTableAvailableResult, |a| table::is_table_available(context, &a.table_name))
        }
        "isTableAvailableWithSplit" => value!(IsTableAvailableWithSplitArgs, IsTableAvailableWithSplitResult, |a| {
            table::is_table_available_with_split(context, &a.table_name, a.split_keys.as_deref())
        }),
        "addColumnFamily" => void!(AddColumnFamilyArgs, AddColumnFamilyResult, |a| {
            table::add_column_family(context, &a.table_name, &a.column)
        }),
        "deleteColumnFamily" => void!(DeleteColumnFamilyArgs, DeleteColumnFamilyResult, |a| {
            table::delete_column_family(context, &a.table_name, &a.column)
        }),
        "modifyColumnFamily" => void!(ModifyColumnFamilyArgs, ModifyColumnFamilyResult, |a| {
            table::modify_column_family(context, &a.table_name, &a.column)
        }),
        "modifyTable" => void!(ModifyTableArgs, ModifyTableResult, |a| table::modify_table(context, &a.desc)),
        "createNamespace" => void!(CreateNamespaceArgs, CreateNamespaceResult, |a| {
            namespace::create_namespace(context, &a.namespace_desc)
        }),
        "modifyNamespace" => void!(ModifyNamespaceArgs, ModifyNamespaceResult, |a| {
            namespace::modify_namespace(context, &a.namespace_desc)
        }),
        "deleteNamespace" => {
            void!(DeleteNamespaceArgs, DeleteNamespaceResult, |a| namespace::delete_namespace(context, &a.name))
        }
        "getNamespaceDescriptor" => value!(GetNamespaceDescriptorArgs, GetNamespaceDescriptorResult, |a| {
            namespace::get_namespace_descriptor(context, &a.name)
        }),
        "listNamespaceDescriptors" => value!(ListNamespaceDescriptorsArgs, ListNamespaceDescriptorsResult, |_a| {
            Ok(namespace::list_namespace_descriptors(context))
        }),
        "listNamespaces" => {
            value!(ListNamespacesArgs, ListNamespacesResult, |_a| Ok(namespace::list_namespaces(context)))
        }
        "getThriftServerType" => {
            GetThriftServerTypeArgs::read_from_in_protocol(input)?;
            GetThriftServerTypeResult { success: Some(server::SERVER_TYPE) }.write_to_out_protocol(output)?
        }
        "getSlowLogResponses" => value!(GetSlowLogResponsesArgs, GetSlowLogResponsesResult, |a| {
            server::get_slow_log_responses(context, a.server_names.as_ref(), a.log_query_filter.as_ref())
        }),
        "clearSlowLogResponses" => value!(ClearSlowLogResponsesArgs, ClearSlowLogResponsesResult, |a| {
            server::clear_slow_log_responses(context, a.server_names.as_ref())
        }),
        "getClusterId" => {
            GetClusterIdArgs::read_from_in_protocol(input)?;
            let id = context.engine.cluster_id().to_owned();
            GetClusterIdResult { success: Some(id) }.write_to_out_protocol(output)?
        }
        _ => return Err(Fault::UnknownMethod),
    }
    Ok(())
}
