'use strict';
/** Conversion of bytes and 64-bit numbers between programs and the database, without rounding. */

const { isUint8Array } = require('node:util/types');
const { shown, wellFormed } = require('./options.js');

const INT64_MIN = -(2n ** 63n);
const INT64_MAX = 2n ** 63n - 1n;

const TYPED_ARRAY = Object.getPrototypeOf(Uint8Array.prototype);
/** A getter of typed arrays itself. Subclasses and instances may have others of that name. */
const getterOf = (name) => Object.getOwnPropertyDescriptor(TYPED_ARRAY, name).get;
const [BUFFER, BYTE_OFFSET, BYTE_LENGTH] = ['buffer', 'byteOffset', 'byteLength'].map(getterOf);

/** Whether a value is a Buffer or Uint8Array, also of another realm, such as that of jsdom in tests. */
const isBytes = isUint8Array;

/**
 * The number of bytes of an array of a program, without running code of the program. What is written to memory that
 * calls share is measured with this: too large a length would also write what was in that memory before.
 */
function lengthOf(bytes) {
  return BYTE_LENGTH.call(bytes);
}

/** A Buffer of the same memory, whose properties are those of its class. */
function viewOf(bytes) {
  return Buffer.from(BUFFER.call(bytes), BYTE_OFFSET.call(bytes), BYTE_LENGTH.call(bytes));
}

/** A copy in a Buffer. `Buffer.from` would believe the array's own `length` and `valueOf`. */
function copyOf(bytes) {
  const copy = Buffer.allocUnsafe(lengthOf(bytes));
  copy.set(bytes);
  return copy;
}

/** The array itself if its `length` is right, and otherwise a view of it. */
function measurable(bytes) {
  return bytes.length === BYTE_LENGTH.call(bytes) ? bytes : viewOf(bytes);
}

const NOTHING = Buffer.alloc(0);

/** Whether an array has no memory any more: its ArrayBuffer was transferred, or became so small that it is outside. */
function isLost(bytes) {
  if (BYTE_LENGTH.call(bytes) !== 0) return false;
  try {
    NOTHING.set(bytes);
    return false;
  } catch {
    return true;
  }
}

/** The error of such an array. */
function lostMemory(what) {
  return new TypeError(
    `${what} has no memory: its ArrayBuffer was transferred to another owner, or made smaller; pass a copy, or do that after the call has settled`,
  );
}

/** Checks that an array has memory, and returns it. */
function present(bytes, what) {
  if (isLost(bytes)) throw lostMemory(what);
  return bytes;
}

/** A string as UTF-8. */
function utf8(text, what) {
  return Buffer.from(wellFormed(text, what), 'utf8');
}

/**
 * A key or value as bytes. Strings are accepted only if the database was opened with `encoding: 'utf8'`.
 * @returns {Uint8Array}
 */
function bytes(value, what, encoding) {
  if (isUint8Array(value)) return measurable(present(value, what));
  if (typeof value === 'string') {
    if (encoding === 'utf8') return utf8(value, what);
    throw new TypeError(
      `${what} must be a Buffer or Uint8Array, not the string ${shown(value)}: open the database with \`encoding: 'utf8'\`, or write Buffer.from(${shown(value)})`,
    );
  }
  const allowed = encoding === 'utf8' ? 'a string, Buffer or Uint8Array' : 'a Buffer or Uint8Array';
  if (typeof value === 'number' || typeof value === 'bigint')
    throw new TypeError(`${what} must be ${allowed}, not the number ${value}: ${numberRemedy(value, encoding)}`);
  if (value instanceof Uint8Array)
    throw new TypeError(`${what} must be ${allowed}, not an object that only inherits from it: give the array itself`);
  if (value instanceof ArrayBuffer || ArrayBuffer.isView(value)) {
    throw new TypeError(`${what} must be ${allowed}, not ${shown(value)}: wrap it in new Uint8Array(…)`);
  }
  const remedy = typeof value === 'object' && value !== null ? ': use codecs.json.encode(…) to store an object' : '';
  throw new TypeError(`${what} must be ${allowed}, not ${shown(value)}${remedy}`);
}

/** What to give instead of a number. */
function numberRemedy(value, encoding) {
  if (typeof value === 'number' && !Number.isFinite(value))
    return `check the calculation of it, or use codecs.double.encode(${value}) for the eight bytes of a floating-point number`;
  const text = encoding === 'utf8' ? `'${value}' for its text, or ` : '';
  if (typeof value === 'number' && !Number.isInteger(value))
    return `use ${text}codecs.double.encode(${value}) for the eight bytes of a floating-point number`;
  const exact = typeof value === 'bigint' || Number.isSafeInteger(value) ? shown(value) : `${BigInt(value)}n`;
  return `use ${text}long(${exact}) for the eight bytes of a counter`;
}

/** `bytes`, copied, so that the program may change what it passed. */
function ownBytes(value, what, encoding) {
  return isBytes(value) ? copyOf(present(value, what)) : bytes(value, what, encoding);
}

/** The name of a column, family or attribute, which may always be a string. */
function name(value, what) {
  if (typeof value === 'string') return utf8(value, what);
  if (isBytes(value)) return viewOf(present(value, what));
  throw new TypeError(`${what} must be a string, Buffer or Uint8Array, not ${shown(value)}`);
}

/**
 * A 64-bit integer, given as number or bigint. Numbers of 2^53 or more are rejected, since they may already have been
 * rounded.
 */
function int64(value, what) {
  if (typeof value === 'bigint') {
    if (value < INT64_MIN || value > INT64_MAX)
      throw new RangeError(`${what} must fit into 64 bits; ${value} does not`);
    return value;
  }
  if (typeof value !== 'number') {
    const remedy = value instanceof Date ? ': use its getTime()' : '';
    throw new TypeError(`${what} must be a number or bigint, not ${shown(value)}${remedy}`);
  }
  if (!Number.isSafeInteger(value)) {
    const why = Number.isInteger(value) ? `from 2^53 on, use a bigint: ${BigInt(value)}n` : 'it must be an integer';
    throw new RangeError(`${what} cannot be ${value}: ${why}`);
  }
  return value;
}

/** Converts a bigint to a number if that is exact. */
function narrow(value) {
  return value >= -9007199254740991n && value <= 9007199254740991n ? Number(value) : value;
}

/** Encodes a number in eight bytes, big-endian, as counters are stored. */
function long(value) {
  const out = Buffer.allocUnsafe(8);
  out.writeBigInt64BE(BigInt(int64(value, 'long(): value')));
  return out;
}

/** Checks bytes that are to be decoded. `read` names the method of a row that decodes them. */
function encoded(value, what, read) {
  if (isBytes(value)) return present(value, what);
  const remedy =
    typeof value === 'string'
      ? `: values that are valid UTF-8 are read as strings with \`encoding: 'utf8'\`; use ${read}, which works for all bytes`
      : value === undefined
        ? ': the row may not have the column'
        : '';
  throw new TypeError(`${what} must be a Buffer or Uint8Array, not ${shown(value)}${remedy}`);
}

/** Decodes eight bytes: to a number if that is exact, otherwise to a bigint. */
function fromLong(value, what = 'fromLong(): value') {
  const length = lengthOf(encoded(value, what, 'row.long(column)'));
  if (length !== 8) throw new RangeError(`${what} is not a long: it has ${length} bytes, not 8`);
  const view = new DataView(BUFFER.call(value), BYTE_OFFSET.call(value), 8);
  const high = view.getInt32(0);
  // Fast path: below 2^52 a number is exact, and no bigint is needed.
  if (high >= -0x100000 && high < 0x100000) return high * 0x100000000 + view.getUint32(4);
  return narrow(view.getBigInt64(0));
}

module.exports = {
  bytes,
  copyOf,
  encoded,
  fromLong,
  int64,
  isBytes,
  isLost,
  lengthOf,
  long,
  lostMemory,
  measurable,
  name,
  narrow,
  ownBytes,
  present,
  utf8,
  viewOf,
};
