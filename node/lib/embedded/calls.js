'use strict';
/** Calls under way on hjall's threads: those of one turn go out together, and what is done comes back together. */

const { whenAborted } = require('../abort.js');
const { make } = require('../errors.js');
const { Answers } = require('./answer.js');
const { encode } = require('./encode.js');
const { Writer } = require('./writer.js');

/** Memory for requests that wait for the end of the turn; more go out at once. */
const TOGETHER_BYTES = 1 << 20;
const SLAB_BYTES = 64 << 10;
/** Calls under way at once: a program that never waits for its promises would fill the memory. */
const CALLS_MAX = 1 << 20;
const FOREVER_MS = 0x7fffffff;

/**
 * Whoever waits for an answer. The native module's wake-up does not keep the process alive, a timer does as long as somebody waits; being in here
 * keeps them from being collected too.
 */
const waiting = new Set();
let alive;

function waits(calls) {
  if (alive === undefined) alive = setInterval(() => {}, FOREVER_MS);
  else if (waiting.size === 0) alive.ref();
  waiting.add(calls);
}

function waitsNoMore(calls) {
  waiting.delete(calls);
  if (waiting.size === 0) alive.unref();
}

class Calls {
  #native;
  #columns;
  #tables;
  #out = new Writer(SLAB_BYTES);
  #flushing = false;
  #calls = [];
  #free = [];
  #count = 0;
  #slab = Buffer.alloc(0);
  #slabAt = 0;
  #answers;

  constructor(native, columns, tables) {
    this.#native = native;
    this.#columns = columns;
    this.#tables = tables;
  }

  /**
   * Sends a request.
   * @param {(from: Answers) => unknown} read
   * @returns {Promise<unknown>}
   */
  run(operation, request, read, signal) {
    if (signal?.aborted) return Promise.reject(signal.reason);
    if (this.#count >= CALLS_MAX) return Promise.reject(tooMany());
    return new Promise((resolve, reject) => {
      const number = this.#free.length > 0 ? this.#free.pop() : this.#calls.length;
      this.#write(number, operation, request);
      const call = { resolve, reject, read, signal, stopListening: undefined };
      this.#calls[number] = call;
      if (signal !== undefined) this.#listen(number, call);
      this.#count += 1;
      if (this.#count === 1) waits(this);
    });
  }

  #write(number, operation, request) {
    const out = this.#out;
    const head = out.at;
    try {
      out.u32(number);
      out.u32(0);
      encode(out, operation, request, this.#tables);
    } catch (error) {
      out.at = head;
      this.#free.push(number);
      throw error;
    }
    out.u32At(head + 4, out.at - head - 8);
    if (out.at >= TOGETHER_BYTES) {
      this.flush();
    } else if (!this.#flushing) {
      this.#flushing = true;
      queueMicrotask(() => this.flush());
    }
  }

  /** Hands over what was written. */
  flush() {
    this.#flushing = false;
    const out = this.#out;
    if (out.at === 0) return;
    this.#native.submit(out.memory, out.at);
    out.shrink();
    out.begin(0, 0);
  }

  #listen(number, call) {
    call.stopListening = whenAborted(call.signal, () => {
      call.stopListening = undefined;
      call.read = undefined;
      this.#native.cancel(number);
      call.reject(call.signal.reason);
    });
  }

  /** Takes all that is done. */
  take() {
    for (;;) {
      const length = this.#native.take(this.#slab, this.#slabAt);
      if (length === 0) return;
      if (length < 0) {
        this.#slab = Buffer.allocUnsafeSlow(Math.max(SLAB_BYTES, -length));
        this.#slabAt = 0;
        this.#answers = new Answers(this.#slab, this.#columns);
        continue;
      }
      this.#settle(this.#slabAt, this.#slabAt + length);
      this.#slabAt += length;
    }
  }

  #settle(begin, end) {
    const from = this.#answers;
    for (let at = begin; at < end; ) {
      from.at = at;
      const number = from.u32();
      const next = at + 8 + from.u32();
      this.#settleOne(number, from);
      at = next;
    }
  }

  #settleOne(number, from) {
    const call = this.#calls[number];
    this.#calls[number] = undefined;
    this.#free.push(number);
    this.#count -= 1;
    if (this.#count === 0) waitsNoMore(this);
    if (call.read === undefined) return;
    call.stopListening?.();
    try {
      if (from.u8() !== 0) call.reject(from.error());
      else call.resolve(call.read(from));
    } catch (error) {
      call.reject(error);
    }
  }
}

function tooMany() {
  return make('Busy', `${CALLS_MAX} calls are under way: wait for some of their promises before making more`);
}

module.exports = { Calls };
