'use strict';
/** A row as reads return it: its key, values by column, cells, and typed accessors. */

const { inspect } = require('node:util');
const { fromLong } = require('./bytes.js');
const { separateNames } = require('./cell.js');
const { codecOf, codecs } = require('./codecs.js');
const { columnText, oneColumn } = require('./column.js');
const { shown } = require('./options.js');

/**
 * A row, or in a scan with `batch`, a part of one.
 *
 * `key`, `cells` and `partial` are own enumerable properties, so that comparisons, copies and clones see them.
 */
class Row {
  /** The row key. */
  key;
  /** Whether the next result may continue this row (scans with `batch`). */
  partial;
  #cells;
  #isSeparate;
  #values;
  #readsBigInts = false;

  /**
   * @param {Buffer} key
   * @param {object[]} cells made by `cell()`, in HBase's order
   * @param {boolean} [partial]
   * @param {boolean} [isSeparate] whether the cells share no names with those of other rows
   */
  constructor(key, cells, partial = false, isSeparate = false) {
    this.key = key;
    this.#cells = cells;
    this.#isSeparate = isSeparate;
    this.partial = partial;
    // Takes half as long as `defineProperty`, for every row that is read.
    this.__defineGetter__('cells', Row.#separated);
  }

  /**
   * Gets `cells`: all of them, in HBase's order, by family and qualifier, newest first. Their names become their own
   * when a program asks for them, since most programs read values by column.
   */
  static #separated = function cells() {
    if (!this.#isSeparate) {
      separateNames(this.#cells);
      this.#isSeparate = true;
    }
    return this.#cells;
  };

  /** The cells of a row, whose names may be shared: they must not reach the program. */
  static shared(row) {
    return row.#cells;
  }

  /** Lets the row return 64-bit numbers as bigints; see the option `readBigInts`. */
  static readBigInts(row) {
    row.#readsBigInts = true;
  }

  /** The newest value of each column: `{ 'info:name': <Buffer …> }`; with `encoding: 'utf8'`, text. */
  get values() {
    this.#values ??= newest(this.#cells);
    return this.#values;
  }

  /** The names of the columns that have a value. */
  get columns() {
    return Object.keys(this.values);
  }

  /** The bytes of the newest value of a column, or undefined. */
  #bytes(column) {
    return bytesOf(this.get(column));
  }

  /** The name under which this row lists a column. */
  #textOf(column) {
    if (typeof column !== 'string' || !column.includes(':')) return textOf(column, () => this.columns);
    if (!column.includes('\\x')) return column;
    // Either the column whose name is this text, as in writes, or one that is listed as this text.
    const literal = textOf(Buffer.from(column, 'utf8'));
    return this.#cells.some((one) => one.column === literal) ? literal : column;
  }

  /** The newest value of a column, or undefined. */
  get(column) {
    return this.values[this.#textOf(column)];
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
    const long = fromLong(value, `the value of ${this.#textOf(column)}`);
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
      throw new RangeError(`the value of ${this.#textOf(column)} is not a double: it has ${value.length} bytes, not 8`);
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
      : codecOf(codec, 'decode: codec').decode(value, `the value of ${this.#textOf(column)}`, this.#readsBigInts);
  }

  /**
   * The row as a plain object: values by column, decoded by the codecs given for their columns, others as UTF-8 text.
   */
  decoded(given = {}) {
    if (given === null || typeof given !== 'object')
      throw new TypeError(`decoded: codecs must be an object { 'family:qualifier': codec }, not ${shown(given)}`);
    const chosen = new Map(Object.entries(given).map(([column, codec]) => [this.#textOf(column), codec]));
    return Object.fromEntries(
      this.columns.map((column) => {
        const codec = codecOf(chosen.get(column) ?? codecs.string, `decoded: codec of ${column}`);
        return [column, codec.decode(bytesOf(this.values[column]), `the value of ${column}`, this.#readsBigInts)];
      }),
    );
  }

  /** The timestamp of the newest value of a column, in milliseconds since the Unix epoch. */
  timestamp(column) {
    return this.versions(column)[0]?.timestamp;
  }

  /** The cells of a column that the read returned, newest first. */
  versions(column) {
    const text = this.#textOf(column);
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

function bytesOf(value) {
  return typeof value === 'string' ? Buffer.from(value, 'utf8') : value;
}

/** The name under which rows list a column. `known` lists the columns of a row. */
function textOf(column, known) {
  const { family, qualifier } = oneColumn(column, 'row: column', known);
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
