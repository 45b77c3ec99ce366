'use strict';
/** A table: reading and writing its rows. */

const { OPERATIONS } = require('./backend.js');
const { Batch } = require('./batch.js');
const { bulkLoad, bulkLoadSync } = require('./bulk-load.js');
const { refuseClones } = require('./cloning.js');
const { oneColumn } = require('./column.js');
const {
  CHECKED_DELETE_OPTIONS,
  CHECKED_PUT_OPTIONS,
  COUNT_OPTIONS,
  DELETE_OPTIONS,
  PUT_OPTIONS,
  appendOf,
  checkColumns,
  checkData,
  checkOf,
  deleteOf,
  incrementOf,
  mutationsOf,
  putOf,
} = require('./mutation.js');
const { converted } = require('./long-list.js');
const { checked, shown } = require('./options.js');
const { GET_OPTIONS, INT_MAX, SCAN_OPTIONS, getOf, getFieldsOf, scanOf } = require('./read.js');
const { bytes, isBytes } = require('./bytes.js');
const { RowReadStream } = require('./read-stream.js');
const { Scan, SyncScan } = require('./scan.js');
const { BACKEND, checkedTask, defineMethods, task } = require('./methods.js');
const { count, countSync, deleteRows, deleteRowsSync } = require('./range.js');
const { RowWriteStream } = require('./write-stream.js');

const SIGNAL = new Set(['signal']);
const STREAM_OPTIONS = new Set([...SCAN_OPTIONS, 'highWaterMark']);

/** A table, made by `db.table(name)`. Whether it exists is not checked before it is used. */
class Table {
  /** `qualifier` or `namespace:qualifier`. */
  name;

  constructor(backend, name) {
    Object.defineProperty(this, BACKEND, { value: backend });
    this.name = name;
    refuseClones(this);
  }

  /**
   * Iterates over rows in order, with `for await`. Nothing is read before the first row is requested; leaving the
   * loop closes the scan.
   * @returns {Scan}
   */
  scan(options) {
    const given = checked(options, SCAN_OPTIONS, 'scan');
    const { encoding, reading } = this[BACKEND];
    return new Scan(this[BACKEND], this.name, scanOf(given, 'scan', encoding), given.signal, 'scan', reading);
  }

  /** Iterates over rows in order on the calling thread, with `for`. */
  scanSync(options) {
    const given = checked(options, SCAN_OPTIONS, 'scanSync');
    const { encoding, reading } = this[BACKEND];
    return new SyncScan(this[BACKEND], this.name, scanOf(given, 'scanSync', encoding), given.signal, 'scanSync', reading);
  }

  /**
   * The rows of a scan as a Readable. Takes the options of `scan` and `highWaterMark`, the number of rows to buffer.
   * @returns {import('node:stream').Readable}
   */
  createReadStream(options) {
    const { highWaterMark, ...scan } = checked(options, STREAM_OPTIONS, 'createReadStream');
    return new RowReadStream(this.scan(scan), highWaterMark);
  }

  /**
   * A Writable for bulk loads. It accepts rows, `[key, columns]`, `{ key, put }` and `{ key, delete }`.
   * @returns {import('node:stream').Writable}
   */
  createWriteStream(options) {
    return new RowWriteStream(this[BACKEND], this.name, options);
  }

  /**
   * Loads the rows of an iterable or an async iterable, which must be in ascending order of their keys, and returns
   * their number. They are written to files directly and become visible at once, durably. If the load fails, nothing is
   * stored. Only for embedded databases.
   */
  async bulkLoad(rows, options) {
    return await bulkLoad(this[BACKEND], this.name, rows, options);
  }

  bulkLoadSync(rows, options) {
    return bulkLoadSync(this[BACKEND], this.name, rows, options);
  }

  /**
   * Counts rows: all, or those of a range (`start` and `stop`, or `prefix`), with a filter or in some columns.
   * `onProgress(rows)` is called after each block.
   */
  async count(options) {
    return await count(this[BACKEND], this.name, options);
  }

  countSync(options) {
    return countSync(this[BACKEND], this.name, options);
  }

  /**
   * Deletes the rows of a range (`start`, `stop`, `prefix`), with a filter if only some of them are meant. Returns
   * their number. Each row is deleted atomically, but not the range: a row that is written meanwhile may remain.
   */
  async deleteRows(options) {
    return await deleteRows(this[BACKEND], this.name, options);
  }

  deleteRowsSync(options) {
    return deleteRowsSync(this[BACKEND], this.name, options);
  }

  /** Collects puts and deletes of any rows to write them together. */
  batch(options) {
    return new Batch(this[BACKEND], this.name, options);
  }
}

defineMethods(Table, {
  /** Reads a row; undefined if it does not exist. */
  row(key, options) {
    const given = checked(options, GET_OPTIONS, 'row');
    const { encoding, reading } = this[BACKEND];
    return task(OPERATIONS.get, { table: this.name, get: getOf(key, given, 'row', encoding) }, given, (row) =>
      reading.row(row),
    );
  },
  /** Reads several rows, in the order of `keys`; undefined for each that does not exist. */
  rows(keys, options) {
    const given = checked(options, GET_OPTIONS, 'rows');
    const { encoding, reading } = this[BACKEND];
    const shared = getFieldsOf(given, 'rows');
    if (typeof keys !== 'object' || keys === null || !(Symbol.iterator in keys) || isBytes(keys)) {
      throw new TypeError(`rows: keys must be an array of row keys, not ${shown(keys)}`);
    }
    const gets = converted(Array.from(keys), (key) => ({ row: bytes(key, 'rows: row key', encoding), ...shared }));
    const read = task(OPERATIONS.getMany, { table: this.name, gets }, given, (rows) => reading.rows(rows));
    return checkedTask(read, (rows) => rows.find((row) => row instanceof Error));
  },
  /** Reads the versions of a column, newest first: all, or at most `versions`. */
  cells(key, column, options) {
    const given = checked(options, GET_OPTIONS, 'cells');
    const { encoding, reading } = this[BACKEND];
    const get = { row: bytes(key, 'cells: row key', encoding), ...getFieldsOf(given, 'cells', INT_MAX) };
    get.columns = [oneColumn(column, 'cells: column')];
    return task(OPERATIONS.get, { table: this.name, get }, given, (row) => reading.row(row)?.cells ?? []);
  },
  /** Whether `row` with the same arguments would find a cell. */
  exists(key, options) {
    const given = checked(options, GET_OPTIONS, 'exists');
    return task(
      OPERATIONS.exists,
      { table: this.name, get: getOf(key, given, 'exists', this[BACKEND].encoding) },
      given,
    );
  },
  /** Writes cells of a row, atomically. */
  put(key, data, options) {
    checkData(data, 'put');
    const given = checked(options, PUT_OPTIONS, 'put');
    return task(
      OPERATIONS.mutate,
      { table: this.name, mutation: putOf(key, data, given, 'put', this[BACKEND].encoding) },
      given,
    );
  },
  /** Deletes columns or families of a row, atomically; without `columns`, the whole row. */
  delete(key, columns, options) {
    checkColumns(columns, 'delete');
    const given = checked(options, DELETE_OPTIONS, 'delete');
    return task(
      OPERATIONS.mutate,
      { table: this.name, mutation: deleteOf(key, columns, given, 'delete', this[BACKEND].encoding) },
      given,
    );
  },
  /**
   * Adds to a counter. Returns its new value: a number if that is exact, otherwise (or with `readBigInts`) a bigint.
   */
  increment(key, column, amount, options) {
    const given = checked(options, COUNT_OPTIONS, 'increment');
    const data = [{ ...oneColumn(column, 'increment: column'), amount: amount === undefined ? 1 : amount }];
    const increment = incrementOf(key, data, given, 'increment', this[BACKEND].encoding);
    return task(OPERATIONS.increment, { table: this.name, increment }, given, (row) =>
      this[BACKEND].reading.row(row).long(row.cells[0].column),
    );
  },
  /** Adds to counters of a row, atomically. Returns the new cells. */
  incrementRow(key, data, options) {
    const given = checked(options, COUNT_OPTIONS, 'incrementRow');
    return task(
      OPERATIONS.increment,
      { table: this.name, increment: incrementOf(key, data, given, 'incrementRow', this[BACKEND].encoding) },
      given,
      (row) => this[BACKEND].reading.row(row),
    );
  },
  /** Appends to a value. Returns the new value. */
  append(key, column, value, options) {
    const given = checked(options, COUNT_OPTIONS, 'append');
    const append = appendOf(
      key,
      [{ ...oneColumn(column, 'append: column'), value }],
      given,
      'append',
      this[BACKEND].encoding,
    );
    return task(OPERATIONS.append, { table: this.name, append }, given, (row) => this[BACKEND].reading.row(row).cells[0].value);
  },
  /** Appends to values of a row, atomically. Returns the new cells. */
  appendRow(key, data, options) {
    const given = checked(options, COUNT_OPTIONS, 'appendRow');
    return task(
      OPERATIONS.append,
      { table: this.name, append: appendOf(key, data, given, 'appendRow', this[BACKEND].encoding) },
      given,
      (row) => this[BACKEND].reading.row(row),
    );
  },
  /**
   * Puts if a column has an expected value (null: no such cell, or an empty value), or if another comparison holds:
   * `op` compares `stored op expected`. Returns whether it did.
   */
  checkAndPut(key, column, expected, data, options) {
    const given = checked(options, CHECKED_PUT_OPTIONS, 'checkAndPut');
    const { encoding } = this[BACKEND];
    const check = checkOf(key, column, expected, given.op, 'checkAndPut', encoding);
    const mutations = [putOf(key, data, given, 'checkAndPut', encoding)];
    return task(OPERATIONS.checkAndMutate, { table: this.name, check, mutations }, given);
  },
  /** Deletes if a column has an expected value (null: no such cell, or an empty value). Returns whether it did. */
  checkAndDelete(key, column, expected, columns, options) {
    const given = checked(options, CHECKED_DELETE_OPTIONS, 'checkAndDelete');
    const { encoding } = this[BACKEND];
    const check = checkOf(key, column, expected, given.op, 'checkAndDelete', encoding);
    const mutations = [deleteOf(key, columns, given, 'checkAndDelete', encoding)];
    return task(OPERATIONS.checkAndMutate, { table: this.name, check, mutations }, given);
  },
  /** Applies mutations if a condition { column, op = 'EQUAL', value } holds. Returns whether it did. */
  checkAndMutate(key, condition, mutations, options) {
    const given = checked(options, SIGNAL, 'checkAndMutate');
    const { encoding } = this[BACKEND];
    const { column, op, value } = checked(condition, new Set(['column', 'op', 'value']), 'checkAndMutate: condition');
    const check = checkOf(key, column, value, op, 'checkAndMutate', encoding);
    return task(
      OPERATIONS.checkAndMutate,
      { table: this.name, check, mutations: mutationsOf(key, mutations, 'checkAndMutate', encoding) },
      given,
    );
  },
  /** Applies puts and deletes of a row, atomically, at one time: a column that is both put and deleted is deleted. */
  mutateRow(key, mutations, options) {
    const given = checked(options, SIGNAL, 'mutateRow');
    const { encoding } = this[BACKEND];
    const request = {
      table: this.name,
      row: bytes(key, 'mutateRow: row key', encoding),
      mutations: mutationsOf(key, mutations, 'mutateRow', encoding),
    };
    return task(OPERATIONS.mutateRow, request, given);
  },
});

module.exports = { Table };
