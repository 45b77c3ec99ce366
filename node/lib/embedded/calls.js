'use strict';
/**
 * Pending calls on hjall's threads. The calls of one microtask turn are submitted together, and completed calls are
 * collected together.
 */

const { whenAborted } = require('../abort.js');
const { make } = require('../errors.js');
const { keepAlive, letEnd } = require('../keep-alive.js');
const { atEndOfTurn, setImmediate } = require('../timers.js');
const { overTurns } = require('../turns.js');
const { Outcome } = require('../vocabulary.js');
const { AnswerReader } = require('./answer.js');
const { reader, slicedReader } = require('./decode.js');
const { encode } = require('./encode.js');
const { RequestWriter } = require('./request-writer.js');
const { SlicedWriter } = require('./sliced-writer.js');

/** The total size from which unsubmitted requests are submitted at once, not at the end of the turn. */
const SUBMIT_BYTES = 256 << 10;
/** The size from which they are submitted in the next turn of the event loop, and from which they are not. */
const LARGE_BYTES = 2 << 20;
const LARGE_BYTES_MAX = 16 << 20;
/** The initial size of the memory for requests. */
const REQUESTS_BYTES = 64 << 10;
/** The size of the memory for answers, and of the answers after which the rest waits for the next turn. */
const SLAB_BYTES = 16 << 10;
/** An answer from this length on is read over several turns. */
const LONG_ANSWER_BYTES = 128 << 10;
/** The bytes before each request: its call's number and its length. */
const HEADER_BYTES = 8;
/** The most pending calls, since a program that never awaits its promises would exhaust memory. */
const CALLS_MAX = 1 << 20;
class Calls {
  #native;
  #columns;
  #tables;
  #out = new RequestWriter(REQUESTS_BYTES);
  #isFlushScheduled = false;
  #isTakeScheduled = false;
  /** Pending calls by number, and the numbers that are free. */
  #calls = [];
  #free = [];
  #count = 0;
  #slab = Buffer.alloc(0);
  #slabAt = 0;
  #answers;

  #reading;

  /** `reading` converts the rows of long answers, which is done while they are read. */
  constructor(native, columns, tables, reading) {
    this.#native = native;
    this.#columns = columns;
    this.#tables = tables;
    this.#reading = reading;
  }

  /** Whether no call is pending. */
  get isIdle() {
    return this.#count === 0;
  }

  /**
   * Makes a call.
   * @param {string} operation
   * @param {object} request
   * @param {AbortSignal} [signal]
   * @returns {Promise<unknown>}
   */
  run(operation, request, signal) {
    return this.#begin(operation, signal, (number) => this.#write(number, operation, request));
  }

  /** Makes a call whose request is encoded over several turns. */
  async runInSlices(operation, request, signal) {
    const out = new SlicedWriter();
    out.u32(0);
    out.u32(0);
    encode(out, operation, request, this.#tables);
    return this.runEncoded(operation, Buffer.concat(await overTurns(out.pieces(), signal)), signal);
  }

  /** Makes a call whose request follows the first HEADER_BYTES of `memory`, which may be used again afterwards. */
  runEncoded(operation, memory, signal) {
    return this.#begin(operation, signal, (number) => {
      memory.writeUInt32LE(number, 0);
      memory.writeUInt32LE(memory.length - HEADER_BYTES, 4);
      // Calls are submitted in the order in which they were made.
      this.flush();
      this.#native.submit(memory, memory.length);
    });
  }

  /** Begins a call, whose request `submit` submits with the call's number. */
  #begin(operation, signal, submit) {
    if (signal?.aborted) return Promise.reject(signal.reason);
    if (this.#count >= CALLS_MAX) return Promise.reject(tooMany());
    return new Promise((resolve, reject) => {
      const number = this.#free.length > 0 ? this.#free.pop() : this.#calls.length;
      submit(number);
      const call = { resolve, reject, read: reader(operation), operation, signal, stopListening: undefined };
      this.#calls[number] = call;
      if (signal !== undefined) this.#listen(number, call);
      this.#count += 1;
      if (this.#count === 1) keepAlive(this);
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
    out.u32At(head + 4, out.at - head - HEADER_BYTES);
    if (out.at >= SUBMIT_BYTES && (out.at < LARGE_BYTES || out.at >= LARGE_BYTES_MAX)) {
      this.flush();
    } else if (out.at >= LARGE_BYTES) {
      // Submitting copies the requests once more.
      setImmediate(() => this.flush());
    } else if (!this.#isFlushScheduled) {
      this.#isFlushScheduled = true;
      atEndOfTurn(() => this.flush());
    }
  }

  /** Submits the requests written so far. */
  flush() {
    this.#isFlushScheduled = false;
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

  /**
   * Collects completed calls. A part of them is settled per turn of the event loop: the program's reactions to
   * thousands of answers run as one uninterrupted turn otherwise.
   */
  take() {
    if (this.#isTakeScheduled) return;
    for (let taken = 0; ; ) {
      if (taken >= SLAB_BYTES) {
        this.#isTakeScheduled = true;
        setImmediate(() => {
          this.#isTakeScheduled = false;
          this.take();
        });
        return;
      }
      const length = this.#native.takeAnswers(this.#slab, this.#slabAt);
      if (length === 0) return;
      if (length < 0) {
        this.#slab = Buffer.allocUnsafeSlow(Math.max(SLAB_BYTES, -length));
        this.#slabAt = 0;
        this.#answers = new AnswerReader(this.#slab, this.#columns);
        continue;
      }
      this.#settle(this.#slabAt, this.#slabAt + length);
      this.#slabAt += length;
      taken += length;
    }
  }

  #settle(begin, end) {
    const from = this.#answers;
    for (let at = begin; at < end;) {
      from.at = at;
      const number = from.u32();
      const length = from.u32();
      const next = at + HEADER_BYTES + length;
      this.#settleOne(number, from, length);
      at = next;
    }
  }

  #settleOne(number, from, length) {
    const call = this.#calls[number];
    this.#calls[number] = undefined;
    this.#free.push(number);
    this.#count -= 1;
    if (this.#count === 0) letEnd(this);
    if (call.read === undefined) {
      // The call may have ended before it was cancelled. Its number is about to be used again.
      this.#native.forgetCancelled(number);
      return;
    }
    call.stopListening?.();
    try {
      if (from.u8() !== Outcome.done) call.reject(from.error());
      else if (length >= LONG_ANSWER_BYTES && slicedReader(call.operation) !== undefined)
        call.resolve(this.#readInSlices(call, from.at));
      else call.resolve(call.read(from));
    } catch (error) {
      call.reject(error);
    }
  }

  /** Reads a long answer, whose memory is not used again. */
  #readInSlices({ operation, signal }, at) {
    const from = new AnswerReader(this.#slab, this.#columns);
    from.at = at;
    return overTurns(slicedReader(operation)(from, this.#reading), signal);
  }
}

function tooMany() {
  return make('Busy', `${CALLS_MAX} calls are pending: await some of their promises before making more`);
}

module.exports = { Calls, HEADER_BYTES };
