'use strict';
/** Converts the plain data of `../backend.js` to Thrift structs. */
const { LATEST } = require('../backend.js');
const { long, viewOf } = require('../bytes.js');
const { make } = require('../errors.js');
const { ROW_LENGTH_MAX } = require('../vocabulary.js');
const { ENUMS } = require('./wire/schema.js');

const RAW = [Buffer.from('_raw_'), Buffer.from([1])];
const TTL = Buffer.from('_ttl');
const EMPTY = Buffer.alloc(0);
const TIME_MAX = LATEST;

/** The bytes of a key that a message shows. */
const SHOWN_MAX = 4096;

/**
 * Rejects a malformed request, since HBase's gateway answers it only with "Internal error". The message is that of the
 * engine, word for word: `test/errors.test.js` compares them.
 */
function reject(message) {
  throw make('InvalidArgument', message);
}

/** Bytes as the engine's messages show them: printable ASCII unchanged, everything else and the backslash as `\xHH`. */
function binary(bytes) {
  let out = '';
  for (const byte of viewOf(bytes).subarray(0, SHOWN_MAX)) {
    out +=
      byte >= 0x20 && byte < 0x7f && byte !== 0x5c
        ? String.fromCharCode(byte)
        : `\\x${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }
  return out;
}

/** A timestamp, or undefined if the server is to assign it. */
const explicit = (timestamp) => (BigInt(timestamp) === LATEST ? undefined : timestamp);

/** Checks a row key. */
function rowOf(row) {
  const { length } = row;
  if (length === 0) reject(`Row length is 0: a row key must have 1 to ${ROW_LENGTH_MAX} bytes`);
  if (length > ROW_LENGTH_MAX) {
    const remedy = 'shorten the row key, for example by a hash';
    reject(`Row length ${length} is > ${ROW_LENGTH_MAX}, the limit in bytes: ${remedy}`);
  }
  return row;
}

function familyNamed({ family }) {
  if (family.length === 0) reject('Family cannot be null: a column must name its family, as in "family:qualifier"');
}

function timeRangeOf(range) {
  if (range === undefined) return undefined;
  const { from } = range;
  // HBase's range of the last timestamp ends at the first one.
  const to = BigInt(range.to) > TIME_MAX ? BigInt.asIntN(64, BigInt(range.to)) : range.to;
  if (to < 0 || from < 0) {
    const remedy = 'give the range in milliseconds since 1970, or leave it out';
    reject(`Timestamp cannot be negative. minStamp:${from}, maxStamp:${to}: ${remedy}`);
  }
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
  rowOf(row);
  cells.forEach(familyNamed);
  if (cells.length === 0) {
    reject(`No columns to insert: the put of row ${binary(row)} has no values; send at least one`);
  }
  return {
    row,
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
  if (timestamp < 0) {
    const remedy = 'send milliseconds since 1970, or none for the time of the server';
    reject(`Timestamp cannot be negative. ts=${timestamp}: ${remedy}`);
  }
  return timestamp;
}

/** The TMutations of a list of puts and deletes. */
function mutationsOf(mutations) {
  if (mutations.length === 0) reject('a row mutation needs at least one put or delete');
  return mutations.flatMap((one) =>
    one.kind === 'put' ? [{ put: putOf(one) }] : deletesOf(one).map((deleteSingle) => ({ deleteSingle })),
  );
}

function columnsNamed(what, row, columns) {
  if (columns.length > 0) return;
  reject(`Invalid arguments to ${what} of row ${binary(row)}, zero columns specified: name at least one column`);
}

/** TIncrement. */
function incrementOf({ row, columns, ttl, durability }) {
  rowOf(row);
  columnsNamed('increment', row, columns);
  return { row, columns, attributes: ttlOf(ttl), durability: durabilityOf(durability) };
}

/** TAppend. */
function appendOf({ row, columns, ttl, durability }) {
  rowOf(row);
  columns.forEach(familyNamed);
  columnsNamed('append', row, columns);
  return { row, columns, attributes: ttlOf(ttl), durability: durabilityOf(durability) };
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
    if (key.length === 0) {
      const remedy = 'the first region always begins at the empty key; leave that key out';
      reject(`Empty split key must not be passed in the split keys: ${remedy}`);
    }
    if (at > 0 && Buffer.compare(sorted[at - 1], key) === 0) {
      const shown = binary(key);
      reject(`All split keys must be unique, found duplicate: ${shown}, ${shown}: give each key once`);
    }
  });
  return keys;
}

module.exports = { appendOf, checkOf, deletesOf, getOf, incrementOf, mutationsOf, putOf, rowOf, scanOf, splitsOf };
