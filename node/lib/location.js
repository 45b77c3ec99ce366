'use strict';
/** Adds to an error what its call was about, and the stack of the code that awaits the call. */

const { isBytes, isLost, lostMemory, viewOf } = require('./bytes.js');
const { shownColumn, text } = require('./column.js');
const { HjallError } = require('./errors.js');
const { escaped } = require('./options.js');

/** The longest row key that a message shows. */
const KEY_BYTES_MAX = 64;

const located = new WeakSet();

/** Lets the stack of an error of arguments begin with the caller of a method. Node would show this package's frames. */
function argumentError(error, method) {
  if (error instanceof Error) Error.captureStackTrace(error, method);
  return error;
}

/** A promise that rejects with an error of arguments, for a call that began in a later turn of the event loop. */
function rejectedLater(error) {
  // A reaction gives the error the stack of the code that awaits the call, as in methods.js. It is the second one,
  // since the promise of the call follows this one only after the first.
  const failed = () => {
    throw argumentError(error, failed);
  };
  return Promise.resolve().then(() => Promise.reject(error)).then(undefined, failed);
}

/**
 * Completes the error of a call. Errors of other origin, such as the reason of an AbortSignal, are not changed.
 * @param {unknown} error
 * @param {string} method the name of the called method
 * @param {object} request
 * @param {Function} below the stack begins with the caller of this function
 */
function locate(error, method, request, below) {
  // A TypeError that does not name the method is one of JavaScript itself.
  const isOwn = !(error instanceof TypeError) || error.message.startsWith(`${method}: `);
  const lost = isOwn ? undefined : lostIn(request);
  if (lost !== undefined) {
    const located = lostMemory(`${method}: ${lost}`);
    Error.captureStackTrace(located, below);
    return located;
  }
  if (!(error instanceof HjallError) || located.has(error)) return error;
  located.add(error);
  error.message = `${method}: ${placeOf(request, error.message)}${error.message}`;
  Error.captureStackTrace(error, below);
  return error;
}

/**
 * What in a request has lost its memory since it was converted: code of the program, such as a getter of the data, can
 * transfer an ArrayBuffer meanwhile.
 */
function lostIn(part, name) {
  if (isBytes(part)) return isLost(part) ? name : undefined;
  if (part === null || typeof part !== 'object') return undefined;
  for (const [field, value] of Object.entries(part)) {
    const lost = lostIn(value, Array.isArray(part) ? name : nameOf(field, part));
    if (lost !== undefined) return lost;
  }
  return undefined;
}

/** What messages call a field of a request. The fields of a column come before its value. */
function nameOf(field, { family, qualifier }) {
  if (field === 'row') return 'row key';
  if (field === 'family' || field === 'qualifier') return 'column';
  return field === 'value' && isBytes(qualifier) ? `the value of ${shownColumn(family, qualifier)}` : field;
}

/** `table "users", row "ann": `, without what the message names already. */
function placeOf(request, message) {
  const parts = [];
  const name = request.table ?? request.begin?.table;
  const table = name === undefined ? undefined : escaped(name);
  if (table !== undefined && !message.includes(`"${table}"`) && !message.includes(`table ${table}`)) parts.push(`table "${table}"`);
  const row = (request.get ?? request.mutation ?? request.check ?? request.increment ?? request.append ?? request).row;
  if (row !== undefined) parts.push(`row ${rowText(row)}`);
  return parts.length === 0 ? '' : `${parts.join(', ')}: `;
}

function rowText(row) {
  if (isLost(row)) return '""';
  const shown = escaped(text(viewOf(row).subarray(0, KEY_BYTES_MAX)));
  return row.length > KEY_BYTES_MAX ? `"${shown}…" (${row.length} bytes)` : `"${shown}"`;
}

module.exports = { argumentError, locate, rejectedLater };
