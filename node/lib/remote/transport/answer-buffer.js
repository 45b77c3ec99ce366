'use strict';
/**
 * Collects the bytes of one answer.
 *
 * An answer that arrives in one chunk is not copied. Further chunks are appended to a buffer that doubles, so that
 * the cost stays linear. Memory grows with the bytes received, never with the length announced. Bytes that follow the
 * answer belong to the next one on the connection.
 */
const { AnswerTooLong, WireError } = require('../wire/types');

class AnswerBuffer {
  /**
   * `find(buffer, length)` returns the position of the answer in the first `length` bytes, [from, to], or undefined
   * while it is incomplete.
   */
  constructor(find, bytesMax) {
    this.find = find;
    this.bytesMax = bytesMax;
    this.buffer = undefined;
    this.length = 0;
    /** The bytes that follow the answer, once it is complete. */
    this.rest = undefined;
  }

  /** Adds a chunk; returns the answer once it is complete. */
  add(chunk) {
    this.append(chunk);
    const found = this.find(this.buffer, this.length);
    if (found === undefined) {
      if (this.length > this.bytesMax) throw new AnswerTooLong(`has at least ${this.length} bytes`, this.bytesMax);
      return undefined;
    }
    const [from, to] = found;
    this.rest = this.buffer.subarray(to, this.length);
    return this.buffer.subarray(from, to);
  }

  append(chunk) {
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

/** Finds answers of the transport `buffered`, whose end follows from their content. */
function unframed(measurer) {
  return (buffer, length) => {
    const end = measurer.feed(buffer, length);
    return end === undefined ? undefined : [0, end];
  };
}

/** No limit may be higher. As a length, what other transports and other programs send first is greater. */
const FRAME_BYTES_MAX = 2 ** 30;

/** Finds answers of the transport `framed`, which begin with their length in four bytes. */
function framed(bytesMax) {
  return (buffer, length) => {
    if (length < 4) return undefined;
    const size = buffer.readUInt32BE(0);
    if (size > FRAME_BYTES_MAX)
      throw new WireError(`the answer does not begin with the length of a frame: is the server's transport framed?`);
    if (size > bytesMax) throw new AnswerTooLong(`has ${size} bytes`, bytesMax);
    return length >= 4 + size ? [4, 4 + size] : undefined;
  };
}

module.exports = { AnswerBuffer, unframed, framed };
