'use strict';
/**
 * Calls with many gets or mutations, which are made in parts: encoding all of them, or reading all of their answers, in
 * one turn would hold the event loop.
 */

const { OPERATIONS } = require('../backend.js');
const { HjallError } = require('../errors.js');
const { setImmediate } = require('../timers.js');

/** The most gets or mutations of one part. */
const PART_MAX = 1000;

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

/** Whether a request is made in parts. */
function hasParts(operation, request) {
  if (operation === OPERATIONS.getMany) return request.gets.length > PART_MAX;
  return operation === OPERATIONS.mutateMany && request.mutations.length > PART_MAX;
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
    if (from > 0) await nextTurn();
    if (signal?.aborted) break;
    const part = run({ table, gets: all.slice(from, from + PART_MAX) });
    // The error of a part is reported by the call as a whole, once all parts have been submitted.
    part.catch(() => {});
    parts.push(part);
  }
  const answers = (await Promise.all(parts)).flat();
  signal?.throwIfAborted();
  return answers;
}

/**
 * Writes one part after the other, since mutations are applied in their order. If a later part fails as a whole, its
 * error is the answer to its mutations and to those after it: the earlier ones have been written.
 */
async function mutations({ table, mutations: all }, run, signal) {
  const answers = [];
  for (let from = 0; from < all.length; from += PART_MAX) {
    signal?.throwIfAborted();
    try {
      const part = await run({ table, mutations: all.slice(from, from + PART_MAX) });
      for (const answer of part) answers.push(answer);
    } catch (error) {
      if (from === 0 || !(error instanceof HjallError)) throw error;
      while (answers.length < all.length) answers.push(error);
      return answers;
    }
    await nextTurn();
  }
  return answers;
}

module.exports = { hasParts, inParts };
