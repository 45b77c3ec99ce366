'use strict';
/**
 * Reads answers, in the form in which the native module's `answer.rs` writes them. Rows are decoded when they are
 * accessed.
 */

const { narrow } = require('../bytes.js');
const { cell } = require('../cell.js');
const { columnText } = require('../column.js');
const { kindName, make } = require('../errors.js');
const { Row } = require('../row.js');
const { CELL_HEADER_BYTES, CellKind, NAMED, ROW_HEADER_BYTES } = require('../vocabulary.js');

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

/** A cursor over memory that holds answers. */
class AnswerReader {
  #memory;
  #view;
  #columns;
  /** The position of the next byte. */
  at = 0;

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
    const [kind, message] = [kindName(this.u8()), this.text()];
    const causes = this.list(() => this.text());
    const cause = causes.reduceRight(
      (inner, text) => new Error(text, inner === undefined ? undefined : { cause: inner }),
      undefined,
    );
    return make(kind, message, cause);
  }

  /** A row, which is decoded only when it is accessed. */
  row() {
    const { at } = this;
    this.at = at + ROW_HEADER_BYTES + this.#view.getUint32(at + 7, true);
    return new Row(this, at, this.#memory[at + 2] !== 0);
  }

  // -- called by rows when they are accessed; `row` and `at` are the position of the row's header

  key(at) {
    return this.#memory.subarray(at + ROW_HEADER_BYTES, at + ROW_HEADER_BYTES + this.#view.getUint16(at, true));
  }

  values(row) {
    const view = this.#view;
    const memory = this.#memory;
    const out = {};
    let at = row + ROW_HEADER_BYTES + view.getUint16(row, true);
    let last = -1;
    for (let left = view.getUint32(row + 3, true); left > 0; left -= 1) {
      const number = view.getUint32(at, true);
      const length = view.getUint32(at + 13, true);
      if (number === NAMED) {
        const { name, from } = this.#inline(at + CELL_HEADER_BYTES);
        if (memory[at + 12] === CellKind.Put && !(name in out)) out[name] = memory.subarray(from, from + length);
        at = from + length;
        continue;
      }
      at += CELL_HEADER_BYTES;
      // Cells are sorted: the first of a column is the newest.
      if (number !== last && memory[at - 5] === CellKind.Put) {
        last = number;
        out[this.#columns.of(number).name] = memory.subarray(at, at + length);
      }
      at += length;
    }
    return out;
  }

  cells(row) {
    const out = new Array(this.#view.getUint32(row + 3, true));
    let at = row + ROW_HEADER_BYTES + this.#view.getUint16(row, true);
    for (let i = 0; i < out.length; i += 1) {
      const number = this.#view.getUint32(at, true);
      const timestamp = this.#i64At(at + 4);
      const length = this.#view.getUint32(at + 13, true);
      const code = this.#memory[at + 12];
      const named = number === NAMED ? this.#inline(at + CELL_HEADER_BYTES) : this.#columns.of(number);
      const from = number === NAMED ? named.from : at + CELL_HEADER_BYTES;
      out[i] = cell(
        named.family,
        named.qualifier,
        timestamp,
        this.#memory.subarray(from, from + length),
        code,
        named.name,
      );
      at = from + length;
    }
    return out;
  }

  /** A column that is written out by name, and `from`, the position after it. */
  #inline(at) {
    const view = this.#view;
    const familyEnd = at + 4 + view.getUint32(at, true);
    const from = familyEnd + 4 + view.getUint32(familyEnd, true);
    const family = this.#memory.subarray(at + 4, familyEnd);
    const qualifier = this.#memory.subarray(familyEnd + 4, from);
    return { name: columnText(family, qualifier), family, qualifier, from };
  }
}

module.exports = { AnswerReader, ColumnNames };
