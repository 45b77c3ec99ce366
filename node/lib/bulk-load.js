'use strict';
/** Bulk loads: sorted rows that the embedded engine writes to files directly. */

const { OPERATIONS } = require('./backend.js');
const { locate } = require('./location.js');
const { checked, shown, signalOf, whole } = require('./options.js');
const { mutationFor, sizeOf } = require('./write-stream.js');

const OPTIONS = new Set(['timestamp', 'ttlMs', 'onProgress', 'batchRows', 'signal']);
const BATCH_ROWS = 1000;
const BATCH_BYTES = 1 << 20;

/** The number of loads that have begun in this process, from which each has its number. */
let begun = 0;

/** What a load needs: its number, its options, and functions that make requests. */
function prepared(backend, options, where) {
  const { onProgress, batchRows, signal, ...given } = checked(options, OPTIONS, where);
  if (onProgress !== undefined && typeof onProgress !== 'function')
    throw new TypeError(`${where}: option \`onProgress\` must be a function, not ${shown(onProgress)}`);
  begun = begun === 0x7fffffff ? 1 : begun + 1;
  return {
    number: begun,
    signal: signalOf({ signal }, where),
    report: onProgress ?? (() => {}),
    rowsMax: whole(batchRows, `${where}: option \`batchRows\``, 1, 1_000_000, BATCH_ROWS),
    /** An element as a put. It shares no memory with the program. */
    put(element, at) {
      const mutation = mutationFor(element, given, `${where}: row ${at}`, backend.encoding);
      if (mutation.kind !== 'put') throw new TypeError(`${where}: row ${at}: a bulk load takes no deletes`);
      return mutation;
    },
  };
}

/** Collects rows into batches. */
class Batches {
  #load;
  #rows = [];
  #bytes = 0;
  seen = 0;

  constructor(load) {
    this.#load = load;
  }

  /** Adds an element. Returns whether the batch is full. */
  add(element) {
    const mutation = this.#load.put(element, this.seen);
    this.seen += 1;
    this.#rows.push(mutation);
    this.#bytes += sizeOf(mutation);
    return this.#rows.length >= this.#load.rowsMax || this.#bytes >= BATCH_BYTES;
  }

  /** The request that adds the collected rows to the load. */
  take() {
    const mutations = this.#rows;
    this.#rows = [];
    this.#bytes = 0;
    return { number: this.#load.number, mutations };
  }
}

/**
 * Loads the rows of an iterable or an async iterable. Returns their number.
 * @param {Iterable<unknown> | AsyncIterable<unknown>} rows
 */
async function bulkLoad(backend, table, rows, options) {
  const load = prepared(backend, options, 'bulkLoad');
  if (typeof rows !== 'object' || rows === null || !(Symbol.iterator in rows || Symbol.asyncIterator in rows))
    throw new TypeError(`bulkLoad: rows must be an iterable or an async iterable, not ${shown(rows)}`);
  // Without the signal: a call that has been abandoned could not be discarded.
  const run = (operation, request) => backend.run(operation, request);
  const { number, signal } = load;
  try {
    signal?.throwIfAborted();
    await run(OPERATIONS.beginLoad, { table, number });
    try {
      const batches = new Batches(load);
      // The next batch is collected while one is being added.
      let adding = Promise.resolve();
      const send = async () => {
        const request = batches.take();
        await adding;
        adding = run(OPERATIONS.addToLoad, request);
        // It is awaited later.
        adding.catch(() => {});
      };
      for await (const element of rows) {
        signal?.throwIfAborted();
        if (!batches.add(element)) continue;
        await send();
        load.report(batches.seen);
      }
      await send();
      await adding;
      signal?.throwIfAborted();
      return await run(OPERATIONS.finishLoad, { number });
    } catch (error) {
      await run(OPERATIONS.discardLoad, { number }).catch(() => {});
      throw error;
    }
  } catch (error) {
    throw locate(error, 'bulkLoad', { table }, bulkLoad);
  }
}

/** Loads the rows of an iterable on the calling thread. Returns their number. */
function bulkLoadSync(backend, table, rows, options) {
  const load = prepared(backend, options, 'bulkLoadSync');
  if (typeof rows !== 'object' || rows === null || !(Symbol.iterator in rows))
    throw new TypeError(`bulkLoadSync: rows must be an iterable, not ${shown(rows)}`);
  const { number, signal } = load;
  try {
    signal?.throwIfAborted();
    backend.runSync(OPERATIONS.beginLoad, { table, number }, 'bulkLoad');
    try {
      const batches = new Batches(load);
      for (const element of rows) {
        signal?.throwIfAborted();
        if (!batches.add(element)) continue;
        backend.runSync(OPERATIONS.addToLoad, batches.take());
        load.report(batches.seen);
      }
      backend.runSync(OPERATIONS.addToLoad, batches.take());
      return backend.runSync(OPERATIONS.finishLoad, { number });
    } catch (error) {
      backend.runSync(OPERATIONS.discardLoad, { number });
      throw error;
    }
  } catch (error) {
    throw locate(error, 'bulkLoadSync', { table }, bulkLoadSync);
  }
}

module.exports = { bulkLoad, bulkLoadSync };
