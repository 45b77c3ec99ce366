'use strict';
/** Scans: rows one after the other, brought in block by block. */

const { signalOf } = require('./options.js');

/** What both forms of a scan share: where rows come from. */
class Rows {
  #open;
  #source;
  _block = [];
  _at = 0;
  _ended = false;

  constructor(backend, table, scan, signal, where) {
    signalOf({ signal }, where);
    this.#open = () => backend.scan(table, scan, signal);
  }

  /** The source, opened when it is first needed. */
  get _source() {
    this.#source ??= this.#open();
    return this.#source;
  }

  /** Ends the scan and lets go of what it holds; idempotent. */
  close() {
    this._ended = true;
    this._block = [];
    this._at = 0;
    this.#source?.close();
  }
}

/**
 * A scan under way, for `for await`. While the program handles a block of rows the next is brought in, and no more: a slow program holds back the scan.
 */
class Scan extends Rows {
  /** Whoever asks for a block waits for whoever asked before. */
  #turn;

  constructor(backend, table, scan, signal) {
    super(backend, table, scan, signal, 'scan');
  }

  /** The next row: { value, done }. */
  next() {
    if (this._at < this._block.length) return Promise.resolve({ value: this._take(), done: false });
    return this._nextOfBlock();
  }

  async _nextOfBlock() {
    while (this._at >= this._block.length) {
      if (!(await this._fetch())) return { value: undefined, done: true };
    }
    return { value: this._take(), done: false };
  }

  _take() {
    const row = this._block[this._at];
    this._at += 1;
    return row;
  }

  /** Brings in a block, in turn with others who asked; false at the end. */
  _fetch() {
    const brought = this.#turn === undefined ? this.#bring() : this.#turn.then(() => this.#bring());
    const over = () => {
      if (this.#turn === turn) this.#turn = undefined;
    };
    const turn = brought.then(over, over);
    this.#turn = turn;
    return brought;
  }

  async #bring() {
    if (this._at < this._block.length) return true;
    if (this._ended) return false;
    let block;
    try {
      block = await this._source.next();
    } catch (error) {
      this.close();
      throw error;
    }
    if (this._ended || block.length === 0) {
      this.close();
      return false;
    }
    this._block = block;
    this._at = 0;
    return true;
  }

  /** What the program has not yet seen of the block at hand, or the next block; an empty array at the end. For reading faster than row by row. */
  async nextBlock() {
    while (this._at >= this._block.length) {
      if (!(await this._fetch())) return [];
    }
    const rest = this._at === 0 ? this._block : this._block.slice(this._at);
    this._at = this._block.length;
    return rest;
  }

  /** All rows that are left, in one array. */
  async toArray() {
    const all = [];
    for (;;) {
      const block = await this.nextBlock();
      if (block.length === 0) return all;
      for (const row of block) all.push(row);
    }
  }

  /** What `break` calls. */
  return(value) {
    this.close();
    return Promise.resolve({ value, done: true });
  }

  async throw(error) {
    this.close();
    throw error;
  }

  [Symbol.asyncIterator]() {
    return this;
  }
}

/** A scan for `for`, on the calling thread. */
class SyncScan extends Rows {
  constructor(backend, table, scan, signal) {
    super(backend, table, scan, signal, 'scanSync');
    this._signal = signal;
  }

  next() {
    if (this._at >= this._block.length && !this._fetch()) return { value: undefined, done: true };
    const value = this._block[this._at];
    this._at += 1;
    return { value, done: false };
  }

  _fetch() {
    if (this._ended) return false;
    let block;
    try {
      this._signal?.throwIfAborted();
      block = this._source.nextSync();
    } catch (error) {
      this.close();
      throw error;
    }
    if (block.length === 0) {
      this.close();
      return false;
    }
    this._block = block;
    this._at = 0;
    return true;
  }

  /** The same as {@link Scan#nextBlock}. */
  nextBlock() {
    if (this._at >= this._block.length && !this._fetch()) return [];
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
    return this;
  }
}

Scan.prototype[Symbol.asyncDispose] = function dispose() {
  this.close();
  return Promise.resolve();
};
SyncScan.prototype[Symbol.dispose] = SyncScan.prototype.close;

module.exports = { Scan, SyncScan };
