'use strict';
/** A scan in the engine: blocks of rows, the next one on its way while the program handles the last. */

/** Scans that nobody can go on with any more hold a snapshot no longer. */
const forgotten = new FinalizationRegistry(({ native, number }) => native.closeScan(number));

class Source {
  #backend;
  #native;
  #number;
  #begin;
  #limit;
  #signal;
  #ahead;
  #closed = false;

  constructor(backend, native, number, begin, signal) {
    this.#backend = backend;
    this.#native = native;
    this.#number = number;
    this.#begin = begin;
    this.#limit = begin.scan.limit > 0 && begin.scan.batch === 0 ? begin.scan.limit : Number.POSITIVE_INFINITY;
    this.#signal = signal;
    forgotten.register(this, { native, number }, this);
  }

  #request() {
    const request = { number: this.#number, begin: this.#begin };
    this.#begin = undefined;
    return request;
  }

  #ask() {
    const block = this.#backend.run('nextBlock', this.#request(), this.#signal);
    // Whoever asks next sees the failure; until then nobody may.
    block.catch(() => {});
    return block;
  }

  /** @returns {Promise<import('../row.js').Row[]>} */
  async next() {
    if (this.#closed) return [];
    const asked = this.#ahead ?? this.#ask();
    this.#ahead = undefined;
    let block;
    try {
      block = await asked;
    } catch (error) {
      const wasClosed = this.#closed;
      this.close();
      if (wasClosed && error.code === 'CANCELLED') return [];
      throw error;
    }
    if (this.#closed) {
      // The first block may have begun the scan after it was closed here.
      this.#native.closeScan(this.#number);
      return [];
    }
    this.#limit -= block.length;
    if (block.length === 0 || this.#limit <= 0) this.close();
    else this.#ahead = this.#ask();
    return block;
  }

  nextSync() {
    if (this.#closed) return [];
    const block = this.#backend.runSync('nextBlock', this.#request());
    this.#limit -= block.length;
    if (block.length === 0 || this.#limit <= 0) this.close();
    return block;
  }

  close() {
    if (this.#closed) return;
    this.#closed = true;
    forgotten.unregister(this);
    if (this.#begin === undefined) this.#native.closeScan(this.#number);
    this.#ahead?.then(
      () => this.#native.closeScan(this.#number),
      () => {},
    );
    this.#ahead = undefined;
  }
}

module.exports = { Source };
