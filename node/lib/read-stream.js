'use strict';
/** A scan as a Node stream of rows. */

const { Readable } = require('node:stream');
const { whole } = require('./options.js');

/** Rows that wait in the stream before the scan pauses. */
const ROWS_WAITING = 256;

/**
 * Rows of a scan, one object each. The scan goes on only while the stream wants rows; destroying the stream (as `pipeline` and leaving a `for await` do)
 * closes it.
 */
class RowReadStream extends Readable {
  #scan;
  #reading = false;

  /** @param {import('./scan.js').Scan} scan @param {number | undefined} highWaterMark */
  constructor(scan, highWaterMark) {
    super({ objectMode: true, highWaterMark: whole(highWaterMark, 'createReadStream: option `highWaterMark`', 1, 2 ** 30, ROWS_WAITING) });
    this.#scan = scan;
  }

  /** Rows are pushed up to the first that is one too many; Node asks again when there is room, and at times while rows are being pushed. */
  async _read() {
    if (this.#reading) return;
    this.#reading = true;
    try {
      for (;;) {
        const { value, done } = await this.#scan.next();
        if (this.destroyed) return;
        if (done) return void this.push(null);
        if (!this.push(value)) return;
      }
    } catch (error) {
      this.destroy(error);
    } finally {
      this.#reading = false;
    }
  }

  _destroy(error, callback) {
    this.#scan.close();
    callback(error);
  }
}

module.exports = { RowReadStream };
