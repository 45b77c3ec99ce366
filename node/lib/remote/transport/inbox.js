'use strict';
/**
 * The bytes of one answer while they arrive.
 *
 * An answer in one piece is handed on as it came; pieces are gathered in a buffer that doubles, so that the cost stays linear. Memory grows with what has
 * arrived, never with what is promised.
 */
const { WireError } = require('../wire/types');

class Inbox {
  /** `find(buffer, length)`: where the answer lies in the first `length` bytes, as [from, to], or undefined while it is incomplete. */
  constructor(find, bytesMax) {
    this.find = find;
    this.bytesMax = bytesMax;
    this.buffer = undefined;
    this.length = 0;
  }

  /** Takes a piece; returns the answer once it is complete. */
  add(chunk) {
    this.gather(chunk);
    const found = this.find(this.buffer, this.length);
    if (found === undefined) {
      if (this.length > this.bytesMax) throw new WireError(`the answer is longer than ${this.bytesMax} bytes (responseBytesMax)`);
      return undefined;
    }
    const [from, to] = found;
    if (to !== this.length) throw new WireError(`${this.length - to} bytes follow the answer, which nobody asked for`);
    return this.buffer.subarray(from, to);
  }

  gather(chunk) {
    const length = this.length + chunk.length;
    if (this.buffer === undefined) {
      this.buffer = chunk;
    } else {
      if (length > this.buffer.length) {
        const larger = Buffer.allocUnsafe(Math.max(length, this.buffer.length * 2));
        this.buffer.copy(larger, 0, 0, this.length);
        this.buffer = larger;
      }
      this.buffer.set(chunk, this.length);
    }
    this.length = length;
  }
}

/** For transport `buffered`: messages follow each other, their own bytes say where they end. */
function unframed(measurer) {
  return (buffer, length) => {
    const end = measurer.feed(buffer, length);
    return end === undefined ? undefined : [0, end];
  };
}

/** For transport `framed`: four bytes of length go first. */
function framed(bytesMax) {
  return (buffer, length) => {
    if (length < 4) return undefined;
    const size = buffer.readUInt32BE(0);
    if (size > bytesMax) throw new WireError(`the answer announces ${size} bytes; ${bytesMax} is the limit (responseBytesMax). Is the server's transport framed?`);
    return length >= 4 + size ? [4, 4 + size] : undefined;
  };
}

module.exports = { Inbox, unframed, framed };
