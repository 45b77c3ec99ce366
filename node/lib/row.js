'use strict';
/** A row as reads return it: its key, its values by column, its cells, and typed accessors. */

const { inspect } = require('node:util');
const { fromLong } = require('./bytes.js');
const { column: columnOf, columnText } = require('./column.js');

/**
 * A row, or with a scan's `batch` a piece of one.
 *
 * What came from the engine is taken apart only where it is looked at. All values of a block of results share its memory: to keep one for long,
 * copy it (`Buffer.from(value)`).
 */
class Row {
  #packed;
  #at;
  #key;
  #cells;
  #values;
  /** Whether more cells of the same row follow in the next result (scans with `batch`). */
  partial;

  /**
   * @param {{ key(at: number): Buffer, cells(at: number): object[], values(at: number): object } | undefined} packed where its parts are read from
   * @param {number} at where in `packed`
   * @param {boolean} partial
   */
  constructor(packed, at, partial) {
    this.#packed = packed;
    this.#at = at;
    this.partial = partial;
  }

  /**
   * A row whose cells are known.
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

  /** Every cell, in HBase's order: family, qualifier, newest first. */
  get cells() {
    this.#cells ??= this.#packed.cells(this.#at);
    return this.#cells;
  }

  /** The newest value of each column, as a plain object: `{ 'info:name': <Buffer …> }`. */
  get values() {
    this.#values ??= this.#packed === undefined ? newest(this.#cells) : this.#packed.values(this.#at);
    return this.#values;
  }

  /** The columns, as text. */
  get columns() {
    return Object.keys(this.values);
  }

  /** The newest value of a column, or undefined. */
  get(column) {
    return this.values[typeof column === 'string' ? column : textOf(column)];
  }

  /** Whether there is a cell of a column. */
  has(column) {
    return this.get(column) !== undefined;
  }

  /** The newest value as UTF-8 text. */
  string(column) {
    return this.get(column)?.toString('utf8');
  }

  /** The newest value as the number in its eight bytes: a number where one can hold it, else a bigint. */
  long(column) {
    const value = this.get(column);
    return value === undefined ? undefined : fromLong(value, `the value of ${textOf(column)}`);
  }

  /** The newest value as the number in its eight bytes, always a bigint. */
  bigint(column) {
    const value = this.long(column);
    return value === undefined ? undefined : BigInt(value);
  }

  /** The newest value as the floating point number in its eight bytes (as HBase's Bytes.toDouble reads it). */
  double(column) {
    const value = this.get(column);
    if (value !== undefined && value.length !== 8) {
      throw new RangeError(`the value of ${textOf(column)} is not a double: it has ${value.length} bytes, not 8`);
    }
    return value?.readDoubleBE(0);
  }

  /** The newest value as JSON. */
  json(column) {
    const text = this.string(column);
    return text === undefined ? undefined : JSON.parse(text);
  }

  /** When the newest value of a column was written, in milliseconds since 1970. */
  timestamp(column) {
    return this.versions(column)[0]?.timestamp;
  }

  /** All cells of a column that the read returned, newest first. */
  versions(column) {
    const text = textOf(column);
    return this.cells.filter((c) => c.column === text);
  }

  toJSON() {
    const values = Object.fromEntries(Object.entries(this.values).map(([column, value]) => [column, value.toString('utf8')]));
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
    // Raw reads show delete markers too, which have no value.
    if (type === 'Put' && !(column in values)) values[column] = value;
  }
  return values;
}

module.exports = { Row };
