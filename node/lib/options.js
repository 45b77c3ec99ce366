'use strict';
/** Validation of arguments: options by name, numbers by range. Every error message suggests a remedy. */

const { existsSync } = require('node:fs');
const { fileURLToPath } = require('node:url');

/** The Levenshtein distance of two words. */
function distance(a, b) {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      next[j] = Math.min(next[j - 1] + 1, row[j] + 1, row[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1));
    }
    row = next;
  }
  return row[b.length];
}

/** Shorter names occur inside other words by chance. */
const CONTAINED_MIN = 4;

/** The candidate that was probably meant, or undefined. */
function nearest(word, words) {
  const low = word.toLowerCase();
  // Other interfaces use longer names, such as max_versions for `versions`, of which the plural may be left out.
  const inside = [...words].filter((candidate) => {
    const singular = candidate.toLowerCase().replace(/s$/, '');
    return singular.length >= CONTAINED_MIN && low !== candidate.toLowerCase() && low.includes(singular);
  });
  if (inside.length > 0) return inside.reduce((a, b) => (b.length > a.length ? b : a));
  // Some names are longer here, since they name their unit.
  const longer = [...words].filter((candidate) => low.length >= 3 && candidate.toLowerCase().startsWith(low));
  if (longer.length === 1) return longer[0];
  let best;
  let least = Math.max(2, Math.floor(word.length / 3)) + 1;
  for (const candidate of words) {
    const d = distance(low, candidate.toLowerCase());
    if (d < least) {
      [best, least] = [candidate, d];
    }
  }
  return best;
}

/** "did you mean …?", or the list of what is allowed. */
function remedy(word, words) {
  const meant = nearest(word, words);
  return meant === undefined
    ? `expected one of ${[...words].map((w) => `\`${w}\``).join(', ')}`
    : `did you mean \`${meant}\`?`;
}

/**
 * Characters that do not belong into a message: they could end its line, or have a terminal hide or change what it
 * shows. Among them are the controls for the direction of text.
 */
const CONTROL = /[\p{Cc}\p{Zl}\p{Zp}\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/gu;
const SHORT_ESCAPES = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** A text with its control characters as in a string of JavaScript. */
function escaped(text) {
  return text.replace(CONTROL, (one) => SHORT_ESCAPES[one] ?? `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** A value as error messages show it. */
function shown(value) {
  if (typeof value === 'string') return escaped(JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}…` : value));
  if (value === null || typeof value !== 'object')
    return typeof value === 'function' ? 'a function' : String(value) + (typeof value === 'bigint' ? 'n' : '');
  return Array.isArray(value) ? 'an array' : `an instance of ${value.constructor?.name ?? 'Object'}`;
}

/** Checks that a string has a form in UTF-8. Otherwise several strings would be written as the same bytes. */
function wellFormed(text, what) {
  if (text.isWellFormed()) return text;
  throw new TypeError(
    `${what} cannot be ${shown(text)}: it has half of a surrogate pair, which UTF-8 cannot represent; check where the text was cut, or use its toWellFormed()`,
  );
}

const NONE = Object.freeze({});

/**
 * Checks that options are an object with known keys only, and returns it ({} if there are none).
 * @param {object | undefined} options
 * @param {Set<string>} known
 * @param {string} where the method, for error messages
 */
function checked(options, known, where) {
  if (options === undefined || options === null) return NONE;
  if (typeof options !== 'object' || Array.isArray(options) || ArrayBuffer.isView(options)) {
    const remedy = typeof options === 'function' ? ': methods take no callback, await the promise that they return' : '';
    throw new TypeError(`${where}: options must be an object, not ${shown(options)}${remedy}`);
  }
  for (const name in options) {
    if (!known.has(name)) throw new TypeError(`${where}: unknown option \`${escaped(name)}\`: ${remedy(name, known)}`);
  }
  return options;
}

/** Checks an integer against inclusive bounds; undefined becomes the default. */
function whole(value, what, least, most, otherwise) {
  if (value === undefined) return otherwise;
  if (typeof value !== 'number') throw new TypeError(`${what} must be a number, not ${shown(value)}`);
  if (!Number.isInteger(value) || value < least || value > most) {
    throw new RangeError(`${what} must be an integer from ${least} to ${most}, not ${shown(value)}`);
  }
  return value;
}

/** Checks a boolean; undefined becomes the default. */
function flag(value, what, otherwise = false) {
  if (value === undefined) return otherwise;
  if (typeof value !== 'boolean') throw new TypeError(`${what} must be true or false, not ${shown(value)}`);
  return value;
}

/** Checks that a value is one of some names, ignoring case; undefined becomes the default. */
function oneOf(value, names, what, otherwise) {
  if (value === undefined) return otherwise;
  const name = typeof value === 'string' ? value.toUpperCase() : undefined;
  if (!names.includes(name)) {
    const text = typeof value === 'string' ? `; ${remedy(value, names)}` : `; expected one of ${names.join(', ')}`;
    throw new (typeof value === 'string' ? RangeError : TypeError)(`${what} cannot be ${shown(value)}${text}`);
  }
  return name;
}

/** Checks the option `encoding`. */
function encodingOf(value, where) {
  if (value === undefined || value === 'utf8') return value;
  const what = `${where}: option \`encoding\``;
  if (typeof value === 'string' && /^utf-?8$/i.test(value)) return 'utf8';
  throw new (typeof value === 'string' ? RangeError : TypeError)(
    `${what} cannot be ${shown(value)}: use 'utf8' for strings, or leave it out for bytes`,
  );
}

/** Whether a value is an AbortSignal, also one of another realm, such as that of jsdom in tests. */
function isSignal(value) {
  return value instanceof AbortSignal || Object.prototype.toString.call(value) === '[object AbortSignal]';
}

/** Checks the option `signal`: an AbortSignal or undefined. */
function signalOf(options, where) {
  const signal = options.signal;
  if (signal !== undefined && !isSignal(signal)) {
    throw new TypeError(`${where}: option \`signal\` must be an AbortSignal, not ${shown(signal)}`);
  }
  return signal;
}

/** A name without a slash that a program would pass as the address of a server. */
const ADDRESS = /^(localhost|[\w.-]+:\d+|\d+\.\d+\.\d+\.\d+)$|^\w+:\/\//;

/** The name of a folder: a text or a file: URL. */
function pathOf(path, where) {
  if (path instanceof URL) return fileURLToPath(path);
  if (typeof path === 'string' && path !== '') {
    if (path === ':memory:') throw new TypeError(`${where}: ":memory:" is no folder: use memory() for a database in memory`);
    if (ADDRESS.test(path) && !existsSync(path))
      throw new TypeError(
        `${where}: ${shown(path)} looks like the address of a server: use connect() for a server, or write "./${path}" for a folder of this name`,
      );
    return wellFormed(path, `${where}: the path`);
  }
  throw new TypeError(`${where}: the path must be the name of a folder or a file: URL, not ${shown(path)}`);
}

module.exports = { checked, encodingOf, escaped, flag, nearest, oneOf, pathOf, remedy, shown, signalOf, wellFormed, whole };
