'use strict';
/**
 * Encodes protocol buffers: the field types that HBase's serialised filters use. Fields that are undefined are
 * omitted.
 */

const { viewOf } = require('./bytes.js');

/** A varint; negative numbers are encoded as 64-bit two's complement. */
function varint(value) {
  let rest = BigInt.asUintN(64, BigInt(value));
  const out = [];
  while (rest >= 0x80n) {
    out.push(Number(rest & 0x7fn) | 0x80);
    rest >>= 7n;
  }
  out.push(Number(rest));
  return Buffer.from(out);
}

/** A field of type int32, int64, uint32, bool or enum. */
function number(field, value) {
  return value === undefined ? Buffer.alloc(0) : Buffer.concat([varint(field << 3), varint(value)]);
}

/** A field of type bytes, string or message. */
function block(field, value) {
  if (value === undefined) return Buffer.alloc(0);
  const bytes = typeof value === 'string' ? Buffer.from(value, 'utf8') : viewOf(value);
  return Buffer.concat([varint((field << 3) | 2), varint(bytes.length), bytes]);
}

/** A field of type float. */
function float(field, value) {
  const out = Buffer.alloc(4);
  out.writeFloatLE(value);
  return Buffer.concat([varint((field << 3) | 5), out]);
}

/** A message, from its fields. */
const message = (...fields) => Buffer.concat(fields);

module.exports = { block, float, message, number, varint };
