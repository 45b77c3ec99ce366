'use strict';
/** HBase's comparators: what a filter compares a part of a cell with. */

const { bytes, int64, long } = require('./bytes.js');
const { oneOf, shown, whole } = require('./options.js');
const { block, message, number } = require('./protobuf.js');

const PACKAGE = 'org.apache.hadoop.hbase.filter.';

/** What a filter compares with. Made by the functions of `compare`. */
class Comparator {
  /** HBase's serialised form. */
  encoded;

  constructor(name, body) {
    this.encoded = message(block(1, PACKAGE + name), block(2, body));
  }
}

/** Keys, qualifiers and values in filters may be strings: what a filter names is written in the program. */
const given = (value, what) => bytes(value, what, 'utf8');
const comparable = (value) => block(1, block(1, value));

const FLAGS = { i: 2, x: 4, m: 8, s: 32, u: 64 };

/** Java's flags of a regular expression from JavaScript's letters. */
function flagsOf(letters) {
  let flags = 0;
  for (const letter of letters) {
    if (!(letter in FLAGS)) throw new RangeError(`compare.regex: flag ${shown(letter)}: there is ${Object.keys(FLAGS).join(', ')}`);
    flags |= FLAGS[letter];
  }
  return flags;
}

/** The comparators, by HBase's names without the ending. */
const compare = Object.freeze({
  /** Whole byte strings, unsigned. */
  binary: (value) => new Comparator('BinaryComparator', comparable(given(value, 'compare.binary: value'))),
  /** As many first bytes as given. */
  binaryPrefix: (value) => new Comparator('BinaryPrefixComparator', comparable(given(value, 'compare.binaryPrefix: value'))),
  /** Bytes from an offset on. */
  binaryComponent: (value, offset) =>
    new Comparator(
      'BinaryComponentComparator',
      message(block(1, given(value, 'compare.binaryComponent: value')), number(2, whole(offset, 'compare.binaryComponent: offset', 0, 2 ** 31 - 1, 0))),
    ),
  /** Bits combined by 'and', 'or' or 'xor': matches if one is left. */
  bit: (value, operation) =>
    new Comparator(
      'BitComparator',
      message(comparable(given(value, 'compare.bit: value')), number(2, 1 + ['AND', 'OR', 'XOR'].indexOf(oneOf(operation, ['AND', 'OR', 'XOR'], 'compare.bit: operation', 'AND')))),
    ),
  /** Eight bytes as a number. */
  long: (value) => new Comparator('LongComparator', comparable(long(int64(value, 'compare.long: value')))),
  /** A regular expression of Java's kind, with flags of JavaScript's letters (i, m, s, x, u). Found anywhere in the text. */
  regex: (pattern, flags = 's') => {
    if (typeof pattern !== 'string') throw new TypeError(`compare.regex: pattern must be a string of Java's syntax, not ${shown(pattern)}`);
    return new Comparator('RegexStringComparator', message(block(1, pattern), number(2, flagsOf(flags)), block(3, 'UTF-8'), block(4, 'JAVA')));
  },
  /** A text that is contained, regardless of case. */
  substring: (text) => {
    if (typeof text !== 'string') throw new TypeError(`compare.substring: text must be a string, not ${shown(text)}`);
    return new Comparator('SubstringComparator', block(1, text.toLowerCase()));
  },
  /** What is not there. */
  null: () => new Comparator('NullComparator', message()),
});

/** A comparator as given, or bytes compared whole. */
function comparatorOf(value, what) {
  if (value instanceof Comparator) return value;
  if (typeof value === 'string' || value instanceof Uint8Array) return compare.binary(value);
  throw new TypeError(`${what} must be bytes, a string, or one of compare.binary(…), compare.regex(…) …, not ${shown(value)}`);
}

module.exports = { Comparator, PACKAGE, comparatorOf, compare };
