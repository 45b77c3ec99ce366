'use strict';
/** A clock that the program sets, for testing expiry. */

const { shown } = require('../options.js');
const { native } = require('./native.js');

function time(value, what) {
  if (!Number.isSafeInteger(value))
    throw new (typeof value === 'number' ? RangeError : TypeError)(
      `${what} must be an integer number of milliseconds, not ${shown(value)}`,
    );
  return value;
}

/**
 * A clock for a database (option `clock` of `open` and `memory`) that advances only on request. Times are
 * milliseconds since the Unix epoch.
 */
class ManualClock {
  #clock;

  constructor(ms) {
    this.#clock = new (native().ManualClock)(time(ms, 'new ManualClock: time'));
  }

  /** Advances the clock by `ms` milliseconds. */
  advance(ms) {
    this.#clock.advance(time(ms, 'advance: time'));
    return this;
  }

  /** Sets the time, which may be earlier than the current one. */
  set(ms) {
    this.#clock.set(time(ms, 'set: time'));
    return this;
  }

  /** The current time. */
  now() {
    return this.#clock.now();
  }

  /** The native clock behind a ManualClock, to open a database with. */
  static native(clock) {
    return clock.#clock;
  }
}

module.exports = { ManualClock };
