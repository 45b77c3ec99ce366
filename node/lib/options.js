'use strict';
/** Checking what programs say: options by name, numbers by range. Every message names the remedy. */

/** How many single changes lead from one word to another (Levenshtein). */
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

/** Fewer letters are in many words by chance. */
const WORD_LETTERS = 4;

/** Of some words the one that was probably meant, or undefined. */
function nearest(word, words) {
  const low = word.toLowerCase();
  // Other interfaces say more than is needed: HappyBase's max_versions are `versions`.
  const inside = [...words].filter((candidate) => candidate.length >= WORD_LETTERS && low !== candidate.toLowerCase() && low.includes(candidate.toLowerCase()));
  if (inside.length > 0) return inside.reduce((a, b) => (b.length > a.length ? b : a));
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

/** "did you mean …?", or what there is. */
function remedy(word, words) {
  const meant = nearest(word, words);
  return meant === undefined ? `there is ${[...words].map((w) => `\`${w}\``).join(', ')}` : `did you mean \`${meant}\`?`;
}

/** How a value is named in a message. */
function shown(value) {
  if (typeof value === 'string') return JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}…` : value);
  if (value === null || typeof value !== 'object') return typeof value === 'function' ? 'a function' : String(value) + (typeof value === 'bigint' ? 'n' : '');
  return Array.isArray(value) ? 'an array' : `an instance of ${value.constructor?.name ?? 'Object'}`;
}

const NONE = Object.freeze({});

/**
 * Options as an object in which only known names stand.
 * @param {object | undefined} options
 * @param {Set<string>} known
 * @param {string} where the function, for the message
 */
function checked(options, known, where) {
  if (options === undefined || options === null) return NONE;
  if (typeof options !== 'object' || Array.isArray(options) || ArrayBuffer.isView(options)) {
    throw new TypeError(`${where}: options must be an object, not ${shown(options)}`);
  }
  for (const name in options) {
    if (!known.has(name)) throw new TypeError(`${where}: option \`${name}\`: ${remedy(name, known)}`);
  }
  return options;
}

/** A whole number inside bounds, or the default where it is undefined. */
function whole(value, what, least, most, otherwise) {
  if (value === undefined) return otherwise;
  if (typeof value !== 'number') throw new TypeError(`${what} must be a number, not ${shown(value)}`);
  if (!Number.isInteger(value) || value < least || value > most) {
    throw new RangeError(`${what} must be a whole number from ${least} to ${most}, not ${shown(value)}`);
  }
  return value;
}

/** true, false, or the default where it is undefined. */
function flag(value, what, otherwise = false) {
  if (value === undefined) return otherwise;
  if (typeof value !== 'boolean') throw new TypeError(`${what} must be true or false, not ${shown(value)}`);
  return value;
}

/** One of some names, in any case, or the default where it is undefined. */
function oneOf(value, names, what, otherwise) {
  if (value === undefined) return otherwise;
  const name = typeof value === 'string' ? value.toUpperCase() : undefined;
  if (!names.includes(name)) {
    const text = typeof value === 'string' ? `; ${remedy(value, names)}` : `; there is ${names.join(', ')}`;
    throw new (typeof value === 'string' ? RangeError : TypeError)(`${what} cannot be ${shown(value)}${text}`);
  }
  return name;
}

/** An AbortSignal or undefined. */
function signalOf(options, where) {
  const signal = options.signal;
  if (signal !== undefined && !(signal instanceof AbortSignal)) {
    throw new TypeError(`${where}: option \`signal\` must be an AbortSignal, not ${shown(signal)}`);
  }
  return signal;
}

module.exports = { checked, flag, nearest, oneOf, remedy, shown, signalOf, whole };
