'use strict';
/**
 * Calls that wait for a later turn of the event loop, because the program has made too many in one turn. Their
 * arguments are copied, so that the program may change or reuse what it passed, as with other calls.
 */

const { isMap, isSet } = require('node:util/types');
const { copyOf, isBytes, isLost } = require('./bytes.js');
const { make } = require('./errors.js');
const { CALL, WAITING_MAX, isFull, later, room, waitingWork } = require('./turns.js');

/** A copy of an argument. Bytes are copied in arrays, Maps and objects down to this depth: an array of cells. */
const DEPTH = 3;

function owned(value, depth = DEPTH) {
  if (value === null || typeof value !== 'object') return value;
  // The call itself refuses bytes without memory.
  if (isBytes(value)) return isLost(value) ? value : copyOf(value);
  if (depth === 0 || ArrayBuffer.isView(value)) return value;
  if (Array.isArray(value)) return value.map((one) => owned(one, depth - 1));
  if (isMap(value)) return new Map(Array.from(value, (pair) => pair.map((one) => owned(one, depth - 1))));
  if (isSet(value)) return new Set(Array.from(value, (one) => owned(one, depth - 1)));
  // AbortSignals and filters are options; they are used as they are.
  const isPlain = depth === DEPTH || Object.getPrototypeOf(value) === Object.prototype || Object.getPrototypeOf(value) === null;
  if (!isPlain || Symbol.iterator in value) return value;
  const copy = {};
  for (const name of Object.keys(value)) copy[name] = owned(value[name], depth - 1);
  return copy;
}

/**
 * A call that waits for a turn. A program may make hundreds of thousands: each is one object, without closures, because
 * the garbage collector copies all that wait.
 */
class DeferredCall {
  units = CALL;

  /**
   * @param {DeferredCalls} owner
   * @param {Function} call
   * @param {object} self its `this`
   * @param {(answer: Promise<unknown>) => void} resolve
   */
  constructor(owner, call, self, a, b, c, d, e, resolve) {
    this._owner = owner;
    this._call = call;
    this._self = self;
    this._a = a;
    this._b = b;
    this._c = c;
    this._d = d;
    this._e = e;
    this._resolve = resolve;
  }

  /** Begins the call, unless it has begun. */
  run() {
    const call = this._call;
    if (call === undefined) return;
    this._call = undefined;
    this._owner.count -= 1;
    this._resolve(call.call(this._self, this._a, this._b, this._c, this._d, this._e, true));
  }

  /** `run`, if the call belongs to a database. */
  runFor(owner) {
    if (this._owner === owner) this.run();
  }
}

/** The deferred calls of a database. */
class DeferredCalls {
  /** The number of calls that wait. */
  count = 0;
  /** The conversions of calls that begin after them. */
  #conversions = new Set();
  /** The number of calls of several steps that have begun and have not ended, and what to call once it is 0. */
  #stepping = 0;
  #whenStepped;
  #closed;

  /** Whether the database will be closed after the deferred calls: further calls are refused. */
  get isClosing() {
    return this.#closed !== undefined;
  }

  /**
   * Makes a call in a later turn. The function gets the program's arguments, which are copied, and `true`.
   * @param {Function} call
   * @param {object} self its `this`
   * @returns {Promise<unknown>}
   */
  add(call, self, a, b, c, d, e) {
    if (isFull())
      return Promise.reject(make('Busy', `${WAITING_MAX} calls are waiting: await some of their promises before making more`));
    return new Promise((resolve) => {
      const deferred = new DeferredCall(this, call, self, owned(a), owned(b), owned(c), owned(d), owned(e), resolve);
      this.count += 1;
      later(deferred);
    });
  }

  /**
   * Makes a call after its request has been converted.
   * @param {Promise<void>} conversion
   * @param {() => Promise<unknown>} call
   * @returns {Promise<unknown>}
   */
  after(conversion, call) {
    const over = () => this.#conversions.delete(conversion);
    this.#conversions.add(conversion);
    const made = conversion.then(call);
    conversion.then(over, over);
    return made;
  }

  /**
   * Begins a call of several steps, of which each is a call to the backend: `count`, `toArray`. The database will be
   * closed after it. It must not wait for the program, which may be waiting for `close`.
   * @returns {() => void} ends the call
   */
  begin() {
    this.#stepping += 1;
    return () => {
      this.#stepping -= 1;
      if (this.#stepping === 0) this.#whenStepped?.();
    };
  }

  /** Begins all deferred calls now. */
  beginAll() {
    if (this.count === 0) return;
    for (const work of waitingWork()) if (work instanceof DeferredCall) work.runFor(this);
  }

  get #isBusy() {
    return this.count > 0 || this.#conversions.size > 0 || this.#stepping > 0;
  }

  /** Runs a function, which closes the database, after all calls have begun. */
  thenClose(close) {
    if (this.#closed !== undefined) return this.#closed;
    if (!this.#isBusy) return close();
    this.#closed = this.#closeAfterAll(close);
    return this.#closed;
  }

  async #closeAfterAll(close) {
    while (this.#isBusy) {
      await Promise.allSettled(this.#conversions);
      if (this.#stepping > 0)
        await new Promise((resolve) => {
          this.#whenStepped = resolve;
        });
      // Work is done in its order: then the calls that waited have begun.
      if (this.count > 0) await room(0);
    }
    await close();
  }
}

module.exports = { DeferredCalls };
