// HBase's second Thrift service, in the version of HBase 2.6: 50 methods, which HBase's own Thrift client for Java
// uses.
//
// Maintained by hand. Names, numbers and types are those of HBase's clients; the comments are hjall's.
// Timestamps are milliseconds since 1970. Tables are named `qualifier` or `namespace:qualifier`.

namespace java org.apache.hadoop.hbase.thrift2.generated
namespace cpp apache.hadoop.hbase.thrift2
namespace rb Apache.Hadoop.Hbase.Thrift2
namespace py hbase
namespace perl Hbase
namespace go hbase2

// The scope of a delete.
enum TDeleteType {
  DELETE_COLUMN = 0,
  DELETE_COLUMNS = 1,
  DELETE_FAMILY = 2,
  DELETE_FAMILY_VERSION = 3,
}

// The durability of a write.
enum TDurability {
  USE_DEFAULT = 0,
  SKIP_WAL = 1,
  ASYNC_WAL = 2,
  SYNC_WAL = 3,
  FSYNC_WAL = 4,
}

// Accepted; all reads are strong.
enum TConsistency {
  STRONG = 1,
  TIMELINE = 2,
}

// Accepted; a hint.
enum TReadType {
  DEFAULT = 1,
  STREAM = 2,
  PREAD = 3,
}

// `value op stored`: the given value is the left operand.
enum TCompareOp {
  LESS = 0,
  LESS_OR_EQUAL = 1,
  EQUAL = 2,
  NOT_EQUAL = 3,
  GREATER_OR_EQUAL = 4,
  GREATER = 5,
  NO_OP = 6,
}

// The keys in a family's bloom filter.
enum TBloomFilterType {
  NONE = 0,
  ROW = 1,
  ROWCOL = 2,
  ROWPREFIX_FIXED_LENGTH = 3,
}

// The compression of a family.
enum TCompressionAlgorithm {
  LZO = 0,
  GZ = 1,
  NONE = 2,
  SNAPPY = 3,
  LZ4 = 4,
  BZIP2 = 5,
  ZSTD = 6,
}

// The encoding of keys in a block.
enum TDataBlockEncoding {
  NONE = 0,
  PREFIX = 2,
  DIFF = 3,
  FAST_DIFF = 4,
  ROW_INDEX_V1 = 7,
}

// Whether deleted cells stay readable below their marker.
enum TKeepDeletedCells {
  FALSE = 0,
  TRUE = 1,
  TTL = 2,
}

// The log that getSlowLogResponses reads.
enum TLogType {
  SLOW_LOG = 1,
  LARGE_LOG = 2,
}

// The operator that combines the fields of TLogQueryFilter.
enum TFilterByOperator {
  AND = 0,
  OR = 1,
}

// The service that a server provides.
enum TThriftServerType {
  ONE = 1,
  TWO = 2,
}

// Timestamps from minStamp up to, not including, maxStamp, in milliseconds.
struct TTimeRange {
  1: required i64 minStamp,
  2: required i64 maxStamp,
}

// A column, a whole family, or one version.
struct TColumn {
  1: required binary family,
  2: optional binary qualifier,
  3: optional i64 timestamp,
}

// A column and its value; in answers also its timestamp.
struct TColumnValue {
  1: required binary family,
  2: required binary qualifier,
  3: required binary value,
  4: optional i64 timestamp,
  5: optional binary tags,
  // The kind of cell, in answers of raw scans.
  6: optional i8 type,
}

// A counter and the amount to add.
struct TColumnIncrement {
  1: required binary family,
  2: required binary qualifier,
  3: optional i64 amount = 1,
}

// A row; without cells if it does not exist.
struct TResult {
  1: optional binary row,
  2: required list<TColumnValue> columnValues,
  3: optional bool stale = false,
  // More cells of the same row follow.
  4: optional bool partial = false,
}

// Accepted, but not used.
struct TAuthorization {
  1: optional list<string> labels,
}

// Accepted, but not used.
struct TCellVisibility {
  1: optional string expression,
}

// A read of one row.
struct TGet {
  1: required binary row,
  2: optional list<TColumn> columns,
  // Only cells with exactly this timestamp.
  3: optional i64 timestamp,
  4: optional TTimeRange timeRange,
  5: optional i32 maxVersions,
  // A filter in HBase's filter language.
  6: optional binary filterString,
  7: optional map<binary,binary> attributes,
  8: optional TAuthorization authorizations,
  9: optional TConsistency consistency,
  10: optional i32 targetReplicaId,
  11: optional bool cacheBlocks,
  // The largest number of cells per family.
  12: optional i32 storeLimit,
  // The number of cells to skip in each family.
  13: optional i32 storeOffset,
  // Whether to test only for existence, without returning cells.
  14: optional bool existence_only,
  // A filter as HBase serialises it.
  15: optional binary filterBytes,
}

// Cells to write to one row. Field 4 does not exist.
struct TPut {
  1: required binary row,
  2: required list<TColumnValue> columnValues,
  // The timestamp of cells without one.
  3: optional i64 timestamp,
  5: optional map<binary,binary> attributes,
  6: optional TDurability durability,
  7: optional TCellVisibility cellVisibility,
}

// A delete in one row; without columns, of the whole row. Field 5 does not exist.
struct TDelete {
  1: required binary row,
  2: optional list<TColumn> columns,
  3: optional i64 timestamp,
  4: optional TDeleteType deleteType = TDeleteType.DELETE_COLUMNS,
  6: optional map<binary,binary> attributes,
  7: optional TDurability durability,
}

// Counters of one row. Field 3 does not exist.
struct TIncrement {
  1: required binary row,
  2: required list<TColumnIncrement> columns,
  4: optional map<binary,binary> attributes,
  5: optional TDurability durability,
  6: optional TCellVisibility cellVisibility,
  7: optional bool returnResults,
}

// Values to append to columns of one row.
struct TAppend {
  1: required binary row,
  2: required list<TColumnValue> columns,
  3: optional map<binary,binary> attributes,
  4: optional TDurability durability,
  5: optional TCellVisibility cellVisibility,
  6: optional bool returnResults,
}

// A scan. Absent fields restrict nothing.
struct TScan {
  1: optional binary startRow,
  // Exclusive, unless equal to startRow.
  2: optional binary stopRow,
  3: optional list<TColumn> columns,
  4: optional i32 caching,
  5: optional i32 maxVersions = 1,
  6: optional TTimeRange timeRange,
  7: optional binary filterString,
  // The largest number of cells in one result; wider rows are returned in pieces.
  8: optional i32 batchSize,
  9: optional map<binary,binary> attributes,
  10: optional TAuthorization authorizations,
  11: optional bool reversed,
  12: optional bool cacheBlocks,
  // Replaces timeRange for a family.
  13: optional map<binary,TTimeRange> colFamTimeRangeMap,
  14: optional TReadType readType,
  // The largest number of rows.
  15: optional i32 limit,
  16: optional TConsistency consistency,
  17: optional i32 targetReplicaId,
  18: optional binary filterBytes,
}

// A put or a delete.
union TMutation {
  1: TPut put,
  2: TDelete deleteSingle,
}

// Changes of one row, applied atomically.
struct TRowMutations {
  1: required binary row,
  2: required list<TMutation> mutations,
}

// A region.
struct THRegionInfo {
  1: required i64 regionId,
  2: required binary tableName,
  3: optional binary startKey,
  4: optional binary endKey,
  5: optional bool offline,
  6: optional bool split,
  7: optional i32 replicaId,
}

// A server.
struct TServerName {
  1: required string hostName,
  2: optional i32 port,
  3: optional i64 startCode,
}

// A region and its server.
struct THRegionLocation {
  1: required TServerName serverName,
  2: required THRegionInfo regionInfo,
}

// A table's name; without a namespace, that is `default`.
struct TTableName {
  1: optional binary ns,
  2: required binary qualifier,
}

// A family. A typed field and the attribute with the same meaning are equivalent.
struct TColumnFamilyDescriptor {
  1: required binary name,
  2: optional map<binary,binary> attributes,
  3: optional map<string,string> configuration,
  4: optional i32 blockSize,
  // Misspelt in HBase.
  5: optional TBloomFilterType bloomnFilterType,
  6: optional TCompressionAlgorithm compressionType,
  7: optional i16 dfsReplication,
  8: optional TDataBlockEncoding dataBlockEncoding,
  9: optional TKeepDeletedCells keepDeletedCells,
  10: optional i32 maxVersions,
  11: optional i32 minVersions,
  12: optional i32 scope,
  // Seconds.
  13: optional i32 timeToLive,
  14: optional bool blockCacheEnabled,
  15: optional bool cacheBloomsOnWrite,
  16: optional bool cacheDataOnWrite,
  17: optional bool cacheIndexesOnWrite,
  18: optional bool compressTags,
  19: optional bool evictBlocksOnClose,
  20: optional bool inMemory,
}

// A table.
struct TTableDescriptor {
  1: required TTableName tableName,
  2: optional list<TColumnFamilyDescriptor> columns,
  3: optional map<binary,binary> attributes,
  4: optional TDurability durability,
}

// A namespace.
struct TNamespaceDescriptor {
  1: required string name,
  2: optional map<string,string> configuration,
}

// A selection of slow calls.
struct TLogQueryFilter {
  1: optional string regionName,
  2: optional string clientAddress,
  3: optional string tableName,
  4: optional string userName,
  5: optional i32 limit = 10,
  6: optional TLogType logType = TLogType.SLOW_LOG,
  7: optional TFilterByOperator filterByOperator = TFilterByOperator.OR,
}

// A slow call. Times are in milliseconds, sizes in bytes.
struct TOnlineLogRecord {
  1: required i64 startTime,
  2: required i32 processingTime,
  3: required i32 queueTime,
  4: required i64 responseSize,
  5: required string clientAddress,
  6: required string serverClass,
  7: required string methodName,
  8: required string callDetails,
  9: required string param,
  10: required string userName,
  11: required i32 multiGetsCount,
  12: required i32 multiMutationsCount,
  13: required i32 multiServiceCalls,
  14: optional string regionName,
  15: optional i64 blockBytesScanned,
  16: optional i64 fsReadTime,
}

// The operation failed.
exception TIOError {
  1: optional string message,
  // Whether a retry can succeed.
  2: optional bool canRetry,
}

// An argument is invalid.
exception TIllegalArgument {
  1: optional string message,
}

service THBaseService {
  // Whether a get would return a cell.
  bool exists(1: required binary table, 2: required TGet tget) throws (1: TIOError io)

  // For each of several gets, whether it would return a cell.
  list<bool> existsAll(1: required binary table, 2: required list<TGet> tgets) throws (1: TIOError io)

  // One row.
  TResult get(1: required binary table, 2: required TGet tget) throws (1: TIOError io)

  // Several rows, in the order of the request.
  list<TResult> getMultiple(1: required binary table, 2: required list<TGet> tgets) throws (1: TIOError io)

  // Writes one row.
  void put(1: required binary table, 2: required TPut tput) throws (1: TIOError io)

  // Puts if a column has a value (absent: if the cell does not exist).
  bool checkAndPut(
      1: required binary table, 2: required binary row, 3: required binary family, 4: required binary qualifier,
      5: binary value, 6: required TPut tput)
      throws (1: TIOError io)

  // Writes several rows, each independently.
  void putMultiple(1: required binary table, 2: required list<TPut> tputs) throws (1: TIOError io)

  // Deletes in one row.
  void deleteSingle(1: required binary table, 2: required TDelete tdelete) throws (1: TIOError io)

  // Deletes in several rows; returns those that failed.
  list<TDelete> deleteMultiple(1: required binary table, 2: required list<TDelete> tdeletes) throws (1: TIOError io)

  // Deletes if a column has a value (absent: if the cell does not exist).
  bool checkAndDelete(
      1: required binary table, 2: required binary row, 3: required binary family, 4: required binary qualifier,
      5: binary value, 6: required TDelete tdelete)
      throws (1: TIOError io)

  // Adds to counters of one row; returns the new values.
  TResult increment(1: required binary table, 2: required TIncrement tincrement) throws (1: TIOError io)

  // Appends to values of one row; returns the new ones.
  TResult append(1: required binary table, 2: required TAppend tappend) throws (1: TIOError io)

  // Opens a scanner; returns the id for getScannerRows and closeScanner.
  i32 openScanner(1: required binary table, 2: required TScan tscan) throws (1: TIOError io)

  // Up to numRows next rows; an empty list at the end.
  list<TResult> getScannerRows(1: required i32 scannerId, 2: i32 numRows = 1)
      throws (1: TIOError io, 2: TIllegalArgument ia)

  // Closes a scanner.
  void closeScanner(1: required i32 scannerId) throws (1: TIOError io, 2: TIllegalArgument ia)

  // Changes one row atomically.
  void mutateRow(1: required binary table, 2: required TRowMutations trowMutations) throws (1: TIOError io)

  // Opens a scanner, reads up to numRows rows and closes it.
  list<TResult> getScannerResults(1: required binary table, 2: required TScan tscan, 3: i32 numRows = 1)
      throws (1: TIOError io)

  // The region that contains a row.
  THRegionLocation getRegionLocation(1: required binary table, 2: required binary row, 3: bool reload)
      throws (1: TIOError io)

  // A table's regions by start key.
  list<THRegionLocation> getAllRegionLocations(1: required binary table) throws (1: TIOError io)

  // Changes one row if the comparison of a value with a column holds.
  bool checkAndMutate(
      1: required binary table, 2: required binary row, 3: required binary family, 4: required binary qualifier,
      5: required TCompareOp compareOp, 6: binary value, 7: required TRowMutations rowMutations)
      throws (1: TIOError io)

  // A table.
  TTableDescriptor getTableDescriptor(1: required TTableName table) throws (1: TIOError io)

  // Several tables.
  list<TTableDescriptor> getTableDescriptors(1: required list<TTableName> tables) throws (1: TIOError io)

  // Whether a table exists.
  bool tableExists(1: TTableName tableName) throws (1: TIOError io)

  // Tables whose whole name a regular expression matches; absent: all.
  list<TTableDescriptor> getTableDescriptorsByPattern(1: string regex, 2: required bool includeSysTables)
      throws (1: TIOError io)

  // The tables of a namespace.
  list<TTableDescriptor> getTableDescriptorsByNamespace(1: required string name) throws (1: TIOError io)

  // Names that a regular expression matches; absent: all.
  list<TTableName> getTableNamesByPattern(1: string regex, 2: required bool includeSysTables) throws (1: TIOError io)

  // The names of a namespace's tables.
  list<TTableName> getTableNamesByNamespace(1: required string name) throws (1: TIOError io)

  // Creates a table that is split at these keys.
  void createTable(1: required TTableDescriptor desc, 2: list<binary> splitKeys) throws (1: TIOError io)

  // Drops a disabled table.
  void deleteTable(1: required TTableName tableName) throws (1: TIOError io)

  // Truncates a disabled table and enables it.
  void truncateTable(1: required TTableName tableName, 2: required bool preserveSplits) throws (1: TIOError io)

  // Enables a disabled table.
  void enableTable(1: required TTableName tableName) throws (1: TIOError io)

  // Disables a table.
  void disableTable(1: required TTableName tableName) throws (1: TIOError io)

  // Whether a table is enabled.
  bool isTableEnabled(1: required TTableName tableName) throws (1: TIOError io)

  // Whether a table is disabled.
  bool isTableDisabled(1: required TTableName tableName) throws (1: TIOError io)

  // Whether all regions are served.
  bool isTableAvailable(1: required TTableName tableName) throws (1: TIOError io)

  // Whether all regions are served and begin at these keys.
  bool isTableAvailableWithSplit(1: required TTableName tableName, 2: list<binary> splitKeys) throws (1: TIOError io)

  // Adds a family.
  void addColumnFamily(1: required TTableName tableName, 2: required TColumnFamilyDescriptor column)
      throws (1: TIOError io)

  // Removes a family and its data.
  void deleteColumnFamily(1: required TTableName tableName, 2: required binary column) throws (1: TIOError io)

  // Replaces a family's descriptor.
  void modifyColumnFamily(1: required TTableName tableName, 2: required TColumnFamilyDescriptor column)
      throws (1: TIOError io)

  // Replaces a table's descriptor.
  void modifyTable(1: required TTableDescriptor desc) throws (1: TIOError io)

  // Creates a namespace.
  void createNamespace(1: required TNamespaceDescriptor namespaceDesc) throws (1: TIOError io)

  // Replaces a namespace's configuration.
  void modifyNamespace(1: required TNamespaceDescriptor namespaceDesc) throws (1: TIOError io)

  // Deletes an empty namespace.
  void deleteNamespace(1: required string name) throws (1: TIOError io)

  // A namespace.
  TNamespaceDescriptor getNamespaceDescriptor(1: required string name) throws (1: TIOError io)

  // All namespaces.
  list<TNamespaceDescriptor> listNamespaceDescriptors() throws (1: TIOError io)

  // The names of all namespaces.
  list<string> listNamespaces() throws (1: TIOError io)

  // TWO.
  TThriftServerType getThriftServerType()

  // The slow calls of these servers.
  list<TOnlineLogRecord> getSlowLogResponses(1: set<TServerName> serverNames, 2: TLogQueryFilter logQueryFilter)
      throws (1: TIOError io)

  // Discards the slow calls of these servers.
  list<bool> clearSlowLogResponses(1: set<TServerName> serverNames) throws (1: TIOError io)

  // The permanent id of this database, a UUID.
  string getClusterId()
}
