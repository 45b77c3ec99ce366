'use strict';
/**
 * A scan in the engine. Reads ahead one block while the program handles the previous one, from the second block on: a
 * program that takes the first row, and no more, would wait for a block that it does not want.
 */

const { OPERATIONS } = require('../backend.js');

/** Closes scans that were garbage-collected before their end, so that they release their snapshot. */
const collected = new FinalizationRegistry(({ native, number }) => native.closeScan(number));

class BlockSource {
  #backend;
  #native;
  #number;
  #begin;
  /** How many rows are left to the scan's limit. */
  #left;
  #signal;
  #ahead;
  #isFirst = true;
  #closed = false;

  constructor(backend, native, number, begin, signal) {
    this.#backend = backend;
    this.#native = native;
    this.#number = number;
    this.#begin = begin;
    this.#left = begin.scan.limit > 0 && begin.scan.batch === 0 ? begin.scan.limit : Number.POSITIVE_INFINITY;
    this.#signal = signal;
    collected.register(this, { native, number }, this);
  }

  #request() {
    const request = { number: this.#number, begin: this.#begin };
    this.#begin = undefined;
    return request;
  }

  #requestBlock() {
    const block = this.#backend.run(OPERATIONS.nextBlock, this.#request(), this.#signal);
    // A failure is reported by the next `next()`; until then it must not count as an unhandled rejection.
    block.catch(() => {});
    return block;
  }

  /** The first block, or its promise. It is read here if that takes no longer than passing the call to a thread. */
  #firstBlock() {
    const begin = this.#begin;
    // Reads with filters are never short.
    if (begin.scan.filter === undefined && !this.#signal?.aborted) {
      const block = this.#backend.runShort(OPERATIONS.nextBlock, { number: this.#number, begin });
      if (block !== undefined) {
        this.#begin = undefined;
        return block;
      }
      // It may have been begun.
      this.#native.closeScan(this.#number);
    }
    return this.#requestBlock();
  }

  /** @returns {Promise<import('../row.js').Row[]>} */
  async next() {
    if (this.#closed) return [];
    let block;
    try {
      const requested = this.#ahead ?? (this.#isFirst ? this.#firstBlock() : this.#requestBlock());
      this.#ahead = undefined;
      block = await requested;
    } catch (error) {
      const wasClosed = this.#closed;
      this.close();
      if (wasClosed && error.code === 'CANCELLED') return [];
      throw error;
    }
    if (this.#closed) {
      // If this was the first block, the engine may have begun the scan after it was closed here.
      this.#native.closeScan(this.#number);
      return [];
    }
    this.#left -= block.length;
    if (block.length === 0 || this.#left <= 0) this.close();
    else if (!this.#isFirst) this.#ahead = this.#requestBlock();
    this.#isFirst = false;
    return block;
  }

  nextSync() {
    if (this.#closed) return [];
    const block = this.#backend.runSync(OPERATIONS.nextBlock, this.#request());
    this.#left -= block.length;
    if (block.length === 0 || this.#left <= 0) this.close();
    return block;
  }

  close() {
    if (this.#closed) return;
    this.#closed = true;
    collected.unregister(this);
    if (this.#begin === undefined) this.#native.closeScan(this.#number);
    this.#ahead?.then(
      () => this.#native.closeScan(this.#number),
      () => {},
    );
    this.#ahead = undefined;
  }
}

module.exports = { BlockSource };
