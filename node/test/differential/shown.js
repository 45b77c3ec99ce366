'use strict';
/**
 * Answers as text, including their types, so that a number on one side and a bigint on the other is a difference.
 */
const { HjallError, Row } = require('../../lib/index.js');

/** Timestamps from here on were assigned by the server. */
const OWN_TIME = 1_500_000_000_000;

const time = (t) => (t >= OWN_TIME && t < OWN_TIME * 100 ? `${typeof t} now` : shown(t));

function shownRow(row) {
  const cells = row.cells.map(
    ({ column, family, qualifier, timestamp, type, value }) =>
      `${shown(family)} ${shown(qualifier)} ${column}@${time(timestamp)}${type === 'Put' ? '' : `!${type}`}=${shown(value)}`,
  );
  return `Row ${shown(row.key)}${row.partial ? '…' : ''} [${cells.join(', ')}] {${row.columns.join(', ')}}`;
}

/** An answer as text. */
function shown(value) {
  if (value instanceof Row) return shownRow(value);
  if (Buffer.isBuffer(value)) return `<${value.toString('latin1')}>`;
  if (value instanceof Uint8Array) return `Uint8Array <${Buffer.from(value).toString('latin1')}>`;
  if (Array.isArray(value)) return `[${value.map(shown).join('; ')}]`;
  if (value !== null && typeof value === 'object' && 'column' in value && 'type' in value)
    return `${value.column}@${time(value.timestamp)}=${shown(value.value)}`;
  if (value !== null && typeof value === 'object')
    return `{${Object.entries(value)
      .map(([k, v]) => `${k}: ${shown(v)}`)
      .join(', ')}}`;
  return typeof value === 'bigint' ? `${value}n` : (JSON.stringify(value) ?? 'undefined');
}

/** The answer to a step, or its error as text: the code, and for a batch the rows that failed. */
async function outcome(work) {
  try {
    return shown(await work());
  } catch (error) {
    if (error instanceof HjallError) {
      const failures = error.failures?.map(({ index, error: one }) => `${index} ${one.code}`);
      return `! ${error.name} ${error.code}${failures ? ` (${failures.join(', ')})` : ''}`;
    }
    if (error instanceof TypeError || error instanceof RangeError) return `! ${error.name} ${error.message}`;
    throw error;
  }
}

module.exports = { outcome, shown };
