'use strict';
/** HBase's filters as composable values. They are sent in the form in which HBase's client serialises them. */

const { bytes, copyOf, int64, isBytes, utf8 } = require('./bytes.js');
const { oneColumn } = require('./column.js');
const { PACKAGE, comparatorOf } = require('./comparator.js');
const { SIGNS, operatorOf } = require('./operator.js');
const { checked, flag, shown, whole } = require('./options.js');
const { block, float, message, number, varint } = require('./protobuf.js');
const { CompareOp } = require('./vocabulary.js');

const INT_MAX = 2 ** 31 - 1;

/** A filter. Made by the functions in `filters`. */
class Filter {
  /** HBase's serialised form. */
  encoded;

  constructor(name, body) {
    this.encoded = message(block(1, `${PACKAGE}${name}`), block(2, body));
  }
}

const given = (value, what) => bytes(value, what, 'utf8');
/** The number of an operator. */
const numberOf = (op, what) => CompareOp[operatorOf(op, `${what}: operator`)];

const comparing = (name) => (op, value) =>
  new Filter(`${name}Filter`, block(1, comparison(op, value, `filters.${name.toLowerCase()}`)));

function comparison(op, value, what) {
  if (op === undefined)
    throw new TypeError(`${what}: the operator is missing: give one of ${Object.keys(SIGNS).join(' ')}`);
  return message(number(1, numberOf(op, what)), block(2, comparatorOf(value, `${what}: value`).encoded));
}

/** The common part of filters on a single column. */
function columnCheck(column, op, value, what, fields) {
  if (op === undefined)
    throw new TypeError(`${what}: the operator is missing: give one of ${Object.keys(SIGNS).join(' ')}`);
  const { family, qualifier } = oneColumn(column, `${what}: column`);
  return message(
    block(1, family),
    block(2, qualifier),
    number(3, numberOf(op, what)),
    block(4, comparatorOf(value, `${what}: value`).encoded),
    ...fields,
  );
}

const MISSING = new Set(['filterIfMissing', 'latestVersionOnly']);

function missingFields(options, what) {
  const { filterIfMissing, latestVersionOnly } = checked(options, MISSING, what);
  return [
    number(5, Number(flag(filterIfMissing, `${what}: option \`filterIfMissing\``, false))),
    number(6, Number(flag(latestVersionOnly, `${what}: option \`latestVersionOnly\``, true))),
  ];
}

function list(operator, members, what) {
  for (const member of members) {
    if (!(member instanceof Filter))
      throw new TypeError(`${what}: members must be made by filters.…(), not ${shown(member)}`);
  }
  return new Filter('FilterList', message(number(1, operator), ...members.map((m) => block(2, m.encoded))));
}

function wrapping(name, inner, what) {
  if (!(inner instanceof Filter))
    throw new TypeError(`${what}: the inner filter must be made by filters.…(), not ${shown(inner)}`);
  return new Filter(name, block(1, inner.encoded));
}

const bounded = (value, what) => {
  if (value === undefined) throw new TypeError(`${what} is missing`);
  return whole(value, what, 0, INT_MAX);
};
const DEPENDENT = new Set(['dropColumn', 'op', 'value']);
const RANGE = new Set(['min', 'minInclusive', 'max', 'maxInclusive']);

/** The filters, under HBase's names without "Filter". */
const filters = Object.freeze({
  /** Passes what all members pass. */
  all: (...members) => list(1, members.flat(), 'filters.all'),
  /** Passes what any member passes. */
  any: (...members) => list(2, members.flat(), 'filters.any'),
  /** Skips a row if the inner filter rejects any of its cells. */
  skip: (inner) => wrapping('SkipFilter', inner, 'filters.skip'),
  /** Ends the scan when the inner filter rejects anything. */
  whileMatch: (inner) => wrapping('WhileMatchFilter', inner, 'filters.whileMatch'),
  row: comparing('Row'),
  family: comparing('Family'),
  qualifier: comparing('Qualifier'),
  value: comparing('Value'),
  /** Selects rows by the value of one column. */
  singleColumnValue: (column, op, value, options) =>
    new Filter(
      'SingleColumnValueFilter',
      columnCheck(column, op, value, 'filters.singleColumnValue', missingFields(options, 'filters.singleColumnValue')),
    ),
  /** Like `singleColumnValue`, but leaves that column out of the result. */
  singleColumnValueExclude: (column, op, value, options) => {
    const what = 'filters.singleColumnValueExclude';
    return new Filter(
      'SingleColumnValueExcludeFilter',
      block(1, columnCheck(column, op, value, what, missingFields(options, what))),
    );
  },
  /** Selects the cells of one column by their value, and no other cells. */
  columnValue: (column, op, value) =>
    new Filter('ColumnValueFilter', columnCheck(column, op, value, 'filters.columnValue', [])),
  /** Selects cells that have the timestamp of a cell in a reference column. */
  dependentColumn: (column, options) => {
    const what = 'filters.dependentColumn';
    const { family, qualifier } = oneColumn(column, `${what}: column`);
    const { dropColumn, op, value } = checked(options, DEPENDENT, what);
    const compared = op === undefined ? number(1, CompareOp.NO_OP) : comparison(op, value, what);
    const drop = number(4, Number(flag(dropColumn, `${what}: option \`dropColumn\``)));
    return new Filter(
      'DependentColumnFilter',
      message(block(1, compared), block(2, family), block(3, qualifier), drop),
    );
  },
  prefix: (prefix) => new Filter('PrefixFilter', block(1, given(prefix, 'filters.prefix: prefix'))),
  columnPrefix: (prefix) => new Filter('ColumnPrefixFilter', block(1, given(prefix, 'filters.columnPrefix: prefix'))),
  multipleColumnPrefix: (...prefixes) =>
    new Filter(
      'MultipleColumnPrefixFilter',
      message(...prefixes.flat().map((p) => block(1, given(p, 'filters.multipleColumnPrefix: prefix')))),
    ),
  /** Selects columns between two qualifiers: { min, minInclusive = true, max, maxInclusive = false }. */
  columnRange: (options) => {
    const what = 'filters.columnRange';
    const { min, minInclusive, max, maxInclusive } = checked(options, RANGE, what);
    return new Filter(
      'ColumnRangeFilter',
      message(
        block(1, min === undefined ? undefined : given(min, `${what}: option \`min\``)),
        number(2, Number(flag(minInclusive, `${what}: option \`minInclusive\``, true))),
        block(3, max === undefined ? undefined : given(max, `${what}: option \`max\``)),
        number(4, Number(flag(maxInclusive, `${what}: option \`maxInclusive\``, false))),
      ),
    );
  },
  columnCountGet: (limit) =>
    new Filter('ColumnCountGetFilter', number(1, bounded(limit, 'filters.columnCountGet: limit'))),
  /** Selects `limit` columns of each row, after the first `offset` (a number) or from a qualifier on. */
  columnPagination: (limit, offset = 0) => {
    const what = 'filters.columnPagination';
    const rest =
      typeof offset === 'number'
        ? number(2, bounded(offset, `${what}: offset`))
        : block(3, given(offset, `${what}: offset`));
    return new Filter('ColumnPaginationFilter', message(number(1, bounded(limit, `${what}: limit`)), rest));
  },
  page: (size) => new Filter('PageFilter', number(1, int64(size, 'filters.page: size'))),
  inclusiveStop: (row) => new Filter('InclusiveStopFilter', block(1, given(row, 'filters.inclusiveStop: row'))),
  timestamps: (...times) => {
    const packed = Buffer.concat(times.flat().map((t) => varint(int64(t, 'filters.timestamps: time'))));
    return new Filter('TimestampsFilter', message(block(1, packed), number(2, 0)));
  },
  keyOnly: (lengthAsValue) =>
    new Filter('KeyOnlyFilter', number(1, Number(flag(lengthAsValue, 'filters.keyOnly: lengthAsValue')))),
  firstKeyOnly: () => new Filter('FirstKeyOnlyFilter', message()),
  firstKeyValueMatchingQualifiers: (...qualifiers) =>
    new Filter(
      'FirstKeyValueMatchingQualifiersFilter',
      message(
        ...qualifiers.flat().map((q) => block(1, given(q, 'filters.firstKeyValueMatchingQualifiers: qualifier'))),
      ),
    ),
  randomRow: (chance) => {
    if (typeof chance !== 'number')
      throw new TypeError(`filters.randomRow: chance must be a number from 0 to 1, not ${shown(chance)}`);
    return new Filter('RandomRowFilter', float(1, chance));
  },
  /** Selects rows by patterns [key, mask]: a mask byte is 0 if the key's byte must match and 1 if any byte does. */
  fuzzyRow: (...pairs) => {
    const bodies = pairs.map((pair) => {
      if (!Array.isArray(pair) || pair.length !== 2)
        throw new TypeError(`filters.fuzzyRow: a pattern must be an array [key, mask], not ${shown(pair)}`);
      const [key, mask] = pair;
      const fixed = copyOf(given(mask, 'filters.fuzzyRow: mask')).map((byte) => (byte === 0 ? 0xff : 2));
      return block(1, message(block(1, given(key, 'filters.fuzzyRow: key')), block(2, fixed)));
    });
    return new Filter('FuzzyRowFilter', message(...bodies, number(2, 1)));
  },
  /** Selects rows in ranges: { start, startInclusive = true, stop, stopInclusive = false }. */
  multiRowRange: (...ranges) => {
    const what = 'filters.multiRowRange';
    const known = new Set(['start', 'startInclusive', 'stop', 'stopInclusive']);
    const bodies = ranges.flat().map((range) => {
      const { start = '', startInclusive, stop = '', stopInclusive } = checked(range, known, what);
      return block(
        1,
        message(
          block(1, given(start, `${what}: start`)),
          number(2, Number(flag(startInclusive, `${what}: startInclusive`, true))),
          block(3, given(stop, `${what}: stop`)),
          number(4, Number(flag(stopInclusive, `${what}: stopInclusive`, false))),
        ),
      );
    });
    return new Filter('MultiRowRangeFilter', message(...bodies));
  },
});

/** Converts a filter: text in HBase's filter language, a value made by `filters`, or serialised bytes. */
function filterOf(filter, what) {
  if (filter === undefined || filter === null) return undefined;
  if (typeof filter === 'string') return { text: utf8(filter, what) };
  if (filter instanceof Filter) return { bytes: filter.encoded };
  if (isBytes(filter)) return { bytes: bytes(filter, what) };
  throw new TypeError(`${what} must be text in HBase's filter language or made by filters.…(), not ${shown(filter)}`);
}

/** Adds the condition to a filter (or none) that rows begin with a prefix. */
function withPrefix(prefix, other) {
  if (other === undefined) return { bytes: filters.prefix(prefix).encoded };
  if (other.bytes !== undefined) {
    const member = filters.prefix(prefix);
    return {
      bytes: message(
        block(1, `${PACKAGE}FilterList`),
        block(2, message(number(1, 1), block(2, member.encoded), block(2, other.bytes))),
      ),
    };
  }
  const quoted = Buffer.from(copyOf(prefix).toString('latin1').replaceAll("'", "''"), 'latin1');
  return {
    text: Buffer.concat([Buffer.from("PrefixFilter('"), quoted, Buffer.from("') AND ("), other.text, Buffer.from(')')]),
  };
}

module.exports = { Filter, filterOf, filters, withPrefix };
