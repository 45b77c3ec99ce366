'use strict';
/**
 * Lists of a request that are too long to be converted in one turn of the event loop: the cells of a wide row, the keys
 * of many gets.
 */

const { SLICE, overTurns } = require('./turns.js');

/** What the program gave, which has not been converted yet. A request has such lists only before it runs. */
class LongList {
  constructor(given, convert) {
    this.given = given;
    this.convert = convert;
  }

  get length() {
    return this.given.length;
  }
}

/** Converts a list. Unlike `map`, makes a plain array also of an array of a subclass, whose iterator may differ. */
function mapped(given, convert) {
  const out = [];
  for (let i = 0; i < given.length; i += 1) out.push(convert(given[i]));
  return out;
}

/**
 * Converts a list. A long one is converted when its call runs: a call that returns a promise converts it over several
 * turns, during which the program must not change the elements.
 * @template T, U
 * @param {T[]} given
 * @param {(one: T) => U} convert
 * @returns {U[] | LongList}
 */
function converted(given, convert) {
  return given.length > SLICE ? new LongList(given, convert) : mapped(given, convert);
}

const NAMES = ['gets', 'mutations', 'cells', 'markers', 'columns'];

/** The number of elements of a request's lists: of gets, or of cells and columns. */
function elementsOf({ gets, mutations, collected, mutation, increment, append }) {
  if (collected !== undefined) return collected.length;
  if (mutation !== undefined) return cellsOf(mutation);
  if (gets !== undefined) return gets.length;
  const counted = increment ?? append;
  if (counted !== undefined) return counted.columns.length;
  if (mutations === undefined) return 0;
  return isLong(mutations) ? mutations.length : mutations.reduce((sum, one) => sum + cellsOf(one), 0);
}

/** The number of cells or columns of a mutation. */
function cellsOf({ kind, cells, markers }) {
  return kind === 'put' ? cells.length : markers.length;
}

/** Whether a request has a list that was not converted. */
function hasLists(request) {
  if (elementsOf(request) <= SLICE) return false;
  const { mutations, mutation, increment, append } = request;
  const holders = [request, mutation, increment, append, ...(isLong(mutations) ? [] : (mutations ?? []))];
  return holders.some((holder) => holder !== undefined && NAMES.some((name) => isLong(holder[name])));
}

const isLong = (list) => list instanceof LongList;

/**
 * Converts the long lists of a request over several turns of the event loop.
 * @param {object} request changed in place
 * @param {AbortSignal} [signal]
 * @returns {Promise<void> | undefined} undefined if there are none
 */
function convertLists(request, signal) {
  return hasLists(request) ? overTurns(parts(request), signal) : undefined;
}

/** Converts the long lists of a request now. */
function convertListsNow(request) {
  if (hasLists(request)) for (const _ of parts(request));
}

/** Converts the long lists of a request and of its mutations, yielding before each part. */
function* parts(request) {
  const { mutation, increment, append } = request;
  for (const holder of [request, mutation, increment, append]) if (holder !== undefined) yield* partsOf(holder);
  for (const one of request.mutations ?? []) yield* partsOf(one);
}

function* partsOf(holder) {
  for (const name of NAMES) {
    const list = holder[name];
    if (!isLong(list)) continue;
    const all = [];
    for (let from = 0; from < list.given.length; from += SLICE) {
      yield;
      const until = Math.min(list.given.length, from + SLICE);
      for (let i = from; i < until; i += 1) all.push(list.convert(list.given[i]));
    }
    holder[name] = all;
  }
}

module.exports = { cellsOf, elementsOf, convertLists, convertListsNow, converted, mapped };
