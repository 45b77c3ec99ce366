'use strict';
/** A clock that a program moves, for tests of what expires. */

const { shown } = require('../options.js');
const { native } = require('./native.js');

function time(value, what) {
  if (!Number.isSafeInteger(value)) throw new (typeof value === 'number' ? RangeError : TypeError)(`${what} must be whole milliseconds, not ${shown(value)}`);
  return value;
}

/** Tells a database the time (option `clock` of `open` and `memory`); moves only when told to. Times are milliseconds since 1970. */
class ManualClock {
  #clock;

  constructor(ms) {
    this.#clock = new (native().ManualClock)(time(ms, 'new ManualClock: time'));
  }

  /** Moves it. */
  advance(ms) {
    this.#clock.advance(time(ms, 'advance: time'));
    return this;
  }

  /** Sets it, also backwards. */
  set(ms) {
    this.#clock.set(time(ms, 'set: time'));
    return this;
  }

  /** What it shows. */
  now() {
    return this.#clock.now();
  }

  /** The native clock behind one, for opening a database with it. */
  static native(clock) {
    return clock.#clock;
  }
}

module.exports = { ManualClock };
