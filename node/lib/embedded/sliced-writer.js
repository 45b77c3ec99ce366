'use strict';
/** Writes requests with long lists, whose elements are written later, a slice at a time. */

const { SLICE } = require('../turns.js');
const { RequestWriter } = require('./request-writer.js');

const MEMORY_BYTES = 16 << 10;

class SlicedWriter extends RequestWriter {
  /** The long lists: { at, values, write }, where `at` is the position of their elements. */
  #lists = [];

  constructor() {
    super(MEMORY_BYTES);
  }

  list(values, write) {
    if (values.length <= SLICE) return super.list(values, write);
    this.u32(values.length);
    return this.#lists.push({ at: this.at, values, write });
  }

  /** The pieces of what was written, in their order. Yields before each slice of a long list. */
  *pieces() {
    const pieces = [];
    let from = 0;
    for (const { at, values, write } of this.#lists) {
      pieces.push(this.memory.subarray(from, at));
      from = at;
      const elements = new SlicedWriter();
      for (let begin = 0; begin < values.length; begin += SLICE) {
        yield;
        for (const value of values.slice(begin, begin + SLICE)) write(elements, value);
      }
      for (const piece of yield* elements.pieces()) pieces.push(piece);
    }
    pieces.push(this.memory.subarray(from, this.at));
    return pieces;
  }
}

module.exports = { SlicedWriter };
