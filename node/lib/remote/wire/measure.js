'use strict';
/**
 * Where an unframed message ends, found while its bytes arrive.
 *
 * Nothing is decoded and nothing is looked at twice: the measurer keeps its place (a position and the structures it is inside of) from chunk to chunk, so
 * that a long answer in many pieces costs one pass. The position may lie beyond what has arrived: then that much is still to come. Lengths and counts
 * are held against the limit of a message before anybody makes room for them.
 */
const { BINARY, COMPACT, DEPTH_MAX, WireError } = require('./types');

const BINARY_SIZES = [];
for (const [kind, size] of [['bool', 1], ['i8', 1], ['i16', 2], ['i32', 4], ['i64', 8], ['double', 8]]) BINARY_SIZES[BINARY[kind]] = size;
/** One of these is open per level: a struct whose fields are read, or elements of which so many are still to come. */
const FIELDS = -1;
/** What a step says when it needs more bytes; it then has taken none. */
const SHORT = -1;

class Measurer {
  /** `bytesMax`: the longest message taken. */
  constructor(bytesMax) {
    this.bytesMax = bytesMax;
    this.at = 0;
    this.begun = false;
    /** Pairs: how many elements are left (or FIELDS), and the types of which they take turns. */
    this.open = [];
  }

  /** The length of the message of which these first `end` bytes are there; undefined while it is not complete. */
  feed(buffer, end) {
    if (!this.begun && !this.begin(buffer, end)) return undefined;
    while (this.open.length > 0) {
      if (this.at > this.bytesMax) throw new WireError(`the answer is longer than ${this.bytesMax} bytes (responseBytesMax)`);
      if (this.at > end) return undefined;
      const top = this.open[this.open.length - 1];
      if (top.left === 0) this.open.pop();
      else if (top.left === FIELDS ? !this.nextField(buffer, end) : !this.nextElement(top, buffer, end)) return undefined;
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
    if (this.open.length >= DEPTH_MAX) throw new WireError(`the answer is more than ${DEPTH_MAX} deep`);
    this.open.push({ left, first, second });
  }

  /** So many bytes or elements, none of which is smaller than a byte, are said to follow. */
  promised(count, from) {
    if (count < 0 || from + count > this.bytesMax) throw new WireError(`the answer promises ${count} bytes or elements; ${this.bytesMax} bytes is the limit (responseBytesMax)`);
    return count;
  }
}

class BinaryMeasurer extends Measurer {
  /** Version and type, the length of the name, the name, the sequence. */
  begin(buffer, end) {
    if (end < 8) return false;
    if (buffer.readUInt16BE(0) !== 0x8001) throw new WireError('the answer is not in the binary protocol: are transport and protocol those of the server?');
    this.at = 12 + this.promised(buffer.readInt32BE(4), 12);
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

  /** Passes over a value or opens it; false if its beginning is not there yet. */
  value(type, buffer, end) {
    const size = BINARY_SIZES[type];
    if (size !== undefined) {
      this.at += size;
    } else if (type === BINARY.struct) {
      this.push(FIELDS);
    } else if (type === BINARY.binary) {
      if (end < this.at + 4) return false;
      this.at += 4 + this.promised(buffer.readInt32BE(this.at), this.at);
    } else if (type === BINARY.list || type === BINARY.set) {
      if (end < this.at + 5) return false;
      this.push(this.promised(buffer.readInt32BE(this.at + 1), this.at), buffer[this.at]);
      this.at += 5;
    } else if (type === BINARY.map) {
      if (end < this.at + 6) return false;
      this.push(2 * this.promised(buffer.readInt32BE(this.at + 2), this.at), buffer[this.at], buffer[this.at + 1]);
      this.at += 6;
    } else {
      throw new WireError(`the answer has a value of type ${type}, which Thrift does not know`);
    }
    return true;
  }
}

class CompactMeasurer extends Measurer {
  begin(buffer, end) {
    if (end < 2) return false;
    if (buffer[0] !== 0x82) throw new WireError('the answer is not in the compact protocol: are transport and protocol those of the server?');
    this.at = 2;
    if (this.varint(buffer, end) === SHORT) return this.back(0);
    const name = this.varint(buffer, end);
    if (name === SHORT) return this.back(0);
    this.at += this.promised(name, this.at);
    this.begun = true;
    this.push(FIELDS);
    return true;
  }

  back(to) {
    this.at = to;
    return false;
  }

  /** A number of up to 32 bits from the current place, or SHORT. A longer one is passed over; only its length counts then. */
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
    throw new WireError('the answer has a number of more than ten bytes');
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
    // The value of a bool field stands in its header.
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
        this.at += this.promised(length, this.at);
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
        this.push(this.promised(count, this.at), header & 0x0f);
        return true;
      }
      case COMPACT.map: {
        const count = this.varint(buffer, end);
        if (count === SHORT || (count > 0 && end < this.at + 1)) return this.back(start);
        if (count > 0) {
          const kinds = buffer[this.at++];
          this.push(2 * this.promised(count, this.at), kinds >> 4, kinds & 0x0f);
        }
        return true;
      }
      default:
        throw new WireError(`the answer has a value of type ${type}, which Thrift does not know`);
    }
  }
}

module.exports = { BinaryMeasurer, CompactMeasurer };
