'use strict';
/** The engine in this process, behind the seam of `backend.js`. */

const { Backend } = require('../backend.js');
const { Answers, ColumnNames } = require('./answer.js');
const { Calls } = require('./calls.js');
const { reader } = require('./decode.js');
const { encode } = require('./encode.js');
const { Source } = require('./source.js');
const { Writer } = require('./writer.js');

/** Memory for requests and answers on this thread, and how much of it must be free for an answer. */
const SLAB_BYTES = 64 << 10;
const ANSWER_BYTES = 4 << 10;

/** Tables by the number under which the engine knows them. */
class TableNumbers {
  #native;
  #numbers = new Map();

  constructor(native) {
    this.#native = native;
  }

  /** The number, or -1. */
  of(name) {
    let number = this.#numbers.get(name);
    if (number === undefined) {
      number = this.#native.table(name);
      if (number >= 0) this.#numbers.set(name, number);
    }
    return number;
  }
}

/** Refers to nothing but weakly, so that a database that the program forgot can be collected, and is closed by that. */
function wakes(woken) {
  return () => woken.calls?.deref()?.take();
}

class EmbeddedBackend extends Backend {
  #native;
  #calls;
  #columns;
  #tables;
  #out = new Writer(SLAB_BYTES);
  #answers;
  #free = 0;
  #scans = 0;
  #closing;

  /** @param {new (wake: () => void) => object} NativeDatabase */
  constructor(NativeDatabase, encoding) {
    super();
    this.encoding = encoding;
    const woken = { calls: undefined };
    const native = new NativeDatabase(wakes(woken));
    this.#native = native;
    this.#columns = new ColumnNames((number) => native.column(number));
    this.#tables = new TableNumbers(native);
    this.#calls = new Calls(native, this.#columns, this.#tables);
    woken.calls = new WeakRef(this.#calls);
  }

  /** The clock that the database is to be opened with. */
  setClock(clock) {
    this.#native.setClock(clock);
  }

  /** Opens it over a store that a development build of the native module has for tests. */
  openOver(store) {
    store.openIn(this.#native);
  }

  run(operation, request, signal) {
    return this.#calls.run(operation, request, reader(operation), signal);
  }

  runSync(operation, request) {
    const out = this.#out;
    out.begin(this.#free, ANSWER_BYTES);
    encode(out, operation, request, this.#tables);
    const { memory, from } = out;
    const length = this.#native.runSync(memory, from, out.at - from);
    if (length < 0) {
      this.#free = from;
      const held = Buffer.allocUnsafeSlow(-length);
      this.#native.held(held);
      return read(new Answers(held, this.#columns), 0, operation);
    }
    if (!this.#answers?.isIn(memory)) this.#answers = new Answers(memory, this.#columns);
    this.#free = from + length;
    return read(this.#answers, from, operation);
  }

  scan(table, scan, signal) {
    this.#scans = (this.#scans + 1) >>> 0;
    return new Source(this, this.#native, this.#scans, { table, scan }, signal);
  }

  close() {
    this.#closing ??= this.run('close', {});
    return this.#closing;
  }

  closeSync() {
    this.#calls.flush();
    this.runSync('close', {});
    this.#closing ??= Promise.resolve();
  }
}

function read(from, at, operation) {
  from.at = at;
  if (from.u8() !== 0) throw from.error();
  return reader(operation)(from);
}

module.exports = { EmbeddedBackend };
