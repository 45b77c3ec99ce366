'use strict';
/** Column names: parsing `family:qualifier`, and the text under which results list a column. */

const { isUtf8 } = require('node:buffer');
const { isBytes, name, present, utf8, viewOf } = require('./bytes.js');
const { escaped, shown } = require('./options.js');

const COLON = 0x3a;

/** Bytes as text: valid UTF-8 is decoded; otherwise bytes that are not printable ASCII become `\xHH`. */
function text(bytes) {
  const buffer = viewOf(bytes);
  if (isUtf8(buffer)) return buffer.toString('utf8');
  let out = '';
  for (const byte of buffer) {
    out +=
      byte >= 0x20 && byte < 0x7f && byte !== 0x5c
        ? String.fromCharCode(byte)
        : `\\x${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }
  return out;
}

/** A backslash that would be read as the beginning of `\xHH`. */
const ESCAPE = /\\(?=x[0-9A-F]{2})/g;

/** `text`, of which no two names have the same: in UTF-8, the backslash of a literal `\xHH` becomes `\x5C`. */
function nameText(bytes) {
  const shown = text(bytes);
  return shown.includes('\\x') && isUtf8(bytes) ? shown.replace(ESCAPE, '\\x5C') : shown;
}

/** The text under which results list a column. */
function columnText(family, qualifier) {
  return `${nameText(family)}:${nameText(qualifier)}`;
}

/** A column as error messages show it. */
function shownColumn(family, qualifier) {
  return escaped(columnText(family, qualifier));
}

/** A cache of columns parsed from strings. It is bounded, since programs may generate names. */
const parsed = new Map();
const PARSED_MAX = 4096;

function split(whole) {
  const at = whole.indexOf(COLON);
  return at < 0
    ? { family: whole, qualifier: undefined }
    : { family: whole.subarray(0, at), qualifier: whole.subarray(at + 1) };
}

/**
 * Parses a column: 'family:qualifier' (string or bytes; 'family:' has the empty qualifier), 'family' for the whole
 * family, or { family, qualifier }.
 * @returns {{ family: Uint8Array, qualifier: Uint8Array | undefined }}
 */
function column(given, what) {
  if (typeof given === 'string') {
    let found = parsed.get(given);
    if (found === undefined) {
      found = Object.freeze(split(utf8(given, what)));
      if (parsed.size < PARSED_MAX) parsed.set(given, found);
    }
    return found;
  }
  if (isBytes(given)) return split(viewOf(present(given, what)));
  if (typeof given === 'object' && given !== null && 'family' in given) {
    const qualifier =
      given.qualifier === undefined || given.qualifier === null
        ? undefined
        : name(given.qualifier, `${what}: qualifier`);
    return { family: name(given.family, `${what}: family`), qualifier };
  }
  throw new TypeError(
    `${what} must be 'family:qualifier', bytes of that form, or { family, qualifier }, not ${shown(given)}`,
  );
}

/** Parses a column that must not be a whole family. `known` lists columns, one of which may be meant. */
function oneColumn(given, what, known = () => []) {
  const found = column(given, what);
  if (found.qualifier === undefined) {
    const name = text(found.family);
    const shownName = escaped(name);
    const likely = known().find((one) => one.slice(one.indexOf(':') + 1) === name);
    const remedy =
      likely === undefined
        ? `write 'family:${shownName}', or '${shownName}:qualifier' if '${shownName}' is the family`
        : `did you mean '${escaped(likely)}'?`;
    throw new TypeError(`${what} must be a single column, 'family:qualifier', not '${shownName}': ${remedy}`);
  }
  return found;
}

module.exports = { column, columnText, oneColumn, shownColumn, text };
