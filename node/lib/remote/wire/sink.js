'use strict';
/** Bytes being written: a buffer that grows. */

const FIRST_SIZE = 512;

class Sink {
  constructor() {
    this.buffer = Buffer.allocUnsafe(FIRST_SIZE);
    this.length = 0;
  }

  /** Makes room for so many more bytes and returns where they begin; `buffer` may be another one afterwards. */
  take(count) {
    const at = this.length;
    const end = at + count;
    if (end > this.buffer.length) {
      const larger = Buffer.allocUnsafe(Math.max(end, this.buffer.length * 2));
      this.buffer.copy(larger, 0, 0, at);
      this.buffer = larger;
    }
    this.length = end;
    return at;
  }

  /** The place is taken first: that may replace the buffer. */
  byte(value) {
    const at = this.take(1);
    this.buffer[at] = value;
  }

  bytes(bytes) {
    const at = this.take(bytes.length);
    this.buffer.set(bytes, at);
  }

  /** What was written so far; valid until more is. */
  written() {
    return this.buffer.subarray(0, this.length);
  }
}

/** The upper and lower half of a whole number, as two's complement. Refuses what has no 64 bits instead of rounding it. */
function halves(value) {
  if (typeof value === 'number') {
    if (!Number.isSafeInteger(value)) throw new RangeError(`${value} is not a whole number that a number can hold exactly: give a bigint`);
    return [Math.floor(value / 0x100000000), value >>> 0];
  }
  if (BigInt.asIntN(64, value) !== value) throw new RangeError(`${value} does not fit into 64 bits`);
  return [Number(value >> 32n), Number(value & 0xffffffffn)];
}

/** Two halves as a number if it holds them exactly, else as a bigint. */
function joined(high, low) {
  return high >= -0x200000 && high < 0x200000 && !(high === -0x200000 && low === 0)
    ? high * 0x100000000 + low
    : (BigInt(high) << 32n) | BigInt(low);
}

module.exports = { Sink, halves, joined };
