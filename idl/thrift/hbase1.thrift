// HBase's first Thrift service, in the version of HBase 2.6: 47 methods, which HappyBase uses.
//
// Maintained by hand. Names, numbers and types are those of HBase's clients; the comments are hjall's.
// Every field may be absent on the wire. Timestamps are milliseconds since 1970. Columns are named `family:qualifier`.

namespace java org.apache.hadoop.hbase.thrift.generated
namespace cpp apache.hadoop.hbase.thrift
namespace rb Apache.Hadoop.Hbase.Thrift
namespace py hbase
namespace perl Hbase
namespace php Hbase
namespace go hbase1

// The service that a server provides.
enum TThriftServerType {
  ONE = 1,
  TWO = 2,
}

// A value and its timestamp in milliseconds.
struct TCell {
  1: binary value,
  2: i64 timestamp,
}

// A family of a table. The defaults apply to fields that a client does not set; HBase's other interfaces have different
// defaults.
struct ColumnDescriptor {
  // `family:`; anything after the colon is ignored.
  1: binary name,
  // The number of versions kept per column.
  2: i32 maxVersions = 3,
  // NONE, LZO, GZ, SNAPPY, LZ4, BZIP2, ZSTD, LZMA or BROTLI, in any case.
  3: string compression = "NONE",
  // A hint for caches.
  4: bool inMemory = false,
  // NONE, ROW, ROWCOL or ROWPREFIX_FIXED_LENGTH, in capitals.
  5: string bloomFilterType = "NONE",
  // Ignored.
  6: i32 bloomFilterVectorSize = 0,
  // Ignored.
  7: i32 bloomFilterNbHashes = 0,
  8: bool blockCacheEnabled = false,
  // In seconds; 0 or less: no expiry.
  9: i32 timeToLive = 2147483647,
}

// A region: the rows from startKey up to, not including, endKey. An empty key means no bound.
struct TRegionInfo {
  1: binary startKey,
  2: binary endKey,
  // The time at which the region was created, in milliseconds.
  3: i64 id,
  // The full name, `table,startKey,id.md5.`
  4: binary name,
  // Always 1.
  5: i8 version,
  6: binary serverName,
  7: i32 port,
}

// One change of a row: a put of a value, or a delete of a column (`family:qualifier`) or family (`family`).
struct Mutation {
  1: bool isDelete = false,
  2: binary column,
  // Absent: empty.
  3: binary value,
  // False: the change may be lost in a crash.
  4: bool writeToWAL = true,
}

// Changes of one row.
struct BatchMutation {
  1: binary row,
  2: list<Mutation> mutations,
}

// Adds `ammount` (misspelt in HBase) to a counter.
struct TIncrement {
  1: binary table,
  2: binary row,
  3: binary column,
  4: i64 ammount,
}

// A column by its full name, and its cell.
struct TColumn {
  1: binary columnName,
  2: TCell cell,
}

// A row. Exactly one of the two collections is set; the map has no order.
struct TRowResult {
  1: binary row,
  2: optional map<binary,TCell> columns,
  3: optional list<TColumn> sortedColumns,
}

// A scan. Absent fields restrict nothing.
struct TScan {
  1: optional binary startRow,
  // Exclusive, unless equal to startRow.
  2: optional binary stopRow,
  // Only cells before this time.
  3: optional i64 timestamp,
  // `family` or `family:qualifier`.
  4: optional list<binary> columns,
  // The number of rows per fetch.
  5: optional i32 caching,
  // A filter in HBase's filter language.
  6: optional binary filterString,
  // The largest number of cells in one result; wider rows are returned in pieces.
  7: optional i32 batchSize,
  // Whether to fill sortedColumns instead of columns.
  8: optional bool sortColumns,
  9: optional bool reversed,
  // A hint for caches.
  10: optional bool cacheBlocks,
}

// Appends values[i] to columns[i] of one row, atomically.
struct TAppend {
  1: binary table,
  2: binary row,
  3: list<binary> columns,
  4: list<binary> values,
}

// The operation failed. The message starts with the name of a Java exception.
exception IOError {
  1: string message,
  // Whether a retry can succeed.
  2: bool canRetry,
}

// An argument is invalid.
exception IllegalArgument {
  1: string message,
}

// A table with this name already exists.
exception AlreadyExists {
  1: string message,
}

service Hbase {
  // Enables a disabled table.
  void enableTable(1: binary tableName) throws (1: IOError io)

  // Disables a table, which is required before it is altered or deleted.
  void disableTable(1: binary tableName) throws (1: IOError io)

  // Whether a table is enabled.
  bool isTableEnabled(1: binary tableName) throws (1: IOError io)

  // Requests a compaction of a table or of one region.
  void compact(1: binary tableNameOrRegionName) throws (1: IOError io)

  // Requests a compaction; in HBase 2, a minor one.
  void majorCompact(1: binary tableNameOrRegionName) throws (1: IOError io)

  // The names of all user tables.
  list<binary> getTableNames() throws (1: IOError io)

  // The names of all user tables, and whether each is enabled.
  map<binary,bool> getTableNamesWithIsTableEnabled() throws (1: IOError io)

  // A table's families by `family:`.
  map<binary,ColumnDescriptor> getColumnDescriptors(1: binary tableName) throws (1: IOError io)

  // A table's regions by start key; none if the table does not exist.
  list<TRegionInfo> getTableRegions(1: binary tableName) throws (1: IOError io)

  // Creates a table with one region.
  void createTable(1: binary tableName, 2: list<ColumnDescriptor> columnFamilies)
      throws (1: IOError io, 2: IllegalArgument ia, 3: AlreadyExists exist)

  // Drops a disabled table.
  void deleteTable(1: binary tableName) throws (1: IOError io)

  // The newest cell of a column, or of each column of a family.
  list<TCell> get(1: binary tableName, 2: binary row, 3: binary column, 4: map<binary,binary> attributes)
      throws (1: IOError io)

  // Up to numVersions cells of a column, newest first.
  list<TCell> getVer(
      1: binary tableName, 2: binary row, 3: binary column, 4: i32 numVersions, 5: map<binary,binary> attributes)
      throws (1: IOError io)

  // Up to numVersions cells of a column before a timestamp, newest first.
  list<TCell> getVerTs(
      1: binary tableName, 2: binary row, 3: binary column, 4: i64 timestamp, 5: i32 numVersions,
      6: map<binary,binary> attributes)
      throws (1: IOError io)

  // The newest cells of a row; an empty list if it does not exist.
  list<TRowResult> getRow(1: binary tableName, 2: binary row, 3: map<binary,binary> attributes)
      throws (1: IOError io)

  // The newest cells of these columns or families of a row.
  list<TRowResult> getRowWithColumns(
      1: binary tableName, 2: binary row, 3: list<binary> columns, 4: map<binary,binary> attributes)
      throws (1: IOError io)

  // The newest cells of a row before a timestamp.
  list<TRowResult> getRowTs(1: binary tableName, 2: binary row, 3: i64 timestamp, 4: map<binary,binary> attributes)
      throws (1: IOError io)

  // The newest cells of these columns or families of a row before a timestamp.
  list<TRowResult> getRowWithColumnsTs(
      1: binary tableName, 2: binary row, 3: list<binary> columns, 4: i64 timestamp,
      5: map<binary,binary> attributes)
      throws (1: IOError io)

  // Several rows; missing ones are omitted.
  list<TRowResult> getRows(1: binary tableName, 2: list<binary> rows, 3: map<binary,binary> attributes)
      throws (1: IOError io)

  // The newest cells of these columns or families of several rows.
  list<TRowResult> getRowsWithColumns(
      1: binary tableName, 2: list<binary> rows, 3: list<binary> columns, 4: map<binary,binary> attributes)
      throws (1: IOError io)

  // The newest cells of several rows before a timestamp.
  list<TRowResult> getRowsTs(
      1: binary tableName, 2: list<binary> rows, 3: i64 timestamp, 4: map<binary,binary> attributes)
      throws (1: IOError io)

  // The newest cells of these columns or families of several rows before a timestamp.
  list<TRowResult> getRowsWithColumnsTs(
      1: binary tableName, 2: list<binary> rows, 3: list<binary> columns, 4: i64 timestamp,
      5: map<binary,binary> attributes)
      throws (1: IOError io)

  // Changes one row: all deletes atomically, then all puts atomically.
  void mutateRow(1: binary tableName, 2: binary row, 3: list<Mutation> mutations, 4: map<binary,binary> attributes)
      throws (1: IOError io, 2: IllegalArgument ia)

  // Changes one row as mutateRow does, with a timestamp.
  void mutateRowTs(
      1: binary tableName, 2: binary row, 3: list<Mutation> mutations, 4: i64 timestamp,
      5: map<binary,binary> attributes)
      throws (1: IOError io, 2: IllegalArgument ia)

  // Changes several rows: all puts, then all deletes, each row independently.
  void mutateRows(1: binary tableName, 2: list<BatchMutation> rowBatches, 3: map<binary,binary> attributes)
      throws (1: IOError io, 2: IllegalArgument ia)

  // Changes several rows as mutateRows does, with a timestamp.
  void mutateRowsTs(
      1: binary tableName, 2: list<BatchMutation> rowBatches, 3: i64 timestamp, 4: map<binary,binary> attributes)
      throws (1: IOError io, 2: IllegalArgument ia)

  // Adds to a counter and returns its new value.
  i64 atomicIncrement(1: binary tableName, 2: binary row, 3: binary column, 4: i64 value)
      throws (1: IOError io, 2: IllegalArgument ia)

  // Deletes a column or a family of a row.
  void deleteAll(1: binary tableName, 2: binary row, 3: binary column, 4: map<binary,binary> attributes)
      throws (1: IOError io)

  // Deletes a column or a family of a row up to and including a timestamp.
  void deleteAllTs(
      1: binary tableName, 2: binary row, 3: binary column, 4: i64 timestamp, 5: map<binary,binary> attributes)
      throws (1: IOError io)

  // Deletes a row.
  void deleteAllRow(1: binary tableName, 2: binary row, 3: map<binary,binary> attributes) throws (1: IOError io)

  // Adds to a counter.
  void increment(1: TIncrement increment) throws (1: IOError io)

  // Adds to several counters, one after the other.
  void incrementRows(1: list<TIncrement> increments) throws (1: IOError io)

  // Deletes a row's cells up to and including a timestamp.
  void deleteAllRowTs(1: binary tableName, 2: binary row, 3: i64 timestamp, 4: map<binary,binary> attributes)
      throws (1: IOError io)

  // Opens a scanner; returns the id for scannerGet, scannerGetList and scannerClose.
  i32 scannerOpenWithScan(1: binary tableName, 2: TScan scan, 3: map<binary,binary> attributes)
      throws (1: IOError io)

  // Opens a scanner from a row on.
  i32 scannerOpen(1: binary tableName, 2: binary startRow, 3: list<binary> columns, 4: map<binary,binary> attributes)
      throws (1: IOError io)

  // Opens a scanner from a row up to another.
  i32 scannerOpenWithStop(
      1: binary tableName, 2: binary startRow, 3: binary stopRow, 4: list<binary> columns,
      5: map<binary,binary> attributes)
      throws (1: IOError io)

  // Opens a scanner over the rows with a prefix.
  i32 scannerOpenWithPrefix(
      1: binary tableName, 2: binary startAndPrefix, 3: list<binary> columns, 4: map<binary,binary> attributes)
      throws (1: IOError io)

  // Opens a scanner from a row on, over cells before a timestamp.
  i32 scannerOpenTs(
      1: binary tableName, 2: binary startRow, 3: list<binary> columns, 4: i64 timestamp,
      5: map<binary,binary> attributes)
      throws (1: IOError io)

  // Opens a scanner from a row up to another, over cells before a timestamp.
  i32 scannerOpenWithStopTs(
      1: binary tableName, 2: binary startRow, 3: binary stopRow, 4: list<binary> columns, 5: i64 timestamp,
      6: map<binary,binary> attributes)
      throws (1: IOError io)

  // The next row; an empty list at the end.
  list<TRowResult> scannerGet(1: i32 id) throws (1: IOError io, 2: IllegalArgument ia)

  // Up to nbRows next rows; an empty list at the end.
  list<TRowResult> scannerGetList(1: i32 id, 2: i32 nbRows) throws (1: IOError io, 2: IllegalArgument ia)

  // Closes a scanner.
  void scannerClose(1: i32 id) throws (1: IOError io, 2: IllegalArgument ia)

  // The region at or before a key of the catalog, `table,row,id`.
  TRegionInfo getRegionInfo(1: binary row) throws (1: IOError io)

  // Appends to columns of a row; returns the new cells.
  list<TCell> append(1: TAppend append) throws (1: IOError io)

  // Puts if a column has a value (absent: if the cell does not exist). Field 4 does not exist.
  bool checkAndPut(
      1: binary tableName, 2: binary row, 3: binary column, 5: binary value, 6: Mutation mput,
      7: map<binary,binary> attributes)
      throws (1: IOError io, 2: IllegalArgument ia)

  // ONE.
  TThriftServerType getThriftServerType()

  // The permanent id of this database, a UUID.
  string getClusterId()
}
