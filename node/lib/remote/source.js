'use strict';
/**
 * A scan of a remote table, block by block.
 *
 * While the program looks at a block the next is under way, and no more than that. Blocks begin small and grow towards a size in bytes, so that narrow rows
 * need few calls and wide rows little memory; `caching` fixes the number instead. A scan that fits into one block is one call without a scanner.
 */
const { make } = require('../errors.js');
const { scanOf } = require('./request.js');
const { rowOf } = require('./result.js');

const ROWS_FIRST = 128;
const ROWS_MAX = 8192;
/** A block of less than half of it doubles the next, one of more than twice of it halves the next. */
const BLOCK_BYTES = 1 << 20;
/** What a cell takes beside its bytes, roughly. */
const CELL_BYTES = 24;

class RemoteSource {
  constructor(backend, table, scan, signal) {
    this.backend = backend;
    this.table = table;
    this.scan = scan;
    this.signal = signal;
    this.rows = scan.caching > 0 ? scan.caching : ROWS_FIRST;
    this.scanner = undefined;
    /** The last row that came, and how many did. */
    this.last = undefined;
    this.seen = 0;
    /** The block that is being brought in. */
    this.coming = undefined;
    this.ended = false;
    this.closed = new Promise((resolve) => {
      this.tellClosed = resolve;
    });
    this.isClosed = false;
  }

  /** The next block; empty at the end. */
  async next() {
    if (this.isClosed) return [];
    const block = await Promise.race([this.coming ?? this.bring(), this.closed]);
    this.coming = undefined;
    if (this.isClosed) return [];
    if (!this.ended) this.bring();
    return block;
  }

  nextSync() {
    throw make('Unsupported', 'a remote table cannot be scanned synchronously: use scan() with for await');
  }

  /** Begins to bring in a block. */
  bring() {
    this.coming = this.ended ? Promise.resolve([]) : this.fetch();
    // Whoever asks next hears of a failure; until then nobody waits for it.
    this.coming.catch(() => {});
    return this.coming;
  }

  async fetch() {
    try {
      const results = await this.results();
      this.measure(results);
      if (results.length === 0) this.end();
      return results.map((result) => rowOf(result));
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
        return client.call('getScannerResults', { table, tscan, numRows: limit }, about);
      }
      this.scanner = await client.call('openScanner', { table, tscan }, about);
    }
    try {
      return await client.call('getScannerRows', { scannerId: this.scanner, numRows: this.rows }, about);
    } catch (error) {
      if (error.code !== 'CONNECTION' || !this.resume()) throw error;
      return this.results();
    }
  }

  /**
   * After a broken connection nobody knows where the scanner stands, so a new one begins behind the last row seen, as HBase's own client does. Not where
   * that would change what is found: filters may remember rows, and reversed scans and pieces of rows have no such place.
   */
  resume() {
    const { filter, batch, reversed } = this.scan;
    if (filter !== undefined || batch > 0 || reversed) return false;
    this.scanner = undefined;
    if (this.last === undefined) return true;
    const { limit } = this.scan;
    if (limit > 0 && this.seen >= limit) return false;
    this.scan = { ...this.scan, start: Buffer.concat([this.last, Buffer.alloc(1)]), limit: limit > 0 ? limit - this.seen : limit };
    this.seen = 0;
    return true;
  }

  /** Adapts how many rows are asked for, and remembers the place. */
  measure(results) {
    if (results.length === 0) return;
    this.last = results[results.length - 1].row;
    this.seen += results.length;
    if (this.scan.caching > 0) return;
    let bytes = 0;
    for (const { columnValues } of results) for (const { family, qualifier, value } of columnValues) bytes += family.length + qualifier.length + value.length + CELL_BYTES;
    if (bytes > BLOCK_BYTES * 2) this.rows = Math.max(1, this.rows >> 1);
    else if (results.length === this.rows && bytes < BLOCK_BYTES / 2) this.rows = Math.min(ROWS_MAX, this.rows * 2);
  }

  /** Lets the server forget the scanner; if it cannot be told, its lease will. */
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
    this.tellClosed();
    // A call on the scanner may be under way: it is closed behind it.
    if (this.coming !== undefined) this.backend.background(this.coming.finally(() => this.end()));
    else this.end();
  }
}

module.exports = { RemoteSource };
