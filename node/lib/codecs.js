'use strict';
/** Codecs: conversions between values and the bytes of cells, in the formats of HBase's `Bytes` class. */

const { encoded, fromLong, int64, lengthOf, utf8, viewOf } = require('./bytes.js');
const { shown } = require('./options.js');

const isUtf8 = require('node:buffer').isUtf8;

/** Checks the bytes to decode. */
const given = (bytes, what, name) => encoded(bytes, `codecs.${name}: ${what}`, `row.decode(column, codecs.${name})`);

/** A codec of numbers with a fixed width. */
function fixed(name, width, check, write, read) {
  return {
    name,
    encode(value) {
      const out = Buffer.allocUnsafe(width);
      write(out, check(value, `codecs.${name}: value`));
      return out;
    },
    decode(bytes, what = 'the value', readBigInts = false) {
      const length = lengthOf(given(bytes, what, name));
      if (length !== width)
        throw new RangeError(`${what} cannot be decoded by codecs.${name}: it has ${length} bytes, not ${width}`);
      return read(viewOf(bytes), readBigInts);
    },
  };
}

function int32(value, what) {
  if (!Number.isInteger(value) || value !== (value | 0))
    throw new (typeof value === 'number' ? RangeError : TypeError)(
      `${what} must be an integer from -2147483648 to 2147483647, not ${shown(value)}`,
    );
  return value;
}

function float(value, what) {
  if (typeof value !== 'number') throw new TypeError(`${what} must be a number, not ${shown(value)}`);
  return value;
}

/** `encode` makes the bytes of a value, `decode` reads them. */
const codecs = Object.freeze({
  /** Text as UTF-8. */
  string: Object.freeze({
    name: 'string',
    encode(value) {
      if (typeof value !== 'string') throw new TypeError(`codecs.string: value must be a string, not ${shown(value)}`);
      return utf8(value, 'codecs.string: value');
    },
    decode(bytes, what = 'the value') {
      if (!isUtf8(given(bytes, what, 'string'))) throw new RangeError(`${what} cannot be decoded by codecs.string: it is not valid UTF-8`);
      return viewOf(bytes).toString('utf8');
    },
  }),
  /** Values as JSON. */
  json: Object.freeze({
    name: 'json',
    encode(value) {
      const text = JSON.stringify(value);
      if (text === undefined) throw new TypeError(`codecs.json: ${shown(value)} has no form in JSON`);
      return Buffer.from(text, 'utf8');
    },
    decode(bytes, what = 'the value') {
      given(bytes, what, 'json');
      try {
        return JSON.parse(viewOf(bytes).toString('utf8'));
      } catch (error) {
        throw new RangeError(`${what} cannot be decoded by codecs.json: ${error.message}`, { cause: error });
      }
    },
  }),
  /** Signed integers in four bytes, big-endian (`Bytes.toBytes(int)`). */
  int32: Object.freeze(
    fixed(
      'int32',
      4,
      int32,
      (out, value) => out.writeInt32BE(value),
      (bytes) => bytes.readInt32BE(),
    ),
  ),
  /**
   * Signed integers in eight bytes, big-endian (`Bytes.toBytes(long)`), as counters: numbers if exact, otherwise
   * bigints; with `readBigInts`, always bigints.
   */
  int64: Object.freeze(
    fixed(
      'int64',
      8,
      int64,
      (out, value) => out.writeBigInt64BE(BigInt(value)),
      (bytes, readBigInts) => (readBigInts ? bytes.readBigInt64BE() : fromLong(bytes)),
    ),
  ),
  /** Floating-point numbers in four bytes (`Bytes.toBytes(float)`). */
  float: Object.freeze(
    fixed(
      'float',
      4,
      float,
      (out, value) => out.writeFloatBE(value),
      (bytes) => bytes.readFloatBE(),
    ),
  ),
  /** Floating-point numbers in eight bytes (`Bytes.toBytes(double)`). */
  double: Object.freeze(
    fixed(
      'double',
      8,
      float,
      (out, value) => out.writeDoubleBE(value),
      (bytes) => bytes.readDoubleBE(),
    ),
  ),
});

/** Checks a codec: one of `codecs`, or a program's own { encode, decode }. */
function codecOf(codec, what) {
  if (codec === null || typeof codec !== 'object' || typeof codec.decode !== 'function')
    throw new TypeError(`${what} must be one of codecs (${Object.keys(codecs).join(', ')}), not ${shown(codec)}`);
  return codec;
}

module.exports = { codecOf, codecs };
