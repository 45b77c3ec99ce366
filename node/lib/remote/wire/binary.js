'use strict';
/**
 * Thrift's binary protocol with strict headers. A reader gets a whole message: reading past its end means that it is
 * malformed.
 */
const { lengthOf } = require('../../bytes.js');
const { Sink, halves, joined } = require('./sink');
const { BINARY, WireError } = require('./types');

const VERSION = 0x80010000;

class BinaryWriter extends Sink {
  messageBegin(name, type, sequence) {
    const at = this.take(4);
    this.buffer.writeUInt32BE((VERSION | type) >>> 0, at);
    this.string(name);
    this.i32(sequence);
  }

  structBegin() {}

  structEnd() {
    this.byte(0);
  }

  field(id, kind) {
    const at = this.take(3);
    this.buffer[at] = BINARY[kind];
    this.buffer.writeInt16BE(id, at + 1);
  }

  boolField(id, value) {
    this.field(id, 'bool');
    this.bool(value);
  }

  listBegin(kind, count) {
    const at = this.take(5);
    this.buffer[at] = BINARY[kind];
    this.buffer.writeInt32BE(count, at + 1);
  }

  mapBegin(key, value, count) {
    this.byte(BINARY[key]);
    this.listBegin(value, count);
  }

  bool(value) {
    this.byte(value ? 1 : 0);
  }

  i8(value) {
    this.byte(value & 0xff);
  }

  i16(value) {
    const at = this.take(2);
    this.buffer.writeInt16BE(value, at);
  }

  i32(value) {
    const at = this.take(4);
    this.buffer.writeInt32BE(value, at);
  }

  i64(value) {
    const [high, low] = halves(value);
    const at = this.take(8);
    this.buffer.writeInt32BE(high, at);
    this.buffer.writeUInt32BE(low, at + 4);
  }

  binary(bytes) {
    this.i32(lengthOf(bytes));
    this.bytes(bytes);
  }

  string(text) {
    this.binary(Buffer.from(text));
  }
}

const KINDS = [];
for (const kind of Object.keys(BINARY)) KINDS[BINARY[kind]] ??= kind;

class BinaryReader {
  constructor(buffer) {
    this.buffer = buffer;
    this.at = 0;
  }

  /** Advances by `count` bytes and returns the position before. */
  take(count) {
    const at = this.at;
    if (count > this.buffer.length - at)
      throw new WireError(`the answer ends ${count - (this.buffer.length - at)} bytes early`);
    this.at = at + count;
    return at;
  }

  messageBegin() {
    const first = this.buffer.readUInt32BE(this.take(4));
    if ((first & 0xffff0000) >>> 0 !== VERSION) throw new WireError('the answer is not in the binary protocol');
    return { name: this.string(), type: first & 0xff, sequence: this.i32() };
  }

  structBegin() {}

  structEnd() {}

  /** Reads a field's header: sets `id` and returns the field's kind, or undefined at the end of the struct. */
  field() {
    const number = this.buffer[this.take(1)];
    if (number === 0) return undefined;
    this.id = this.buffer.readInt16BE(this.take(2));
    return this.kind(number);
  }

  kind(number) {
    const kind = KINDS[number];
    if (kind === undefined) throw new WireError(`the answer has a field of the unknown type ${number}`);
    return kind;
  }

  /** Reads a number of elements, each of which takes at least one byte. */
  count() {
    const count = this.i32();
    if (count < 0 || count > this.buffer.length - this.at)
      throw new WireError(`the answer announces ${count} elements in ${this.buffer.length - this.at} bytes`);
    return count;
  }

  /** Reads a list's header: sets `element` and returns the number of elements. */
  listBegin() {
    this.element = this.kind(this.buffer[this.take(1)]);
    return this.count();
  }

  /** Reads a map's header: sets `key` and `element` and returns the number of pairs. */
  mapBegin() {
    this.key = this.kind(this.buffer[this.take(1)]);
    return this.listBegin();
  }

  bool() {
    return this.buffer[this.take(1)] !== 0;
  }

  boolField() {
    return this.bool();
  }

  i8() {
    return this.buffer.readInt8(this.take(1));
  }

  i16() {
    return this.buffer.readInt16BE(this.take(2));
  }

  i32() {
    return this.buffer.readInt32BE(this.take(4));
  }

  i64() {
    const at = this.take(8);
    return joined(this.buffer.readInt32BE(at), this.buffer.readUInt32BE(at + 4));
  }

  double() {
    return this.buffer.readDoubleBE(this.take(8));
  }

  binary() {
    const length = this.i32();
    if (length < 0) throw new WireError(`the answer has a string of ${length} bytes`);
    const at = this.take(length);
    return this.buffer.subarray(at, at + length);
  }

  string() {
    return this.binary().toString();
  }
}

module.exports = { BinaryWriter, BinaryReader };
