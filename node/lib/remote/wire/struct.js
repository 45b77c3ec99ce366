'use strict';
/**
 * Encodes and decodes values according to the contract, in either protocol.
 *
 * A struct is a plain object with the fields that are set; a binary is a Buffer; a list or set is an array; a map is
 * an array of [key, value], since keys may be bytes; a 64-bit integer is a number if that is exact, otherwise a
 * bigint.
 */
const { SLICE } = require('../../turns.js');
const { DEPTH_MAX, WireError } = require('./types');

function writeStruct(writer, struct, value) {
  writer.structBegin();
  for (const { id, name, type, required } of struct.fields) {
    const part = value[name];
    if (part === undefined || part === null) {
      if (required) throw new TypeError(`${struct.name} needs ${name}`);
    } else if (type.kind === 'bool') writer.boolField(id, part);
    else {
      writer.field(id, type.kind);
      writeValue(writer, type, part);
    }
  }
  writer.structEnd();
}

function writeValue(writer, type, value) {
  switch (type.kind) {
    case 'struct':
      return writeStruct(writer, type.struct, value);
    case 'list':
    case 'set':
      writer.listBegin(type.element.kind, value.length);
      if (value.length > SLICE && writer.longLists !== undefined)
        writer.longLists.push({ at: writer.length, type: type.element, elements: value });
      else for (const element of value) writeValue(writer, type.element, element);
      return undefined;
    case 'map':
      writer.mapBegin(type.key.kind, type.value.kind, value.length);
      for (const [key, element] of value) {
        writeValue(writer, type.key, key);
        writeValue(writer, type.value, element);
      }
      return undefined;
    default:
      return writer[type.kind](value);
  }
}

/**
 * Writes a struct with long lists, yielding before each slice of their elements.
 * @param {new () => object} Writer
 * @param {object} writer has what precedes the struct
 * @returns {Generator<undefined, Buffer[]>} the pieces of what was written, in their order
 */
function* writeStructInSlices(Writer, writer, struct, value) {
  writer.longLists = [];
  writeStruct(writer, struct, value);
  return yield* piecesOf(Writer, writer);
}

function* piecesOf(Writer, writer) {
  const written = writer.written();
  const pieces = [];
  let from = 0;
  for (const { at, type, elements } of writer.longLists) {
    pieces.push(written.subarray(from, at));
    from = at;
    const inner = new Writer();
    inner.longLists = [];
    for (let begin = 0; begin < elements.length; begin += SLICE) {
      yield;
      for (const element of elements.slice(begin, begin + SLICE)) writeValue(inner, type, element);
    }
    for (const piece of yield* piecesOf(Writer, inner)) pieces.push(piece);
  }
  pieces.push(written.subarray(from));
  return pieces;
}

/** Reads a struct. Unknown fields, and fields of another type, are skipped, as in every Thrift library. */
function readStruct(reader, struct, depth = 0) {
  const value = begun(reader, depth);
  for (let kind = reader.field(); kind !== undefined; kind = reader.field()) {
    const field = fieldOf(reader, struct, kind, depth);
    if (field !== undefined) value[field.name] = kind === 'bool' ? reader.boolField() : readValue(reader, field.type, depth);
  }
  return ended(reader, struct, value);
}

/** `readStruct`, which yields after each SLICE elements of lists, counted in `reader.sliced`. */
function* readStructInSlices(reader, struct, depth = 0) {
  const value = begun(reader, depth);
  for (let kind = reader.field(); kind !== undefined; kind = reader.field()) {
    const field = fieldOf(reader, struct, kind, depth);
    if (field === undefined) continue;
    if (field.type.kind === 'struct') value[field.name] = yield* readStructInSlices(reader, field.type.struct, depth + 1);
    else if (field.type.kind === 'list') value[field.name] = yield* readListInSlices(reader, field.type, depth);
    else value[field.name] = kind === 'bool' ? reader.boolField() : readValue(reader, field.type, depth);
  }
  return ended(reader, struct, value);
}

function* readListInSlices(reader, { element }, depth) {
  const count = listBegun(reader, element);
  const list = [];
  const nests = element.kind === 'struct' && element.struct.fields.some(({ type }) => type.kind === 'list');
  for (let i = 0; i < count; i++) {
    list.push(nests ? yield* readStructInSlices(reader, element.struct, depth + 1) : readValue(reader, element, depth));
    reader.sliced = (reader.sliced ?? 0) + 1;
    if (reader.sliced >= SLICE) {
      yield;
      reader.sliced = 0;
    }
  }
  return list;
}

function begun(reader, depth) {
  if (depth > DEPTH_MAX) throw new WireError(`the answer nests structs more than ${DEPTH_MAX} levels deep`);
  reader.structBegin();
  return {};
}

/** The field whose header has been read. If it is unknown, or of another type, it is skipped. */
function fieldOf(reader, struct, kind, depth) {
  const field = struct.byId[reader.id];
  if (field !== undefined && same(field.type.kind, kind)) return field;
  skip(reader, kind, depth, true);
  return undefined;
}

function ended(reader, struct, value) {
  reader.structEnd();
  // This also bounds memory: since every struct has its required bytes, a small answer cannot expand into many objects.
  for (const { name, required } of struct.fields)
    if (required && value[name] === undefined) throw new WireError(`the answer has a ${struct.name} without ${name}`);
  return value;
}

/** Whether two types are encoded alike: `string` and `binary` are one type on the wire. */
function same(expected, found) {
  return expected === found || (expected === 'string' && found === 'binary');
}

function readValue(reader, type, depth) {
  switch (type.kind) {
    case 'struct':
      return readStruct(reader, type.struct, depth + 1);
    case 'list':
    case 'set':
      return readList(reader, type, depth);
    case 'map':
      return readMap(reader, type, depth);
    default:
      return reader[type.kind]();
  }
}

/** Begins a list; returns the number of its elements. */
function listBegun(reader, element) {
  const count = reader.listBegin();
  const found = reader.element;
  if (count > 0 && !same(element.kind, found))
    throw new WireError(`the answer has a list of ${found} instead of ${element.kind}`);
  return count;
}

function readList(reader, { element }, depth) {
  const count = listBegun(reader, element);
  const list = [];
  for (let i = 0; i < count; i++) list.push(readValue(reader, element, depth));
  return list;
}

function readMap(reader, type, depth) {
  const count = reader.mapBegin();
  const pairs = [];
  if (count > 0 && !(same(type.key.kind, reader.key) && same(type.value.kind, reader.element))) {
    throw new WireError(
      `the answer has a map from ${reader.key} to ${reader.element} instead of ${type.key.kind} to ${type.value.kind}`,
    );
  }
  for (let i = 0; i < count; i++)
    pairs.push([readValue(reader, type.key, depth), readValue(reader, type.value, depth)]);
  return pairs;
}

function skip(reader, kind, depth, isField) {
  if (depth > DEPTH_MAX) throw new WireError(`the answer is nested more than ${DEPTH_MAX} levels deep`);
  switch (kind) {
    case 'bool':
      return void (isField ? reader.boolField() : reader.bool());
    case 'struct': {
      reader.structBegin();
      for (let inner = reader.field(); inner !== undefined; inner = reader.field())
        skip(reader, inner, depth + 1, true);
      return reader.structEnd();
    }
    case 'list':
    case 'set': {
      const count = reader.listBegin();
      const { element } = reader;
      for (let i = 0; i < count; i++) skip(reader, element, depth + 1, false);
      return undefined;
    }
    case 'map': {
      const count = reader.mapBegin();
      const { key, element } = reader;
      for (let i = 0; i < count; i++) {
        skip(reader, key, depth + 1, false);
        skip(reader, element, depth + 1, false);
      }
      return undefined;
    }
    default:
      return void reader[kind]();
  }
}

module.exports = { readStruct, readStructInSlices, writeStruct, writeStructInSlices };
