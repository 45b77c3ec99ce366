'use strict';
/** The backend for the engine in this process. */

const { Backend, OPERATIONS } = require('../backend.js');
const { HjallError, make } = require('../errors.js');
const { PLAIN } = require('../reading.js');
const { atEndOfTurn } = require('../timers.js');
const { hasRoom, spend } = require('../turns.js');
const { Outcome } = require('../vocabulary.js');
const { AnswerReader, ColumnNames } = require('./answer.js');
const { BlockSource } = require('./block-source.js');
const { Calls, HEADER_BYTES } = require('./calls.js');
const { CollectedMutations, WriterPool } = require('./collected.js');
const { reader } = require('./decode.js');
const { encode } = require('./encode.js');
const { hasParts, inParts, isLong, writtenInParts } = require('./parts.js');
const { copying, compacting, watched } = require('./progress.js');
const { RequestWriter } = require('./request-writer.js');

/** Size of the memory for synchronous requests and their answers, and how much of it must be free for an answer. */
const SLAB_BYTES = 64 << 10;
const ANSWER_BYTES = 4 << 10;
/** The units of work of a call that `runShort` carries out, and the bytes of its answer for each further unit. */
const SHORT_UNITS = 8;
const SHORT_UNIT_BYTES = 64;
/** The calls that are made with `runShort` if possible. */
const SHORT_READS = new Set([OPERATIONS.get, OPERATIONS.exists]);

/** The engine's numbers for tables. */
class TableNumbers {
  #native;
  #numbers = new Map();

  constructor(native) {
    this.#native = native;
  }

  /** The number of a table, or -1 if it has none. */
  of(name) {
    let number = this.#numbers.get(name);
    if (number === undefined) {
      number = this.#native.tableNumber(name);
      if (number >= 0) this.#numbers.set(name, number);
    }
    return number;
  }
}

/**
 * The function with which the native module wakes the event loop. It holds its target weakly, so that a database that
 * the program no longer references can be collected, which closes it.
 */
function wakeUp(target) {
  return () => target.calls?.deref()?.take();
}

class EmbeddedBackend extends Backend {
  /** Whether reads wait for no disk. */
  isInMemory = false;
  #native;
  #calls;
  #columns;
  #tables;
  #out = new RequestWriter(SLAB_BYTES);
  #answers;
  /** The start of the free memory for synchronous calls; answers before it may still be in use. */
  #free = 0;
  #scans = 0;
  #closing;
  /** Whether `close` waits for calls that are made in parts. */
  #isClosing = false;
  /** The pending calls that are made in parts. */
  #inParts = new Set();
  /**
   * Whether a read has just been carried out on this thread. Further ones that the program makes before it continues
   * elsewhere go to other threads, which carry them out at the same time.
   */
  #hasRead = false;
  #afterRead = () => {
    this.#hasRead = false;
  };
  /** The memory of batches. */
  #writers = new WriterPool();

  /**
   * @param {new (wake: () => void) => object} NativeDatabase
   * @param {'utf8' | undefined} encoding
   * @param {object} reading made by `readingOf`
   */
  constructor(NativeDatabase, encoding, reading = PLAIN) {
    super();
    this.encoding = encoding;
    this.reading = reading;
    const target = { calls: undefined };
    const native = new NativeDatabase(wakeUp(target));
    this.#native = native;
    this.#columns = new ColumnNames((number) => native.columnName(number));
    this.#tables = new TableNumbers(native);
    this.#calls = new Calls(native, this.#columns, this.#tables, reading);
    target.calls = new WeakRef(this.#calls);
  }

  /** Sets the clock that the database will be opened with. */
  setClock(clock) {
    this.#native.setClock(clock);
  }

  /** Opens the database on a store for tests, which development builds of the native module provide. */
  openOnStore(store) {
    store.openIn(this.#native);
  }

  collect() {
    return new CollectedMutations(this.#writers);
  }

  run(operation, request, signal) {
    if (this.#isClosing) return Promise.reject(this.closedError());
    // A call with a signal can be aborted until it is answered. A pending call may be a write that the program has made
    // before.
    if (
      SHORT_READS.has(operation) &&
      signal === undefined &&
      !this.#hasRead &&
      this.#calls.isIdle &&
      request.get.filter === undefined
    ) {
      const read = this.runShort(operation, request);
      if (read !== undefined) {
        this.#hasRead = true;
        atEndOfTurn(this.#afterRead);
        return read;
      }
    }
    if (request.collected !== undefined) return this.#tracked(this.#runCollected(request, signal));
    if (!hasParts(operation, request)) return this.#runOne(operation, request, signal);
    const run = (part) => this.#runOne(operation, part, signal);
    // Rows are converted part by part, too; the conversion of all of them by the call then has little to do.
    const read = async (part) => this.reading.rows(await run(part));
    return this.#tracked(inParts(operation, request, operation === OPERATIONS.getMany ? read : run, signal));
  }

  /** Lets `close` wait for a call that is not submitted at once. */
  #tracked(call) {
    const over = () => this.#inParts.delete(call);
    this.#inParts.add(call);
    call.then(over, over);
    return call;
  }

  /** Writes the mutations of a batch. */
  async #runCollected({ table, collected }, signal) {
    const run = (part) => this.#calls.runEncoded(OPERATIONS.mutateMany, part.request(table, this.#tables), signal);
    const answers = await writtenInParts(collected.parts, collected.length, run, signal);
    // The rows of failed mutations are still needed.
    if (answers.every((answer) => answer === undefined)) collected.release();
    return answers;
  }

  /** `#runCollected` on the calling thread. */
  #runCollectedSync({ table, collected }) {
    const answers = [];
    for (const part of collected.parts) {
      // Copied, since the answer overwrites the request.
      const memory = Buffer.from(part.request(table, this.#tables));
      try {
        const from = new AnswerReader(memory, this.#columns);
        for (const answer of this.#runHere(memory, HEADER_BYTES, memory.length - HEADER_BYTES, from, OPERATIONS.mutateMany))
          answers.push(answer);
      } catch (error) {
        if (answers.length === 0 || !(error instanceof HjallError)) throw error;
        while (answers.length < collected.length) answers.push(error);
        return answers;
      }
    }
    return answers;
  }

  #runOne(operation, request, signal) {
    if (isLong(request)) return this.#tracked(this.#calls.runInSlices(operation, request, signal));
    return this.#calls.run(operation, request, signal);
  }

  get isClosed() {
    return this.deferred.isClosing || this.#closing !== undefined;
  }

  closedError() {
    return make('Closed', 'the database has been closed: open it again to use it');
  }

  watched(watch, work) {
    const { operation, number } = watch;
    return watched((operation === OPERATIONS.compact ? compacting : copying)(this.#native, number), watch, work);
  }

  runSync(operation, request) {
    if (request.collected !== undefined) return this.#runCollectedSync(request);
    const { memory, from, at } = this.#encoded(operation, request);
    return this.#runHere(memory, from, at - from, this.#answers, operation);
  }

  /**
   * Carries out an asynchronous call that only reads on the calling thread, if the call is short, and the database is
   * in memory or its last short reads were as quick as if it were. Otherwise, and if it fails, returns undefined: the
   * call has to be made with `run`.
   * @returns {Promise<unknown> | undefined}
   */
  runShort(operation, request) {
    if (this.#isClosing || !hasRoom() || !(this.isInMemory || this.#native.readsAreQuick())) return undefined;
    try {
      const { memory, from, at } = this.#encoded(operation, request);
      const answered = this.#native.runShort(memory, from, at - from);
      spend(SHORT_UNITS + Math.floor(Math.abs(answered) / SHORT_UNIT_BYTES));
      if (answered === 0) return undefined;
      return Promise.resolve(this.#answered(answered, memory, from, this.#answers, operation));
    } catch {
      return undefined;
    }
  }

  /** Encodes a request, whose answer will replace it. */
  #encoded(operation, request) {
    const out = this.#out;
    out.begin(this.#free, ANSWER_BYTES);
    encode(out, operation, request, this.#tables);
    if (!this.#answers?.reads(out.memory)) this.#answers = new AnswerReader(out.memory, this.#columns);
    this.#free = out.from;
    return out;
  }

  /** Carries out the request at `memory[at .. at + length]`, where `reader` reads the answer. */
  #runHere(memory, at, length, reader, operation) {
    return this.#answered(this.#native.runSync(memory, at, length), memory, at, reader, operation);
  }

  /** Reads the answer of `answered` bytes. */
  #answered(answered, memory, at, reader, operation) {
    if (answered < 0) {
      const oversized = Buffer.allocUnsafeSlow(-answered);
      this.#native.oversizedAnswer(oversized);
      return read(new AnswerReader(oversized, this.#columns), 0, operation);
    }
    // The answer may still be in use when memory is needed for the next one.
    if (this.#answers === reader) this.#free = at + answered;
    return read(reader, at, operation);
  }

  scan(table, scan, signal) {
    this.#scans = (this.#scans + 1) >>> 0;
    return new BlockSource(this, this.#native, this.#scans, { table, scan }, signal);
  }

  close() {
    this.#closing ??= this.#inParts.size === 0 ? this.#runOne(OPERATIONS.close, {}) : this.#closeAfterParts();
    return this.#closing;
  }

  /** Lets the calls that are made in parts end first. */
  async #closeAfterParts() {
    this.#isClosing = true;
    await Promise.allSettled(this.#inParts);
    await this.#runOne(OPERATIONS.close, {});
  }

  closeSync() {
    this.#calls.flush();
    this.runSync(OPERATIONS.close, {});
    this.#closing ??= Promise.resolve();
  }
}

function read(from, at, operation) {
  from.at = at;
  if (from.u8() !== Outcome.done) throw from.error();
  return reader(operation)(from);
}

module.exports = { EmbeddedBackend };
