'use strict';
/** Thrift's types, their numbers in both protocols, and the tables of `schema.js` with references resolved. */
const { STRUCTS, METHODS } = require('./schema');

/** Type numbers of the binary protocol. */
const BINARY = {
  bool: 2,
  i8: 3,
  double: 4,
  i16: 6,
  i32: 8,
  i64: 10,
  binary: 11,
  string: 11,
  struct: 12,
  map: 13,
  set: 14,
  list: 15,
};

/** Type numbers of the compact protocol. A bool field has type 1 (true) or 2 (false); bools in a list have type 2. */
const COMPACT = {
  bool: 2,
  i8: 3,
  i16: 4,
  i32: 5,
  i64: 6,
  double: 7,
  binary: 8,
  string: 8,
  list: 9,
  set: 10,
  map: 11,
  struct: 12,
};

/** Message types. */
const MESSAGE = { CALL: 1, REPLY: 2, EXCEPTION: 3, ONEWAY: 4 };

/** The maximum nesting of structs and containers. The contract needs nine levels. */
const DEPTH_MAX = 64;

/** A type with its references resolved. */
function link(type, structs) {
  if (Array.isArray(type)) {
    const [kind, ...parts] = type;
    const [first, second] = parts.map((part) => link(part, structs));
    return kind === 'map' ? { kind, key: first, value: second } : { kind, element: first };
  }
  return structs.has(type) ? { kind: 'struct', struct: structs.get(type) } : { kind: type };
}

/** Adds fields to a struct, in the order of the contract and by number. */
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

/** The arguments and result of every method, as structs. */
const methods = new Map(
  Object.entries(METHODS).map(([name, { args, result }]) => [
    name,
    {
      name,
      args: linked(args, structs, empty(`${name}_args`)),
      result: linked(result, structs, empty(`${name}_result`)),
    },
  ]),
);

/** Thrift's own exception, for calls that could not be served. */
const applicationError = linked(
  [
    [1, 'message', 'string', false],
    [2, 'type', 'i32', false],
  ],
  structs,
  empty('TApplicationException'),
);

/** Bytes that are not valid Thrift or exceed a limit. The connection that they came from cannot be used further. */
class WireError extends Error {}

/** An answer that is longer than `responseBytesMax`. */
class AnswerTooLong extends WireError {
  /** @param {string} length how long the answer is, as far as that is known, such as `has 5 bytes` */
  constructor(length, bytesMax) {
    super(
      `the answer ${length}, and the limit is ${bytesMax}: read less at once (fewer columns, versions or rows, or a smaller \`batch\` or \`caching\` of a scan), or raise \`responseBytesMax\` of connect()`,
    );
  }
}

module.exports = { BINARY, COMPACT, MESSAGE, DEPTH_MAX, structs, methods, applicationError, AnswerTooLong, WireError };
