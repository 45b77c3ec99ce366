'use strict';
/**
 * The mutations of a batch, encoded when they are added: that copies them, without an object for each cell. They are
 * submitted in parts, each of which is the request of one call.
 */

const { cellsOf } = require('../long-list.js');
const { NAMED, Operation } = require('../vocabulary.js');
const { HEADER_BYTES } = require('./calls.js');
const { NO_CELLS, mutationAfter } = require('./encode.js');
const { BYTES_MAX, CELLS_MAX, PART_MAX } = require('./parts.js');
const { RequestWriter } = require('./request-writer.js');

/** The memory of a part before it grows, and the most that is kept for the next batch. */
const MEMORY_BYTES = 16 << 10;
const SPARE_BYTES_MAX = 1 << 20;
/** Bytes before the mutations: those before each request, the operation, the table, the number of mutations. */
const HEAD_BYTES = HEADER_BYTES + 1 + 4 + 4;
/** Bytes between the beginning of a mutation and its row: the kind, and the row's length. */
const ROW_AT = 1 + 4;

/** Mutations that are submitted together. */
class Part {
  /** The number of its mutations. */
  length = 0;
  /** The writer that has them. */
  out;
  #cells = 0;

  constructor(out) {
    this.out = out;
    out.at = HEAD_BYTES;
  }

  /** Whether a mutation with so many cells, after those that it has, belongs to the next part. */
  isFull(cells) {
    return this.length >= PART_MAX || this.out.at >= BYTES_MAX || (this.length > 0 && this.#cells + cells > CELLS_MAX);
  }

  /** Adds a mutation, which may share columns with the one before. Returns its position. */
  add(mutation, before) {
    const { at } = this.out;
    try {
      mutationAfter(this.out, mutation, before);
    } catch (error) {
      this.out.at = at;
      throw error;
    }
    this.length += 1;
    this.#cells += cellsOf(mutation);
    return at;
  }

  /** The row of the mutation at a position. */
  rowAt(at) {
    const { memory } = this.out;
    const begin = at + ROW_AT;
    return memory.subarray(begin, begin + memory.readUInt32LE(begin - 4));
  }

  /**
   * The request, after 8 bytes for the number of its call and its length.
   * @param {string} table
   * @param {{ of(name: string): number }} numbers
   * @returns {Buffer}
   */
  request(table, numbers) {
    const out = this.out;
    const { memory } = out;
    const number = numbers.of(table);
    const head = new RequestWriter(HEAD_BYTES);
    head.u32(0);
    head.u32(0);
    head.u8(Operation.mutateMany);
    head.u32(number >= 0 ? number : NAMED);
    if (number < 0) head.text(table);
    head.u32(this.length);
    const written = head.memory.subarray(0, head.at);
    if (number < 0) return Buffer.concat([written, memory.subarray(HEAD_BYTES, out.at)]);
    memory.set(written);
    return memory.subarray(0, out.at);
  }
}

class CollectedMutations {
  /** What is added may be changed afterwards. */
  keeps = false;
  #pool;
  #parts = [];
  /** The position of each mutation in its part. */
  #positions = [];
  #before = NO_CELLS;

  /** @param {WriterPool} pool */
  constructor(pool) {
    this.#pool = pool;
  }

  get length() {
    return this.#positions.length;
  }

  get parts() {
    return this.#parts;
  }

  add(mutation) {
    let part = this.#parts.at(-1);
    if (part === undefined || part.isFull(cellsOf(mutation))) {
      part = new Part(this.#pool.take());
      this.#parts.push(part);
      this.#before = NO_CELLS;
    }
    this.#positions.push(part.add(mutation, this.#before));
    this.#before = mutation.cells ?? NO_CELLS;
  }

  /** The fields of a request that carry the mutations. */
  request() {
    return { collected: this };
  }

  /** The row of a mutation, as long as the memory was not released. */
  rowOf(index) {
    let first = 0;
    for (const part of this.#parts) {
      if (index < first + part.length) return Buffer.from(part.rowAt(this.#positions[index]));
      first += part.length;
    }
    return undefined;
  }

  /** Lets the next batch use the memory. */
  release() {
    for (const part of this.#parts) this.#pool.give(part.out);
  }
}

/** Keeps one writer for the next batch: new memory costs as much as encoding a batch of some rows. */
class WriterPool {
  #spare;

  take() {
    const writer = this.#spare ?? new RequestWriter(MEMORY_BYTES);
    this.#spare = undefined;
    writer.begin(0, HEAD_BYTES);
    return writer;
  }

  give(writer) {
    if (writer.memory.length <= SPARE_BYTES_MAX) this.#spare = writer;
  }
}

module.exports = { CollectedMutations, WriterPool };
