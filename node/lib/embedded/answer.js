'use strict';
/** Reads answers, in the form in which the native module's `answer.rs` writes them. */

const { narrow } = require('../bytes.js');
const { cell, separateNames } = require('../cell.js');
const { columnText } = require('../column.js');
const { exactKind, hbaseException, kindName, make, plainText } = require('../errors.js');
const { Row } = require('../row.js');
const { COPY_BYTES, SLICE, unitsOf } = require('../turns.js');
const { CELL_HEADER_BYTES, NAMED, ROW_HEADER_BYTES } = require('../vocabulary.js');

/** The columns of a database by number: { name, family, qualifier }. The native module is asked once for each. */
class ColumnNames {
  #names = [];
  #ask;

  /** @param {(number: number) => Buffer} ask */
  constructor(ask) {
    this.#ask = ask;
  }

  of(number) {
    return this.#names[number] ?? this.#learn(number);
  }

  #learn(number) {
    const packed = this.#ask(number);
    const family = packed.subarray(1, 1 + packed[0]);
    const qualifier = packed.subarray(1 + packed[0]);
    this.#names[number] = { name: columnText(family, qualifier), family, qualifier };
    return this.#names[number];
  }
}

/** The memory that small rows share, as small Buffers do. Unlike `Buffer.allocUnsafe`, it makes no Buffer for each. */
const POOL_BYTES = 8 << 10;
let pool;
let poolAt = POOL_BYTES;

/** Takes memory for a row from the pool. Returns the position of its end. */
function takePooled(length) {
  if (poolAt + length > POOL_BYTES) {
    pool = Buffer.allocUnsafeSlow(POOL_BYTES);
    poolAt = 0;
  }
  poolAt += length;
  return poolAt;
}

/** A row being read. */
class BegunRow {
  constructor(begin, keyEnd, cells, partial, memory, shift) {
    this.cells = cells;
    this.partial = partial;
    this.keyAt = begin + ROW_HEADER_BYTES;
    this.keyEnd = keyEnd;
    /** The position of the next cell. */
    this.at = keyEnd;
    /** The memory of the row's bytes, and how far they are before their place in the answer. */
    this.memory = memory;
    this.shift = shift;
  }

  /** `isSeparate` says whether the cells share no names with those of other rows. */
  finished(isSeparate = false) {
    const key = this.memory.subarray(this.keyAt - this.shift, this.keyEnd - this.shift);
    return new Row(key, this.cells, this.partial, isSeparate);
  }
}

/** A cursor over memory that holds answers. */
class AnswerReader {
  #memory;
  #view;
  #columns;
  /** The position of the next byte. */
  at = 0;
  /** The rows and cells read since `rowInSlices` yielded. */
  #sliced = 0;

  /** @param {Buffer} memory @param {ColumnNames} columns */
  constructor(memory, columns) {
    this.#memory = memory;
    this.#view = new DataView(memory.buffer, memory.byteOffset, memory.length);
    this.#columns = columns;
  }

  /** Whether this reads that memory. */
  reads(memory) {
    return this.#memory === memory;
  }

  u8() {
    this.at += 1;
    return this.#memory[this.at - 1];
  }

  u32() {
    this.at += 4;
    return this.#view.getUint32(this.at - 4, true);
  }

  i64() {
    this.at += 8;
    return this.#i64At(this.at - 8);
  }

  #i64At(at) {
    const high = this.#view.getInt32(at + 4, true);
    // Fast path: below 2^52 a number is exact, and no bigint is needed.
    if (high >= -0x100000 && high < 0x100000) return high * 0x100000000 + this.#view.getUint32(at, true);
    return narrow(this.#view.getBigInt64(at, true));
  }

  bytes() {
    const length = this.u32();
    this.at += length;
    return this.#memory.subarray(this.at - length, this.at);
  }

  text() {
    const length = this.u32();
    this.at += length;
    return this.#memory.toString('utf8', this.at - length, this.at);
  }

  list(read) {
    const out = new Array(this.u32());
    for (let i = 0; i < out.length; i += 1) out[i] = read(this);
    return out;
  }

  error() {
    const [kind, plain, javaClass, message] = [kindName(this.u8()), this.text(), this.text(), this.text()];
    const causes = this.list(() => this.text());
    const inner = causes.reduceRight((cause, text) => hbaseException(undefined, text, undefined, cause), undefined);
    return make(exactKind(kind, message, javaClass), plainText(kind, message, plain), hbaseException(javaClass, message, undefined, inner));
  }

  /** A row. */
  row() {
    const begin = this.at;
    const row = this.#begun();
    if (row.memory !== this.#memory) this.#memory.copy(row.memory, begin - row.shift, begin, this.at);
    this.#fill(row, 0, Infinity);
    return row.finished();
  }

  /**
   * A row, converted by a `reading`. Yields when SLICE units of work have been done, counted over all rows that this
   * reader reads.
   */
  *rowInSlices(reading) {
    const begin = this.at;
    const row = this.#begun();
    if (row.memory !== this.#memory) {
      for (let from = begin; from < this.at; from += COPY_BYTES) {
        const until = Math.min(this.at, from + COPY_BYTES);
        this.#memory.copy(row.memory, from - row.shift, from, until);
        if (this.#isDue(unitsOf(until - from))) yield;
      }
    }
    const { length } = row.cells;
    // For more cells, this would take too long when the program asks for them.
    const isSeparate = length > SLICE;
    for (let from = 0; ; ) {
      const { until, units } = this.#fill(row, from, SLICE - this.#sliced);
      if (isSeparate) separateNames(row.cells, from, until);
      reading.cells(row.cells, from, until);
      if (this.#isDue(1 + units)) yield;
      if (until === length) return row.finished(isSeparate);
      from = until;
    }
  }

  /** Counts work; whether the rest should wait for another turn. */
  #isDue(units) {
    this.#sliced += units;
    if (this.#sliced < SLICE) return false;
    this.#sliced = 0;
    return true;
  }

  /**
   * Begins a row, and moves to its end. The row gets its own memory, into which the caller copies it, unless it fills
   * most of the answer: a value that the program keeps does not keep other rows in memory.
   */
  #begun() {
    const begin = this.at;
    const view = this.#view;
    const length = ROW_HEADER_BYTES + view.getUint32(begin + 7, true);
    this.at = begin + length;
    let memory = this.#memory;
    let shift = 0;
    if (length * 2 <= POOL_BYTES && length * 2 < memory.length) {
      shift = begin + length - takePooled(length);
      memory = pool;
    } else if (length * 2 < memory.length) {
      shift = begin;
      memory = Buffer.allocUnsafeSlow(length);
    }
    const keyEnd = begin + ROW_HEADER_BYTES + view.getUint16(begin, true);
    const cells = new Array(view.getUint32(begin + 3, true));
    return new BegunRow(begin, keyEnd, cells, this.#memory[begin + 2] !== 0, memory, shift);
  }

  /**
   * Reads cells of a row from index `from` on, until that is at least `unitsMax` units of work. Returns the index of
   * the next cell and the units.
   */
  #fill(row, from, unitsMax) {
    const { cells, memory, shift } = row;
    const view = this.#view;
    let { at } = row;
    let i = from;
    let units = 0;
    for (; i < cells.length && units < unitsMax; i += 1) {
      const number = view.getUint32(at, true);
      const timestamp = this.#i64At(at + 4);
      const code = this.#memory[at + 12];
      const valueBytes = view.getUint32(at + 13, true);
      at += CELL_HEADER_BYTES;
      const named = number === NAMED ? this.#inline(at, memory, shift) : this.#columns.of(number);
      if (number === NAMED) at = named.end;
      const value = memory.subarray(at - shift, at + valueBytes - shift);
      cells[i] = cell(named.family, named.qualifier, timestamp, value, code, named.name);
      at += valueBytes;
      units += 1 + unitsOf(valueBytes);
    }
    row.at = at;
    return { until: i, units };
  }

  /** A column that is written out by name, and `end`, the position after it. */
  #inline(at, memory, shift) {
    const view = this.#view;
    const familyEnd = at + 4 + view.getUint32(at, true);
    const end = familyEnd + 4 + view.getUint32(familyEnd, true);
    const family = memory.subarray(at + 4 - shift, familyEnd - shift);
    const qualifier = memory.subarray(familyEnd + 4 - shift, end - shift);
    return { name: columnText(family, qualifier), family, qualifier, end };
  }
}

module.exports = { AnswerReader, ColumnNames };
