'use strict';
/**
 * Writes requests, which the native module's `request.rs` reads: little-endian numbers, and byte strings preceded by
 * their length. What it is given must not run code of the program, which could begin another request.
 */

const { lengthOf } = require('../bytes.js');

/**
 * A cursor over memory. When the memory is full it is replaced, never overwritten, since answers in it may still be
 * in use.
 */
class RequestWriter {
  /** The memory being written to. */
  memory;
  /** The position of the next byte. */
  at = 0;
  /** The position at which the current request begins. */
  from = 0;
  #size;
  #view;

  /** @param {number} size in bytes, of each piece of memory */
  constructor(size) {
    this.#size = size;
    this.#renew(size);
  }

  #renew(size) {
    this.memory = Buffer.allocUnsafeSlow(size);
    this.#view = new DataView(this.memory.buffer, this.memory.byteOffset, size);
  }

  /** Begins a request at position `at` and makes sure that `least` bytes are free there. */
  begin(at, least) {
    this.from = at;
    this.at = at;
    this.#reserve(least);
  }

  #reserve(bytes) {
    if (this.at + bytes > this.memory.length) this.#move(bytes);
  }

  /** Continues in new memory, into which the current request is copied. */
  #move(bytes) {
    const begun = this.memory.subarray(this.from, this.at);
    this.#renew(Math.max(this.#size, (begun.length + bytes) * 2));
    begun.copy(this.memory, 0);
    this.at = begun.length;
    this.from = 0;
  }

  /** Replaces memory that has grown large. */
  shrink() {
    if (this.memory.length > this.#size * 16) this.#renew(this.#size);
  }

  u8(value) {
    this.#reserve(1);
    this.memory[this.at] = value;
    this.at += 1;
  }

  flag(value) {
    this.u8(value ? 1 : 0);
  }

  u32(value) {
    this.#reserve(4);
    this.#view.setUint32(this.at, value, true);
    this.at += 4;
  }

  /** Overwrites a number that was written before. */
  u32At(at, value) {
    this.#view.setUint32(at, value, true);
  }

  i32(value) {
    this.u32(value >>> 0);
  }

  /** @param {number | bigint} value an integer within 64 bits */
  i64(value) {
    this.#reserve(8);
    if (typeof value === 'bigint') {
      this.#view.setBigInt64(this.at, value, true);
    } else {
      this.#view.setUint32(this.at, value >>> 0, true);
      this.#view.setInt32(this.at + 4, Math.floor(value / 0x100000000), true);
    }
    this.at += 8;
  }

  /** @param {Uint8Array} value */
  bytes(value) {
    const length = lengthOf(value);
    this.#reserve(4 + length);
    this.#view.setUint32(this.at, length, true);
    this.memory.set(value, this.at + 4);
    this.at += 4 + length;
  }

  /** @param {string} value */
  text(value) {
    this.bytes(Buffer.from(value, 'utf8'));
  }

  /** An optional value, after a flag that says whether it is present. */
  maybe(value, write) {
    this.flag(value !== undefined);
    if (value !== undefined) write(this, value);
  }

  /** A list: its length, then each element. */
  list(values, write) {
    this.u32(values.length);
    for (const value of values) write(this, value);
  }
}

module.exports = { RequestWriter };
