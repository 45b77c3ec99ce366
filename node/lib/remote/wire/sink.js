'use strict';
/** A growing buffer to write to, and conversions of 64-bit numbers. */

const { lengthOf } = require('../../bytes.js');

const FIRST_SIZE = 512;

class Sink {
  constructor() {
    this.buffer = Buffer.allocUnsafe(FIRST_SIZE);
    this.length = 0;
  }

  /** Reserves `count` bytes and returns their position. May replace `buffer`. */
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

  byte(value) {
    const at = this.take(1);
    this.buffer[at] = value;
  }

  bytes(bytes) {
    const at = this.take(lengthOf(bytes));
    this.buffer.set(bytes, at);
  }

  /** The bytes written so far, valid until the next write. */
  written() {
    return this.buffer.subarray(0, this.length);
  }
}

/** The upper and lower half of an integer in two's complement. Throws instead of rounding. */
function halves(value) {
  if (typeof value === 'number') {
    if (!Number.isSafeInteger(value))
      throw new RangeError(`${value} is not an integer that a number represents exactly: use a bigint`);
    return [Math.floor(value / 0x100000000), value >>> 0];
  }
  if (BigInt.asIntN(64, value) !== value) throw new RangeError(`${value} does not fit into 64 bits`);
  return [Number(value >> 32n), Number(value & 0xffffffffn)];
}

/** Joins two halves: to a number if that is exact, otherwise to a bigint. */
function joined(high, low) {
  return high >= -0x200000 && high < 0x200000 && !(high === -0x200000 && low === 0)
    ? high * 0x100000000 + low
    : (BigInt(high) << 32n) | BigInt(low);
}

module.exports = { Sink, halves, joined };
