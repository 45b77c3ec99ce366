'use strict';
/** A cell of a result: a plain object. */

const { columnText } = require('./column.js');
const { CellKind } = require('./vocabulary.js');

/** The names of cell types, by HBase's numbers. */
const CELL_TYPES = Object.freeze(Object.fromEntries(Object.entries(CellKind).map(([name, number]) => [number, name])));

/**
 * Makes a cell of a result.
 * @param {Buffer} family
 * @param {Buffer} qualifier
 * @param {number | bigint} timestamp milliseconds since the Unix epoch; a bigint only if a number cannot hold it
 * @param {Buffer} value
 * @param {number} [code] HBase's number of its type
 * @param {string} [column] its column's text, if already known
 */
function cell(family, qualifier, timestamp, value, code = CellKind.Put, column = columnText(family, qualifier)) {
  return { column, family, qualifier, timestamp, type: CELL_TYPES[code] ?? `Unknown${code}`, value };
}

/**
 * Gives some cells of a row names of their own. Until then they share them with the cells of other results, in which a
 * program that changes the bytes of a name would change it, too.
 */
function separateNames(cells, from = 0, until = cells.length) {
  for (let i = from; i < until; i += 1) {
    const one = cells[i];
    one.family = Buffer.from(one.family);
    one.qualifier = Buffer.from(one.qualifier);
  }
}

module.exports = { CELL_TYPES, cell, separateNames };
