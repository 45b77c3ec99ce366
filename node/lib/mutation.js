'use strict';
/** Converts the arguments of write methods to the plain data of `backend.js`. */

const { isMap } = require('node:util/types');
const { DURABILITY, LATEST } = require('./backend.js');
const { bytes, copyOf, int64, isBytes, isLost, measurable, ownBytes } = require('./bytes.js');
const { column, oneColumn, shownColumn } = require('./column.js');
const { converted, mapped } = require('./long-list.js');
const { EXCHANGED, operatorOf } = require('./operator.js');
const { checked, escaped, flag, oneOf, shown } = require('./options.js');

const EMPTY = Buffer.alloc(0);
const WRITING = ['ttlMs', 'durability', 'signal'];
const PUT_OPTIONS = new Set([...WRITING, 'timestamp']);
const DELETE_OPTIONS = new Set([...WRITING, 'timestamp', 'exact']);
const COUNT_OPTIONS = new Set(WRITING);
const CHECKED_PUT_OPTIONS = new Set([...PUT_OPTIONS, 'op']);
const CHECKED_DELETE_OPTIONS = new Set([...DELETE_OPTIONS, 'op']);

/** The lifetime of cells. HBase takes 0 and negative lifetimes for "expired" and stores what no read can return. */
function ttlOf({ ttlMs }, where) {
  if (ttlMs === undefined) return undefined;
  const what = `${where}: option \`ttlMs\``;
  if (int64(ttlMs, what) <= 0)
    throw new RangeError(`${what} must be at least 1 (milliseconds), not ${shown(ttlMs)}: omit it to keep cells`);
  return ttlMs;
}

const durabilityOf = (options, where) =>
  oneOf(options.durability, DURABILITY, `${where}: option \`durability\``, 'USE_DEFAULT');
const timestampOf = (given, where) => (given === undefined ? LATEST : int64(given, `${where}: timestamp`));

/** Refuses a column in the place of the data, as in put(row, column, value), before its value is taken for options. */
function checkData(data, where) {
  if (typeof data !== 'string' && !ArrayBuffer.isView(data)) return;
  const name = typeof data === 'string' ? data : Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString();
  throw new TypeError(
    `${where}: the data must be an object { 'family:qualifier': value }, a Map, or an array of cells, not ${shown(data)}: write put(row, { '${escaped(name.slice(0, 40))}': value })`,
  );
}

/** Refuses options in the place of the columns of a delete. */
function checkColumns(columns, where) {
  if (columns === null || typeof columns !== 'object' || Array.isArray(columns) || ArrayBuffer.isView(columns)) return;
  const names = Object.keys(columns);
  if (names.length > 0 && names.every((name) => DELETE_OPTIONS.has(name)))
    throw new TypeError(
      `${where}: options come third: delete(row, columns, options), with undefined as the columns for the whole row`,
    );
}

/**
 * Converts the entries of an object or Map whose keys are columns.
 * @param {typeof converted} list
 * @param {(name: unknown, value: unknown) => object} convert
 */
function entriesOf(data, where, list, convert) {
  if (isMap(data)) return list([...data.keys()], (name) => convert(name, data.get(name)));
  if (data !== null && typeof data === 'object' && !ArrayBuffer.isView(data))
    return list(Object.keys(data), (name) => convert(name, data[name]));
  throw new TypeError(
    `${where}: columns must be an object { 'family:qualifier': … }, a Map, or an array of cells, not ${shown(data)}`,
  );
}

/**
 * How arguments are converted. LATER: long lists are converted when the call runs, over several turns of the event
 * loop. NOW: at once; columns share no memory with the program, so that equal ones can be told by identity. COPIED:
 * also values and keys share none.
 */
const [LATER, NOW, COPIED] = ['later', 'now', 'copied'];

const CELL_FIELDS = new Set(['column', 'family', 'qualifier', 'value', 'timestamp', 'amount', 'type']);

/** A column whose bytes do not belong to the program. Names given as strings have been copied. */
function ownColumn(column) {
  return { family: copyOf(column.family), qualifier: copyOf(column.qualifier) };
}

/** The value of a column. Its error message, which names the column, is made only if it is needed. */
function valueOf(value, column, where, encoding, form) {
  if (isBytes(value) && !isLost(value)) return form === COPIED ? copyOf(value) : measurable(value);
  if (typeof value === 'string' && encoding === 'utf8' && value.isWellFormed()) return Buffer.from(value, 'utf8');
  return (form === COPIED ? ownBytes : bytes)(value, `${where}: the value of ${shownColumn(column.family, column.qualifier)}`, encoding);
}

/** Parses the column of a cell { column | family + qualifier, … }. */
function listed(cell, where) {
  if (cell === null || typeof cell !== 'object')
    throw new TypeError(`${where}: a cell must be { column, value }, not ${shown(cell)}`);
  checked(cell, CELL_FIELDS, `${where}: a cell`);
  const exact = cell.family !== undefined ? cell : cell.column;
  return { ...oneColumn(exact, `${where}: column`), cell };
}

/**
 * A put. `data` is { 'family:qualifier': value }, a Map of columns to values, or an array of cells { column, value,
 * timestamp }. `form` says how it is converted.
 */
function putOf(row, data, options, where, encoding, form = LATER) {
  const timestamp = timestampOf(options.timestamp, where);
  const list = form === LATER ? converted : mapped;
  const cells = Array.isArray(data)
    ? list(data, (given) => {
        const { cell, ...column } = listed(given, where);
        const { family, qualifier } = form === LATER ? column : ownColumn(column);
        const at = cell.timestamp === undefined ? timestamp : timestampOf(cell.timestamp, where);
        return { family, qualifier, timestamp: at, value: valueOf(cell.value, column, where, encoding, form) };
      })
    : entriesOf(data, where, list, (name, value) => {
        const column = oneColumn(name, `${where}: column`);
        const { family, qualifier } = form === LATER || typeof name === 'string' ? column : ownColumn(column);
        return { family, qualifier, timestamp, value: valueOf(value, column, where, encoding, form) };
      });
  return {
    kind: 'put',
    row: (form === COPIED ? ownBytes : bytes)(row, `${where}: row key`, encoding),
    cells,
    ttl: ttlOf(options, where),
    durability: durabilityOf(options, where),
  };
}

const MARKER_FIELDS = new Set(['column', 'family', 'qualifier', 'timestamp', 'exact']);

/**
 * A delete marker for a column ('family:qualifier') or a family ('family'). It covers everything up to the timestamp,
 * or with `exact` only that version (without a timestamp, the newest). An object { column | family + qualifier,
 * timestamp, exact } has its own timestamp.
 */
function markerOf(given, timestamp, exact, where) {
  const isObject = given !== null && typeof given === 'object' && !ArrayBuffer.isView(given);
  const own = isObject ? checked(given, MARKER_FIELDS, `${where}: a column`) : {};
  const named = isObject && own.column !== undefined ? own.column : given;
  const { family, qualifier } = column(named, `${where}: column`);
  const kinds = qualifier === undefined ? ['family', 'familyVersion'] : ['column', 'version'];
  return {
    kind: kinds[Number(flag(own.exact, `${where}: \`exact\``, exact))],
    family,
    qualifier: qualifier ?? EMPTY,
    timestamp: own.timestamp === undefined ? timestamp : timestampOf(own.timestamp, where),
  };
}

/**
 * A delete of a column, family or array of them; if `columns` is undefined, of the whole row. `form` says how it is
 * converted.
 */
function deleteOf(row, columns, options, where, encoding, form = LATER) {
  const timestamp = timestampOf(options.timestamp, where);
  const exact = flag(options.exact, `${where}: option \`exact\``);
  const list = columns === undefined ? [] : Array.isArray(columns) ? columns : [columns];
  if (columns !== undefined && list.length === 0) {
    throw new RangeError(
      `${where}: an empty list of columns would delete the whole row: leave it out (undefined) if that is intended`,
    );
  }
  if (columns === undefined && exact)
    throw new TypeError(`${where}: \`exact\` deletes single versions and needs columns`);
  return {
    kind: 'delete',
    row: (form === COPIED ? ownBytes : bytes)(row, `${where}: row key`, encoding),
    markers: (form === LATER ? converted : mapped)(list, (given) => {
      const marker = markerOf(given, timestamp, exact, where);
      return form === COPIED && typeof given !== 'string' ? { ...marker, ...ownColumn(marker) } : marker;
    }),
    timestamp,
    ttl: ttlOf(options, where),
    durability: durabilityOf(options, where),
  };
}

/** The common form of increments and appends: a row, and columns that each have `field`. */
function columnsWith(row, data, options, where, encoding, field, read) {
  const columns = Array.isArray(data)
    ? converted(data, (given) => {
        const { family, qualifier, cell } = listed(given, where);
        return { family, qualifier, [field]: read(cell[field]) };
      })
    : entriesOf(data, where, converted, (name, value) => ({
        ...oneColumn(name, `${where}: column`),
        [field]: read(value),
      }));
  return {
    row: bytes(row, `${where}: row key`, encoding),
    columns,
    ttl: ttlOf(options, where),
    durability: durabilityOf(options, where),
  };
}

/**
 * An increment. `data` is { 'family:qualifier': amount }, a Map of columns to amounts, or an array of cells { column,
 * amount }.
 */
function incrementOf(row, data, options, where, encoding) {
  return columnsWith(row, data, options, where, encoding, 'amount', (amount) => int64(amount, `${where}: amount`));
}

/**
 * An append. `data` is { 'family:qualifier': value }, a Map of columns to values, or an array of cells { column,
 * value }.
 */
function appendOf(row, data, options, where, encoding) {
  return columnsWith(row, data, options, where, encoding, 'value', (value) =>
    bytes(value, `${where}: value`, encoding),
  );
}

/** A check that a column has a value, or if it is null, no cell or an empty value, which HBase does not tell apart. */
function checkOf(row, given, value, op, where, encoding) {
  const { family, qualifier } = oneColumn(given, `${where}: column`);
  if (value === undefined)
    throw new TypeError(`${where}: the expected value is missing: give a value, or null for "no such cell, or an empty value"`);
  const operator = operatorOf(op, `${where}: option \`op\``, 'EQUAL');
  return {
    row: bytes(row, `${where}: row key`, encoding),
    family,
    qualifier,
    // HBase puts the expected value on the left.
    op: EXCHANGED[operator] ?? operator,
    value: value === null ? undefined : bytes(value, `${where}: expected value`, encoding),
  };
}

const MUTATION_FIELDS = new Set(['put', 'delete', 'timestamp', 'ttlMs', 'durability', 'exact']);

/**
 * The mutations of one row: { put: data, … } or { delete: columns | true, … }, with the options of `put` and
 * `delete`. `form` says how they are converted.
 */
function mutationsOf(row, list, where, encoding, form = LATER) {
  if (!Array.isArray(list))
    throw new TypeError(`${where}: mutations must be an array of { put: … } and { delete: … }, not ${shown(list)}`);
  return (form === LATER ? converted : mapped)(list, (one) => {
    if (one === undefined || one === null)
      throw new TypeError(`${where}: a mutation must be { put: … } or { delete: … }, not ${shown(one)}`);
    const options = checked(one, MUTATION_FIELDS, `${where}: a mutation`);
    if ('put' in options === 'delete' in options)
      throw new TypeError(`${where}: a mutation must have either \`put\` or \`delete\``);
    if ('put' in options) {
      if ('exact' in options) throw new TypeError(`${where}: \`exact\` is only for \`delete\``);
      return putOf(row, options.put, options, where, encoding, form);
    }
    return deleteOf(row, options.delete === true ? undefined : options.delete, options, where, encoding, form);
  });
}

module.exports = {
  COPIED,
  CHECKED_DELETE_OPTIONS,
  CHECKED_PUT_OPTIONS,
  COUNT_OPTIONS,
  DELETE_OPTIONS,
  NOW,
  PUT_OPTIONS,
  appendOf,
  checkColumns,
  checkData,
  checkOf,
  deleteOf,
  durabilityOf,
  incrementOf,
  mutationsOf,
  putOf,
};
