'use strict';
/** Converts TResults to rows, over several turns of the event loop if they have many cells. */
const { cell, separateNames } = require('../cell.js');
const { columnText } = require('../column.js');
const { make } = require('../errors.js');
const { Row } = require('../row.js');
const { SLICE, overTurns, unitsOf } = require('../turns.js');
const { CellKind } = require('../vocabulary.js');

/** Bytes of an answer, copied unless they fill most of its memory, which they would keep otherwise. */
function owned(bytes) {
  return bytes.length * 2 < bytes.buffer.byteLength ? Buffer.from(bytes) : bytes;
}

/** Converts the rows of one answer, in the form in which a `reading` returns them. */
class Rows {
  #reading;
  #converted = 0;
  /** The columns of the last row, by position: { family, qualifier, name }. Rows of a table mostly have the same. */
  #columns = [];

  constructor(reading) {
    this.#reading = reading;
  }

  #columnOf(position, family, qualifier) {
    const before = this.#columns[position];
    if (before !== undefined && before.qualifier.equals(qualifier) && before.family.equals(family)) return before;
    const column = { family: owned(family), qualifier: owned(qualifier), name: columnText(family, qualifier) };
    this.#columns[position] = column;
    return column;
  }

  /** A row, which may have no cells. `key` is the requested one, if it is known, since an empty TResult may lack it. */
  *row({ row, columnValues = [], partial = false }, key) {
    if (row === undefined && key === undefined) throw make('Protocol', 'the server answers with a row that has no key');
    const cells = new Array(columnValues.length);
    // For more cells, this would take too long when the program asks for them.
    const isSeparate = cells.length > SLICE;
    for (let from = 0; ; ) {
      let i = from;
      for (; i < cells.length && this.#converted < SLICE; i += 1) {
        const { family, qualifier, timestamp, value, type } = columnValues[i];
        const column = this.#columnOf(i, family, qualifier);
        // Text is a copy already.
        const read = this.#reading.bytes(value);
        const own = typeof read === 'string' ? read : owned(read);
        cells[i] = cell(column.family, column.qualifier, timestamp, own, type ?? CellKind.Put, column.name);
        this.#converted += 1 + unitsOf(value.length);
      }
      if (isSeparate) separateNames(cells, from, i);
      this.#reading.cells(cells, from, i);
      this.#converted += 1;
      if (this.#converted >= SLICE) {
        yield;
        this.#converted = 0;
      }
      if (i === cells.length) return new Row(row === undefined ? key : owned(row), cells, partial, isSeparate);
      from = i;
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

/** @returns {Promise<Row>} the row that an increment or append returns, with the cells that it has written */
function writtenRow(result, reading, key) {
  if (!isFound(result)) throw make('Protocol', 'the server answers without the cells that were written');
  return rowOf(result, reading, key);
}

module.exports = { foundRowsOf, rowOrUndefined, rowsOf, writtenRow };
