'use strict';
/** Comparison operators, which read the same way in checks and filters: the stored part is the left operand. */

const { COMPARE } = require('./backend.js');
const { oneOf } = require('./options.js');

const SIGNS = {
  '<': 'LESS',
  '<=': 'LESS_OR_EQUAL',
  '=': 'EQUAL',
  '!=': 'NOT_EQUAL',
  '>=': 'GREATER_OR_EQUAL',
  '>': 'GREATER',
};

/** The operator for exchanged operands; those that are missing are symmetric. */
const EXCHANGED = {
  LESS: 'GREATER',
  LESS_OR_EQUAL: 'GREATER_OR_EQUAL',
  GREATER_OR_EQUAL: 'LESS_OR_EQUAL',
  GREATER: 'LESS',
};

/** HBase's name of an operator, which is given as a sign or as a name. */
function operatorOf(op, what, otherwise) {
  return SIGNS[op] ?? oneOf(op, COMPARE, what, otherwise);
}

module.exports = { EXCHANGED, SIGNS, operatorOf };
