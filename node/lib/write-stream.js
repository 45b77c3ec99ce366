'use strict';
/** Bulk loads: a Node stream into which rows are written. */

const { Writable, addAbortSignal } = require('node:stream');
const { DURABILITY, OPERATIONS } = require('./backend.js');
const { BatchError } = require('./batch.js');
const { mutationsOf, putOf } = require('./mutation.js');
const { checked, oneOf, shown, signalOf, whole } = require('./options.js');
const { Row } = require('./row.js');

const OPTIONS = new Set(['batchRows', 'batchBytes', 'highWaterMark', 'durability', 'ttl', 'timestamp', 'signal']);
const BATCH_ROWS = 1000;
const BATCH_BYTES = 4 << 20;
/** What a cell takes beside its bytes, roughly. */
const CELL_BYTES = 32;

/**
 * Takes one row per write: a Row as scans return it (its cells keep their times), `[key, { 'family:qualifier': value }]`, `{ key, put: …, … }` or
 * `{ key, delete: …, … }` with the options of `put` and `delete`.
 *
 * Rows are collected and written in batches; while one is being written the stream says that it is full (`write` returns false), so that `pipeline`
 * waits. The stream fails with the first batch of which rows failed; its BatchError lists them by their number in the stream.
 */
class RowWriteStream extends Writable {
  #backend;
  #table;
  #options;
  #signal;
  #rowsMax;
  #bytesMax;
  #waiting = [];
  #bytes = 0;
  /** How many rows have been written. */
  rowsWritten = 0;

  constructor(backend, table, options) {
    const where = 'createWriteStream';
    const { batchRows, batchBytes, highWaterMark, signal, ...given } = checked(options, OPTIONS, where);
    const rowsMax = whole(batchRows, `${where}: option \`batchRows\``, 1, 1_000_000, BATCH_ROWS);
    oneOf(given.durability, DURABILITY, `${where}: option \`durability\``);
    super({ objectMode: true, highWaterMark: whole(highWaterMark, `${where}: option \`highWaterMark\``, 1, 2 ** 30, rowsMax) });
    this.#backend = backend;
    this.#table = table;
    this.#options = given;
    this.#signal = signalOf({ signal }, where);
    this.#rowsMax = rowsMax;
    this.#bytesMax = whole(batchBytes, `${where}: option \`batchBytes\``, 1, 2 ** 30, BATCH_BYTES);
    if (signal?.aborted) {
      // Who made the stream has to be able to listen to it, or pipe into it, first.
      process.nextTick(addAbortSignal, signal, this);
    } else if (signal !== undefined) addAbortSignal(signal, this);
  }

  _write(given, _, callback) {
    let mutation;
    try {
      mutation = this.#mutationOf(given);
    } catch (error) {
      return callback(error);
    }
    this.#waiting.push(mutation);
    this.#bytes += sizeOf(mutation);
    if (this.#waiting.length < this.#rowsMax && this.#bytes < this.#bytesMax) return callback();
    return this.#send(callback);
  }

  _final(callback) {
    this.#send(callback);
  }

  _destroy(error, callback) {
    this.#waiting = [];
    callback(error);
  }

  #mutationOf(given) {
    const where = `createWriteStream: row ${this.rowsWritten + this.#waiting.length}`;
    const { encoding } = this.#backend;
    if (given instanceof Row) {
      const marker = given.cells.find(({ type }) => type !== 'Put');
      if (marker !== undefined) throw new TypeError(`${where}: a delete marker (${marker.type} of ${marker.column}) cannot be put: scan without \`raw\``);
      const cells = given.cells.map(({ family, qualifier, value, timestamp }) => ({ family, qualifier, value, timestamp }));
      return putOf(given.key, cells, this.#options, where, encoding);
    }
    if (Array.isArray(given) && given.length === 2) return putOf(given[0], given[1], this.#options, where, encoding);
    if (given !== null && typeof given === 'object' && 'key' in given && ('put' in given || 'delete' in given)) {
      const { key, ...mutation } = given;
      return mutationsOf(key, [{ ...this.#options, ...mutation }], where, encoding)[0];
    }
    throw new TypeError(`${where}: must be a Row, [key, columns], { key, put } or { key, delete }, not ${shown(given)}`);
  }

  #send(callback) {
    const mutations = this.#waiting;
    this.#waiting = [];
    this.#bytes = 0;
    if (mutations.length === 0) return callback();
    return this.#backend.run(OPERATIONS.mutateMany, { table: this.#table, mutations }, this.#signal).then(
      (answers) => callback(this.#failed(mutations, answers)),
      (error) => callback(error),
    );
  }

  /** The error of a batch, or undefined. */
  #failed(mutations, answers) {
    const before = this.rowsWritten;
    const failures = [];
    answers.forEach((error, at) => {
      if (error !== undefined) failures.push({ index: before + at, row: mutations[at].row, error });
    });
    this.rowsWritten += mutations.length - failures.length;
    return failures.length > 0 ? new BatchError(failures, mutations.length) : undefined;
  }
}

function sizeOf({ row, cells = [], markers = [] }) {
  let bytes = row.length;
  for (const { family, qualifier, value } of cells) bytes += family.length + qualifier.length + value.length + CELL_BYTES;
  return bytes + markers.length * CELL_BYTES;
}

module.exports = { RowWriteStream };
