'use strict';
/**
 * Finds the end of an unframed message while its bytes arrive.
 *
 * Nothing is decoded, and no byte is read twice: the measurer keeps its state (a position and the enclosing
 * structures) from chunk to chunk, so a long answer in many chunks takes one pass. The position may lie beyond the
 * bytes received. Lengths and counts are checked against the message limit before any memory is allocated for them.
 */
const { AnswerTooLong, BINARY, COMPACT, DEPTH_MAX, WireError } = require('./types');

const BINARY_SIZES = [];
for (const [kind, size] of [
  ['bool', 1],
  ['i8', 1],
  ['i16', 2],
  ['i32', 4],
  ['i64', 8],
  ['double', 8],
])
  BINARY_SIZES[BINARY[kind]] = size;
/** In place of the number of elements left: the level is a struct, which ends with a stop field. */
const FIELDS = -1;
/** The result of a step that needs more bytes and has consumed none. */
const SHORT = -1;

class Measurer {
  /** `bytesMax` is the length of the longest message accepted. */
  constructor(bytesMax) {
    this.bytesMax = bytesMax;
    this.at = 0;
    this.begun = false;
    /** The enclosing levels: the number of elements left (or FIELDS), and their types, which alternate in a map. */
    this.open = [];
  }

  /** The length of the message whose first `end` bytes are in `buffer`; undefined while it is incomplete. */
  feed(buffer, end) {
    if (!this.begun && !this.begin(buffer, end)) return undefined;
    while (this.open.length > 0) {
      if (this.at > this.bytesMax) throw new AnswerTooLong(`has at least ${this.at} bytes`, this.bytesMax);
      if (this.at > end) return undefined;
      const top = this.open[this.open.length - 1];
      if (top.left === 0) this.open.pop();
      else if (top.left === FIELDS ? !this.nextField(buffer, end) : !this.nextElement(top, buffer, end))
        return undefined;
    }
    return this.at <= end ? this.at : undefined;
  }

  nextElement(top, buffer, end) {
    const type = top.second !== undefined && top.left % 2 === 1 ? top.second : top.first;
    if (!this.value(type, buffer, end)) return false;
    top.left--;
    return true;
  }

  push(left, first, second) {
    if (this.open.length >= DEPTH_MAX) throw new WireError(`the answer is nested more than ${DEPTH_MAX} levels deep`);
    this.open.push({ left, first, second });
  }

  /**
   * Checks an announced number of bytes, or of elements, each of which takes at least one byte. `from` is the number of
   * bytes before them.
   */
  checked(count, from) {
    if (count < 0) throw new WireError(`the answer announces ${count} bytes or elements`);
    if (from + count > this.bytesMax) throw new AnswerTooLong(`has at least ${from + count} bytes`, this.bytesMax);
    return count;
  }
}

class BinaryMeasurer extends Measurer {
  /** Measures the header: version and type, length of the name, name, sequence number. */
  begin(buffer, end) {
    if (end < 8) return false;
    if (buffer.readUInt16BE(0) !== 0x8001)
      throw new WireError('the answer is not in the binary protocol: do transport and protocol match the server?');
    this.at = 12 + this.checked(buffer.readInt32BE(4), 12);
    this.begun = true;
    this.push(FIELDS);
    return true;
  }

  nextField(buffer, end) {
    if (end < this.at + 1) return false;
    const type = buffer[this.at];
    if (type === 0) {
      this.at += 1;
      this.open.pop();
      return true;
    }
    if (end < this.at + 3) return false;
    this.at += 3;
    if (this.value(type, buffer, end)) return true;
    this.at -= 3;
    return false;
  }

  /** Skips a value, or enters it if it is a container; false if more bytes are needed for that. */
  value(type, buffer, end) {
    const size = BINARY_SIZES[type];
    if (size !== undefined) {
      this.at += size;
    } else if (type === BINARY.struct) {
      this.push(FIELDS);
    } else if (type === BINARY.binary) {
      if (end < this.at + 4) return false;
      this.at += 4 + this.checked(buffer.readInt32BE(this.at), this.at);
    } else if (type === BINARY.list || type === BINARY.set) {
      if (end < this.at + 5) return false;
      this.push(this.checked(buffer.readInt32BE(this.at + 1), this.at), buffer[this.at]);
      this.at += 5;
    } else if (type === BINARY.map) {
      if (end < this.at + 6) return false;
      this.push(2 * this.checked(buffer.readInt32BE(this.at + 2), this.at), buffer[this.at], buffer[this.at + 1]);
      this.at += 6;
    } else {
      throw new WireError(`the answer has a value of the unknown type ${type}`);
    }
    return true;
  }
}

class CompactMeasurer extends Measurer {
  begin(buffer, end) {
    if (end < 2) return false;
    if (buffer[0] !== 0x82)
      throw new WireError('the answer is not in the compact protocol: do transport and protocol match the server?');
    this.at = 2;
    if (this.varint(buffer, end) === SHORT) return this.back(0);
    const name = this.varint(buffer, end);
    if (name === SHORT) return this.back(0);
    this.at += this.checked(name, this.at);
    this.begun = true;
    this.push(FIELDS);
    return true;
  }

  back(to) {
    this.at = to;
    return false;
  }

  /** Reads a varint of up to 32 bits, or returns SHORT. Of a longer one only the length matters, and it is skipped. */
  varint(buffer, end) {
    let value = 0;
    for (let i = 0; i < 10; i++) {
      if (this.at + i >= end) return SHORT;
      const byte = buffer[this.at + i];
      if (i < 5) value += (byte & 0x7f) * 2 ** (7 * i);
      if (byte < 0x80) {
        this.at += i + 1;
        return value;
      }
    }
    throw new WireError('the answer has a varint of more than ten bytes');
  }

  nextField(buffer, end) {
    const start = this.at;
    if (end < start + 1) return false;
    const header = buffer[this.at++];
    if (header === 0) {
      this.open.pop();
      return true;
    }
    if (header >> 4 === 0 && this.varint(buffer, end) === SHORT) return this.back(start);
    const type = header & 0x0f;
    // The value of a bool field is part of its header.
    return type === 1 || type === 2 || this.value(type, buffer, end) || this.back(start);
  }

  value(type, buffer, end) {
    const start = this.at;
    switch (type) {
      case 1:
      case COMPACT.bool:
      case COMPACT.i8:
        this.at += 1;
        return true;
      case COMPACT.i16:
      case COMPACT.i32:
      case COMPACT.i64:
        return this.varint(buffer, end) !== SHORT;
      case COMPACT.double:
        this.at += 8;
        return true;
      case COMPACT.binary: {
        const length = this.varint(buffer, end);
        if (length === SHORT) return this.back(start);
        this.at += this.checked(length, this.at);
        return true;
      }
      case COMPACT.struct:
        this.push(FIELDS);
        return true;
      case COMPACT.list:
      case COMPACT.set: {
        if (end < start + 1) return false;
        const header = buffer[this.at++];
        const count = header >> 4 === 15 ? this.varint(buffer, end) : header >> 4;
        if (count === SHORT) return this.back(start);
        this.push(this.checked(count, this.at), header & 0x0f);
        return true;
      }
      case COMPACT.map: {
        const count = this.varint(buffer, end);
        if (count === SHORT || (count > 0 && end < this.at + 1)) return this.back(start);
        if (count > 0) {
          const kinds = buffer[this.at++];
          this.push(2 * this.checked(count, this.at), kinds >> 4, kinds & 0x0f);
        }
        return true;
      }
      default:
        throw new WireError(`the answer has a value of the unknown type ${type}`);
    }
  }
}

module.exports = { BinaryMeasurer, CompactMeasurer };
