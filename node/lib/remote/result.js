'use strict';
/** Converts TResults to rows, over several turns of the event loop if they have many cells. */
const { cell } = require('../cell.js');
const { Row } = require('../row.js');
const { SLICE, overTurns } = require('../turns.js');
const { CellKind } = require('../vocabulary.js');

function cellOf({ family, qualifier, timestamp, value, type }) {
  return cell(family, qualifier, timestamp, value, type ?? CellKind.Put);
}

/** Converts the rows of one answer, in the form in which a `reading` returns them. */
class Rows {
  #reading;
  #converted = 0;

  constructor(reading) {
    this.#reading = reading;
  }

  /** A row, which may have no cells. `key` is the requested one, since an empty TResult may lack it. */
  *row({ row, columnValues = [], partial = false }, key) {
    const cells = new Array(columnValues.length);
    for (let from = 0; ; ) {
      const until = Math.min(cells.length, from + SLICE - this.#converted);
      for (let i = from; i < until; i += 1) cells[i] = cellOf(columnValues[i]);
      this.#reading.cells(cells, from, until);
      this.#converted += 1 + until - from;
      if (this.#converted >= SLICE) {
        yield;
        this.#converted = 0;
      }
      if (until === cells.length) return new Row(row ?? key, cells, partial);
      from = until;
    }
  }

  *found(results) {
    const rows = new Array(results.length);
    for (let i = 0; i < rows.length; i += 1) if (isFound(results[i])) rows[i] = yield* this.row(results[i]);
    return rows;
  }

  *all(results) {
    const rows = new Array(results.length);
    for (let i = 0; i < rows.length; i += 1) rows[i] = yield* this.row(results[i]);
    return rows;
  }
}

function isFound({ columnValues }) {
  return columnValues !== undefined && columnValues.length > 0;
}

/** @returns {Promise<Row>} a row, which may have no cells */
function rowOf(result, reading, key) {
  return overTurns(new Rows(reading).row(result, key));
}

/** @returns {Promise<Row[]>} */
function rowsOf(results, reading) {
  return overTurns(new Rows(reading).all(results));
}

/** @returns {Promise<(Row | undefined)[]>} for each result its row, or undefined if nothing was found */
function foundRowsOf(results, reading) {
  return overTurns(new Rows(reading).found(results));
}

/** @returns {Promise<Row | undefined>} */
async function rowOrUndefined(result, reading) {
  return isFound(result) ? rowOf(result, reading) : undefined;
}

module.exports = { foundRowsOf, rowOf, rowOrUndefined, rowsOf };
