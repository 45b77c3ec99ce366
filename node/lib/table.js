'use strict';
/** A table: its rows. */

const { OPERATIONS } = require('./backend.js');
const { Batch } = require('./batch.js');
const { oneColumn } = require('./column.js');
const {
  CHECKED_DELETE_OPTIONS,
  CHECKED_PUT_OPTIONS,
  COUNT_OPTIONS,
  DELETE_OPTIONS,
  PUT_OPTIONS,
  appendOf,
  checkOf,
  deleteOf,
  incrementOf,
  mutationsOf,
  putOf,
} = require('./mutation.js');
const { checked, shown } = require('./options.js');
const { GET_OPTIONS, INT_MAX, SCAN_OPTIONS, getOf, gettingOf, scanOf } = require('./read.js');
const { bytes } = require('./bytes.js');
const { RowReadStream } = require('./read-stream.js');
const { Scan, SyncScan } = require('./scan.js');
const { BACKEND, task, twins } = require('./twins.js');
const { RowWriteStream } = require('./write-stream.js');

const SIGNAL = new Set(['signal']);
const STREAM_OPTIONS = new Set([...SCAN_OPTIONS, 'highWaterMark']);

/** The rows of one table. Made by `db.table(name)`; whether there is such a table shows when it is used. */
class Table {
  /** `qualifier` or `namespace:qualifier`. */
  name;

  constructor(backend, name) {
    Object.defineProperty(this, BACKEND, { value: backend });
    this.name = name;
  }

  /**
   * Rows in order, by `for await`. Nothing is read before the first is asked for; leaving the loop closes the scan.
   * @returns {Scan}
   */
  scan(options) {
    const given = checked(options, SCAN_OPTIONS, 'scan');
    return new Scan(this[BACKEND], this.name, scanOf(given, 'scan', this[BACKEND].encoding), given.signal);
  }

  /** The same, by `for`. */
  scanSync(options) {
    const given = checked(options, SCAN_OPTIONS, 'scanSync');
    return new SyncScan(this[BACKEND], this.name, scanOf(given, 'scanSync', this[BACKEND].encoding), given.signal);
  }

  /**
   * The rows of a scan as a Readable of Row objects: `scan`'s options and `highWaterMark`, the rows that may wait in it.
   * @returns {import('node:stream').Readable}
   */
  createReadStream(options) {
    const { highWaterMark, ...scan } = checked(options, STREAM_OPTIONS, 'createReadStream');
    return new RowReadStream(this.scan(scan), highWaterMark);
  }

  /**
   * A Writable for bulk loads, of rows, `[key, columns]`, `{ key, put }` or `{ key, delete }`.
   * @returns {import('node:stream').Writable}
   */
  createWriteStream(options) {
    return new RowWriteStream(this[BACKEND], this.name, options);
  }

  /** Collects puts and deletes of any rows, to write them together. */
  batch(options) {
    return new Batch(this[BACKEND], this.name, options);
  }
}

/** The only cell of an answer. */
const onlyValue = (row) => row.cells[0].value;

twins(Table, {
  /** One row, or undefined if there is none. */
  row(key, options) {
    const given = checked(options, GET_OPTIONS, 'row');
    return task(OPERATIONS.get, { table: this.name, get: getOf(key, given, 'row', this[BACKEND].encoding) }, given);
  },
  /** Several rows in the order asked for; undefined where there is none. */
  rows(keys, options) {
    const given = checked(options, GET_OPTIONS, 'rows');
    const { encoding } = this[BACKEND];
    const shared = gettingOf(given, 'rows');
    if (typeof keys !== 'object' || keys === null || !(Symbol.iterator in keys) || keys instanceof Uint8Array) {
      throw new TypeError(`rows: keys must be an array of row keys, not ${shown(keys)}`);
    }
    const gets = Array.from(keys, (key) => ({ row: bytes(key, 'rows: row key', encoding), ...shared }));
    return task(OPERATIONS.getMany, { table: this.name, gets }, given, (rows) => {
      const failed = rows.find((row) => row instanceof Error);
      if (failed !== undefined) throw failed;
      return rows;
    });
  },
  /** The versions of one column, newest first: all that are kept, or as many as `versions` says. */
  cells(key, column, options) {
    const given = checked(options, GET_OPTIONS, 'cells');
    const { encoding } = this[BACKEND];
    const get = { row: bytes(key, 'cells: row key', encoding), ...gettingOf(given, 'cells', INT_MAX) };
    get.columns = [oneColumn(column, 'cells: column')];
    return task(OPERATIONS.get, { table: this.name, get }, given, (row) => row?.cells ?? []);
  },
  /** Whether the same read would find a cell. */
  exists(key, options) {
    const given = checked(options, GET_OPTIONS, 'exists');
    return task(OPERATIONS.exists, { table: this.name, get: getOf(key, given, 'exists', this[BACKEND].encoding) }, given);
  },
  /** Writes cells of one row, all at once. */
  put(key, data, options) {
    const given = checked(options, PUT_OPTIONS, 'put');
    return task(OPERATIONS.mutate, { table: this.name, mutation: putOf(key, data, given, 'put', this[BACKEND].encoding) }, given);
  },
  /** Deletes columns or families of one row, all at once; without columns the whole row. */
  delete(key, columns, options) {
    const given = checked(options, DELETE_OPTIONS, 'delete');
    return task(OPERATIONS.mutate, { table: this.name, mutation: deleteOf(key, columns, given, 'delete', this[BACKEND].encoding) }, given);
  },
  /** Adds to one counter; returns its new value: a number where one can hold it, else a bigint. */
  increment(key, column, amount, options) {
    const given = checked(options, COUNT_OPTIONS, 'increment');
    const data = [{ ...oneColumn(column, 'increment: column'), amount: amount ?? 1 }];
    const increment = incrementOf(key, data, given, 'increment', this[BACKEND].encoding);
    return task(OPERATIONS.increment, { table: this.name, increment }, given, (row) => row.long(row.cells[0].column));
  },
  /** Adds to counters of one row, all at once; returns the new cells. */
  incrementRow(key, data, options) {
    const given = checked(options, COUNT_OPTIONS, 'incrementRow');
    return task(OPERATIONS.increment, { table: this.name, increment: incrementOf(key, data, given, 'incrementRow', this[BACKEND].encoding) }, given);
  },
  /** Appends to one value; returns the new one. */
  append(key, column, value, options) {
    const given = checked(options, COUNT_OPTIONS, 'append');
    const append = appendOf(key, [{ ...oneColumn(column, 'append: column'), value }], given, 'append', this[BACKEND].encoding);
    return task(OPERATIONS.append, { table: this.name, append }, given, onlyValue);
  },
  /** Appends to values of one row, all at once; returns the new cells. */
  appendRow(key, data, options) {
    const given = checked(options, COUNT_OPTIONS, 'appendRow');
    return task(OPERATIONS.append, { table: this.name, append: appendOf(key, data, given, 'appendRow', this[BACKEND].encoding) }, given);
  },
  /** Puts if a column has a value (null: if there is no such cell); tells whether it did. `op` compares `expected op stored`. */
  checkAndPut(key, column, expected, data, options) {
    const given = checked(options, CHECKED_PUT_OPTIONS, 'checkAndPut');
    const { encoding } = this[BACKEND];
    const check = checkOf(key, column, expected, given.op, 'checkAndPut', encoding);
    const mutations = [putOf(key, data, given, 'checkAndPut', encoding)];
    return task(OPERATIONS.checkAndMutate, { table: this.name, check, mutations }, given);
  },
  /** Deletes if a column has a value (null: if there is no such cell); tells whether it did. */
  checkAndDelete(key, column, expected, columns, options) {
    const given = checked(options, CHECKED_DELETE_OPTIONS, 'checkAndDelete');
    const { encoding } = this[BACKEND];
    const check = checkOf(key, column, expected, given.op, 'checkAndDelete', encoding);
    const mutations = [deleteOf(key, columns, given, 'checkAndDelete', encoding)];
    return task(OPERATIONS.checkAndMutate, { table: this.name, check, mutations }, given);
  },
  /** Mutates if a condition { column, op = 'EQUAL', value } holds; tells whether it did. */
  checkAndMutate(key, condition, mutations, options) {
    const given = checked(options, SIGNAL, 'checkAndMutate');
    const { encoding } = this[BACKEND];
    const { column, op, value } = checked(condition, new Set(['column', 'op', 'value']), 'checkAndMutate: condition');
    const check = checkOf(key, column, value, op, 'checkAndMutate', encoding);
    return task(OPERATIONS.checkAndMutate, { table: this.name, check, mutations: mutationsOf(key, mutations, 'checkAndMutate', encoding) }, given);
  },
  /** Puts and deletes of one row, all at once. */
  mutateRow(key, mutations, options) {
    const given = checked(options, SIGNAL, 'mutateRow');
    const { encoding } = this[BACKEND];
    const request = { table: this.name, row: bytes(key, 'mutateRow: row key', encoding), mutations: mutationsOf(key, mutations, 'mutateRow', encoding) };
    return task(OPERATIONS.mutateRow, request, given);
  },
});

module.exports = { Table };
