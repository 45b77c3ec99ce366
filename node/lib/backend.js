'use strict';
/**
 * The seam between hjall's JavaScript interface and what carries it out: the engine in this process (`embedded/`), or a server far away.
 *
 * Everything above it (`Database`, `Table`, `Scan`, `Batch`) checks and translates what programs say, once, for both; a backend only carries
 * out. It has four functions, each of which exists once:
 *
 *     run(operation, request, signal)  → Promise of the answer; rejects with `signal.reason` once the AbortSignal (or undefined) fires
 *     runSync(operation, request)      → the answer; a backend that cannot wait throws an UnsupportedError that names the promise form
 *     scan(table, scan, signal)        → a Source, at once: nothing is read before its first block is asked for
 *     close() / closeSync()            → lets calls under way end, then lets go; later calls fail with CLOSED
 *
 * A Source hands out blocks of results:
 *
 *     next()     → Promise of Row[], never empty except at the end; the next block may be on its way already (bounded)
 *     nextSync() → Row[], the same
 *     close()    → forgets what is left; idempotent, never waits, ends a `next()` under way with an empty block
 *
 * Failures are HjallErrors made by `errors.make(kind, message, cause)`; `kind` is a name of `errors.KINDS`. What a program said wrongly has been
 * refused above the seam already, as far as it can be seen without the database.
 *
 * ## Plain data
 *
 * Bytes are Uint8Array (often Buffer); a backend does not change them, and does not keep them after it returned its promise.
 * Times (milliseconds since 1970) and amounts are number or bigint, whole, inside 64 bits. `undefined` is "not given".
 *
 *     Column     { family, qualifier }            qualifier undefined: the whole family
 *     Filter     { text } or { bytes }            HBase's filter language, or its serialised form (what Thrift2's filterBytes takes)
 *     TimeRange  { from, to }                     from ≤ t < to; 0 and 2^63-1: all time
 *     Get        { row, columns: Column[] | undefined, timeRange: TimeRange | undefined, versions, storeLimit, storeOffset,
 *                  filter: Filter | undefined, raw }      versions 1 and more; storeLimit and storeOffset -1: none
 *     Scan       { start, stop, columns, timeRange, familyTimeRanges: { family, from, to }[], versions, batch, limit, caching,
 *                  reversed, filter, raw }        start and stop may be empty; limit -1: none; batch and caching 0: none
 *     PutCell    { family, qualifier, timestamp, value }
 *     Put        { kind: 'put', row, cells: PutCell[], ttl, durability }        ttl in milliseconds or undefined
 *     Marker     { kind: 'version' | 'column' | 'family' | 'familyVersion', family, qualifier, timestamp }
 *     Delete     { kind: 'delete', row, markers: Marker[], timestamp, ttl, durability }   without markers: the whole row
 *     Increment  { row, columns: { family, qualifier, amount }[], ttl, durability }
 *     Append     { row, columns: { family, qualifier, value }[], ttl, durability }
 *     Check      { row, family, qualifier, op, value: bytes | undefined }       op: a name of COMPARE; undefined: that there is no cell
 *     Family     { name, attributes: [key, value][], configuration: [key, value][] }     all bytes, ATTRIBUTES under HBase's names
 *     Descriptor { name: 'ns:table', families: Family[], attributes: [key, value][] }
 *     Namespace  { name, configuration: { key: value } }                         strings
 *     Region     { id, start, end }
 *
 * `durability` is a name of DURABILITY. Rows come back as instances of `Row` (`row.js`): `Row.of(key, cells, partial)`.
 */

/** HBase's levels of durability, in the order of their numbers. */
const DURABILITY = ['USE_DEFAULT', 'SKIP_WAL', 'ASYNC_WAL', 'SYNC_WAL', 'FSYNC_WAL'];

/** HBase's comparisons, in the order of their numbers. The given value stands on the left: `LESS` asks whether it is less than what is stored. */
const COMPARE = ['LESS', 'LESS_OR_EQUAL', 'EQUAL', 'NOT_EQUAL', 'GREATER_OR_EQUAL', 'GREATER', 'NO_OP'];

/** What the engine takes a timestamp of 2^63-1 for: "when it is applied". */
const LATEST = 0x7fffffffffffffffn;

/** Every operation, with the fields of its request and its answer. */
const OPERATIONS = Object.freeze({
  // -- rows: { table: name, … }
  /** { table, get } → Row | undefined */
  get: 'get',
  /** { table, get } → boolean */
  exists: 'exists',
  /** { table, gets } → (Row | undefined | HjallError)[], in the order asked for */
  getMany: 'getMany',
  /** { table, mutation: Put | Delete } → undefined */
  mutate: 'mutate',
  /** { table, mutations: (Put | Delete)[] } → (undefined | HjallError)[]: each by itself, in order */
  mutateMany: 'mutateMany',
  /** { table, row, mutations } → undefined: all at once */
  mutateRow: 'mutateRow',
  /** { table, check, mutations } → boolean */
  checkAndMutate: 'checkAndMutate',
  /** { table, increment } → Row */
  increment: 'increment',
  /** { table, append } → Row */
  append: 'append',
  // -- tables
  /** { descriptor, splits: bytes[] } → undefined */
  createTable: 'createTable',
  /** { descriptor } → undefined: replaces it; families that are missing are removed with their data */
  modifyTable: 'modifyTable',
  /** { table } → undefined */
  deleteTable: 'deleteTable',
  /** { table, preserveSplits } → undefined */
  truncateTable: 'truncateTable',
  /** { table } → undefined */
  enableTable: 'enableTable',
  /** { table } → undefined */
  disableTable: 'disableTable',
  /** { table } → boolean */
  isTableEnabled: 'isTableEnabled',
  /** { table } → boolean */
  tableExists: 'tableExists',
  /** { table } → Descriptor */
  describeTable: 'describeTable',
  /** {} → { descriptor, enabled }[]; `enabled` undefined where asking costs a call each (then `isTableEnabled` tells) */
  tables: 'tables',
  /** { table } → Region[], by start */
  regions: 'regions',
  /** { table, family: Family } → undefined */
  addFamily: 'addFamily',
  /** { table, family: Family } → undefined */
  modifyFamily: 'modifyFamily',
  /** { table, family: bytes } → undefined */
  deleteFamily: 'deleteFamily',
  /** { table } → undefined; embedded only, as the protocol has no such call */
  flush: 'flush',
  /** { table, major } → undefined; embedded only */
  compact: 'compact',
  // -- namespaces
  /** { namespace: Namespace } → undefined */
  createNamespace: 'createNamespace',
  /** { namespace: Namespace } → undefined */
  modifyNamespace: 'modifyNamespace',
  /** { name } → undefined */
  deleteNamespace: 'deleteNamespace',
  /** { name } → Namespace */
  describeNamespace: 'describeNamespace',
  /** {} → Namespace[], by name */
  namespaces: 'namespaces',
  // -- the database
  /** {} → number | bigint: the time as writes see it; embedded only */
  now: 'now',
  /** {} → string */
  clusterId: 'clusterId',
  /** { number, host, port } → { host, port }: serves the database to Thrift clients; embedded only. `number`: the caller's, for `stopServing` */
  serve: 'serve',
  /** { number } → undefined; embedded only */
  stopServing: 'stopServing',
});

/** What a backend is, for those who write one: each function is to be given. */
class Backend {
  /** Whether strings are taken for row keys and values: 'utf8', or undefined. */
  encoding;

  /** @returns {Promise<unknown>} */
  run(operation) {
    return Promise.reject(new TypeError(`${this.constructor.name} does not carry out ${operation}`));
  }

  runSync(operation) {
    throw new TypeError(`${this.constructor.name} does not carry out ${operation}`);
  }

  scan() {
    throw new TypeError(`${this.constructor.name} does not scan`);
  }

  /** @returns {Promise<void>} */
  close() {
    return Promise.reject(new TypeError(`${this.constructor.name} does not close`));
  }

  closeSync() {
    throw new TypeError(`${this.constructor.name} does not close`);
  }
}

module.exports = { Backend, COMPARE, DURABILITY, LATEST, OPERATIONS };
