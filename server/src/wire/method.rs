//! The names of both services: which service has them, and in which lane they run.

/// One of HBase's two Thrift services.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Service {
    /// `service Hbase`.
    Thrift1,
    /// `service THBaseService`.
    Thrift2,
}

impl Service {
    /// The name in logs and metrics.
    pub fn name(self) -> &'static str {
        match self {
            Self::Thrift1 => "thrift1",
            Self::Thrift2 => "thrift2",
        }
    }
}

/// A lane: handlers and a queue for one kind of call. The settings decide which lanes exist.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LaneKind {
    /// Gets of named rows.
    Read,
    /// Everything that changes data.
    Write,
    /// Opening, reading and closing scanners.
    Scan,
    /// Schema, regions and what concerns the server itself.
    Admin,
    /// Reads, writes and scans where the settings keep them together. No method is of this kind by itself.
    General,
}

impl LaneKind {
    /// All, in the order of their numbers.
    pub const ALL: [Self; 5] = [Self::Read, Self::Write, Self::Scan, Self::Admin, Self::General];

    /// The name in thread names, logs and metrics.
    pub fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Scan => "scan",
            Self::Admin => "admin",
            Self::General => "general",
        }
    }
}

/// How to tell which service a name belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Owner {
    /// Only one service has it.
    One(Service),
    /// Both have it: field 1 is a struct in Thrift2, bytes in Thrift1.
    Field1StructIsThrift2,
    /// Both have it: field 1 is a struct in Thrift1, bytes in Thrift2.
    Field1StructIsThrift1,
    /// Both have it: field 2 is a struct in Thrift2.
    Field2StructIsThrift2,
    /// Both have `checkAndPut`: Thrift1 has no field 4, and its field 6 is a `Mutation` instead of a `TPut`.
    CheckAndPut,
    /// Both have it, and nothing in a call tells them apart.
    Either,
}

/// What is known of a method by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Method {
    /// The service.
    pub owner: Owner,
    /// The lane; the same in both services.
    pub lane: LaneKind,
    /// Reads one row: may run where it arrives.
    pub short: bool,
    /// Reads on in the scanner that its first argument names.
    pub fetches: bool,
    /// Its contract declares an `IOError`/`TIOError` as field 1 of its result.
    pub declares_io: bool,
}

impl Method {
    /// Whether a service has it.
    pub fn belongs_to(self, service: Service) -> bool {
        match self.owner {
            Owner::One(one) => one == service,
            _ => true,
        }
    }
}

/// Looks a name up; `None`: neither service has it.
pub fn find(name: &str) -> Option<Method> {
    use LaneKind::{Admin, Read, Scan, Write};
    use Owner::{CheckAndPut, Either, Field1StructIsThrift1, Field1StructIsThrift2, Field2StructIsThrift2, One};
    use Service::{Thrift1, Thrift2};
    let (owner, lane) = match name {
        "get" => (Field2StructIsThrift2, Read),
        "mutateRow" => (Field2StructIsThrift2, Write),
        "append" | "increment" => (Field1StructIsThrift1, Write),
        "checkAndPut" => (CheckAndPut, Write),
        "enableTable" | "disableTable" | "isTableEnabled" | "createTable" | "deleteTable" => {
            (Field1StructIsThrift2, Admin)
        }
        "getThriftServerType" | "getClusterId" => (Either, Admin),

        "getVer"
        | "getVerTs"
        | "getRow"
        | "getRowWithColumns"
        | "getRowTs"
        | "getRowWithColumnsTs"
        | "getRowOrBefore"
        | "getRows"
        | "getRowsWithColumns"
        | "getRowsTs"
        | "getRowsWithColumnsTs" => (One(Thrift1), Read),
        "mutateRowTs" | "mutateRows" | "mutateRowsTs" | "atomicIncrement" | "deleteAll" | "deleteAllTs"
        | "deleteAllRow" | "deleteAllRowTs" | "incrementRows" => (One(Thrift1), Write),
        "scannerOpenWithScan"
        | "scannerOpen"
        | "scannerOpenWithStop"
        | "scannerOpenWithPrefix"
        | "scannerOpenTs"
        | "scannerOpenWithStopTs"
        | "scannerGet"
        | "scannerGetList"
        | "scannerClose" => (One(Thrift1), Scan),
        "compact"
        | "majorCompact"
        | "getTableNames"
        | "getTableNamesWithIsTableEnabled"
        | "getColumnDescriptors"
        | "getTableRegions"
        | "getRegionInfo" => (One(Thrift1), Admin),

        "exists" | "existsAll" | "getMultiple" => (One(Thrift2), Read),
        "put" | "putMultiple" | "deleteSingle" | "deleteMultiple" | "checkAndDelete" | "checkAndMutate" => {
            (One(Thrift2), Write)
        }
        "openScanner" | "getScannerRows" | "closeScanner" | "getScannerResults" => (One(Thrift2), Scan),
        "getRegionLocation"
        | "getAllRegionLocations"
        | "getTableDescriptor"
        | "getTableDescriptors"
        | "tableExists"
        | "getTableDescriptorsByPattern"
        | "getTableDescriptorsByNamespace"
        | "getTableNamesByPattern"
        | "getTableNamesByNamespace"
        | "truncateTable"
        | "isTableDisabled"
        | "isTableAvailable"
        | "isTableAvailableWithSplit"
        | "addColumnFamily"
        | "deleteColumnFamily"
        | "modifyColumnFamily"
        | "modifyTable"
        | "createNamespace"
        | "modifyNamespace"
        | "deleteNamespace"
        | "getNamespaceDescriptor"
        | "listNamespaceDescriptors"
        | "listNamespaces"
        | "getSlowLogResponses"
        | "clearSlowLogResponses" => (One(Thrift2), Admin),
        _ => return None,
    };
    let many = matches!(
        name,
        "getRows" | "getRowsWithColumns" | "getRowsTs" | "getRowsWithColumnsTs" | "getMultiple" | "existsAll"
    );
    let fetches = matches!(name, "scannerGet" | "scannerGetList" | "getScannerRows");
    Some(Method { owner, lane, short: lane == Read && !many, fetches, declares_io: owner != Either })
}
