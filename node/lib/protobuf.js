'use strict';
/** Writing protocol buffers: the few kinds of fields that HBase's serialised filters have. A field that is undefined is left out. */

/** A whole number in 7-bit groups, negative ones as 64 bits of two's complement. */
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

/** int32, int64, uint32, bool, enum. */
function number(field, value) {
  return value === undefined ? Buffer.alloc(0) : Buffer.concat([varint(field << 3), varint(value)]);
}

/** bytes, string, message. */
function block(field, value) {
  if (value === undefined) return Buffer.alloc(0);
  const bytes = typeof value === 'string' ? Buffer.from(value, 'utf8') : value;
  return Buffer.concat([varint((field << 3) | 2), varint(bytes.length), bytes]);
}

/** float. */
function float(field, value) {
  const out = Buffer.alloc(4);
  out.writeFloatLE(value);
  return Buffer.concat([varint((field << 3) | 5), out]);
}

/** Fields one after the other. */
const message = (...fields) => Buffer.concat(fields);

module.exports = { block, float, message, number, varint };
