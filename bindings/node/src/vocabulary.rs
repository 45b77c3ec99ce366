//! The numbers that the native module and its JavaScript exchange: every code, and every size, that both sides must
//! know.
//!
//! `node/tools/vocabulary.js` reads this file and writes `node/lib/vocabulary.js`; `make check-node` fails if the two
//! differ. A doc comment here is a doc comment there.

use hjall_engine::Error;

/// Defines enums whose variants have fixed numbers, readable from a byte and writable as one.
macro_rules! numbered {
    ($($(#[$about:meta])* pub enum $name:ident { $($(#[$doc:meta])* $variant:ident = $number:literal,)+ })+) => {$(
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[repr(u8)]
        pub enum $name { $($(#[$doc])* $variant = $number,)+ }

        impl From<$name> for u8 {
            fn from(value: $name) -> Self {
                value as u8
            }
        }

        impl TryFrom<u8> for $name {
            type Error = Error;

            fn try_from(number: u8) -> Result<Self, Error> {
                match number {
                    $($number => Ok(Self::$variant),)+
                    _ => Err(Error::invalid(format!(
                        "unknown {} number {number}: the package's JavaScript and its native module are of different \
                         versions; reinstall the package",
                        stringify!($name),
                    ))),
                }
            }
        }
    )+};
}

/// The longest row key, in bytes.
pub const ROW_LENGTH_MAX: usize = 32_767;

const _: () = assert!(ROW_LENGTH_MAX == hjall_engine::request::ROW_LENGTH_MAX);

/// Marks a table or column that has no number: its name follows.
pub const NAMED: u32 = 0xffff_ffff;

/// Bytes before a row's key: length of the key (u16), whether the row continues in the next result (u8), number of
/// cells (u32), total length of the key and the cells (u32).
pub const ROW_HEADER_BYTES: usize = 11;

/// Bytes before a cell's value: number of its column (u32), timestamp (i64), kind (u8), length of the value (u32).
pub const CELL_HEADER_BYTES: usize = 17;

numbered! {
    /// The operation of a request: its first byte. The comments give the fields of the request and the answer, in the
    /// terms of `backend.js`.
    pub enum Operation {
        /// `{ table, get }` → `Row | undefined`
        Get = 1,
        /// `{ table, get }` → `boolean`
        Exists = 2,
        /// `{ table, gets }` → `(Row | undefined | HjallError)[]`, in the order of `gets`
        GetMany = 3,
        /// `{ table, mutation: Put | Delete }` → `undefined`
        Mutate = 4,
        /// `{ table, mutations: (Put | Delete)[] }` → `(undefined | HjallError)[]`: each mutation separately, in order
        MutateMany = 5,
        /// `{ table, row, mutations }` → `undefined`: all of them atomically
        MutateRow = 6,
        /// `{ table, check, mutations }` → `boolean`
        CheckAndMutate = 7,
        /// `{ table, increment }` → `Row`
        Increment = 8,
        /// `{ table, append }` → `Row`
        Append = 9,
        /// `{ number, begin: { table, scan } | undefined }` → `Row[]`: the next block of a scan, empty at its end. The
        /// first request for a scan carries `begin`. Embedded only; see `Backend.scan`.
        NextBlock = 10,
        /// `{ table, number }` → `undefined`: begins a bulk load. Embedded only.
        BeginLoad = 11,
        /// `{ number, mutations: Put[] }` → `undefined`: adds rows to a bulk load, in order. Embedded only.
        AddToLoad = 12,
        /// `{ number }` → `number`: completes a bulk load and returns the number of its rows. Embedded only.
        FinishLoad = 13,
        /// `{ number }` → `undefined`: discards a bulk load, if there is one. Embedded only.
        DiscardLoad = 14,
        /// `{ descriptor, splits: bytes[], ifNotExists }` → `undefined`; with `ifNotExists`, a table that exists may be
        /// an error (TABLE_EXISTS) or not
        CreateTable = 20,
        /// `{ descriptor }` → `undefined`: replaces the descriptor; families missing from it are removed with their
        /// data
        ModifyTable = 21,
        /// `{ table }` → `undefined`
        DeleteTable = 22,
        /// `{ table, preserveSplits }` → `undefined`
        TruncateTable = 23,
        /// `{ table }` → `undefined`
        EnableTable = 24,
        /// `{ table }` → `undefined`
        DisableTable = 25,
        /// `{ table }` → `boolean`
        IsTableEnabled = 26,
        /// `{ table }` → `boolean`
        TableExists = 27,
        /// `{ table }` → `Descriptor`
        DescribeTable = 28,
        /// `{}` → `string[]`: the names of all tables
        Tables = 29,
        /// `{ table }` → `Region[]`, by start key
        Regions = 30,
        /// `{ table, family: Family }` → `undefined`
        AddFamily = 31,
        /// `{ table, family: Family }` → `undefined`
        ModifyFamily = 32,
        /// `{ table, family: bytes }` → `undefined`
        DeleteFamily = 33,
        /// `{ table }` → `undefined`. Embedded only: Thrift2 has no such call.
        Flush = 34,
        /// `{ table, major, number }` → `undefined`. With a number other than 0, its progress can be asked for, and it
        /// can be stopped. Embedded only.
        Compact = 35,
        /// `{ path, incremental, number }` → `undefined`: copies the database to a folder. The number is as for
        /// compact. Embedded only.
        Backup = 36,
        /// `{ table }` → `{ fileBytes, files, regions, reads, writes }`. Embedded only.
        TableStatistics = 37,
        /// `{ namespace: Namespace }` → `undefined`
        CreateNamespace = 40,
        /// `{ namespace: Namespace }` → `undefined`
        ModifyNamespace = 41,
        /// `{ name }` → `undefined`
        DeleteNamespace = 42,
        /// `{ name }` → `Namespace`
        DescribeNamespace = 43,
        /// `{}` → `string[]`: the names of all namespaces, sorted
        Namespaces = 44,
        /// `{}` → `number | bigint`: the current time of the database's clock. Embedded only.
        Now = 50,
        /// `{}` → `string`
        ClusterId = 51,
        /// `{}` → `{ [name]: number }`: figures of the database, by name. Embedded only.
        Statistics = 52,
        /// `{ path, cacheBytes, rowCacheBytes, writeBufferBytes, catalogBytes, fsync, syncInterval, readOnly }` →
        /// `undefined`: opens a folder. Embedded only.
        Open = 60,
        /// `{ cacheBytes, rowCacheBytes, writeBufferBytes, catalogBytes, fsync, syncInterval }` → `undefined`: opens a
        /// database in memory. Embedded only.
        OpenMemory = 61,
        /// `{}` → `undefined`: completes pending calls, then closes the database. Embedded only.
        Close = 62,
        /// `{ backup, path, number }` → `undefined`: copies a backup to a folder; needs no open database. The number is
        /// as for compact. Embedded only.
        Restore = 63,
        /// `{ number, host, port }` → `{ host, port }`: starts a Thrift server; `stopServing` takes the same `number`.
        /// Embedded only.
        Serve = 70,
        /// `{ number }` → `undefined`. Embedded only.
        StopServing = 71,
    }

    /// Whether a call succeeded: the first byte of its answer, and of each mutation's result in a batch. An error
    /// follows `Failed`.
    pub enum Outcome {
        /// The call was carried out.
        Done = 0,
        /// The call failed.
        Failed = 1,
    }

    /// The result of a get.
    pub enum RowOutcome {
        /// The row does not exist.
        Missing = 0,
        /// The row follows.
        Found = 1,
        /// The error follows; only in `getMany`.
        Failed = 2,
    }

    /// The kind of a mutation.
    pub enum MutationKind {
        /// A put.
        Put = 0,
        /// A delete.
        Delete = 1,
    }

    /// The scope of a delete marker.
    pub enum MarkerKind {
        /// One version of a column.
        Version = 0,
        /// All versions of a column up to the timestamp.
        Column = 1,
        /// All cells of a family up to the timestamp.
        Family = 2,
        /// All cells of a family with exactly the timestamp.
        FamilyVersion = 3,
    }

    /// The form of a read's filter.
    pub enum FilterForm {
        /// No filter.
        None = 0,
        /// HBase's filter language.
        Text = 1,
        /// A filter as HBase serialises it.
        Serialized = 2,
    }

    /// HBase's durability levels, under HBase's numbers.
    pub enum Durability {
        /// The table's setting.
        UseDefault = 0,
        /// Not written to the log.
        SkipWal = 1,
        /// Written to the log asynchronously.
        AsyncWal = 2,
        /// Written to the log before the call returns.
        SyncWal = 3,
        /// Synced to disk before the call returns.
        FsyncWal = 4,
    }

    /// HBase's comparison operators, under HBase's numbers. A check puts the given value on the left: `LESS` tests
    /// whether it is less than the stored one.
    pub enum CompareOp {
        /// `<`
        Less = 0,
        /// `<=`
        LessOrEqual = 1,
        /// `=`
        Equal = 2,
        /// `!=`
        NotEqual = 3,
        /// `>=`
        GreaterOrEqual = 4,
        /// `>`
        Greater = 5,
        /// No comparison.
        NoOp = 6,
    }

    /// The kinds of stored cells, under HBase's numbers.
    pub enum CellKind {
        /// A value.
        Put = 4,
        /// A delete marker for one version of a column.
        Delete = 8,
        /// A delete marker for all cells of a family with exactly its timestamp.
        DeleteFamilyVersion = 10,
        /// A delete marker for all versions of a column up to its timestamp.
        DeleteColumn = 12,
        /// A delete marker for all cells of a family up to its timestamp.
        DeleteFamily = 14,
    }

    /// The engine's kinds of errors. `errors.js` has a class for each.
    pub enum ErrorKind {
        /// An argument is malformed.
        InvalidArgument = 0,
        /// The request is well formed, but no server could carry it out.
        Unprocessable = 1,
        /// Refused permanently, for the reason in the message.
        Refused = 2,
        /// An increment found a value that is not eight bytes long.
        NotALong = 3,
        /// A cell exceeds the size limit.
        CellTooLarge = 4,
        /// A row that was read exceeds the size limit.
        RowTooLarge = 5,
        /// The table is read-only.
        ReadOnly = 6,
        /// A mutation names another row than its request.
        RowMismatch = 7,
        /// A table, family or namespace descriptor is invalid.
        InvalidDescriptor = 8,
        /// A class named in a descriptor does not exist.
        ClassNotFound = 9,
        /// The request is not allowed on a system table.
        SystemTable = 10,
        /// A filter cannot be parsed.
        FilterMalformed = 11,
        /// A filter is well formed, but its arguments are invalid.
        FilterRejected = 12,
        /// The table does not exist.
        TableNotFound = 13,
        /// The table already exists.
        TableExists = 14,
        /// The table is disabled.
        TableDisabled = 15,
        /// The table must be disabled first.
        TableNotDisabled = 16,
        /// The namespace does not exist.
        NamespaceNotFound = 17,
        /// The namespace already exists.
        NamespaceExists = 18,
        /// A constraint is violated, for example dropping a namespace that has tables.
        Constraint = 19,
        /// The column family does not exist.
        FamilyNotFound = 20,
        /// The family cannot be added, altered or removed.
        FamilyOperation = 21,
        /// The region is not being served.
        NotServing = 22,
        /// Too many calls are pending.
        Busy = 23,
        /// The scanner is no longer known.
        Stale = 24,
        /// The call was cancelled.
        Cancelled = 25,
        /// Another process has the folder open.
        Locked = 26,
        /// The folder was written by a newer version.
        NewerFormat = 27,
        /// The disk is full.
        DiskFull = 28,
        /// Stored data is damaged.
        Corrupt = 29,
        /// Input or output failed.
        Io = 30,
        /// The database has been closed.
        Closed = 31,
    }
}

impl From<hjall_engine::ErrorKind> for ErrorKind {
    fn from(kind: hjall_engine::ErrorKind) -> Self {
        use hjall_engine::ErrorKind as Engine;
        match kind {
            Engine::InvalidArgument => Self::InvalidArgument,
            Engine::Unprocessable => Self::Unprocessable,
            Engine::Refused => Self::Refused,
            Engine::NotALong => Self::NotALong,
            Engine::CellTooLarge => Self::CellTooLarge,
            Engine::RowTooLarge => Self::RowTooLarge,
            Engine::ReadOnly => Self::ReadOnly,
            Engine::RowMismatch => Self::RowMismatch,
            Engine::InvalidDescriptor => Self::InvalidDescriptor,
            Engine::ClassNotFound => Self::ClassNotFound,
            Engine::SystemTable => Self::SystemTable,
            Engine::FilterMalformed => Self::FilterMalformed,
            Engine::FilterRejected(_) => Self::FilterRejected,
            Engine::TableNotFound => Self::TableNotFound,
            Engine::TableExists => Self::TableExists,
            Engine::TableDisabled => Self::TableDisabled,
            Engine::TableNotDisabled => Self::TableNotDisabled,
            Engine::NamespaceNotFound => Self::NamespaceNotFound,
            Engine::NamespaceExists => Self::NamespaceExists,
            Engine::Constraint => Self::Constraint,
            Engine::FamilyNotFound => Self::FamilyNotFound,
            Engine::FamilyOperation => Self::FamilyOperation,
            Engine::NotServing => Self::NotServing,
            Engine::Busy => Self::Busy,
            Engine::Stale => Self::Stale,
            Engine::Cancelled => Self::Cancelled,
            Engine::Locked => Self::Locked,
            Engine::NewerFormat => Self::NewerFormat,
            Engine::DiskFull => Self::DiskFull,
            Engine::Corrupt => Self::Corrupt,
            Engine::Io => Self::Io,
            Engine::Closed => Self::Closed,
        }
    }
}
