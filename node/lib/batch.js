'use strict';
/** Puts and deletes of any rows, collected and written together. */

const { OPERATIONS } = require('./backend.js');
const { HjallError } = require('./errors.js');
const { DELETE_OPTIONS, PUT_OPTIONS, deleteOf, putOf } = require('./mutation.js');
const { checked, oneOf } = require('./options.js');
const { DURABILITY } = require('./backend.js');
const { BACKEND, task, twins } = require('./twins.js');

/** Some rows of a batch were not written; the others were. */
class BatchError extends HjallError {
  /** { index, row, error } for each that failed: `index` counts the puts and deletes of the batch from 0. */
  failures;

  constructor(failures, size) {
    const [first] = failures;
    super(`${failures.length} of ${size} puts and deletes failed; the first: ${first.error.message}`, { code: first.error.code, cause: first.error });
    this.failures = failures;
  }
}

/** Made by `table.batch()`. Each row is written whole or not at all, by itself; rows are in the order given. Nothing is written before `write`. */
class Batch {
  #table;
  #mutations = [];
  #options;

  constructor(backend, table, options) {
    Object.defineProperty(this, BACKEND, { value: backend });
    this.#table = table;
    const given = checked(options, new Set(['durability', 'ttl', 'timestamp']), 'batch');
    oneOf(given.durability, DURABILITY, 'batch: option `durability`');
    this.#options = given;
  }

  /** How many puts and deletes wait. */
  get size() {
    return this.#mutations.length;
  }

  put(key, data, options) {
    const given = { ...this.#options, ...checked(options, PUT_OPTIONS, 'batch.put') };
    this.#mutations.push(putOf(key, data, given, 'batch.put', this[BACKEND].encoding));
    return this;
  }

  delete(key, columns, options) {
    const given = { ...this.#options, ...checked(options, DELETE_OPTIONS, 'batch.delete') };
    this.#mutations.push(deleteOf(key, columns, given, 'batch.delete', this[BACKEND].encoding));
    return this;
  }

  /** Forgets what waits. */
  clear() {
    this.#mutations = [];
    return this;
  }

  static {
    twins(Batch, {
      /** Writes what was collected and empties the batch. Throws a BatchError if a row failed. */
      write(options) {
        const given = checked(options, new Set(['signal']), 'batch.write');
        const mutations = this.#mutations;
        this.#mutations = [];
        return task(OPERATIONS.mutateMany, { table: this.#table, mutations }, given, (answers) => {
          const failures = [];
          answers.forEach((error, index) => {
            if (error !== undefined) failures.push({ index, row: mutations[index].row, error });
          });
          if (failures.length > 0) throw new BatchError(failures, mutations.length);
        });
      },
    });
  }
}

module.exports = { Batch, BatchError };
