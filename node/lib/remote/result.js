'use strict';
/** From TResults to rows. */
const { cell } = require('../cell.js');
const { Row } = require('../row.js');

const PUT = 4;

/** A row, also one without cells. */
function rowOf({ row, columnValues = [], partial = false }, asked) {
  return Row.of(row ?? asked, columnValues.map(cellOf), partial);
}

function cellOf({ family, qualifier, timestamp, value, type }) {
  return cell(family, qualifier, timestamp, value, type ?? PUT);
}

/** A row, or undefined where nothing was found. */
function found(result) {
  return result.columnValues === undefined || result.columnValues.length === 0 ? undefined : rowOf(result);
}

module.exports = { found, rowOf };
