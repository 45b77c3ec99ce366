'use strict';
/** From what programs say about reading to the plain data of a get or scan (`backend.js`). */

const { int64, bytes } = require('./bytes.js');
const { column } = require('./column.js');
const { filterOf, withPrefix } = require('./filter.js');
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

/** Columns as programs list them: one, or an array; undefined and an empty array: all. */
function columnsOf(given, where) {
  if (given === undefined) return undefined;
  const list = Array.isArray(given) ? given : [given];
  return list.length === 0 ? undefined : list.map((c) => column(c, `${where}: column`));
}

/** [from, to) or { from, to }; either may be left out. */
function timeRangeOf(given, where) {
  if (given === undefined) return undefined;
  if (given === null || typeof given !== 'object') throw new TypeError(`${where}: a time range is [from, to] or { from, to }, not ${shown(given)}`);
  const [from, to] = Array.isArray(given) ? given : [given.from, given.to];
  return { from: from === undefined ? 0 : int64(from, `${where}: from`), to: to === undefined ? 0x7fffffffffffffffn : int64(to, `${where}: to`) };
}

/** The range of `timeRange` or of exactly one `timestamp`. */
function timesOf(options, where) {
  const { timestamp, timeRange } = options;
  if (timestamp === undefined) return timeRange === undefined ? undefined : timeRangeOf(timeRange, `${where}: option \`timeRange\``);
  if (timeRange !== undefined) throw new TypeError(`${where}: give \`timestamp\` or \`timeRange\`, not both`);
  const at = int64(timestamp, `${where}: option \`timestamp\``);
  return { from: at, to: BigInt(at) + 1n };
}

const PLAIN = Object.freeze({ columns: undefined, timeRange: undefined, versions: 1, storeLimit: -1, storeOffset: -1, filter: undefined, raw: false });

/** A get. `options` have been checked for their names. */
function getOf(row, options, where, encoding) {
  const key = bytes(row, `${where}: row key`, encoding);
  // Written out, since the commonest call of all makes one of these.
  if (isEmpty(options)) {
    return { row: key, columns: undefined, timeRange: undefined, versions: 1, storeLimit: -1, storeOffset: -1, filter: undefined, raw: false };
  }
  return { row: key, ...gettingOf(options, where) };
}

/** A get's fields but the row. */
function gettingOf(options, where, versions = 1) {
  if (versions === 1 && isEmpty(options)) return PLAIN;
  return {
    columns: columnsOf(options.columns, where),
    timeRange: timesOf(options, where),
    versions: whole(options.versions, `${where}: option \`versions\``, 0, INT_MAX, versions),
    storeLimit: whole(options.storeLimit, `${where}: option \`storeLimit\``, 0, INT_MAX, -1),
    storeOffset: whole(options.storeOffset, `${where}: option \`storeOffset\``, 0, INT_MAX, -1),
    filter: filterOf(options.filter, `${where}: option \`filter\``),
    raw: flag(options.raw, `${where}: option \`raw\``),
  };
}

function isEmpty(options) {
  for (const _ in options) return false;
  return true;
}

/** The first key behind all that start with a prefix; empty where there is none. */
function behind(prefix) {
  let length = prefix.length;
  while (length > 0 && prefix[length - 1] === 0xff) length -= 1;
  const out = Buffer.from(prefix.subarray(0, length));
  if (length > 0) out[length - 1] += 1;
  return out;
}

const EMPTY = Buffer.alloc(0);

/**
 * Where a scan begins and ends, and with which filter. Downwards no stop row lies right before the first row of a prefix, so a filter ends the
 * scan there.
 */
function rangeOf(options, reversed, where, encoding) {
  const { start, stop, prefix } = options;
  const given = (value, name) => (value === undefined ? EMPTY : bytes(value, `${where}: option \`${name}\``, encoding));
  const filter = filterOf(options.filter, `${where}: option \`filter\``);
  if (prefix === undefined) return { start: given(start, 'start'), stop: given(stop, 'stop'), filter };
  if (start !== undefined || stop !== undefined) throw new TypeError(`${where}: \`prefix\` stands for \`start\` and \`stop\`: give it alone`);
  const first = given(prefix, 'prefix');
  if (reversed) return { start: behind(first), stop: EMPTY, filter: withPrefix(first, filter) };
  return { start: first, stop: behind(first), filter };
}

function familyTimeRangesOf(given, where) {
  if (given === undefined) return [];
  const entries = given instanceof Map ? [...given] : Object.entries(given);
  return entries.map(([name, range]) => ({ family: column(name, where).family, ...timeRangeOf(range, `${where}: option \`familyTimeRanges\``) }));
}

/** A scan. `options` have been checked for their names. */
function scanOf(options, where, encoding) {
  const reversed = flag(options.reverse, `${where}: option \`reverse\``);
  const { start, stop, filter } = rangeOf(options, reversed, where, encoding);
  return {
    start,
    stop,
    columns: columnsOf(options.columns, where),
    timeRange: timesOf(options, where),
    familyTimeRanges: familyTimeRangesOf(options.familyTimeRanges, where),
    versions: whole(options.versions, `${where}: option \`versions\``, 0, INT_MAX, 1),
    batch: whole(options.batch, `${where}: option \`batch\``, 1, INT_MAX, 0),
    limit: whole(options.limit, `${where}: option \`limit\``, 0, INT_MAX, -1),
    caching: whole(options.caching, `${where}: option \`caching\``, 1, INT_MAX, 0),
    reversed,
    filter,
    raw: flag(options.raw, `${where}: option \`raw\``),
  };
}

module.exports = { GET_OPTIONS, INT_MAX, READING, SCAN_OPTIONS, columnsOf, getOf, gettingOf, scanOf };
