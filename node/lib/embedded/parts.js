'use strict';
/**
 * Calls with many gets or mutations, which are made in parts: encoding all of them, or reading all of their answers, in
 * one turn would hold the event loop.
 */

const { OPERATIONS } = require('../backend.js');
const { HjallError } = require('../errors.js');
const { cellsOf } = require('../long-list.js');
const { SLICE, room } = require('../turns.js');

/** The most gets or mutations of one part. Parts of batches are limited when they are collected. */
const PART_MAX = 1000;
/** The most cells of one part, unless a single mutation has more. */
const CELLS_MAX = 8000;
/** The bytes of values after which a part ends. */
const BYTES_MAX = 2 << 20;
/** The units of a part, whose elements have been converted already. */
const PART_UNITS = 1000;

/** Whether a request is made in parts. */
function hasParts(operation, request) {
  if (request.collected !== undefined) return false;
  if (operation === OPERATIONS.getMany) return request.gets.length > PART_MAX;
  return operation === OPERATIONS.mutateMany && endOfPart(request.mutations, 0) < request.mutations.length;
}

/** The end of the part of mutations that begins at `from`. */
function endOfPart(mutations, from) {
  const end = Math.min(mutations.length, from + PART_MAX);
  let [cells, bytes] = [0, 0];
  for (let at = from; at < end; at += 1) {
    const one = mutations[at];
    cells += cellsOf(one);
    if (one.kind === 'put') for (const { value } of one.cells) bytes += value.length;
    if (at > from && (cells > CELLS_MAX || bytes > BYTES_MAX)) return at;
  }
  return end;
}

/** Whether a request has too many cells to be encoded in one turn. */
function isLong({ mutation, mutations, increment, append }) {
  if (mutation !== undefined) return cellsOf(mutation) > SLICE;
  // The parts of mutateMany are limited by their cells; a single mutation is not.
  if (mutations !== undefined) return mutations.length > SLICE || mutations.some((one) => cellsOf(one) > SLICE);
  const counted = increment ?? append;
  return counted !== undefined && counted.columns.length > SLICE;
}

/**
 * Makes a request in parts, one per turn of the event loop.
 * @param {(request: object) => Promise<unknown[]>} run makes the call of a part
 * @returns {Promise<unknown[]>} the answers of all parts
 */
function inParts(operation, request, run, signal) {
  return operation === OPERATIONS.getMany ? gets(request, run, signal) : mutations(request, run, signal);
}

/** Reads in several calls at the same time. */
async function gets({ table, gets: all }, run, signal) {
  const parts = [];
  for (let from = 0; from < all.length; from += PART_MAX) {
    if (from > 0) await room(PART_UNITS);
    if (signal?.aborted) break;
    const part = run({ table, gets: all.slice(from, from + PART_MAX) });
    // The error of a part is reported by the call as a whole, once all parts have been submitted.
    part.catch(() => {});
    parts.push(part);
  }
  // Unlike `flat`, which takes tens of milliseconds for 100,000 answers, this copies whole arrays.
  const answers = [].concat(...(await Promise.all(parts)));
  signal?.throwIfAborted();
  return answers;
}

function mutations({ table, mutations: all }, run, signal) {
  const parts = function* () {
    for (let from = 0, end; from < all.length; from = end) {
      end = endOfPart(all, from);
      yield { table, mutations: all.slice(from, end) };
    }
  };
  return writtenInParts(parts(), all.length, run, signal);
}

/**
 * Writes one part after the other, since mutations are applied in their order. If a later part fails as a whole, its
 * error is the answer to its mutations and to those after it: the earlier ones have been written.
 * @template Part
 * @param {Iterable<Part>} parts
 * @param {number} length the number of mutations in all parts
 * @param {(part: Part) => Promise<unknown[]>} run makes the call of a part
 */
async function writtenInParts(parts, length, run, signal) {
  const answers = [];
  for (const part of parts) {
    if (answers.length > 0) await room(PART_UNITS);
    signal?.throwIfAborted();
    try {
      for (const answer of await run(part)) answers.push(answer);
    } catch (error) {
      if (answers.length === 0 || !(error instanceof HjallError)) throw error;
      while (answers.length < length) answers.push(error);
      return answers;
    }
  }
  return answers;
}

module.exports = { BYTES_MAX, CELLS_MAX, PART_MAX, PART_UNITS, hasParts, inParts, isLong, writtenInParts };
