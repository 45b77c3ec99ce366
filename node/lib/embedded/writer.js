'use strict';
/** Writing requests: numbers little-endian, byte strings behind their length. The native module's `request.rs` reads them. */

/** Memory that is written from a place on, and replaced by other where it ends: what was handed out of it stays as it is. */
class Writer {
  /** What is written to. */
  memory;
  /** Where the next byte goes. */
  at = 0;
  /** Where the request being written begins. */
  from = 0;
  #size;
  #view;

  /** @param {number} size of new memory, in bytes */
  constructor(size) {
    this.#size = size;
    this.#renew(size);
  }

  #renew(size) {
    this.memory = Buffer.allocUnsafeSlow(size);
    this.#view = new DataView(this.memory.buffer, this.memory.byteOffset, size);
  }

  /** Begins a request at `at`, where at least so many bytes are free. */
  begin(at, least) {
    this.from = at;
    this.at = at;
    this.#room(least);
  }

  #room(bytes) {
    if (this.at + bytes > this.memory.length) this.#move(bytes);
  }

  /** Goes on in other memory, to which what was written of this request is copied. */
  #move(bytes) {
    const begun = this.memory.subarray(this.from, this.at);
    this.#renew(Math.max(this.#size, (begun.length + bytes) * 2));
    begun.copy(this.memory, 0);
    this.at = begun.length;
    this.from = 0;
  }

  /** Lets go of memory that became large. */
  shrink() {
    if (this.memory.length > this.#size * 16) this.#renew(this.#size);
  }

  u8(value) {
    this.#room(1);
    this.memory[this.at] = value;
    this.at += 1;
  }

  flag(value) {
    this.u8(value ? 1 : 0);
  }

  u32(value) {
    this.#room(4);
    this.#view.setUint32(this.at, value, true);
    this.at += 4;
  }

  /** Overwrites four bytes that were written before. */
  u32At(at, value) {
    this.#view.setUint32(at, value, true);
  }

  i32(value) {
    this.u32(value >>> 0);
  }

  /** @param {number | bigint} value whole, inside 64 bits */
  i64(value) {
    this.#room(8);
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
    const { length } = value;
    this.#room(4 + length);
    this.#view.setUint32(this.at, length, true);
    this.memory.set(value, this.at + 4);
    this.at += 4 + length;
  }

  /** @param {string} value */
  text(value) {
    this.bytes(Buffer.from(value, 'utf8'));
  }

  /** A byte that says whether it is there, then what is. */
  maybe(value, write) {
    this.flag(value !== undefined);
    if (value !== undefined) write(this, value);
  }

  /** How many there are, then each. */
  list(values, write) {
    this.u32(values.length);
    for (const value of values) write(this, value);
  }
}

module.exports = { Writer };
