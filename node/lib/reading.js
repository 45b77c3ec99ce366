'use strict';
/** The form in which a database returns what it reads, which the options `encoding` and `readBigInts` choose. */

const { isUtf8 } = require('node:buffer');
const { flag } = require('./options.js');
const { Row } = require('./row.js');

/** Bytes as a string, or unchanged if they are not valid UTF-8, so that nothing is lost. Strings stay as they are. */
function textOf(bytes) {
  return typeof bytes !== 'string' && isUtf8(bytes) ? bytes.toString('utf8') : bytes;
}

class Reading {
  #texts;
  #bigInts;

  constructor(texts, bigInts) {
    this.#texts = texts;
    this.#bigInts = bigInts;
  }

  /** A 64-bit number: a bigint, or a number where that is exact. */
  long(value) {
    return this.#bigInts ? BigInt(value) : value;
  }

  /** Bytes as a program reads them. */
  bytes(value) {
    return this.#texts ? textOf(value) : value;
  }

  /** Converts a part of a row's cells in place, as `row` does. */
  cells(cells, from, until) {
    for (let i = from; i < until; i += 1) {
      const cell = cells[i];
      if (this.#texts) cell.value = textOf(cell.value);
      if (this.#bigInts) cell.timestamp = BigInt(cell.timestamp);
    }
  }

  /**
   * Converts a row in place, which its reader has just made. A row that has been converted, undefined and errors are
   * returned unchanged.
   */
  row(row) {
    if (!(row instanceof Row)) return row;
    if (this.#texts) row.key = textOf(row.key);
    const cells = Row.shared(row);
    this.cells(cells, 0, cells.length);
    if (this.#bigInts) Row.readBigInts(row);
    return row;
  }

  rows(rows) {
    for (const row of rows) this.row(row);
    return rows;
  }
}

/** The form of bytes and of numbers where they are exact, as rows have it when they are made. */
const PLAIN = {
  bytes: (value) => value,
  cells: () => {},
  long: (value) => value,
  row: (row) => row,
  rows: (rows) => rows,
};

/** The form that the options of `open`, `memory` or `connect` choose. */
function readingOf({ encoding, readBigInts }, where) {
  const bigInts = flag(readBigInts, `${where}: option \`readBigInts\``);
  const texts = encoding !== undefined;
  return texts || bigInts ? new Reading(texts, bigInts) : PLAIN;
}

module.exports = { PLAIN, readingOf };
