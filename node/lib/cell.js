'use strict';
/** One cell of a result: a plain object. */

const { columnText } = require('./column.js');

/** HBase's numbers of the kinds of cells, and their names. */
const CELL_TYPES = Object.freeze({ 4: 'Put', 8: 'Delete', 10: 'DeleteFamilyVersion', 12: 'DeleteColumn', 14: 'DeleteFamily' });

/**
 * A cell as results show it.
 * @param {Buffer} family
 * @param {Buffer} qualifier
 * @param {number | bigint} timestamp milliseconds since 1970; a bigint only where a number cannot hold it
 * @param {Buffer} value
 * @param {number} [code] HBase's number of its kind
 * @param {string} [column] its column's text, where it is known already
 */
function cell(family, qualifier, timestamp, value, code = 4, column = columnText(family, qualifier)) {
  return { column, family, qualifier, timestamp, type: CELL_TYPES[code] ?? `Unknown${code}`, value };
}

module.exports = { CELL_TYPES, cell };
