// HBase's first Thrift service, as HBase 2.6 speaks it: 47 methods, the ones HappyBase calls.
//
// Maintained by hand. Names, numbers and types are what clients of HBase send and expect; the comments are ours.
// Every field may be absent on the wire. Timestamps are milliseconds since 1970. Columns are named `family:qualifier`.

namespace java org.apache.hadoop.hbase.thrift.generated
namespace cpp apache.hadoop.hbase.thrift
namespace rb Apache.Hadoop.Hbase.Thrift
namespace py hbase
namespace perl Hbase
namespace php Hbase
namespace go hbase1

// Which of the two services a server speaks.
enum TThriftServerType {
  ONE = 1,
  TWO = 2,
}

// A value and its timestamp in milliseconds.
struct TCell {
  1: binary value,
  2: i64 timestamp,
}

// A family of a table. The defaults are what a client that sets nothing asks for; they are not the defaults of a table
// made elsewhere.
struct ColumnDescriptor {
  // `family:`; whatever follows the colon is dropped.
  1: binary name,
  // Versions kept of each column.
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
  // Seconds; 0 or less: for ever.
  9: i32 timeToLive = 2147483647,
}

// A region: the rows from startKey up to, not including, endKey. An empty key is the open end.
struct TRegionInfo {
  1: binary startKey,
  2: binary endKey,
  // When the region was made, in milliseconds.
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
  // False: need not survive a crash.
  4: bool writeToWAL = true,
}

// Changes of one row.
struct BatchMutation {
  1: binary row,
  2: list<Mutation> mutations,
}

// Adds `ammount` (the name is misspelt for good) to a counter.
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

// What to scan; absent fields do not restrict.
struct TScan {
  1: optional binary startRow,
  // Excluded, unless equal to startRow.
  2: optional binary stopRow,
  // Only cells before this time.
  3: optional i64 timestamp,
  // `family` or `family:qualifier`.
  4: optional list<binary> columns,
  // Rows brought in at once.
  5: optional i32 caching,
  // A filter in HBase's filter language.
  6: optional binary filterString,
  // Cells in one result at most; wide rows come in pieces.
  7: optional i32 batchSize,
  // Fill sortedColumns in place of columns.
  8: optional bool sortColumns,
  9: optional bool reversed,
  // A hint for caches.
  10: optional bool cacheBlocks,
}

// Appends values[i] to columns[i], all in one row at once.
struct TAppend {
  1: binary table,
  2: binary row,
  3: list<binary> columns,
  4: list<binary> values,
}

// The operation failed. The message starts with the name of a Java exception.
exception IOError {
  1: string message,
  // Whether trying again can help.
  2: bool canRetry,
}

// An argument is not acceptable.
exception IllegalArgument {
  1: string message,
}

// There is a table of that name.
exception AlreadyExists {
  1: string message,
}

service Hbase {
  // Brings a disabled table back.
  void enableTable(1: binary tableName) throws (1: IOError io)

  // Takes a table offline, which altering and deleting it need.
  void disableTable(1: binary tableName) throws (1: IOError io)

  // Whether a table is online.
  bool isTableEnabled(1: binary tableName) throws (1: IOError io)

  // Asks for a compaction of a table or of one region.
  void compact(1: binary tableNameOrRegionName) throws (1: IOError io)

  // The same as compact, as in HBase 2.
  void majorCompact(1: binary tableNameOrRegionName) throws (1: IOError io)

  // The names of all tables of users.
  list<binary> getTableNames() throws (1: IOError io)

  // The same, with whether each is enabled.
  map<binary,bool> getTableNamesWithIsTableEnabled() throws (1: IOError io)

  // A table's families by `family:`.
  map<binary,ColumnDescriptor> getColumnDescriptors(1: binary tableName) throws (1: IOError io)

  // A table's regions by start key; none if there is no such table.
  list<TRegionInfo> getTableRegions(1: binary tableName) throws (1: IOError io)

  // Makes a table of one region.
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

  // The same, of those before a time.
  list<TCell> getVerTs(
      1: binary tableName, 2: binary row, 3: binary column, 4: i64 timestamp, 5: i32 numVersions,
      6: map<binary,binary> attributes)
      throws (1: IOError io)

  // The newest cells of a row; an empty list if it is absent.
  list<TRowResult> getRow(1: binary tableName, 2: binary row, 3: map<binary,binary> attributes)
      throws (1: IOError io)

  // The same, of these columns or families.
  list<TRowResult> getRowWithColumns(
      1: binary tableName, 2: binary row, 3: list<binary> columns, 4: map<binary,binary> attributes)
      throws (1: IOError io)

  // The newest cells of a row before a time.
  list<TRowResult> getRowTs(1: binary tableName, 2: binary row, 3: i64 timestamp, 4: map<binary,binary> attributes)
      throws (1: IOError io)

  // The same, of these columns or families.
  list<TRowResult> getRowWithColumnsTs(
      1: binary tableName, 2: binary row, 3: list<binary> columns, 4: i64 timestamp,
      5: map<binary,binary> attributes)
      throws (1: IOError io)

  // Several rows; absent ones are left out.
  list<TRowResult> getRows(1: binary tableName, 2: list<binary> rows, 3: map<binary,binary> attributes)
      throws (1: IOError io)

  // The same, of these columns or families.
  list<TRowResult> getRowsWithColumns(
      1: binary tableName, 2: list<binary> rows, 3: list<binary> columns, 4: map<binary,binary> attributes)
      throws (1: IOError io)

  // Several rows, as before a time.
  list<TRowResult> getRowsTs(
      1: binary tableName, 2: list<binary> rows, 3: i64 timestamp, 4: map<binary,binary> attributes)
      throws (1: IOError io)

  // The same, of these columns or families.
  list<TRowResult> getRowsWithColumnsTs(
      1: binary tableName, 2: list<binary> rows, 3: list<binary> columns, 4: i64 timestamp,
      5: map<binary,binary> attributes)
      throws (1: IOError io)

  // Changes one row: its deletes at once, then its puts at once.
  void mutateRow(1: binary tableName, 2: binary row, 3: list<Mutation> mutations, 4: map<binary,binary> attributes)
      throws (1: IOError io, 2: IllegalArgument ia)

  // The same, with a timestamp.
  void mutateRowTs(
      1: binary tableName, 2: binary row, 3: list<Mutation> mutations, 4: i64 timestamp,
      5: map<binary,binary> attributes)
      throws (1: IOError io, 2: IllegalArgument ia)

  // Changes several rows: all puts, then all deletes; each row by itself.
  void mutateRows(1: binary tableName, 2: list<BatchMutation> rowBatches, 3: map<binary,binary> attributes)
      throws (1: IOError io, 2: IllegalArgument ia)

  // The same, with a timestamp.
  void mutateRowsTs(
      1: binary tableName, 2: list<BatchMutation> rowBatches, 3: i64 timestamp, 4: map<binary,binary> attributes)
      throws (1: IOError io, 2: IllegalArgument ia)

  // Adds to a counter and returns its new value.
  i64 atomicIncrement(1: binary tableName, 2: binary row, 3: binary column, 4: i64 value)
      throws (1: IOError io, 2: IllegalArgument ia)

  // Deletes a column or a family of a row.
  void deleteAll(1: binary tableName, 2: binary row, 3: binary column, 4: map<binary,binary> attributes)
      throws (1: IOError io)

  // The same, up to and including a time.
  void deleteAllTs(
      1: binary tableName, 2: binary row, 3: binary column, 4: i64 timestamp, 5: map<binary,binary> attributes)
      throws (1: IOError io)

  // Deletes a row.
  void deleteAllRow(1: binary tableName, 2: binary row, 3: map<binary,binary> attributes) throws (1: IOError io)

  // Adds to a counter.
  void increment(1: TIncrement increment) throws (1: IOError io)

  // Adds to several counters, one after the other.
  void incrementRows(1: list<TIncrement> increments) throws (1: IOError io)

  // Deletes a row's cells up to and including a time.
  void deleteAllRowTs(1: binary tableName, 2: binary row, 3: i64 timestamp, 4: map<binary,binary> attributes)
      throws (1: IOError io)

  // Opens a scanner; its number is for scannerGet, scannerGetList and scannerClose.
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

  // Opens a scanner from a row on, as before a time.
  i32 scannerOpenTs(
      1: binary tableName, 2: binary startRow, 3: list<binary> columns, 4: i64 timestamp,
      5: map<binary,binary> attributes)
      throws (1: IOError io)

  // Opens a scanner from a row up to another, as before a time.
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

  // Puts if a column has a value (absent: if it does not exist). There is no field 4.
  bool checkAndPut(
      1: binary tableName, 2: binary row, 3: binary column, 5: binary value, 6: Mutation mput,
      7: map<binary,binary> attributes)
      throws (1: IOError io, 2: IllegalArgument ia)

  // ONE.
  TThriftServerType getThriftServerType()

  // The name of this database for ever, a UUID.
  string getClusterId()
}
