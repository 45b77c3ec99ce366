'use strict';
/** Converts TResults to rows. */
const { cell } = require('../cell.js');
const { Row } = require('../row.js');
const { CellKind } = require('../vocabulary.js');

/** A row, which may have no cells. `key` is the requested one, since an empty TResult may lack it. */
function rowOf({ row, columnValues = [], partial = false }, key) {
  return new Row(row ?? key, columnValues.map(cellOf), partial);
}

function cellOf({ family, qualifier, timestamp, value, type }) {
  return cell(family, qualifier, timestamp, value, type ?? CellKind.Put);
}

/** A row, or undefined if nothing was found. */
function rowOrUndefined(result) {
  return result.columnValues === undefined || result.columnValues.length === 0 ? undefined : rowOf(result);
}

module.exports = { rowOf, rowOrUndefined };
