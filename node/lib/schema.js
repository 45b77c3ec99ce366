'use strict';
/** Converts between options and HBase's attributes in descriptors of tables, families and namespaces. */

const { isMap } = require('node:util/types');
const { checkName, isAccepted } = require('./attributes.js');
const { DURABILITY } = require('./backend.js');
const { name: nameBytes } = require('./bytes.js');
const { text } = require('./column.js');
const { checked, escaped, flag, oneOf, shown, wellFormed, whole } = require('./options.js');

const INT_MAX = 2 ** 31 - 1;
const number = (least) => ({
  write: (value, what) => String(whole(value, what, least, INT_MAX)),
  read: (value) => (/^-?\d{1,10}$/.test(value) ? Number(value) : value),
});
/** VERSIONS. HBase stores 0 and negative numbers, with which every write is invisible. */
const versions = {
  write: (value, what) => {
    if (Number.isInteger(value) && value < 1) throw noVersions(what, value);
    return String(whole(value, what, 1, INT_MAX));
  },
  read: number(1).read,
  attribute: (value, what) => {
    if (/^-\d+$|^0+$/.test(value)) throw noVersions(what, value);
    return value;
  },
};
const noVersions = (what, value) =>
  new RangeError(`${what}: Maximum versions must be positive, not ${value}: give the number of versions to keep, 1 or more`);

const boolean = { write: (value, what) => String(flag(value, what)), read: (value) => value.toLowerCase() === 'true' };
const named = (...names) => ({
  write: (value, what) => oneOf(value, names, what),
  read: (value) => value.toUpperCase(),
});
/** A name, of which HBase stores unknown ones and ignores them. */
const strict = (...names) => {
  const form = named(...names);
  return { ...form, attribute: form.write };
};
/** TTL: a number of seconds, or 'FOREVER'. */
const ttl = {
  write: (value, what) =>
    typeof value === 'string' && value.toUpperCase() === 'FOREVER'
      ? String(INT_MAX)
      : String(whole(value, `${what} (seconds, or 'FOREVER')`, -INT_MAX, INT_MAX)),
  read: (value) => (value === String(INT_MAX) ? 'FOREVER' : number(0).read(value)),
};
/** KEEP_DELETED_CELLS: true, false or 'TTL'. */
const keep = {
  write: (value, what) =>
    typeof value === 'boolean' ? String(value).toUpperCase() : oneOf(value, ['TRUE', 'FALSE', 'TTL'], what),
  read: (value) => ({ TRUE: true, FALSE: false })[value.toUpperCase()] ?? value.toUpperCase(),
};

/**
 * A family's options: HBase's attribute, and the conversion of its value. The database checks most bounds. `attribute`
 * checks the text of an attribute that is given under HBase's name.
 */
const FAMILY = {
  versions: ['VERSIONS', versions],
  minVersions: ['MIN_VERSIONS', number(-INT_MAX)],
  ttlSeconds: ['TTL', ttl],
  keepDeletedCells: ['KEEP_DELETED_CELLS', keep],
  newVersionBehavior: ['NEW_VERSION_BEHAVIOR', boolean],
  compression: ['COMPRESSION', named('NONE', 'LZO', 'GZ', 'SNAPPY', 'LZ4', 'BZIP2', 'ZSTD')],
  bloomFilter: ['BLOOMFILTER', named('NONE', 'ROW', 'ROWCOL', 'ROWPREFIX_FIXED_LENGTH')],
  dataBlockEncoding: ['DATA_BLOCK_ENCODING', named('NONE', 'PREFIX', 'DIFF', 'FAST_DIFF', 'ROW_INDEX_V1')],
  blockSize: ['BLOCKSIZE', number(-INT_MAX)],
  blockCache: ['BLOCKCACHE', boolean],
  inMemory: ['IN_MEMORY', boolean],
  replicationScope: ['REPLICATION_SCOPE', number(-INT_MAX)],
  dfsReplication: ['DFS_REPLICATION', number(0)],
  cacheBloomsOnWrite: ['CACHE_BLOOMS_ON_WRITE', boolean],
  cacheDataOnWrite: ['CACHE_DATA_ON_WRITE', boolean],
  cacheIndexesOnWrite: ['CACHE_INDEX_ON_WRITE', boolean],
  compressTags: ['COMPRESS_TAGS', boolean],
  evictBlocksOnClose: ['EVICT_BLOCKS_ON_CLOSE', boolean],
};

/** A table's options, likewise. */
const TABLE = {
  durability: ['DURABILITY', strict(...DURABILITY)],
  readOnly: ['READONLY', boolean],
  regionReplication: ['REGION_REPLICATION', number(-INT_MAX)],
};

const FAMILY_OPTIONS = new Set([...Object.keys(FAMILY), 'attributes', 'configuration', 'metadata']);
const TABLE_OPTIONS = [...Object.keys(TABLE), 'attributes', 'metadata'];

/** Attributes or configuration, given under HBase's names. */
function pairsOf(given, where) {
  if (given === undefined) return [];
  if (given === null || typeof given !== 'object')
    throw new TypeError(`${where} must be an object or Map, not ${shown(given)}`);
  const entries = isMap(given) ? [...given] : Object.entries(given);
  return entries.map(([key, value]) => [
    nameBytes(key, `${where}: key`),
    nameBytes(value, `${where}: value of ${shown(key)}`),
  ]);
}

/** Converts options to attributes, followed by those given under HBase's names, and by metadata of any names. */
function attributesOf(options, known, level, where) {
  const out = [];
  for (const [option, [attribute, form]] of Object.entries(known)) {
    if (options[option] !== undefined) {
      out.push([Buffer.from(attribute), Buffer.from(form.write(options[option], `${where}: option \`${option}\``))]);
    }
  }
  const forms = new Map(Object.values(known));
  for (const option of ['attributes', 'metadata']) {
    const place = `${where}: option \`${option}\``;
    for (const [key, value] of pairsOf(options[option], place)) {
      const name = text(key);
      if (option === 'attributes') checkName(name, value, level, place);
      const checkedText = forms.get(name)?.attribute?.(text(value), `${place}: ${escaped(name)}`);
      out.push([key, checkedText === undefined ? value : Buffer.from(checkedText)]);
    }
  }
  return out;
}

/** A family's descriptor. */
function familyOf(name, options, where) {
  const bytes = nameBytes(name, `${where}: family name`);
  const place = `${where}: family '${escaped(text(bytes))}'`;
  const given = checked(options, FAMILY_OPTIONS, place);
  return {
    name: bytes,
    attributes: attributesOf(given, FAMILY, 'family', place),
    configuration: pairsOf(given.configuration, `${place}: option \`configuration\``),
  };
}

/** Converts families: { info: { versions: 3 }, log: {} }, a Map, or an array of names. */
function familiesOf(given, where) {
  if (Array.isArray(given)) return given.map((name) => familyOf(name, undefined, where));
  if (given === null || typeof given !== 'object' || ArrayBuffer.isView(given)) {
    throw new TypeError(
      `${where}: families must be an object { info: { versions: 3 } }, a Map, or an array of names, not ${shown(given)}`,
    );
  }
  const entries = isMap(given) ? [...given] : Object.entries(given);
  return entries.map(([name, options]) => familyOf(name, options, where));
}

/** A table's descriptor. The names of `options` have been checked. */
function descriptorOf(name, families, options, where) {
  return { name, families: familiesOf(families, where), attributes: attributesOf(options, TABLE, 'table', where) };
}

/**
 * Converts attributes to options. Attributes that have no option are listed under `attributes`, or under `metadata` if
 * `attributes` would be refused with their names.
 */
function optionsFrom(pairs, known, level) {
  const byAttribute = new Map(Object.entries(known).map(([option, [attribute, form]]) => [attribute, [option, form]]));
  const out = {};
  for (const [key, value] of pairs) {
    const attribute = text(key);
    const found = byAttribute.get(attribute);
    if (found === undefined) (out[isAccepted(attribute, level) ? 'attributes' : 'metadata'] ??= {})[attribute] = text(value);
    else out[found[0]] = found[1].read(text(value));
  }
  return out;
}

/** Converts a descriptor to the form that `createTable` and `alterTable` accept. */
function shownDescriptor(descriptor) {
  const families = {};
  for (const { name, attributes, configuration } of descriptor.families) {
    families[text(name)] = optionsFrom(attributes, FAMILY, 'family');
    if (configuration.length > 0)
      families[text(name)].configuration = Object.fromEntries(configuration.map(([k, v]) => [text(k), text(v)]));
  }
  return { name: descriptor.name, families, options: optionsFrom(descriptor.attributes, TABLE, 'table') };
}

/** A namespace's descriptor. */
function namespaceOf(name, configuration, where) {
  if (typeof name !== 'string')
    throw new TypeError(`${where}: the namespace's name must be a string, not ${shown(name)}`);
  const entries = Object.entries(configuration ?? {});
  for (const [key, value] of entries) {
    if (typeof value !== 'string')
      throw new TypeError(`${where}: configuration \`${key}\` must be a string, not ${shown(value)}`);
    for (const one of [key, value]) wellFormed(one, `${where}: configuration \`${key}\``);
  }
  return { name, configuration: Object.fromEntries(entries) };
}

module.exports = { TABLE_OPTIONS, descriptorOf, familyOf, namespaceOf, shownDescriptor };
