'use strict';
/** Scans: iterators over rows, which are fetched in blocks. */

const { inspect } = require('node:util');
const { refuseClones } = require('./cloning.js');
const { locate } = require('./location.js');
const { escaped, signalOf } = require('./options.js');
const { PLAIN } = require('./reading.js');
const { traced } = require('./tracing.js');

/** The common part of both forms of a scan. */
class BaseScan {
  #backend;
  #open;
  #source;
  #place;
  #reading;
  /** Whether the program has been told that there are no more rows, or has closed the scan. */
  #isOver = false;
  _block = [];
  _at = 0;
  _ended = false;

  constructor(backend, table, scan, signal, where, reading = PLAIN) {
    signalOf({ signal }, where);
    this.#backend = backend;
    this.#open = () => backend.scan(table, scan, signal);
    this.#place = { where, table };
    this.#reading = reading;
    this._ended = scan.limit === 0;
    refuseClones(this);
  }

  /** The method of the program. */
  get _where() {
    return this.#place.where;
  }

  /** Adds to an error that the scan failed, and the stack of the code that reads the scan. */
  _located(error, below) {
    const { where, table } = this.#place;
    return locate(error, where, { table }, below);
  }

  get _backend() {
    return this.#backend;
  }

  /** Fetches a block, which is a separate call for diagnostics. */
  _traced(fetch) {
    return traced(this.#place.where, this.#place, fetch);
  }

  /** A block in the form that the program reads. */
  _read(block) {
    return this.#reading.rows(block);
  }

  /** The block source, opened on first use. */
  get _source() {
    this.#source ??= this.#open();
    return this.#source;
  }

  [inspect.custom](_depth, options, print) {
    const { table } = this.#place;
    return `${this.constructor.name} ${print({ table, state: this._ended ? 'closed' : 'open' }, options)}`;
  }

  /** Whether a row can be returned without fetching a block. None is once the database has been closed. */
  get _hasRow() {
    return this._at < this._block.length && !this.#backend.isClosed;
  }

  /** Notes that the program has been told that there are no more rows. */
  _over() {
    this.#isOver = true;
  }

  /**
   * Checks that a loop over the scan does not begin when it is over: such a loop would do nothing, as if the table were
   * empty.
   */
  _begin(caller) {
    if (!this.#isOver) return;
    const { where, table } = this.#place;
    const error = new TypeError(
      `${where}: table "${escaped(table)}": the rows of this scan have been read, or it was closed: call ${where}() again for another scan, or keep the rows of toArray()`,
    );
    Error.captureStackTrace(error, caller);
    throw error;
  }

  /** Ends the scan and releases its resources. Idempotent. */
  close() {
    this.#isOver = true;
    this._ended = true;
    this._block = [];
    this._at = 0;
    this.#source?.close();
  }
}

/**
 * An asynchronous iterator over the rows of a scan. It fetches one block ahead of the program and no more, so a slow
 * program slows the scan down.
 */
class Scan extends BaseScan {
  /** The last call that has not been answered, if any: concurrent calls are answered in their order. */
  #turn;
  /** Whether blocks are fetched although the database is being closed. */
  #isKept = false;

  constructor(backend, table, scan, signal, where = 'scan', reading = undefined) {
    super(backend, table, scan, signal, where, reading);
  }

  /** Only says what to use instead. */
  [Symbol.iterator]() {
    throw new TypeError('scan: rows are read asynchronously: use `for await`, or scanSync() with `for`');
  }

  /** The next row: { value, done }. */
  next() {
    if (this.#turn === undefined && this._hasRow) return Promise.resolve({ value: this._take(), done: false });
    return this.#inTurn(() => ({ value: this._take(), done: false }), { value: undefined, done: true });
  }

  /**
   * Calls `take` once a row has been fetched and all earlier calls have been answered; `end` at the end of the scan.
   * Nothing else may be chained to the promise: V8 follows only a single `await` of it, and the stacks of errors name
   * the functions of the program that wait.
   */
  async #inTurn(take, end) {
    const { deferred, isClosed } = this._backend;
    const mayFetch = !isClosed || this.#isKept;
    const ended = deferred.begin();
    const before = this.#turn;
    let answered;
    const turn = new Promise((resolve) => {
      answered = resolve;
    });
    this.#turn = turn;
    try {
      if (before !== undefined) await before;
      // Checked again, since the scan may have been closed in the meantime.
      while (this._at >= this._block.length || !mayFetch) {
        if (!(await this.#fetched(mayFetch))) return end;
      }
      return take();
    } finally {
      if (this.#turn === turn) this.#turn = undefined;
      answered();
      ended();
    }
  }

  /**
   * Reads the scan to its end, even if the database is closed meanwhile: `close` waits for it.
   * @template T
   * @param {() => Promise<T>} read must not wait for the program
   * @returns {Promise<T>}
   */
  async _whole(read) {
    const { deferred, isClosed } = this._backend;
    // A call that begins after `close` must not delay it.
    if (isClosed) return await read();
    const ended = deferred.begin();
    this.#isKept = true;
    try {
      return await read();
    } finally {
      ended();
    }
  }

  _take() {
    const row = this._block[this._at];
    this._at += 1;
    return row;
  }

  /** Fetches a block unless rows are left; false at the end. Errors get the stack of the code that awaits the call. */
  #fetched(mayFetch) {
    return this.#fetch(mayFetch).catch((error) => {
      throw this._located(error, this.#inTurn);
    });
  }

  async #fetch(mayFetch) {
    if (mayFetch && this._at < this._block.length) return true;
    if (this._ended) {
      this._over();
      return false;
    }
    let block;
    try {
      if (!mayFetch) throw this._backend.closedError();
      block = await this._traced(() => this._source.next());
    } catch (error) {
      this.close();
      throw error;
    }
    if (this._ended || block.length === 0) {
      this.close();
      return false;
    }
    this._block = this._read(block);
    this._at = 0;
    return true;
  }

  /** The rest of the current block, or the next block; empty at the end. Faster than reading row by row. */
  nextBlock() {
    return this.#inTurn(() => {
      const rest = this._at === 0 ? this._block : this._block.slice(this._at);
      this._at = this._block.length;
      return rest;
    }, []);
  }

  /** All remaining rows. */
  async toArray() {
    this._begin(this.toArray);
    return await this._whole(async () => {
      const all = [];
      for (;;) {
        const block = await this.nextBlock();
        if (block.length === 0) return all;
        for (const row of block) all.push(row);
      }
    });
  }

  /** Closes the scan; `break` in a `for await` loop calls this. */
  return(value) {
    this.close();
    return Promise.resolve({ value, done: true });
  }

  async throw(error) {
    this.close();
    throw error;
  }

  [Symbol.asyncIterator]() {
    this._begin(this[Symbol.asyncIterator]);
    return this;
  }
}

/** An iterator over the rows of a scan, on the calling thread. */
class SyncScan extends BaseScan {
  constructor(backend, table, scan, signal, where = 'scanSync', reading = undefined) {
    super(backend, table, scan, signal, where, reading);
    this._signal = signal;
  }

  next() {
    if (!this._hasRow && !this._fetch()) return { value: undefined, done: true };
    const value = this._block[this._at];
    this._at += 1;
    return { value, done: false };
  }

  _fetch() {
    if (this._ended) {
      this._over();
      return false;
    }
    let block;
    try {
      if (this._backend.isClosed) throw this._backend.closedError();
      this._signal?.throwIfAborted();
      block = this._source.nextSync(this._where);
    } catch (error) {
      this.close();
      throw this._located(error, this._fetch);
    }
    if (block.length === 0) {
      this.close();
      return false;
    }
    this._block = this._read(block);
    this._at = 0;
    return true;
  }

  /** The rest of the current block, or the next block; empty at the end. */
  nextBlock() {
    if (!this._hasRow && !this._fetch()) return [];
    const rest = this._at === 0 ? this._block : this._block.slice(this._at);
    this._at = this._block.length;
    return rest;
  }

  toArray() {
    return [...this];
  }

  return(value) {
    this.close();
    return { value, done: true };
  }

  [Symbol.iterator]() {
    this._begin(this[Symbol.iterator]);
    return this;
  }
}

Scan.prototype[Symbol.asyncDispose] = function dispose() {
  this.close();
  return Promise.resolve();
};
SyncScan.prototype[Symbol.dispose] = SyncScan.prototype.close;

module.exports = { Scan, SyncScan };
