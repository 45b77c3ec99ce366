'use strict';
/** Thrift's compact protocol: variable-length integers, and field numbers as differences. */
const { lengthOf } = require('../../bytes.js');
const { Sink, halves, joined } = require('./sink');
const { COMPACT, WireError } = require('./types');

const PROTOCOL = 0x82;
const VERSION = 1;
const TRUE = 1;
const FALSE = 2;
/** The length of a 64-bit varint, at seven bits per byte. */
const VARINT_BYTES_MAX = 10;

class CompactWriter extends Sink {
  constructor() {
    super();
    this.last = 0;
    this.outer = [];
  }

  messageBegin(name, type, sequence) {
    const at = this.take(2);
    this.buffer[at] = PROTOCOL;
    this.buffer[at + 1] = VERSION | (type << 5);
    this.varint(sequence);
    this.string(name);
  }

  /** Field numbers are encoded as differences within their struct. */
  structBegin() {
    this.outer.push(this.last);
    this.last = 0;
  }

  structEnd() {
    this.byte(0);
    this.last = this.outer.pop();
  }

  fieldHeader(id, number) {
    const delta = id - this.last;
    this.last = id;
    if (delta > 0 && delta <= 15) {
      this.byte((delta << 4) | number);
    } else {
      this.byte(number);
      this.i16(id);
    }
  }

  field(id, kind) {
    this.fieldHeader(id, COMPACT[kind]);
  }

  boolField(id, value) {
    this.fieldHeader(id, value ? TRUE : FALSE);
  }

  listBegin(kind, count) {
    if (count < 15) {
      this.byte((count << 4) | COMPACT[kind]);
    } else {
      this.byte(0xf0 | COMPACT[kind]);
      this.varint(count);
    }
  }

  mapBegin(key, value, count) {
    this.varint(count);
    if (count > 0) this.byte((COMPACT[key] << 4) | COMPACT[value]);
  }

  bool(value) {
    this.byte(value ? TRUE : FALSE);
  }

  i8(value) {
    this.byte(value & 0xff);
  }

  i16(value) {
    this.i32(value);
  }

  i32(value) {
    this.varint((value << 1) ^ (value >> 31));
  }

  i64(value) {
    const [high, low] = halves(value);
    const sign = high >> 31;
    let lower = ((low << 1) ^ sign) >>> 0;
    let upper = (((high << 1) | (low >>> 31)) ^ sign) >>> 0;
    while (upper !== 0) {
      this.byte((lower & 0x7f) | 0x80);
      lower = ((lower >>> 7) | (upper << 25)) >>> 0;
      upper >>>= 7;
    }
    this.varint(lower);
  }

  /** An unsigned 32-bit integer. */
  varint(value) {
    let rest = value >>> 0;
    while (rest > 0x7f) {
      this.byte((rest & 0x7f) | 0x80);
      rest >>>= 7;
    }
    this.byte(rest);
  }

  binary(bytes) {
    this.varint(lengthOf(bytes));
    this.bytes(bytes);
  }

  string(text) {
    this.binary(Buffer.from(text));
  }
}

const KINDS = ['', 'bool', 'bool', 'i8', 'i16', 'i32', 'i64', 'double', 'binary', 'list', 'set', 'map', 'struct'];

class CompactReader {
  constructor(buffer) {
    this.buffer = buffer;
    this.at = 0;
    this.last = 0;
    this.outer = [];
  }

  take(count) {
    const at = this.at;
    if (count > this.buffer.length - at)
      throw new WireError(`the answer ends ${count - (this.buffer.length - at)} bytes early`);
    this.at = at + count;
    return at;
  }

  messageBegin() {
    if (this.buffer[this.take(1)] !== PROTOCOL) throw new WireError('the answer is not in the compact protocol');
    const second = this.buffer[this.take(1)];
    if ((second & 0x1f) !== VERSION)
      throw new WireError(`the answer is in version ${second & 0x1f} of the compact protocol, not 1`);
    const sequence = this.varint() | 0;
    return { name: this.string(), type: second >> 5, sequence };
  }

  structBegin() {
    this.outer.push(this.last);
    this.last = 0;
  }

  structEnd() {
    this.last = this.outer.pop();
  }

  field() {
    const header = this.buffer[this.take(1)];
    if (header === 0) return undefined;
    this.id = header >> 4 ? this.last + (header >> 4) : this.i16();
    this.last = this.id;
    this.truth = (header & 0x0f) === TRUE;
    return this.kind(header & 0x0f);
  }

  kind(number) {
    const kind = KINDS[number];
    if (!kind) throw new WireError(`the answer has a field of the unknown type ${number}`);
    return kind;
  }

  checked(count) {
    if (count > this.buffer.length - this.at)
      throw new WireError(`the answer announces ${count} elements in ${this.buffer.length - this.at} bytes`);
    return count;
  }

  listBegin() {
    const header = this.buffer[this.take(1)];
    const count = header >> 4 === 15 ? this.varint() : header >> 4;
    this.element = this.kind(header & 0x0f);
    return this.checked(count);
  }

  mapBegin() {
    const count = this.varint();
    if (count === 0) {
      this.key = this.element = 'bool';
      return 0;
    }
    const kinds = this.buffer[this.take(1)];
    this.key = this.kind(kinds >> 4);
    this.element = this.kind(kinds & 0x0f);
    return this.checked(count);
  }

  /** The value of a bool field is part of its header. */
  boolField() {
    return this.truth;
  }

  bool() {
    return this.buffer[this.take(1)] === TRUE;
  }

  i8() {
    return this.buffer.readInt8(this.take(1));
  }

  i16() {
    return (this.i32() << 16) >> 16;
  }

  i32() {
    const value = this.varint();
    return (value >>> 1) ^ -(value & 1);
  }

  i64() {
    let lower = 0;
    let upper = 0;
    for (let bits = 0; bits < VARINT_BYTES_MAX * 7; bits += 7) {
      const byte = this.buffer[this.take(1)];
      const part = byte & 0x7f;
      if (bits < 28) lower |= part << bits;
      else if (bits === 28) {
        lower |= part << 28;
        upper |= part >> 4;
      } else upper |= part << (bits - 32);
      if (byte < 0x80) {
        const sign = -(lower & 1);
        const low = (((lower >>> 1) | (upper << 31)) ^ sign) >>> 0;
        return joined((upper >>> 1) ^ sign, low);
      }
    }
    throw new WireError('the answer has a varint of more than ten bytes');
  }

  varint() {
    let value = 0;
    for (let bits = 0; bits < 35; bits += 7) {
      const byte = this.buffer[this.take(1)];
      value |= (byte & 0x7f) << bits;
      if (byte < 0x80) return value >>> 0;
    }
    throw new WireError('the answer has a varint of more than five bytes');
  }

  double() {
    return this.buffer.readDoubleLE(this.take(8));
  }

  binary() {
    const length = this.varint();
    const at = this.take(length);
    return this.buffer.subarray(at, at + length);
  }

  string() {
    return this.binary().toString();
  }
}

module.exports = { CompactWriter, CompactReader };
