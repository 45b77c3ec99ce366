'use strict';
/** Thrift's types as the contract names them, their numbers in both protocols, and the tables of the contract linked for the codec. */
const { STRUCTS, METHODS } = require('./schema');

/** Numbers of types in the binary protocol. */
const BINARY = { bool: 2, i8: 3, double: 4, i16: 6, i32: 8, i64: 10, binary: 11, string: 11, struct: 12, map: 13, set: 14, list: 15 };

/** Numbers of types in the compact protocol; a bool field is 1 (true) or 2 (false), a bool in a list is 2. */
const COMPACT = { bool: 2, i8: 3, i16: 4, i32: 5, i64: 6, double: 7, binary: 8, string: 8, list: 9, set: 10, map: 11, struct: 12 };

/** What a message is. */
const MESSAGE = { CALL: 1, REPLY: 2, EXCEPTION: 3, ONEWAY: 4 };

/** Structs may lie in each other this deep; the contract needs nine. */
const DEPTH_MAX = 64;

/** A linked type: its kind, and what it is made of. */
function link(type, structs) {
  if (Array.isArray(type)) {
    const [kind, ...parts] = type;
    const [first, second] = parts.map((part) => link(part, structs));
    return kind === 'map' ? { kind, key: first, value: second } : { kind, element: first };
  }
  return structs.has(type) ? { kind: 'struct', struct: structs.get(type) } : { kind: type };
}

/** The fields of a struct in the order of the contract, and by their number. */
function linked(fields, structs, into) {
  for (const [id, name, type, required] of fields) {
    const field = { id, name, type: link(type, structs), required };
    into.fields.push(field);
    into.byId[id] = field;
  }
  return into;
}

const empty = (name) => ({ name, fields: [], byId: [] });
const structs = new Map(Object.keys(STRUCTS).map((name) => [name, empty(name)]));
for (const [name, fields] of Object.entries(STRUCTS)) linked(fields, structs, structs.get(name));

/** Arguments and result of every method, as structs. */
const methods = new Map(
  Object.entries(METHODS).map(([name, { args, result }]) => [
    name,
    { name, args: linked(args, structs, empty(`${name}_args`)), result: linked(result, structs, empty(`${name}_result`)) },
  ]),
);

/** What both protocols answer a call with that they could not serve. */
const applicationError = linked([[1, 'message', 'string', false], [2, 'type', 'i32', false]], structs, empty('TApplicationException'));

/** The bytes are no Thrift, or go beyond a limit. The connection they came from is out of step. */
class WireError extends Error {}

module.exports = { BINARY, COMPACT, MESSAGE, DEPTH_MAX, structs, methods, applicationError, WireError };
