'use strict';
/**
 * The work that this package does in one turn of the event loop, which is bounded: calls and parts of calls beyond the
 * bound wait for a later turn, in their order. Work is counted, not timed: a call is CALL units, a cell is one.
 */

const { setImmediate } = require('./timers.js');

/** The units of a call. */
const CALL = 4;
/** The most cells, or elements of lists, that are converted at once by work that takes several turns. */
const SLICE = 1000;
/** Bytes are one unit for each so many, which are copied or decoded in about the time of a cell. */
const UNIT_BYTES = 1 << 10;
/** The bytes that are copied at once by work that takes several turns. */
const COPY_BYTES = 1 << 20;
/** The units after which further work waits for the next turn. They take one to three milliseconds. */
const TURN_MAX = 2000;
/** The units after which the beginning of the next turn matters. Until then, calls cost nothing but an addition. */
const WATCHED = 200;
/** The places of finished work that may remain in the queue, if they are no more than half of it. */
const FINISHED_MAX = 1024;
/** The most work that waits, since a program that never awaits its promises would exhaust memory. */
const WAITING_MAX = 1 << 20;

let spent = 0;
let isScheduled = false;
/** Work that waits, from `first` on: { units, run() }. */
let waiting = [];
let first = 0;

function schedule() {
  if (isScheduled) return;
  isScheduled = true;
  setImmediate(turn);
}

/** Runs at the beginning of a turn. What waits and new calls may each do a turn's work. */
function turn() {
  isScheduled = false;
  spent = 0;
  for (let done = 0; done < TURN_MAX && first < waiting.length; first += 1) {
    const work = waiting[first];
    waiting[first] = undefined;
    done += work.units;
    work.run();
    // What `run` has counted beyond its units: a call does not know how many cells it has before it begins.
    done += spent;
    spent = 0;
  }
  // While work always waits, the queue is never empty. Its finished part must not grow.
  if (first === waiting.length || (first > FINISHED_MAX && first * 2 > waiting.length)) {
    waiting = waiting.slice(first);
    first = 0;
  }
  if (waiting.length > 0) schedule();
}

/** The units of work with bytes: copying them, or decoding them as text. */
function unitsOf(bytes) {
  return Math.floor(bytes / UNIT_BYTES);
}

/** Whether this turn has room for more work. */
function hasRoom() {
  return spent < TURN_MAX;
}

/** Counts work that this turn does. */
function spend(units) {
  spent += units;
  if (spent >= WATCHED) schedule();
}

/** Whether so much work waits that no more is accepted. */
function isFull() {
  return waiting.length - first >= WAITING_MAX;
}

/** Does work { units, run() } in a later turn, after the work that waits already. */
function later(work) {
  waiting.push(work);
  schedule();
}

/** The work that waits. */
function waitingWork() {
  return waiting.slice(first);
}

/** Resolves in a later turn that has room for this work. */
function room(units) {
  return new Promise((resolve) => later({ units, run: resolve }));
}

/**
 * Does a piece of work over several turns.
 * @template T
 * @param {Generator<unknown, T>} steps yields when it has done SLICE units of work, or before it does them
 * @param {AbortSignal} [signal]
 * @returns {Promise<T>}
 */
async function overTurns(steps, signal) {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    await room(SLICE);
    signal?.throwIfAborted();
  }
}

module.exports = {
  CALL,
  COPY_BYTES,
  SLICE,
  TURN_MAX,
  WAITING_MAX,
  hasRoom,
  isFull,
  later,
  overTurns,
  room,
  spend,
  unitsOf,
  waitingWork,
};
