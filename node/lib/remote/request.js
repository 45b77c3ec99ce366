'use strict';
/** From the plain data above the seam (`../backend.js`) to the contract's structs. */
const { COMPARE, DURABILITY, LATEST } = require('../backend.js');
const { long } = require('../bytes.js');
const { text } = require('../column.js');
const { make } = require('../errors.js');
const { ENUMS } = require('./wire/schema.js');

const RAW = [Buffer.from('_raw_'), Buffer.from([1])];
const TTL = Buffer.from('_ttl');
const EMPTY = Buffer.alloc(0);
const TIME_MAX = LATEST;

/** HBase's gateway says only "Internal error" to what is wrong in form, so it is said here, in the engine's words. */
function refuse(message) {
  throw make('InvalidArgument', message);
}

/** A timestamp, or undefined where it is the server's to give. */
const given = (timestamp) => (BigInt(timestamp) === LATEST ? undefined : timestamp);

/** The row of a request. HBase takes 1 to 32,767 bytes. */
function rowOf(row) {
  if (row.length === 0) refuse('Row length is 0');
  if (row.length > 32767) refuse(`Row length ${row.length} is > 32767`);
  return row;
}

function familyNamed({ family }) {
  if (family.length === 0) refuse('Family cannot be null: name it before the colon');
}

function timeRangeOf(range) {
  if (range === undefined) return undefined;
  const { from, to } = range;
  if (to < 0 || from < 0) refuse(`Timestamp cannot be negative. minStamp:${from}, maxStamp:${to}`);
  if (BigInt(to) > TIME_MAX) refuse(`there is no time range behind timestamp ${from}`);
  if (to < from) refuse('maxStamp is smaller than minStamp');
  return { minStamp: from, maxStamp: to };
}

const filterOf = (filter) => (filter === undefined ? undefined : { filterString: filter.text === undefined ? undefined : Buffer.from(filter.text), filterBytes: filter.bytes });
const columnsOf = (columns) => (columns === undefined || columns.length === 0 ? undefined : columns);
const attributesOf = (...pairs) => (pairs.length === 0 ? undefined : pairs);
const ttlOf = (ttl) => (ttl === undefined ? undefined : [[TTL, long(ttl)]]);
const durabilityOf = (name) => (name === undefined || name === 'USE_DEFAULT' ? undefined : DURABILITY.indexOf(name));

/** TGet. */
function getOf({ row, columns, timeRange, versions, storeLimit, storeOffset, filter, raw }) {
  if (versions <= 0) refuse('versions must be positive');
  return {
    row: rowOf(row),
    columns: columnsOf(columns),
    timeRange: timeRangeOf(timeRange),
    maxVersions: versions,
    storeLimit: storeLimit < 0 ? undefined : storeLimit,
    storeOffset: storeOffset <= 0 ? undefined : storeOffset,
    ...filterOf(filter),
    attributes: raw ? attributesOf(RAW) : undefined,
  };
}

/** TScan. */
function scanOf({ start, stop, columns, timeRange, familyTimeRanges, versions, batch, limit, caching, reversed, filter, raw }) {
  for (const row of [start, stop]) if (row.length > 0) rowOf(row);
  return {
    startRow: start,
    stopRow: stop,
    columns: columnsOf(columns),
    caching: caching > 0 ? caching : undefined,
    maxVersions: versions,
    timeRange: timeRangeOf(timeRange),
    batchSize: batch > 0 ? batch : undefined,
    ...filterOf(filter),
    attributes: raw ? attributesOf(RAW) : undefined,
    reversed: reversed || undefined,
    colFamTimeRangeMap: familyTimeRanges.length === 0 ? undefined : familyTimeRanges.map((range) => [range.family, timeRangeOf(range)]),
    limit: limit < 0 ? undefined : limit,
  };
}

/** TPut. */
function putOf({ row, cells, ttl, durability }) {
  if (cells.length === 0) refuse('No columns to insert');
  cells.forEach(familyNamed);
  return {
    row: rowOf(row),
    columnValues: cells.map(({ family, qualifier, timestamp, value }) => ({ family, qualifier, value, timestamp: given(timestamp) })),
    attributes: ttlOf(ttl),
    durability: durabilityOf(durability),
  };
}

const DELETE_TYPES = {
  version: ENUMS.TDeleteType.DELETE_COLUMN,
  column: ENUMS.TDeleteType.DELETE_COLUMNS,
  family: ENUMS.TDeleteType.DELETE_FAMILY,
  familyVersion: ENUMS.TDeleteType.DELETE_FAMILY_VERSION,
};

/**
 * TDeletes that together are one delete. A TDelete has one type for all its columns, and a family marker in it takes back those of the same family that
 * stand before it, so that markers of several kinds, or of one family twice, need several.
 */
function deletesOf({ row, markers, timestamp, ttl, durability }) {
  const shared = { row: rowOf(row), attributes: ttlOf(ttl), durability: durabilityOf(durability) };
  if (markers.length === 0) return [{ ...shared, timestamp: checkedTime(given(timestamp)) }];
  const groups = [];
  for (const marker of markers) {
    const group = groups.find(({ kind, families }) => kind === marker.kind && !(kind === 'family' && families.has(hex(marker.family))));
    const into = group ?? { kind: marker.kind, columns: [], families: new Set() };
    if (group === undefined) groups.push(into);
    into.families.add(hex(marker.family));
    into.columns.push(columnOf(marker));
  }
  return groups.map(({ kind, columns }) => ({ ...shared, columns, deleteType: DELETE_TYPES[kind] }));
}

const hex = (bytes) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');

function columnOf({ kind, family, qualifier, timestamp }) {
  const ofFamily = kind === 'family' || kind === 'familyVersion';
  // Without a time HBase's gateway refuses this one kind; the latest time means the same.
  const time = kind === 'familyVersion' ? timestamp : given(timestamp);
  return { family, qualifier: ofFamily ? undefined : qualifier, timestamp: checkedTime(time) };
}

function checkedTime(timestamp) {
  if (timestamp < 0) refuse(`Timestamp cannot be negative. ts=${timestamp}`);
  return timestamp;
}

/** The TMutations of a list of puts and deletes. */
function mutationsOf(mutations) {
  if (mutations.length === 0) refuse('there are no mutations');
  return mutations.flatMap((one) => (one.kind === 'put' ? [{ put: putOf(one) }] : deletesOf(one).map((deleteSingle) => ({ deleteSingle }))));
}

/** TIncrement. */
function incrementOf({ row, columns, ttl, durability }) {
  if (columns.length === 0) refuse('Invalid arguments to an increment, zero columns specified');
  return { row: rowOf(row), columns, attributes: ttlOf(ttl), durability: durabilityOf(durability) };
}

/** TAppend. */
function appendOf({ row, columns, ttl, durability }) {
  if (columns.length === 0) refuse('Invalid arguments to an append, zero columns specified');
  columns.forEach(familyNamed);
  return { row: rowOf(row), columns, attributes: ttlOf(ttl), durability: durabilityOf(durability) };
}

/** The arguments of checkAndMutate. No value and an empty one are the same to it: no cell, or one with an empty value. */
function checkOf({ row, family, qualifier, op, value }, mutations) {
  return { row: rowOf(row), family, qualifier, compareOp: COMPARE.indexOf(op), value: value ?? EMPTY, rowMutations: { row, mutations: mutationsOf(mutations) } };
}

/** Keys at which regions begin. */
function splitsOf(keys) {
  if (keys.length === 0) return undefined;
  const sorted = [...keys].sort(Buffer.compare);
  sorted.forEach((key, at) => {
    if (key.length === 0) refuse('Empty split key must not be passed in the split keys.');
    if (at > 0 && Buffer.compare(sorted[at - 1], key) === 0) refuse(`All split keys must be unique, found duplicate: ${text(key)}, ${text(key)}`);
  });
  return keys;
}

module.exports = { appendOf, checkOf, deletesOf, getOf, incrementOf, mutationsOf, putOf, rowOf, scanOf, splitsOf };
