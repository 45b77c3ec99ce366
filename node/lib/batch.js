'use strict';
/** Collects puts and deletes of any rows and writes them together. */

const { DURABILITY, OPERATIONS } = require('./backend.js');
const { HjallError } = require('./errors.js');
const { locate } = require('./location.js');
const { COPIED, DELETE_OPTIONS, NOW, PUT_OPTIONS, checkColumns, checkData, deleteOf, putOf } = require('./mutation.js');
const { checked, oneOf } = require('./options.js');
const { BACKEND, checkedTask, defineMethods, task } = require('./methods.js');

/** Some puts or deletes of a batch failed; the others were applied. */
class BatchError extends HjallError {
  /** { index, row, error } for each failure. `index` is the position in the batch, from 0. */
  failures;

  constructor(failures, size) {
    const [first] = failures;
    super(`${failures.length} of ${size} puts and deletes failed; the first: ${first.error.message}`, {
      code: first.error.code,
      cause: first.error,
    });
    this.failures = failures;
  }
}

/**
 * The failures among the answers to mutations, the first of which is number `first`. `reading` gives row keys the form
 * in which the program reads them.
 * @param {(index: number) => Buffer} rowOf the row of a mutation
 */
function failuresOf(rowOf, answers, reading, first = 0) {
  const failures = [];
  answers.forEach((error, at) => {
    if (error !== undefined) failures.push({ index: first + at, row: reading.bytes(rowOf(at)), error });
  });
  return failures;
}

/**
 * Puts and deletes that `write` applies in order; nothing is written before. Each of them is atomic, but the batch is
 * not. What is passed is copied. Made by `table.batch()`.
 */
class Batch {
  #table;
  #mutations;
  #given;
  #options;

  constructor(backend, table, options) {
    Object.defineProperty(this, BACKEND, { value: backend });
    this.#table = table;
    this.clear();
    const given = checked(options, new Set(['durability', 'ttlMs', 'timestamp']), 'batch');
    oneOf(given.durability, DURABILITY, 'batch: option `durability`');
    this.#options = given;
  }

  /** The number of puts and deletes collected. */
  get size() {
    return this.#mutations.length;
  }

  put(key, data, options) {
    checkData(data, 'batch.put');
    const given = this.#with(checked(options, PUT_OPTIONS, 'batch.put'));
    // Converted first, since a getter of the data may write the batch.
    const mutation = putOf(key, data, given, 'batch.put', this[BACKEND].encoding, this.#given);
    return this.#add(mutation, 'batch.put', this.put);
  }

  delete(key, columns, options) {
    checkColumns(columns, 'batch.delete');
    const given = this.#with(checked(options, DELETE_OPTIONS, 'batch.delete'));
    const mutation = deleteOf(key, columns, given, 'batch.delete', this[BACKEND].encoding, this.#given);
    return this.#add(mutation, 'batch.delete', this.delete);
  }

  #add(mutation, where, below) {
    try {
      this.#mutations.add(mutation);
    } catch (error) {
      throw locate(error, where, { mutation }, below);
    }
    return this;
  }

  /** The options of a put or delete, and those of the batch. */
  #with(options) {
    return Object.keys(options).length === 0 ? this.#options : { ...this.#options, ...options };
  }

  /** Discards what has been collected. */
  clear() {
    this.#mutations = this[BACKEND].collect();
    this.#given = this.#mutations.keeps ? COPIED : NOW;
    return this;
  }

  static {
    const methods = {
      /** Writes what has been collected and empties the batch. Fails with a BatchError if a put or delete failed. */
      write(options) {
        const given = checked(options, new Set(['signal']), 'batch.write');
        const mutations = this.#mutations;
        this.clear();
        const request = { table: this.#table, ...mutations.request() };
        const written = task(OPERATIONS.mutateMany, request, given, () => undefined);
        return checkedTask(written, (answers) => {
          const failures = failuresOf((at) => mutations.rowOf(at), answers, this[BACKEND].reading);
          return failures.length > 0 ? new BatchError(failures, mutations.length) : undefined;
        });
      },
    };
    defineMethods(Batch, methods, 'batch.');
  }
}

module.exports = { Batch, BatchError, failuresOf };
