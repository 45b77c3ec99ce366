'use strict';
/** A row as reads return it: its key, values by column, cells, and typed accessors. */

const { inspect } = require('node:util');
const { fromLong } = require('./bytes.js');
const { column: columnOf, columnText } = require('./column.js');

/**
 * A row, or in a scan with `batch`, a part of one.
 *
 * Rows of an embedded database are decoded when they are accessed. All values in a block of results share its memory:
 * copy a value that is kept for long (`Buffer.from(value)`).
 */
class Row {
  #packed;
  #at;
  #key;
  #cells;
  #values;
  /** Whether the next result continues this row (scans with `batch`). */
  partial;

  /**
   * @param {{ key(at: number): Buffer, cells(at: number): object[], values(at: number): object } | undefined} packed
   * decodes the row
   * @param {number} at its position in `packed`
   * @param {boolean} partial
   */
  constructor(packed, at, partial) {
    this.#packed = packed;
    this.#at = at;
    this.partial = partial;
  }

  /**
   * Makes a row from its cells.
   * @param {Uint8Array} key
   * @param {object[]} cells made by `cell()`, in HBase's order
   * @param {boolean} [partial]
   */
  static of(key, cells, partial = false) {
    const row = new Row(undefined, 0, partial);
    row.#key = key;
    row.#cells = cells;
    return row;
  }

  /** The row key. */
  get key() {
    this.#key ??= this.#packed.key(this.#at);
    return this.#key;
  }

  /** All cells, in HBase's order: by family and qualifier, newest first. */
  get cells() {
    this.#cells ??= this.#packed.cells(this.#at);
    return this.#cells;
  }

  /** The newest value of each column: `{ 'info:name': <Buffer …> }`. */
  get values() {
    this.#values ??= this.#packed === undefined ? newest(this.#cells) : this.#packed.values(this.#at);
    return this.#values;
  }

  /** The names of the columns that have a value. */
  get columns() {
    return Object.keys(this.values);
  }

  /** The newest value of a column, or undefined. */
  get(column) {
    return this.values[typeof column === 'string' ? column : textOf(column)];
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
   * bigint.
   */
  long(column) {
    const value = this.get(column);
    return value === undefined ? undefined : fromLong(value, `the value of ${textOf(column)}`);
  }

  /** The newest value of a column, as the 64-bit integer in its eight bytes, always as a bigint. */
  bigint(column) {
    const value = this.long(column);
    return value === undefined ? undefined : BigInt(value);
  }

  /** The newest value of a column, as the floating-point number in its eight bytes (HBase's Bytes.toDouble). */
  double(column) {
    const value = this.get(column);
    if (value !== undefined && value.length !== 8) {
      throw new RangeError(`the value of ${textOf(column)} is not a double: it has ${value.length} bytes, not 8`);
    }
    return value?.readDoubleBE(0);
  }

  /** The newest value of a column, parsed as JSON. */
  json(column) {
    const text = this.string(column);
    return text === undefined ? undefined : JSON.parse(text);
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

function textOf(column) {
  if (typeof column === 'string') return column;
  const { family, qualifier } = columnOf(column, 'column');
  return columnText(family, qualifier ?? Buffer.alloc(0));
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
