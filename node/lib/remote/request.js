'use strict';
/** Converts the plain data of `../backend.js` to Thrift structs. */
const { LATEST } = require('../backend.js');
const { long, viewOf } = require('../bytes.js');
const { text } = require('../column.js');
const { make } = require('../errors.js');
const { ENUMS } = require('./wire/schema.js');

const RAW = [Buffer.from('_raw_'), Buffer.from([1])];
const TTL = Buffer.from('_ttl');
const EMPTY = Buffer.alloc(0);
const TIME_MAX = LATEST;
const MILLISECONDS = 'give times in milliseconds since 1970';

/**
 * Rejects a malformed request with the engine's message, since HBase's gateway answers it only with "Internal error".
 */
function reject(message) {
  throw make('InvalidArgument', message);
}

/** A timestamp, or undefined if the server is to assign it. */
const explicit = (timestamp) => (BigInt(timestamp) === LATEST ? undefined : timestamp);

/** Checks a row key: HBase accepts 1 to 32,767 bytes. */
function rowOf(row) {
  if (row.length === 0) reject('Row length is 0: a row key must have 1 to 32767 bytes');
  if (row.length > 32767) reject(`Row length ${row.length} is > 32767, the limit in bytes: shorten the row key`);
  return row;
}

function familyNamed({ family }) {
  if (family.length === 0) reject('Family cannot be null: name it before the colon');
}

function timeRangeOf(range) {
  if (range === undefined) return undefined;
  const { from, to } = range;
  if (to < 0 || from < 0) reject(`Timestamp cannot be negative. minStamp:${from}, maxStamp:${to}: ${MILLISECONDS}`);
  if (BigInt(to) > TIME_MAX) reject(`there is no time range after timestamp ${from}: give an earlier one`);
  if (to < from) reject(`maxStamp is smaller than minStamp: the range of times is ${from} to ${to}; exchange them`);
  return { minStamp: from, maxStamp: to };
}

const filterOf = (filter) =>
  filter === undefined
    ? undefined
    : { filterString: filter.text === undefined ? undefined : Buffer.from(filter.text), filterBytes: filter.bytes };
const columnsOf = (columns) => (columns === undefined || columns.length === 0 ? undefined : columns);
const attributesOf = (...pairs) => (pairs.length === 0 ? undefined : pairs);
const ttlOf = (ttl) => (ttl === undefined ? undefined : [[TTL, long(ttl)]]);
const durabilityOf = (name) => (name === undefined || name === 'USE_DEFAULT' ? undefined : ENUMS.TDurability[name]);

/** TGet. */
function getOf({ row, columns, timeRange, versions, storeLimit, storeOffset, filter, raw }) {
  if (versions <= 0) reject('versions must be positive: ask for 1 or more');
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
function scanOf({
  start,
  stop,
  columns,
  timeRange,
  familyTimeRanges,
  versions,
  batch,
  limit,
  caching,
  reversed,
  filter,
  raw,
}) {
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
    colFamTimeRangeMap:
      familyTimeRanges.length === 0 ? undefined : familyTimeRanges.map((range) => [range.family, timeRangeOf(range)]),
    limit: limit < 0 ? undefined : limit,
  };
}

/** TPut. */
function putOf({ row, cells, ttl, durability }) {
  if (cells.length === 0) reject('No columns to insert: a put needs at least one value');
  cells.forEach(familyNamed);
  return {
    row: rowOf(row),
    columnValues: cells.map(({ family, qualifier, timestamp, value }) => ({
      family,
      qualifier,
      value,
      timestamp: explicit(timestamp),
    })),
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
 * The TDeletes that together make one delete. A TDelete has one type for all of its columns, and in it a family
 * marker cancels earlier markers of the same family. Therefore markers of several kinds, or several of one family,
 * need several TDeletes.
 */
function deletesOf({ row, markers, timestamp, ttl, durability }) {
  const shared = { row: rowOf(row), attributes: ttlOf(ttl), durability: durabilityOf(durability) };
  if (markers.length === 0) return [{ ...shared, timestamp: checkedTime(explicit(timestamp)) }];
  const groups = [];
  for (const marker of markers) {
    const group = groups.find(
      ({ kind, families }) => kind === marker.kind && !(kind === 'family' && families.has(hex(marker.family))),
    );
    const into = group ?? { kind: marker.kind, columns: [], families: new Set() };
    if (group === undefined) groups.push(into);
    into.families.add(hex(marker.family));
    into.columns.push(columnOf(marker));
  }
  return groups.map(({ kind, columns }) => ({ ...shared, columns, deleteType: DELETE_TYPES[kind] }));
}

const hex = (bytes) => viewOf(bytes).toString('latin1');

function columnOf({ kind, family, qualifier, timestamp }) {
  const ofFamily = kind === 'family' || kind === 'familyVersion';
  // HBase's gateway rejects only this kind without a timestamp; the latest one has the same meaning.
  const time = kind === 'familyVersion' ? timestamp : explicit(timestamp);
  return { family, qualifier: ofFamily ? undefined : qualifier, timestamp: checkedTime(time) };
}

function checkedTime(timestamp) {
  if (timestamp < 0) reject(`Timestamp cannot be negative. ts=${timestamp}: ${MILLISECONDS}`);
  return timestamp;
}

/** The TMutations of a list of puts and deletes. */
function mutationsOf(mutations) {
  if (mutations.length === 0) reject('there are no mutations: send at least one put or delete');
  return mutations.flatMap((one) =>
    one.kind === 'put' ? [{ put: putOf(one) }] : deletesOf(one).map((deleteSingle) => ({ deleteSingle })),
  );
}

/** TIncrement. */
function incrementOf({ row, columns, ttl, durability }) {
  if (columns.length === 0) reject('Invalid arguments to an increment, zero columns specified: name at least one');
  return { row: rowOf(row), columns, attributes: ttlOf(ttl), durability: durabilityOf(durability) };
}

/** TAppend. */
function appendOf({ row, columns, ttl, durability }) {
  if (columns.length === 0) reject('Invalid arguments to an append, zero columns specified: name at least one');
  columns.forEach(familyNamed);
  return { row: rowOf(row), columns, attributes: ttlOf(ttl), durability: durabilityOf(durability) };
}

/**
 * The arguments of checkAndMutate. To the gateway, no value and an empty value are the same: no cell, or one with an
 * empty value.
 */
function checkOf({ row, family, qualifier, op, value }, mutations) {
  return {
    row: rowOf(row),
    family,
    qualifier,
    compareOp: ENUMS.TCompareOp[op],
    value: value ?? EMPTY,
    rowMutations: { row, mutations: mutationsOf(mutations) },
  };
}

/** Checks split keys. */
function splitsOf(keys) {
  if (keys.length === 0) return undefined;
  const sorted = [...keys].sort(Buffer.compare);
  sorted.forEach((key, at) => {
    if (key.length === 0) reject('Empty split key must not be passed in the split keys: leave it out');
    if (at > 0 && Buffer.compare(sorted[at - 1], key) === 0)
      reject(`All split keys must be unique, found duplicate: ${text(key)}, ${text(key)}: give each once`);
  });
  return keys;
}

module.exports = { appendOf, checkOf, deletesOf, getOf, incrementOf, mutationsOf, putOf, rowOf, scanOf, splitsOf };
