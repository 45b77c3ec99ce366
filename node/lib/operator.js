'use strict';
/** Comparison operators, which read the same way in checks and filters: the stored part is the left operand. */

const { COMPARE } = require('./backend.js');
const { nearest, shown } = require('./options.js');

const SIGNS = {
  __proto__: null,
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

/** Signs of programming languages, and those that are meant. */
const MEANT = { __proto__: null, '==': '=', '===': '=', '!==': '!=', '<>': '!=', '=<': '<=', '=>': '>=' };

/** HBase's name of an operator, which is given as a sign or as a name. */
function operatorOf(op, what, otherwise) {
  if (op === undefined) return otherwise;
  if (typeof op === 'string') {
    const name = SIGNS[op] ?? op.toUpperCase();
    if (COMPARE.includes(name)) return name;
  }
  const meant = typeof op === 'string' ? (MEANT[op] ?? nearest(op, COMPARE)) : undefined;
  const remedy =
    meant === undefined
      ? `expected one of ${[...Object.keys(SIGNS), ...COMPARE].map((word) => `\`${word}\``).join(', ')}`
      : `did you mean \`${meant}\`?`;
  throw new (typeof op === 'string' ? RangeError : TypeError)(`${what} cannot be ${shown(op)}; ${remedy}`);
}

module.exports = { EXCHANGED, SIGNS, operatorOf };
