'use strict';
/**
 * Encodes and decodes values according to the contract, in either protocol.
 *
 * A struct is a plain object with the fields that are set; a binary is a Buffer; a list or set is an array; a map is
 * an array of [key, value], since keys may be bytes; a 64-bit integer is a number if that is exact, otherwise a
 * bigint.
 */
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
      for (const element of value) writeValue(writer, type.element, element);
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

/** Reads a struct. Unknown fields, and fields of another type, are skipped, as in every Thrift library. */
function readStruct(reader, struct, depth = 0) {
  if (depth > DEPTH_MAX) throw new WireError(`the answer nests structs more than ${DEPTH_MAX} levels deep`);
  const value = {};
  reader.structBegin();
  for (let kind = reader.field(); kind !== undefined; kind = reader.field()) {
    const field = struct.byId[reader.id];
    if (field === undefined || !same(field.type.kind, kind)) skip(reader, kind, depth, true);
    else value[field.name] = kind === 'bool' ? reader.boolField() : readValue(reader, field.type, depth);
  }
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

function readList(reader, { element }, depth) {
  const count = reader.listBegin();
  const found = reader.element;
  const list = [];
  if (count > 0 && !same(element.kind, found))
    throw new WireError(`the answer has a list of ${found} instead of ${element.kind}`);
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

module.exports = { writeStruct, readStruct };
