'use strict';
/** Converts the arguments of read methods to the plain data of `backend.js`. */

const { isMap } = require('node:util/types');
const { bytes, copyOf, int64, isBytes, viewOf } = require('./bytes.js');
const { column } = require('./column.js');
const { filterOf, withPrefix } = require('./filter.js');
const { mapped } = require('./long-list.js');
const { flag, shown, whole } = require('./options.js');

const INT_MAX = 2 ** 31 - 1;
const READING = ['columns', 'versions', 'timestamp', 'timeRange', 'filter', 'raw', 'signal'];
const GET_OPTIONS = new Set([...READING, 'storeLimit', 'storeOffset']);
const SCAN_OPTIONS = new Set([
  ...READING,
  'start',
  'stop',
  'prefix',
  'familyTimeRanges',
  'limit',
  'batch',
  'caching',
  'reverse',
]);

/** Converts a column or an array of columns. Undefined and an empty array mean all columns. */
function columnsOf(given, where) {
  if (given === undefined) return undefined;
  const what = `${where}: column`;
  if (!Array.isArray(given)) return [column(given, what)];
  return given.length === 0 ? undefined : mapped(given, (c) => column(c, what));
}

/** Converts [from, to] or { from, to }; either bound may be omitted. */
function timeRangeOf(given, where) {
  if (given === undefined) return undefined;
  if (given === null || typeof given !== 'object')
    throw new TypeError(`${where}: must be [from, to] or { from, to }, not ${shown(given)}`);
  const [from, to] = Array.isArray(given) ? given : [given.from, given.to];
  return {
    from: from === undefined ? 0 : int64(from, `${where}: from`),
    to: to === undefined ? 0x7fffffffffffffffn : int64(to, `${where}: to`),
  };
}

/** The time range of the options `timeRange` or `timestamp`. */
function timesOf(options, where) {
  const { timestamp, timeRange } = options;
  if (timestamp === undefined)
    return timeRange === undefined ? undefined : timeRangeOf(timeRange, `${where}: option \`timeRange\``);
  if (timeRange !== undefined) throw new TypeError(`${where}: give \`timestamp\` or \`timeRange\`, not both`);
  const at = int64(timestamp, `${where}: option \`timestamp\``);
  return { from: at, to: BigInt(at) + 1n };
}

const PLAIN = Object.freeze({
  columns: undefined,
  timeRange: undefined,
  versions: 1,
  storeLimit: -1,
  storeOffset: -1,
  filter: undefined,
  raw: false,
});

/** A get. The names of `options` have been checked. */
function getOf(row, options, where, encoding) {
  const key = bytes(row, `${where}: row key`, encoding);
  // Fast path: an object literal is cheaper than a spread, and this is the most frequent call.
  if (isEmpty(options)) {
    return {
      row: key,
      columns: undefined,
      timeRange: undefined,
      versions: 1,
      storeLimit: -1,
      storeOffset: -1,
      filter: undefined,
      raw: false,
    };
  }
  const get = getFieldsOf(options, where);
  get.row = key;
  return get;
}

/** The fields of a get, except the row. */
function getFieldsOf(options, where, versions = 1) {
  if (versions === 1 && isEmpty(options)) return PLAIN;
  const { columns, timestamp, timeRange, filter, raw } = options;
  // The texts for error messages would be most of the work of a get of some columns.
  const number = (value, name, otherwise) =>
    value === undefined ? otherwise : whole(value, `${where}: option \`${name}\``, 0, INT_MAX);
  return {
    columns: columnsOf(columns, where),
    timeRange: timestamp === undefined && timeRange === undefined ? undefined : timesOf(options, where),
    versions: number(options.versions, 'versions', versions),
    storeLimit: number(options.storeLimit, 'storeLimit', -1),
    storeOffset: number(options.storeOffset, 'storeOffset', -1),
    filter: filter === undefined ? undefined : filterOf(filter, `${where}: option \`filter\``),
    raw: raw === undefined ? false : flag(raw, `${where}: option \`raw\``),
  };
}

function isEmpty(options) {
  for (const _ in options) return false;
  return true;
}

/** The smallest key that is greater than every key with a prefix; empty if there is none. */
function prefixEnd(prefix) {
  let length = prefix.length;
  while (length > 0 && prefix[length - 1] === 0xff) length -= 1;
  const out = copyOf(viewOf(prefix).subarray(0, length));
  if (length > 0) out[length - 1] += 1;
  return out;
}

const EMPTY = Buffer.alloc(0);

/** The lower one of two bounds, of which an empty one is above all keys. */
function lower(one, other) {
  if (one.length === 0 || other.length === 0) return one.length === 0 ? other : one;
  return Buffer.compare(one, other) < 0 ? one : other;
}

/**
 * The start, stop and filter of a scan, and whether no row can be in it. With a prefix, `start` and `stop` narrow the
 * range down. A reversed scan of a prefix needs a filter to end it, since no stop row lies immediately before the first
 * row of the prefix.
 */
function rangeOf(options, reversed, where, encoding) {
  const given = (name) =>
    options[name] === undefined ? EMPTY : bytes(options[name], `${where}: option \`${name}\``, encoding);
  const [start, stop] = [given('start'), given('stop')];
  const filter = filterOf(options.filter, `${where}: option \`filter\``);
  if (options.prefix === undefined) return { start, stop, filter, isVoid: false };
  // Views, since a program's array may lie about its length.
  const [prefix, from, to] = [given('prefix'), start, stop].map(viewOf);
  if (reversed) {
    const first = lower(from, prefixEnd(prefix));
    const isVoid = first.length > 0 && Buffer.compare(first, to) <= 0;
    return { start: first, stop: to, filter: withPrefix(prefix, filter), isVoid };
  }
  const first = Buffer.compare(from, prefix) > 0 ? from : prefix;
  const end = lower(to, prefixEnd(prefix));
  return { start: first, stop: end, filter, isVoid: end.length > 0 && Buffer.compare(first, end) >= 0 };
}

function familyTimeRangesOf(given, where) {
  if (given === undefined) return [];
  if (given === null || typeof given !== 'object' || Array.isArray(given) || isBytes(given))
    throw new TypeError(
      `${where}: option \`familyTimeRanges\` must be an object { family: [from, to] } or a Map, not ${shown(given)}`,
    );
  const entries = isMap(given) ? [...given] : Object.entries(given);
  return entries.map(([name, range]) => ({
    family: column(name, where).family,
    ...timeRangeOf(range, `${where}: option \`familyTimeRanges\``),
  }));
}

/** A scan. The names of `options` have been checked. */
function scanOf(options, where, encoding) {
  const reversed = flag(options.reverse, `${where}: option \`reverse\``);
  const { start, stop, filter, isVoid } = rangeOf(options, reversed, where, encoding);
  const limit = whole(options.limit, `${where}: option \`limit\``, 0, INT_MAX, -1);
  return {
    start,
    stop,
    columns: columnsOf(options.columns, where),
    timeRange: timesOf(options, where),
    familyTimeRanges: familyTimeRangesOf(options.familyTimeRanges, where),
    versions: whole(options.versions, `${where}: option \`versions\``, 0, INT_MAX, 1),
    batch: whole(options.batch, `${where}: option \`batch\``, 1, INT_MAX, 0),
    limit: isVoid ? 0 : limit,
    caching: whole(options.caching, `${where}: option \`caching\``, 1, INT_MAX, 0),
    reversed,
    filter,
    raw: flag(options.raw, `${where}: option \`raw\``),
  };
}

module.exports = { GET_OPTIONS, INT_MAX, READING, SCAN_OPTIONS, columnsOf, getOf, getFieldsOf, scanOf };
