//! The methods of the REST gateway. No contract defines them: HBase's gateway has addresses and HTTP methods, which the
//! server maps to these.
//!
//! What a user needs follows the methods of Thrift that do the same.

use crate::method::{Access, CallKind, Effect, MethodInfo, ScannerUse};

/// Defines the methods and their facts, in one order.
macro_rules! methods {
    ($($(#[$doc:meta])* $variant:ident $name:literal $kind:ident $short:literal $effect:ident $scanner:expr, $access:ident;)*) => {
        /// The methods of REST.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[repr(u8)]
        pub enum Rest {
            $($(#[$doc])* $variant,)*
        }

        impl Rest {
            /// All methods, in the order of their numbers.
            pub const ALL: [Self; [$(Self::$variant),*].len()] = [$(Self::$variant),*];
        }

        pub(crate) static REST: [MethodInfo; Rest::ALL.len()] = [$(MethodInfo {
            name: $name,
            kind: CallKind::$kind,
            short: $short,
            effect: Effect::$effect,
            scanner: $scanner,
            access: Access::$access,
            declares_io: false,
            arguments: &[],
        },)*];
    };
}

methods! {
    /// Lists the tables.
    ListTables "listTables" Admin false None None, Answer;
    /// Returns the version of the gateway.
    GetVersion "getVersion" Admin false None None, Everyone;
    /// Returns the version of HBase that the server is compatible with.
    GetClusterVersion "getClusterVersion" Admin false None None, Everyone;
    /// Returns the load of the server and of its regions.
    GetStatus "getStatus" Admin false None None, Answer;
    /// Lists the namespaces.
    ListNamespaces "listNamespaces" Admin false None None, Everyone;
    /// Returns the properties of a namespace.
    GetNamespace "getNamespace" Admin false None None, Namespace;
    /// Creates a namespace.
    CreateNamespace "createNamespace" Admin false Admin None, Global;
    /// Replaces the properties of a namespace.
    ModifyNamespace "modifyNamespace" Admin false Admin None, Global;
    /// Deletes an empty namespace.
    DeleteNamespace "deleteNamespace" Admin false Admin None, Global;
    /// Lists the tables of a namespace.
    ListNamespaceTables "listNamespaceTables" Admin false None None, Answer;
    /// Returns the schema of a table.
    GetSchema "getSchema" Admin false None None, Admin;
    /// Creates a table or replaces its schema.
    ReplaceSchema "replaceSchema" Admin false Admin None, Answer;
    /// Creates a table, or adds and changes families.
    UpdateSchema "updateSchema" Admin false Admin None, Answer;
    /// Disables and drops a table.
    DeleteTable "deleteTable" Admin false Admin None, Admin;
    /// Tells whether a table exists.
    TableExists "tableExists" Admin false None None, Any;
    /// Lists the regions of a table.
    GetRegions "getRegions" Admin false None None, Any;
    /// Reads a row or cells of it.
    GetRow "getRow" Read true None None, Read;
    /// Reads a range of rows in one request.
    ScanRows "scanRows" Scan false None None, Read;
    /// Reads the next page of a `ScanRows`, whose answer is being sent.
    ContinueScan "continueScan" Scan false None Some(ScannerUse::Fetches), Scanner;
    /// Reads several rows.
    GetRows "getRows" Read false None None, Read;
    /// Writes rows.
    PutRows "putRows" Write false Data None, Write;
    /// Deletes a row or cells of it.
    DeleteRow "deleteRow" Write false Data None, Write;
    /// Writes a row if a cell has a value.
    CheckAndPut "checkAndPut" Write false Data None, Check;
    /// Deletes cells of a row if a cell has a value.
    CheckAndDelete "checkAndDelete" Write false Data None, Check;
    /// Appends to values of a row.
    Append "append" Write false Data None, Write;
    /// Adds to counters of a row.
    Increment "increment" Write false Data None, Write;
    /// Opens a scanner.
    OpenScanner "openScanner" Read false None Some(ScannerUse::Opens), Read;
    /// Returns the next cells of a scanner.
    GetScannerCells "getScannerCells" Scan false None Some(ScannerUse::Fetches), Scanner;
    /// Closes a scanner.
    CloseScanner "closeScanner" Read false None Some(ScannerUse::Closes), Scanner;
}
