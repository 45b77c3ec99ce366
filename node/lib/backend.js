'use strict';
/**
 * The interface between the public classes and what executes their calls: the engine in this process (`embedded/`) or
 * a remote server (`remote/`).
 *
 * The layer above (`Database`, `Table`, `Scan`, `Batch`) validates and converts a program's arguments, once for both
 * backends. A backend only executes. It has these members:
 *
 *     run(operation, request, signal)  → a Promise of the answer; rejects with `signal.reason` once the AbortSignal (if any) fires
 *     runSync(operation, request, method) → the answer; a backend that cannot block throws an UnsupportedError, which names
 *                                        the asynchronous method that the program can call instead
 *     scan(table, scan, signal)        → a BlockSource, immediately: nothing is read before its first block is requested
 *     collect()                        → an empty list for the mutations of a batch: { length, keeps, add(mutation), rowOf(index),
 *                                        request() }, where `request()` is the part of a mutateMany that carries them, and
 *                                        `keeps` says that mutations which are added must share no memory with the program
 *     watched(watch, work)             → the promise of a copy or compaction, whose progress is reported, and which a signal
 *                                        ends, as `watchOf` in `embedded/progress.js` says, if the backend can
 *     place                            → where the data is, as `inspect` shows it: { folder }, { memory: true } or { address }
 *     isClosed                         → whether `close` has been called
 *     close() / closeSync()            → completes pending calls, then releases everything; later calls fail with CLOSED
 *     closedError()                    → the error of calls after `close`
 *
 * A BlockSource delivers the rows of a scan in blocks:
 *
 *     next()     → a Promise of Row[], empty only at the end; the following block may be read ahead
 *     nextSync(where) → Row[], likewise; `where` is the method of the program
 *     close()    → ends the scan; idempotent, never blocks, resolves a pending `next()` with an empty block
 *
 * Failures are HjallErrors made by `errors.make(kind, message, cause)`, where `kind` is a key of `errors.KINDS`.
 * Invalid arguments have been rejected above this interface, as far as that is possible without the database.
 *
 * ## Plain data
 *
 * Bytes are Uint8Array (often Buffer). A backend does not change them, and does not keep them after it has returned
 * its promise. Times (milliseconds since the Unix epoch) and amounts are number or bigint: integers within 64 bits.
 * `undefined` means "not given".
 *
 *     Column     { family, qualifier }            qualifier undefined: the whole family
 *     Filter     { text } or { bytes }            HBase's filter language, or HBase's serialised form (Thrift2's filterBytes)
 *     TimeRange  { from, to }                     from ≤ t < to; from 0 to 2^63-1 is all time
 *     Get        { row, columns: Column[] | undefined, timeRange: TimeRange | undefined, versions, storeLimit, storeOffset,
 *                  filter: Filter | undefined, raw }      versions at least 1; storeLimit and storeOffset -1: none
 *     Scan       { start, stop, columns, timeRange, familyTimeRanges: { family, from, to }[], versions, batch, limit, caching,
 *                  reversed, filter, raw }        start and stop may be empty; limit -1: none; batch and caching 0: none
 *     PutCell    { family, qualifier, timestamp, value }
 *     Put        { kind: 'put', row, cells: PutCell[], ttl, durability }        ttl in milliseconds or undefined
 *     Marker     { kind: a key of MarkerKind, family, qualifier, timestamp }
 *     Delete     { kind: 'delete', row, markers: Marker[], timestamp, ttl, durability }   without markers: the whole row
 *     Increment  { row, columns: { family, qualifier, amount }[], ttl, durability }
 *     Append     { row, columns: { family, qualifier, value }[], ttl, durability }
 *     Check      { row, family, qualifier, op, value: bytes | undefined }       op: one of COMPARE; value undefined: no such cell or an empty value
 *     Family     { name, attributes: [key, value][], configuration: [key, value][] }     all bytes; attributes under HBase's names
 *     Descriptor { name: 'ns:table', families: Family[], attributes: [key, value][] }
 *     Namespace  { name, configuration: { key: value } }                         strings
 *     Region     { id, start, end }
 *
 * `durability` is one of DURABILITY. Rows are returned as instances of `Row` (`row.js`).
 */

const { DeferredCalls } = require('./deferred.js');
const { CompareOp, Durability, Operation } = require('./vocabulary.js');

/** The names of HBase's durability levels. */
const DURABILITY = Object.keys(Durability);

/** The names of HBase's comparison operators. */
const COMPARE = Object.keys(CompareOp);

/** The engine replaces a timestamp of 2^63-1 by the time at which the mutation is applied. */
const LATEST = 0x7fffffffffffffffn;

/** The names of all operations, by themselves. `Operation` in `vocabulary.js` documents their requests and answers. */
const OPERATIONS = Object.freeze(Object.fromEntries(Object.keys(Operation).map((name) => [name, name])));

/** The mutations of a batch as plain data. */
class ListedMutations {
  keeps = true;
  #list = [];

  get length() {
    return this.#list.length;
  }

  add(mutation) {
    this.#list.push(mutation);
  }

  rowOf(index) {
    return this.#list[index].row;
  }

  request() {
    return { mutations: this.#list };
  }
}

/** The base class of backends; every method without a default must be overridden. */
class Backend {
  /** The encoding of strings given as row keys and values: 'utf8', or undefined if they are rejected. */
  encoding;
  /** The form in which results are returned: see `reading.js`. Backends themselves return bytes. */
  reading;
  /** Where the data is: `{ folder }`, `{ memory: true }` or `{ address }`. */
  place;
  /** Calls that wait for a later turn of the event loop. */
  deferred = new DeferredCalls();

  /** Whether the database has been closed, or is being closed. */
  get isClosed() {
    return this.deferred.isClosing;
  }

  /** The error of a call on a closed database. */
  closedError() {
    return new TypeError(`${this.constructor.name} does not implement closedError`);
  }

  /** @returns {Promise<unknown>} */
  run(operation) {
    return Promise.reject(new TypeError(`${this.constructor.name} does not implement run: ${operation}`));
  }

  runSync(operation) {
    throw new TypeError(`${this.constructor.name} does not implement runSync: ${operation}`);
  }

  collect() {
    return new ListedMutations();
  }

  scan() {
    throw new TypeError(`${this.constructor.name} does not implement scan`);
  }

  /** Awaits a copy or a compaction, and reports its progress if the backend can. */
  watched(_watch, work) {
    return work;
  }

  /** @returns {Promise<void>} */
  close() {
    return Promise.reject(new TypeError(`${this.constructor.name} does not implement close`));
  }

  closeSync() {
    throw new TypeError(`${this.constructor.name} does not implement close`);
  }
}

module.exports = { Backend, COMPARE, DURABILITY, LATEST, OPERATIONS };
