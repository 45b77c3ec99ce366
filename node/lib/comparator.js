'use strict';
/** HBase's comparators: what filters compare a part of a cell with. */

const { bytes, int64, isBytes, long, utf8 } = require('./bytes.js');
const { oneOf, shown, whole } = require('./options.js');
const { block, message, number } = require('./protobuf.js');

const PACKAGE = 'org.apache.hadoop.hbase.filter.';

/** The right-hand side of a filter's comparison. Made by the functions in `compare`. */
class Comparator {
  /** HBase's serialised form. */
  encoded;

  constructor(name, body) {
    this.encoded = message(block(1, PACKAGE + name), block(2, body));
  }
}

/** Keys, qualifiers and values in filters may always be strings, regardless of the database's encoding. */
const given = (value, what) => bytes(value, what, 'utf8');
const comparable = (value) => block(1, block(1, value));

const FLAGS = { i: 2, x: 4, m: 8, s: 32, u: 64 };

/** Converts JavaScript's flag letters of a regular expression to Java's flags. */
function flagsOf(letters) {
  if (typeof letters !== 'string')
    throw new TypeError(`compare.regex: flags must be a string of ${Object.keys(FLAGS).join(', ')}, not ${shown(letters)}`);
  let flags = 0;
  for (const letter of letters) {
    if (!(letter in FLAGS))
      throw new RangeError(
        `compare.regex: unknown flag ${shown(letter)}: the flags are ${Object.keys(FLAGS).join(', ')}`,
      );
    flags |= FLAGS[letter];
  }
  return flags;
}

/** The comparators, under HBase's names without "Comparator". */
const compare = Object.freeze({
  /** Compares the whole value, as unsigned bytes. */
  binary: (value) => new Comparator('BinaryComparator', comparable(given(value, 'compare.binary: value'))),
  /** Compares the first bytes, as many as are given. */
  binaryPrefix: (value) =>
    new Comparator('BinaryPrefixComparator', comparable(given(value, 'compare.binaryPrefix: value'))),
  /** Compares the bytes from an offset on. */
  binaryComponent: (value, offset) =>
    new Comparator(
      'BinaryComponentComparator',
      message(
        block(1, given(value, 'compare.binaryComponent: value')),
        number(2, whole(offset, 'compare.binaryComponent: offset', 0, 2 ** 31 - 1, 0)),
      ),
    ),
  /** Combines the bits by 'and', 'or' or 'xor', and matches if the result is not zero. */
  bit: (value, operation) =>
    new Comparator(
      'BitComparator',
      message(
        comparable(given(value, 'compare.bit: value')),
        number(
          2,
          1 + ['AND', 'OR', 'XOR'].indexOf(oneOf(operation, ['AND', 'OR', 'XOR'], 'compare.bit: operation', 'AND')),
        ),
      ),
    ),
  /** Compares eight bytes as a signed number. */
  long: (value) => new Comparator('LongComparator', comparable(long(int64(value, 'compare.long: value')))),
  /** Searches for a regular expression in Java's syntax, with flags as in JavaScript (i, m, s, x, u). */
  regex: (pattern, flags = 's') => {
    if (typeof pattern !== 'string')
      throw new TypeError(`compare.regex: pattern must be a string in Java's syntax, not ${shown(pattern)}`);
    return new Comparator(
      'RegexStringComparator',
      message(block(1, utf8(pattern, 'compare.regex: pattern')), number(2, flagsOf(flags)), block(3, 'UTF-8'), block(4, 'JAVA')),
    );
  },
  /** Searches for a substring, ignoring case. */
  substring: (text) => {
    if (typeof text !== 'string') throw new TypeError(`compare.substring: text must be a string, not ${shown(text)}`);
    return new Comparator('SubstringComparator', block(1, utf8(text.toLowerCase(), 'compare.substring: text')));
  },
  /** Matches a missing value. */
  null: () => new Comparator('NullComparator', message()),
});

/** A comparator; bytes and strings become a binary one. */
function comparatorOf(value, what) {
  if (value instanceof Comparator) return value;
  if (typeof value === 'string' || isBytes(value)) return compare.binary(value);
  throw new TypeError(
    `${what} must be bytes, a string, or made by compare.binary(…), compare.regex(…), …, not ${shown(value)}`,
  );
}

module.exports = { Comparator, PACKAGE, comparatorOf, compare };
