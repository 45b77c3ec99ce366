'use strict';
/**
 * A scan of a remote table.
 *
 * It fetches one block ahead of the program. The number of rows per block adapts to a target size in bytes, so that
 * narrow rows need few calls and wide rows little memory; `caching` fixes the number instead. A scan whose limit fits
 * into one block is a single call without a scanner.
 */
const { noSyncCalls } = require('./failure.js');
const { publish } = require('../tracing.js');
const { scanOf } = require('./request.js');
const { rowsOf } = require('./result.js');

const ROWS_FIRST = 128;
const ROWS_MAX = 8192;
/**
 * The target size. After a block of less than half of it the number of rows doubles; after one of more than twice of
 * it the number is halved.
 */
const BLOCK_BYTES = 1 << 20;
/** The approximate overhead of a cell. */
const CELL_BYTES = 24;

/** The codes of errors after which a scan can continue with a new scanner. */
const LOST = new Set(['CONNECTION', 'STALE']);

/** How often a scan continues without receiving a row, as it would with several servers behind one address. */
const RESUMED_MAX = 3;

/** Whether a filter may keep state from row to row. Its text and its serialised form contain the names of its parts. */
function keepsState(filter) {
  return filter !== undefined && /PageFilter|WhileMatchFilter|WHILE/.test(Buffer.from(filter.text ?? filter.bytes).toString('latin1'));
}

class RemoteBlockSource {
  constructor(backend, table, scan, signal) {
    this.backend = backend;
    this.table = table;
    this.scan = scan;
    this.signal = signal;
    this.rows = scan.caching > 0 ? scan.caching : ROWS_FIRST;
    this.scanner = undefined;
    /** The key of the last row, and the number of rows, that the current scanner has returned. */
    this.last = undefined;
    this.seen = 0;
    /** The row that a continued descending scan returns once more. */
    this.repeated = undefined;
    /** How often the scan has continued since it last received a row. */
    this.resumed = 0;
    /** The block being fetched. */
    this.pending = undefined;
    this.ended = false;
    this.isClosed = false;
    /** Resolves the promises that wait for a block or for the end of the scan. */
    this.waiting = new Set();
  }

  /** The next block; empty at the end. */
  async next() {
    if (this.isClosed) return [];
    const block = await this.untilClosed(this.pending ?? this.fetchAhead());
    this.pending = undefined;
    if (this.isClosed) return [];
    if (!this.ended) this.fetchAhead();
    return block;
  }

  /**
   * Settles as `pending` does, or when the scan is closed. Promise.race with a promise for the end of the scan would
   * keep every block in memory until that end.
   */
  untilClosed(pending) {
    return new Promise((resolve, reject) => {
      const settle = (how) => (value) => {
        this.waiting.delete(resolve);
        how(value);
      };
      this.waiting.add(resolve);
      pending.then(settle(resolve), settle(reject));
    });
  }

  nextSync(where) {
    throw noSyncCalls(where.replace(/Sync$/, ''), where === 'scanSync' ? ' with `for await`' : undefined);
  }

  /** Starts to fetch a block. */
  fetchAhead() {
    this.pending = this.ended ? Promise.resolve([]) : this.fetch();
    // A failure is reported by the next `next()`; until then it must not count as an unhandled rejection.
    this.pending.catch(() => {});
    return this.pending;
  }

  async fetch() {
    try {
      const results = await this.results();
      this.adapt(results);
      if (results.length === 0) this.end();
      return await rowsOf(results, this.backend.reading);
    } catch (error) {
      this.end();
      throw error;
    }
  }

  async results() {
    const { client } = this.backend;
    const about = { signal: this.signal, table: this.table };
    if (this.scanner === undefined) {
      const table = Buffer.from(this.table);
      const tscan = scanOf(this.scan);
      const { limit, batch } = this.scan;
      if (limit > 0 && limit <= this.rows && batch === 0) {
        this.ended = true;
        return this.withoutRepeated(await client.call('getScannerResults', { table, tscan, numRows: limit }, about));
      }
      this.scanner = await client.call('openScanner', { table, tscan }, about);
    }
    try {
      const results = await client.call('getScannerRows', { scannerId: this.scanner, numRows: this.rows }, about);
      return this.withoutRepeated(results);
    } catch (error) {
      if (!LOST.has(error.code)) throw error;
      const { limit, batch } = this.scan;
      // The scan was complete; only the empty block that says so is missing.
      if (limit > 0 && batch === 0 && this.seen >= limit) return [];
      if (!this.resume()) throw error;
      const { address } = client.settings;
      publish('retry', () => ({ address, method: 'scan', table: this.table, attempt: this.resumed, error }));
      return this.results();
    }
  }

  /**
   * Prepares to continue with a new scanner after the last row received, as HBase's client does. The old scanner's
   * lease has run out, or its position is unknown because its connection has broken. Returns false if that could change
   * the result: some filters keep state from row to row, and partial rows have no such position.
   */
  resume() {
    const { filter, batch, reversed, limit } = this.scan;
    if (keepsState(filter) || batch > 0 || this.resumed >= RESUMED_MAX) return false;
    this.resumed += 1;
    this.scanner = undefined;
    if (this.last === undefined) return true;
    // Thrift2 has no exclusive start. Ascending, the smallest greater key follows; descending, the row comes again.
    const start = reversed ? this.last : Buffer.concat([this.last, Buffer.alloc(1)]);
    this.repeated = reversed ? this.last : undefined;
    const left = limit > 0 ? limit - this.seen + (reversed ? 1 : 0) : limit;
    this.scan = { ...this.scan, start, limit: left };
    this.seen = 0;
    return true;
  }

  /** Removes the row at which a descending scan has continued, if it still exists. */
  withoutRepeated(results) {
    const { repeated } = this;
    if (repeated === undefined || results.length === 0) return results;
    this.repeated = undefined;
    if (results[0].row?.equals(repeated) !== true) return results;
    const rest = results.slice(1);
    // An empty block would end the scan.
    return rest.length > 0 || this.ended ? rest : this.results();
  }

  /** Notes the position of the scan and adapts the number of rows per block. */
  adapt(results) {
    if (results.length === 0) return;
    this.last = results[results.length - 1].row;
    this.seen += results.length;
    this.resumed = 0;
    if (this.scan.caching > 0) return;
    let bytes = 0;
    for (const { columnValues } of results)
      for (const { family, qualifier, value } of columnValues)
        bytes += family.length + qualifier.length + value.length + CELL_BYTES;
    if (bytes > BLOCK_BYTES * 2) this.rows = Math.max(1, this.rows >> 1);
    else if (results.length === this.rows && bytes < BLOCK_BYTES / 2) this.rows = Math.min(ROWS_MAX, this.rows * 2);
  }

  /** Closes the scanner in the background. If that fails, its lease expires. */
  end() {
    this.ended = true;
    if (this.scanner === undefined) return;
    const { scanner } = this;
    this.scanner = undefined;
    this.backend.background(this.backend.client.call('closeScanner', { scannerId: scanner }));
  }

  close() {
    if (this.isClosed) return;
    this.isClosed = true;
    for (const resolve of this.waiting) resolve();
    this.waiting.clear();
    // A call on the scanner may be pending: the scanner is closed after it.
    if (this.pending !== undefined) this.backend.background(this.pending.finally(() => this.end()));
    else this.end();
  }
}

module.exports = { RemoteBlockSource };
