'use strict';
/** Converts descriptors of tables, families and namespaces to Thrift structs and back. */

const { ENUMS } = require('./wire/schema.js');

/** The TTableName of `qualifier` or `namespace:qualifier`. */
function tableNameOf(name) {
  const at = name.indexOf(':');
  return at < 0
    ? { qualifier: Buffer.from(name) }
    : { ns: Buffer.from(name.slice(0, at)), qualifier: Buffer.from(name.slice(at + 1)) };
}

/** The text of a TTableName, without the default namespace. */
function nameOf({ ns, qualifier }) {
  const space = ns === undefined ? '' : ns.toString();
  return space === '' || space === 'default' ? qualifier.toString() : `${space}:${qualifier}`;
}

const text = (pairs) => pairs.map(([key, value]) => [bufferOf(key).toString(), bufferOf(value).toString()]);
const bytes = (pairs) => pairs.map(([key, value]) => [Buffer.from(key), Buffer.from(value)]);
const bufferOf = (part) => (Buffer.isBuffer(part) ? part : Buffer.from(part));
const unlessEmpty = (pairs) => (pairs.length === 0 ? undefined : pairs);
const sorted = (pairs) => pairs.sort(([a], [b]) => Buffer.compare(a, b));

const INT_MAX = 2 ** 31 - 1;
const whole =
  (least, most = INT_MAX) =>
  (value) =>
    /^\d{1,10}$/.test(value) && Number(value) >= least && Number(value) <= most && String(Number(value)) === value
      ? Number(value)
      : undefined;
const boolean = (value) => (value === 'true' ? true : value === 'false' ? false : undefined);
const one = (names) => (value) => (Object.hasOwn(names, value) ? names[value] : undefined);

/** Attributes for which TColumnFamilyDescriptor has a field, and the conversion of the attribute's text. */
const FIELDS = {
  __proto__: null,
  BLOCKSIZE: ['blockSize', whole(1)],
  BLOOMFILTER: ['bloomnFilterType', one(ENUMS.TBloomFilterType)],
  COMPRESSION: ['compressionType', one(ENUMS.TCompressionAlgorithm)],
  DFS_REPLICATION: ['dfsReplication', whole(1, 2 ** 15 - 1)],
  DATA_BLOCK_ENCODING: ['dataBlockEncoding', one(ENUMS.TDataBlockEncoding)],
  KEEP_DELETED_CELLS: ['keepDeletedCells', one(ENUMS.TKeepDeletedCells)],
  VERSIONS: ['maxVersions', whole(1)],
  MIN_VERSIONS: ['minVersions', whole(0)],
  REPLICATION_SCOPE: ['scope', whole(0)],
  TTL: ['timeToLive', whole(1)],
  BLOCKCACHE: ['blockCacheEnabled', boolean],
  CACHE_BLOOMS_ON_WRITE: ['cacheBloomsOnWrite', boolean],
  CACHE_DATA_ON_WRITE: ['cacheDataOnWrite', boolean],
  CACHE_INDEX_ON_WRITE: ['cacheIndexesOnWrite', boolean],
  COMPRESS_TAGS: ['compressTags', boolean],
  EVICT_BLOCKS_ON_CLOSE: ['evictBlocksOnClose', boolean],
  IN_MEMORY: ['inMemory', boolean],
};

/**
 * TColumnFamilyDescriptor. Attributes are sent as fields if possible, since HBase's framed gateway misreads other
 * attributes (it includes bytes next to them). A value that the field cannot hold remains an attribute, which the
 * server validates.
 */
function familyOf({ name, attributes, configuration }) {
  const fields = {};
  const others = [];
  for (const [key, value] of attributes) {
    const [field, read] = FIELDS[bufferOf(key).toString('latin1')] ?? [];
    const typed = read?.(bufferOf(value).toString('latin1'));
    // If an attribute is given twice, the last one applies; a field would take precedence over it.
    if (field !== undefined) delete fields[field];
    if (typed === undefined) others.push([key, value]);
    else fields[field] = typed;
  }
  return { name, attributes: unlessEmpty(others), configuration: unlessEmpty(text(configuration)), ...fields };
}

/** TTableDescriptor. */
function descriptorOf({ name, families, attributes }) {
  return { tableName: tableNameOf(name), columns: families.map(familyOf), attributes: unlessEmpty(attributes) };
}

/** Converts a TTableDescriptor. */
function readDescriptor({ tableName, columns = [], attributes = [] }) {
  return { name: nameOf(tableName), families: columns.map(readFamily), attributes: sorted(attributes) };
}

function readFamily({ name, attributes = [], configuration = [] }) {
  return { name, attributes: sorted(attributes), configuration: sorted(bytes(configuration)) };
}

/** TNamespaceDescriptor. */
function namespaceOf({ name, configuration = {} }) {
  return { name, configuration: unlessEmpty(Object.entries(configuration)) };
}

function readNamespace({ name, configuration = [] }) {
  return { name, configuration: Object.fromEntries(configuration) };
}

module.exports = { descriptorOf, familyOf, namespaceOf, nameOf, readDescriptor, readNamespace, tableNameOf };
