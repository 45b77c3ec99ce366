'use strict';
/** Bulk loads: a Node stream that writes rows. */

const { Writable, addAbortSignal } = require('node:stream');
const { DURABILITY, OPERATIONS } = require('./backend.js');
const { BatchError, failuresOf } = require('./batch.js');
const { locate } = require('./location.js');
const { COPIED, mutationsOf, putOf } = require('./mutation.js');
const { checked, oneOf, shown, signalOf, whole } = require('./options.js');
const { Row } = require('./row.js');
const { atEndOfTurn } = require('./timers.js');

const OPTIONS = new Set(['batchRows', 'batchBytes', 'highWaterMark', 'durability', 'ttlMs', 'timestamp', 'signal']);
const BATCH_ROWS = 1000;
const BATCH_BYTES = 4 << 20;
/** The approximate overhead of a cell. */
const CELL_BYTES = 32;

/** An element of a stream as a mutation, or the error of an invalid one. It shares no memory with the program. */
class Element {
  constructor(mutation, error) {
    this.mutation = mutation;
    this.error = error;
  }
}

/**
 * An element of a stream as a mutation that shares no memory with the program. `options` are those of a put or delete,
 * as far as the element has none of its own.
 */
function mutationFor(given, options, where, encoding) {
  if (given instanceof Row) {
    const shared = Row.shared(given);
    const marker = shared.find(({ type }) => type !== 'Put');
    if (marker !== undefined)
      throw new TypeError(
        `${where}: the delete marker ${marker.type} of ${marker.column} cannot be put: scan without \`raw\``,
      );
    const cells = shared.map(({ family, qualifier, value, timestamp }) => ({
      family,
      qualifier,
      value,
      timestamp,
    }));
    // A row of a database with `encoding` has text, which any table accepts.
    return putOf(given.key, cells, options, where, 'utf8', COPIED);
  }
  if (Array.isArray(given) && given.length === 2) return putOf(given[0], given[1], options, where, encoding, COPIED);
  if (given !== null && typeof given === 'object' && 'key' in given && ('put' in given || 'delete' in given)) {
    const { key, ...mutation } = given;
    return mutationsOf(key, [{ ...options, ...mutation }], where, encoding, COPIED)[0];
  }
  throw new TypeError(`${where}: must be a Row, [key, columns], { key, put } or { key, delete }, not ${shown(given)}`);
}

/**
 * A Writable of rows: a Row from a scan (its cells keep their timestamps), `[key, { 'family:qualifier': value }]`, or
 * `{ key, put: …, … }` or `{ key, delete: …, … }` with the options of `put` and `delete`.
 *
 * Each element is copied by `write`, so that the program may change or reuse its buffers. Rows are written in batches.
 * While a batch is being written, the stream applies backpressure (`write` returns
 * false). The stream fails with the first batch that has failures: its BatchError lists them by their position in the
 * stream.
 */
class RowWriteStream extends Writable {
  #backend;
  #table;
  #options;
  #signal;
  #rowsMax;
  #bytesMax;
  #batch = [];
  #bytes = 0;
  /** The number of elements passed to `write`. */
  #received = 0;
  /** The number of rows that have been written. */
  rowsWritten = 0;

  constructor(backend, table, options) {
    const where = 'createWriteStream';
    const { batchRows, batchBytes, highWaterMark, signal, ...given } = checked(options, OPTIONS, where);
    const rowsMax = whole(batchRows, `${where}: option \`batchRows\``, 1, 1_000_000, BATCH_ROWS);
    oneOf(given.durability, DURABILITY, `${where}: option \`durability\``);
    super({
      objectMode: true,
      highWaterMark: whole(highWaterMark, `${where}: option \`highWaterMark\``, 1, 2 ** 30, rowsMax),
    });
    this.#backend = backend;
    this.#table = table;
    this.#options = given;
    this.#signal = signalOf({ signal }, where);
    this.#rowsMax = rowsMax;
    this.#bytesMax = whole(batchBytes, `${where}: option \`batchBytes\``, 1, 2 ** 30, BATCH_BYTES);
    if (signal?.aborted) {
      // Deferred, so that the caller can first add listeners or pipe into the stream.
      atEndOfTurn(() => addAbortSignal(signal, this));
    } else if (signal !== undefined) addAbortSignal(signal, this);
  }

  write(given, encoding, callback) {
    // The stream reports null itself.
    return super.write(given === null ? given : this.#elementOf(given), encoding, callback);
  }

  end(given, encoding, callback) {
    if (typeof given === 'function' || given === undefined || given === null) return super.end(given, encoding, callback);
    return super.end(this.#elementOf(given), encoding, callback);
  }

  _write({ mutation, error }, _, callback) {
    if (error !== undefined) return callback(error);
    this.#batch.push(mutation);
    this.#bytes += sizeOf(mutation);
    if (this.#batch.length < this.#rowsMax && this.#bytes < this.#bytesMax) return callback();
    return this.#send(callback);
  }

  _final(callback) {
    this.#send(callback);
  }

  _destroy(error, callback) {
    this.#batch = [];
    callback(error);
  }

  #elementOf(given) {
    const number = this.#received;
    this.#received += 1;
    try {
      const where = `createWriteStream: row ${number}`;
      return new Element(mutationFor(given, this.#options, where, this.#backend.encoding), undefined);
    } catch (error) {
      return new Element(undefined, error);
    }
  }

  #send(callback) {
    const mutations = this.#batch;
    this.#batch = [];
    this.#bytes = 0;
    if (mutations.length === 0) return callback();
    const failed = (error) => callback(locate(error, 'createWriteStream', { table: this.#table }, failed));
    return this.#backend
      .run(OPERATIONS.mutateMany, { table: this.#table, mutations }, this.#signal)
      .then((answers) => callback(this.#failed(mutations, answers)), failed);
  }

  /** The BatchError of a batch, or undefined if all of it was written. */
  #failed(mutations, answers) {
    const before = this.rowsWritten;
    const failures = failuresOf((at) => mutations[at].row, answers, this.#backend.reading, before);
    this.rowsWritten += mutations.length - failures.length;
    if (failures.length === 0) return undefined;
    return locate(new BatchError(failures, mutations.length), 'createWriteStream', { table: this.#table }, this.#failed);
  }
}

function sizeOf({ row, cells = [], markers = [] }) {
  let bytes = row.length;
  for (const { family, qualifier, value } of cells)
    bytes += family.length + qualifier.length + value.length + CELL_BYTES;
  return bytes + markers.length * CELL_BYTES;
}

module.exports = { RowWriteStream, mutationFor, sizeOf };
