// HBase's second Thrift service, as HBase 2.6 speaks it: 50 methods, the ones HBase's own Thrift client for Java calls.
//
// Maintained by hand. Names, numbers and types are what clients of HBase send and expect; the comments are ours.
// Timestamps are milliseconds since 1970. Tables are named `qualifier` or `namespace:qualifier`.

namespace java org.apache.hadoop.hbase.thrift2.generated
namespace cpp apache.hadoop.hbase.thrift2
namespace rb Apache.Hadoop.Hbase.Thrift2
namespace py hbase
namespace perl Hbase
namespace go hbase2

// What a delete covers.
enum TDeleteType {
  DELETE_COLUMN = 0,
  DELETE_COLUMNS = 1,
  DELETE_FAMILY = 2,
  DELETE_FAMILY_VERSION = 3,
}

// When a write counts as done.
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

// `value op stored`: the given value stands on the left.
enum TCompareOp {
  LESS = 0,
  LESS_OR_EQUAL = 1,
  EQUAL = 2,
  NOT_EQUAL = 3,
  GREATER_OR_EQUAL = 4,
  GREATER = 5,
  NO_OP = 6,
}

// Which keys a family's bloom filter holds.
enum TBloomFilterType {
  NONE = 0,
  ROW = 1,
  ROWCOL = 2,
  ROWPREFIX_FIXED_LENGTH = 3,
}

// How a family is compressed.
enum TCompressionAlgorithm {
  LZO = 0,
  GZ = 1,
  NONE = 2,
  SNAPPY = 3,
  LZ4 = 4,
  BZIP2 = 5,
  ZSTD = 6,
}

// How keys are packed in a block.
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

// Which log getSlowLogResponses reads.
enum TLogType {
  SLOW_LOG = 1,
  LARGE_LOG = 2,
}

// How the fields of TLogQueryFilter are combined.
enum TFilterByOperator {
  AND = 0,
  OR = 1,
}

// Which of the two services a server speaks.
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

// A column and its value; in answers with its timestamp.
struct TColumnValue {
  1: required binary family,
  2: required binary qualifier,
  3: required binary value,
  4: optional i64 timestamp,
  5: optional binary tags,
  // The kind of cell, in answers of raw scans.
  6: optional i8 type,
}

// A counter and what to add.
struct TColumnIncrement {
  1: required binary family,
  2: required binary qualifier,
  3: optional i64 amount = 1,
}

// A row; without cells if it is absent.
struct TResult {
  1: optional binary row,
  2: required list<TColumnValue> columnValues,
  3: optional bool stale = false,
  // More cells of the same row follow.
  4: optional bool partial = false,
}

// Accepted, not used.
struct TAuthorization {
  1: optional list<string> labels,
}

// Accepted, not used.
struct TCellVisibility {
  1: optional string expression,
}

// What to read of one row.
struct TGet {
  1: required binary row,
  2: optional list<TColumn> columns,
  // Exactly this time.
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
  // Cells of a family at most.
  12: optional i32 storeLimit,
  // Cells of a family passed over first.
  13: optional i32 storeOffset,
  // Answer whether there is anything, without cells.
  14: optional bool existence_only,
  // A filter as HBase serialises it.
  15: optional binary filterBytes,
}

// Cells to write into one row. There is no field 4.
struct TPut {
  1: required binary row,
  2: required list<TColumnValue> columnValues,
  // For the cells that have none of their own.
  3: optional i64 timestamp,
  5: optional map<binary,binary> attributes,
  6: optional TDurability durability,
  7: optional TCellVisibility cellVisibility,
}

// What to delete of one row; without columns the whole row. There is no field 5.
struct TDelete {
  1: required binary row,
  2: optional list<TColumn> columns,
  3: optional i64 timestamp,
  4: optional TDeleteType deleteType = TDeleteType.DELETE_COLUMNS,
  6: optional map<binary,binary> attributes,
  7: optional TDurability durability,
}

// Counters of one row. There is no field 3.
struct TIncrement {
  1: required binary row,
  2: required list<TColumnIncrement> columns,
  4: optional map<binary,binary> attributes,
  5: optional TDurability durability,
  6: optional TCellVisibility cellVisibility,
  7: optional bool returnResults,
}

// Values to append in one row.
struct TAppend {
  1: required binary row,
  2: required list<TColumnValue> columns,
  3: optional map<binary,binary> attributes,
  4: optional TDurability durability,
  5: optional TCellVisibility cellVisibility,
  6: optional bool returnResults,
}

// What to scan; absent fields do not restrict.
struct TScan {
  1: optional binary startRow,
  // Excluded, unless equal to startRow.
  2: optional binary stopRow,
  3: optional list<TColumn> columns,
  4: optional i32 caching,
  5: optional i32 maxVersions = 1,
  6: optional TTimeRange timeRange,
  7: optional binary filterString,
  // Cells in one result at most; wide rows come in pieces.
  8: optional i32 batchSize,
  9: optional map<binary,binary> attributes,
  10: optional TAuthorization authorizations,
  11: optional bool reversed,
  12: optional bool cacheBlocks,
  // Replaces timeRange for a family.
  13: optional map<binary,TTimeRange> colFamTimeRangeMap,
  14: optional TReadType readType,
  // Rows at most.
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

// Changes of one row, all at once.
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

// A region and where it is served.
struct THRegionLocation {
  1: required TServerName serverName,
  2: required THRegionInfo regionInfo,
}

// A table; without namespace in `default`.
struct TTableName {
  1: optional binary ns,
  2: required binary qualifier,
}

// A family. A typed field and the attribute of the same meaning say the same thing.
struct TColumnFamilyDescriptor {
  1: required binary name,
  2: optional map<binary,binary> attributes,
  3: optional map<string,string> configuration,
  4: optional i32 blockSize,
  // The name is misspelt for good.
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

// Which slow calls to list.
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
  // Whether trying again can help.
  2: optional bool canRetry,
}

// An argument is not acceptable.
exception TIllegalArgument {
  1: optional string message,
}

service THBaseService {
  // Whether a get would find anything.
  bool exists(1: required binary table, 2: required TGet tget) throws (1: TIOError io)

  // The same for several gets.
  list<bool> existsAll(1: required binary table, 2: required list<TGet> tgets) throws (1: TIOError io)

  // One row.
  TResult get(1: required binary table, 2: required TGet tget) throws (1: TIOError io)

  // Several rows, in the order asked for.
  list<TResult> getMultiple(1: required binary table, 2: required list<TGet> tgets) throws (1: TIOError io)

  // Writes one row.
  void put(1: required binary table, 2: required TPut tput) throws (1: TIOError io)

  // Writes if a column has a value (absent: if it does not exist).
  bool checkAndPut(
      1: required binary table, 2: required binary row, 3: required binary family, 4: required binary qualifier,
      5: binary value, 6: required TPut tput)
      throws (1: TIOError io)

  // Writes several rows, each by itself.
  void putMultiple(1: required binary table, 2: required list<TPut> tputs) throws (1: TIOError io)

  // Deletes in one row.
  void deleteSingle(1: required binary table, 2: required TDelete tdelete) throws (1: TIOError io)

  // Deletes in several rows; returns those that failed.
  list<TDelete> deleteMultiple(1: required binary table, 2: required list<TDelete> tdeletes) throws (1: TIOError io)

  // Deletes if a column has a value (absent: if it does not exist).
  bool checkAndDelete(
      1: required binary table, 2: required binary row, 3: required binary family, 4: required binary qualifier,
      5: binary value, 6: required TDelete tdelete)
      throws (1: TIOError io)

  // Adds to counters of one row; returns the new values.
  TResult increment(1: required binary table, 2: required TIncrement tincrement) throws (1: TIOError io)

  // Appends to values of one row; returns the new ones.
  TResult append(1: required binary table, 2: required TAppend tappend) throws (1: TIOError io)

  // Opens a scanner; its number is for getScannerRows and closeScanner.
  i32 openScanner(1: required binary table, 2: required TScan tscan) throws (1: TIOError io)

  // Up to numRows next rows; an empty list at the end.
  list<TResult> getScannerRows(1: required i32 scannerId, 2: i32 numRows = 1)
      throws (1: TIOError io, 2: TIllegalArgument ia)

  // Closes a scanner.
  void closeScanner(1: required i32 scannerId) throws (1: TIOError io, 2: TIllegalArgument ia)

  // Changes one row, all at once.
  void mutateRow(1: required binary table, 2: required TRowMutations trowMutations) throws (1: TIOError io)

  // Opens a scanner, reads up to numRows rows, closes it.
  list<TResult> getScannerResults(1: required binary table, 2: required TScan tscan, 3: i32 numRows = 1)
      throws (1: TIOError io)

  // The region that holds a row.
  THRegionLocation getRegionLocation(1: required binary table, 2: required binary row, 3: bool reload)
      throws (1: TIOError io)

  // A table's regions by start key.
  list<THRegionLocation> getAllRegionLocations(1: required binary table) throws (1: TIOError io)

  // Changes one row if a column compares so with a value.
  bool checkAndMutate(
      1: required binary table, 2: required binary row, 3: required binary family, 4: required binary qualifier,
      5: required TCompareOp compareOp, 6: binary value, 7: required TRowMutations rowMutations)
      throws (1: TIOError io)

  // A table.
  TTableDescriptor getTableDescriptor(1: required TTableName table) throws (1: TIOError io)

  // Several tables.
  list<TTableDescriptor> getTableDescriptors(1: required list<TTableName> tables) throws (1: TIOError io)

  // Whether there is such a table.
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

  // Makes a table with regions at these keys.
  void createTable(1: required TTableDescriptor desc, 2: list<binary> splitKeys) throws (1: TIOError io)

  // Drops a disabled table.
  void deleteTable(1: required TTableName tableName) throws (1: TIOError io)

  // Empties a disabled table and enables it.
  void truncateTable(1: required TTableName tableName, 2: required bool preserveSplits) throws (1: TIOError io)

  // Brings a disabled table back.
  void enableTable(1: required TTableName tableName) throws (1: TIOError io)

  // Takes a table offline.
  void disableTable(1: required TTableName tableName) throws (1: TIOError io)

  // Whether a table is online.
  bool isTableEnabled(1: required TTableName tableName) throws (1: TIOError io)

  // Whether a table is offline.
  bool isTableDisabled(1: required TTableName tableName) throws (1: TIOError io)

  // Whether all regions are served.
  bool isTableAvailable(1: required TTableName tableName) throws (1: TIOError io)

  // The same, with regions at these keys.
  bool isTableAvailableWithSplit(1: required TTableName tableName, 2: list<binary> splitKeys) throws (1: TIOError io)

  // Adds a family.
  void addColumnFamily(1: required TTableName tableName, 2: required TColumnFamilyDescriptor column)
      throws (1: TIOError io)

  // Removes a family and its data.
  void deleteColumnFamily(1: required TTableName tableName, 2: required binary column) throws (1: TIOError io)

  // Replaces a family's description.
  void modifyColumnFamily(1: required TTableName tableName, 2: required TColumnFamilyDescriptor column)
      throws (1: TIOError io)

  // Replaces a table's description.
  void modifyTable(1: required TTableDescriptor desc) throws (1: TIOError io)

  // Makes a namespace.
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

  // Slow calls of these servers.
  list<TOnlineLogRecord> getSlowLogResponses(1: set<TServerName> serverNames, 2: TLogQueryFilter logQueryFilter)
      throws (1: TIOError io)

  // Forgets the slow calls of these servers.
  list<bool> clearSlowLogResponses(1: set<TServerName> serverNames) throws (1: TIOError io)

  // The name of this database for ever, a UUID.
  string getClusterId()
}
