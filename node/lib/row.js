'use strict';
/** A row as reads return it: its key, values by column, cells, and typed accessors. */

const { inspect } = require('node:util');
const { fromLong } = require('./bytes.js');
const { codecOf, codecs } = require('./codecs.js');
const { columnText, oneColumn } = require('./column.js');

/**
 * A row, or in a scan with `batch`, a part of one.
 *
 * `key`, `cells` and `partial` are own enumerable properties, so that comparisons, copies and clones see them.
 */
class Row {
  /** The row key. */
  key;
  /** All cells, in HBase's order: by family and qualifier, newest first. */
  cells;
  /** Whether the next result continues this row (scans with `batch`). */
  partial;
  #values;
  #readsBigInts = false;

  /**
   * @param {Buffer} key
   * @param {object[]} cells made by `cell()`, in HBase's order
   * @param {boolean} [partial]
   */
  constructor(key, cells, partial = false) {
    this.key = key;
    this.cells = cells;
    this.partial = partial;
  }

  /** Lets the row return 64-bit numbers as bigints; see the option `readBigInts`. */
  static readBigInts(row) {
    row.#readsBigInts = true;
  }

  /** The newest value of each column: `{ 'info:name': <Buffer …> }`; with `encoding: 'utf8'`, text. */
  get values() {
    this.#values ??= newest(this.cells);
    return this.#values;
  }

  /** The names of the columns that have a value. */
  get columns() {
    return Object.keys(this.values);
  }

  /** The bytes of the newest value of a column, or undefined. */
  #bytes(column) {
    const value = this.get(column);
    return typeof value === 'string' ? Buffer.from(value, 'utf8') : value;
  }

  /** The newest value of a column, or undefined. */
  get(column) {
    return this.values[textOf(column)];
  }

  /** Whether a column has a value. */
  has(column) {
    return this.get(column) !== undefined;
  }

  /** The newest value of a column, as UTF-8 text. */
  string(column) {
    return this.get(column)?.toString('utf8');
  }

  /**
   * The newest value of a column, as the 64-bit integer in its eight bytes: a number if that is exact, otherwise a
   * bigint; with `readBigInts`, always a bigint.
   */
  long(column) {
    const value = this.#bytes(column);
    if (value === undefined) return undefined;
    const long = fromLong(value, `the value of ${textOf(column)}`);
    return this.#readsBigInts ? BigInt(long) : long;
  }

  /** The newest value of a column, as the 64-bit integer in its eight bytes, always as a bigint. */
  bigint(column) {
    const value = this.long(column);
    return value === undefined ? undefined : BigInt(value);
  }

  /** The newest value of a column, as the floating-point number in its eight bytes (HBase's Bytes.toDouble). */
  double(column) {
    const value = this.#bytes(column);
    if (value !== undefined && value.length !== 8) {
      throw new RangeError(`the value of ${textOf(column)} is not a double: it has ${value.length} bytes, not 8`);
    }
    return value?.readDoubleBE(0);
  }

  /** The newest value of a column, parsed as JSON. */
  json(column) {
    return this.decode(column, codecs.json);
  }

  /** The newest value of a column, decoded by one of `codecs`. */
  decode(column, codec) {
    const value = this.#bytes(column);
    return value === undefined
      ? undefined
      : codecOf(codec, 'decode: codec').decode(value, `the value of ${textOf(column)}`, this.#readsBigInts);
  }

  /**
   * The row as a plain object: values by column, decoded by the codecs given for their columns, others as UTF-8 text.
   */
  decoded(given = {}) {
    return Object.fromEntries(
      this.columns.map((column) => {
        const codec = codecOf(given[column] ?? codecs.string, `decoded: codec of ${column}`);
        return [column, codec.decode(this.#bytes(column), `the value of ${column}`, this.#readsBigInts)];
      }),
    );
  }

  /** The timestamp of the newest value of a column, in milliseconds since the Unix epoch. */
  timestamp(column) {
    return this.versions(column)[0]?.timestamp;
  }

  /** The cells of a column that the read returned, newest first. */
  versions(column) {
    const text = textOf(column);
    return this.cells.filter((c) => c.column === text);
  }

  toJSON() {
    const values = Object.fromEntries(
      Object.entries(this.values).map(([column, value]) => [column, value.toString('utf8')]),
    );
    return { key: Buffer.from(this.key).toString('utf8'), values };
  }

  [inspect.custom](_depth, options, print) {
    return `Row ${print({ key: this.key, values: this.values, ...(this.partial ? { partial: true } : {}) }, options)}`;
  }
}

/** The name under which a row lists a column. */
function textOf(column) {
  if (typeof column === 'string' && column.includes(':')) return column;
  const { family, qualifier } = oneColumn(column, 'row: column');
  return columnText(family, qualifier);
}

function newest(cells) {
  const values = {};
  for (const { column, type, value } of cells) {
    // Raw reads also return delete markers, which are not values.
    if (type === 'Put' && !(column in values)) values[column] = value;
  }
  return values;
}

module.exports = { Row };
