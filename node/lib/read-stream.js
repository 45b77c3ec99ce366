'use strict';
/** A scan as a Node stream. */

const { Readable } = require('node:stream');
const { whole } = require('./options.js');

/** The default number of buffered rows at which the scan pauses. */
const ROWS_BUFFERED = 256;

/**
 * A Readable of the rows of a scan. The scan proceeds only while the stream's buffer has room. Destroying the stream,
 * as `pipeline` and leaving a `for await` loop do, closes the scan.
 */
class RowReadStream extends Readable {
  #scan;
  #reading = false;

  /** @param {import('./scan.js').Scan} scan @param {number | undefined} highWaterMark */
  constructor(scan, highWaterMark) {
    super({
      objectMode: true,
      highWaterMark: whole(highWaterMark, 'createReadStream: option `highWaterMark`', 1, 2 ** 30, ROWS_BUFFERED),
    });
    this.#scan = scan;
  }

  /** Pushes rows until the buffer is full. Node may call this again while rows are being pushed. */
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
