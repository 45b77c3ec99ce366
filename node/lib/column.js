'use strict';
/** Columns: `family:qualifier` as programs write them, and the text under which results show them. */

const { isUtf8 } = require('node:buffer');
const { name } = require('./bytes.js');
const { shown } = require('./options.js');

const COLON = 0x3a;

/** Bytes as text: UTF-8 as it is, anything else with `\xHH` for what is not printable ASCII. */
function text(bytes) {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  if (isUtf8(buffer)) return buffer.toString('utf8');
  let out = '';
  for (const byte of buffer) {
    out += byte >= 0x20 && byte < 0x7f && byte !== 0x5c ? String.fromCharCode(byte) : `\\x${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }
  return out;
}

/** The text under which a column stands in results. */
function columnText(family, qualifier) {
  return `${text(family)}:${text(qualifier)}`;
}

/** Columns that were written as strings, so that each is taken apart once. Bounded: programs may make names up. */
const known = new Map();
const KNOWN_MAX = 4096;

function split(whole) {
  const at = whole.indexOf(COLON);
  return at < 0 ? { family: whole, qualifier: undefined } : { family: whole.subarray(0, at), qualifier: whole.subarray(at + 1) };
}

/**
 * What was written for a column: 'family:qualifier' (string or bytes; 'family:' has the empty qualifier), 'family' for all of its columns,
 * or { family, qualifier }.
 * @returns {{ family: Uint8Array, qualifier: Uint8Array | undefined }}
 */
function column(given, what) {
  if (typeof given === 'string') {
    let found = known.get(given);
    if (found === undefined) {
      found = Object.freeze(split(Buffer.from(given, 'utf8')));
      if (known.size < KNOWN_MAX) known.set(given, found);
    }
    return found;
  }
  if (given instanceof Uint8Array) return split(given);
  if (typeof given === 'object' && given !== null && 'family' in given) {
    const qualifier = given.qualifier === undefined || given.qualifier === null ? undefined : name(given.qualifier, `${what}: qualifier`);
    return { family: name(given.family, `${what}: family`), qualifier };
  }
  throw new TypeError(`${what} must be 'family:qualifier', bytes of that form, or { family, qualifier }, not ${shown(given)}`);
}

/** The same where one column is meant, not a family. */
function oneColumn(given, what) {
  const found = column(given, what);
  if (found.qualifier === undefined) {
    const family = text(found.family);
    throw new TypeError(`${what} must be one column: write '${family}:qualifier' ('${family}:' for the empty qualifier), not '${family}'`);
  }
  return found;
}

module.exports = { column, columnText, oneColumn, text };
