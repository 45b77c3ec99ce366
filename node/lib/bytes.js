'use strict';
/** Bytes, and 64-bit numbers: what programs give, and what they get back. Nothing is rounded on the way. */

const { shown } = require('./options.js');

const LEAST = -(2n ** 63n);
const MOST = 2n ** 63n - 1n;

/**
 * A key or value as bytes. Strings only where the database was opened with `encoding: 'utf8'`.
 * @returns {Uint8Array}
 */
function bytes(value, what, encoding) {
  if (value instanceof Uint8Array) return value;
  if (typeof value === 'string') {
    if (encoding === 'utf8') return Buffer.from(value, 'utf8');
    throw new TypeError(
      `${what} must be a Buffer or Uint8Array, not the string ${shown(value)}: open the database with \`encoding: 'utf8'\`, or write Buffer.from(${shown(value)})`,
    );
  }
  if (typeof value === 'number' || typeof value === 'bigint') {
    throw new TypeError(`${what} must be a Buffer or Uint8Array, not the number ${value}: for eight bytes as counters have them write long(${shown(value)})`);
  }
  if (value instanceof ArrayBuffer || ArrayBuffer.isView(value)) {
    throw new TypeError(`${what} must be a Buffer or Uint8Array, not ${shown(value)}: wrap it in new Uint8Array(…)`);
  }
  throw new TypeError(`${what} must be a Buffer or Uint8Array, not ${shown(value)}`);
}

/** A name (of a column, family, attribute), which may always be a string. */
function name(value, what) {
  if (value instanceof Uint8Array) return value;
  if (typeof value === 'string') return Buffer.from(value, 'utf8');
  throw new TypeError(`${what} must be a string, Buffer or Uint8Array, not ${shown(value)}`);
}

/** A whole number of 64 bits, given as number or bigint. Numbers beyond 2^53 are refused, since they may have been rounded already. */
function int64(value, what) {
  if (typeof value === 'bigint') {
    if (value < LEAST || value > MOST) throw new RangeError(`${what} must fit into 64 bits, ${value} does not`);
    return value;
  }
  if (typeof value !== 'number') throw new TypeError(`${what} must be a number or bigint, not ${shown(value)}`);
  if (!Number.isSafeInteger(value)) {
    const why = Number.isInteger(value) ? `beyond 2^53 write a bigint: ${BigInt(value)}n` : 'it must be whole';
    throw new RangeError(`${what} cannot be ${value}: ${why}`);
  }
  return value;
}

/** A bigint as a number where one can hold it. */
function narrow(value) {
  return value >= -9007199254740991n && value <= 9007199254740991n ? Number(value) : value;
}

/** Eight bytes, big-endian, as counters are stored. */
function long(value) {
  const out = Buffer.allocUnsafe(8);
  out.writeBigInt64BE(BigInt(int64(value, 'long(): value')));
  return out;
}

/** The number in eight bytes, as a number where one can hold it, else as a bigint. */
function fromLong(value, what = 'fromLong(): value') {
  if (!(value instanceof Uint8Array)) throw new TypeError(`${what} must be a Buffer or Uint8Array, not ${shown(value)}`);
  if (value.length !== 8) throw new RangeError(`${what} is not a long: it has ${value.length} bytes, not 8`);
  const view = new DataView(value.buffer, value.byteOffset, 8);
  const high = view.getInt32(0);
  // Below 2^52 both halves fit into a number without a detour.
  if (high >= -0x100000 && high < 0x100000) return high * 0x100000000 + view.getUint32(4);
  return narrow(view.getBigInt64(0));
}

module.exports = { bytes, fromLong, int64, long, name, narrow };
