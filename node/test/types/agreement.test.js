'use strict';
/** The declarations agree with the exports and with the members of classes at run time. */
const assert = require('node:assert/strict');
const { readdirSync, readFileSync } = require('node:fs');
const { join } = require('node:path');
const { describe, it } = require('node:test');

const { SIGNS } = require('../../lib/operator.js');

const ROOT = join(__dirname, '..', '..');
/** Members inherited from Node's or JavaScript's classes, or not meant for programs. */
const UNDECLARED = /^(_.*|constructor|name)$/;
/** The names of well-known symbols, whose descriptions differ between versions of Node. */
const WELL_KNOWN = new Map(Object.getOwnPropertyNames(Symbol).map((name) => [Symbol[name], name]));
/** Fields of instances, which are not on the prototype. */
const FIELDS = {
  Batch: [],
  BatchError: ['failures'],
  HjallError: ['code', 'cause'],
  Filter: ['encoded'],
  Comparator: ['encoded'],
  Row: ['key', 'cells', 'partial'],
  Server: ['host', 'port'],
  Table: [],
  TestDatabase: ['db'],
  AccessError: ['code'],
  RequestError: ['code'],
  NotFoundError: ['code'],
  ExistsError: ['code'],
  StateError: ['code'],
  RetryError: ['code'],
  StorageError: ['code'],
  ClosedError: ['code'],
  UnsupportedError: ['code'],
  ConnectionError: ['code'],
  ProtocolError: ['code'],
};

/** The declared values: name → the members of the class, or undefined for others. */
function declared(files) {
  const found = new Map();
  for (const file of files) {
    const text = readFileSync(join(ROOT, file), 'utf8');
    for (const [, kind, name] of text.matchAll(/^export declare (class|function|const) (\w+)/gm)) {
      if (kind !== 'class') found.set(name, undefined);
      else {
        const body = new RegExp(`^export declare class ${name}\\b[\\s\\S]*?^}`, 'm').exec(text)[0];
        found.set(
          name,
          new Set([...body.matchAll(/^ {2}(?:readonly )?(\w+|\[Symbol\.\w+\])[<(?:]/gm)].map(([, member]) => member)),
        );
      }
    }
  }
  return found;
}

/** The public members of a class. */
function members(Class) {
  const names = new Set();
  for (
    let proto = Class.prototype;
    proto && proto !== Error.prototype && proto !== Object.prototype;
    proto = Object.getPrototypeOf(proto)
  ) {
    for (const name of Reflect.ownKeys(proto)) {
      // Other symbols are for Node, such as the one for printing a row.
      if (typeof name === 'string') names.add(name);
      else if (WELL_KNOWN.has(name)) names.add(`[Symbol.${WELL_KNOWN.get(name)}]`);
    }
  }
  return [...names].filter((name) => !UNDECLARED.test(name));
}

const MODULES = [
  [
    'hjall',
    () => require('../../lib/index.js'),
    () => import('../../lib/index.mjs'),
    readdirSync(join(ROOT, 'types')).map((file) => join('types', file)),
  ],
  [
    'hjall/testing',
    () => require('../../lib/testing/index.js'),
    () => import('../../lib/testing/index.mjs'),
    ['testing.d.ts'],
  ],
];

for (const [name, required, imported, files] of MODULES) {
  const declarations = declared(files);

  it(`the exports of ${name} are those declared`, async () => {
    const module = required();
    assert.deepEqual(Object.keys(module).sort(), [...declarations.keys()].sort());
    const es = { ...(await imported()) };
    assert.equal(es.default, module);
    delete es.default;
    assert.deepEqual(es, { ...module });
  });

  it(`the members of the classes of ${name} are those declared`, () => {
    const module = required();
    for (const [exported, names] of declarations) {
      if (names === undefined) continue;
      const there = new Set([...members(module[exported]), ...(FIELDS[exported] ?? [])]);
      const said = new Set([...names].filter((member) => !UNDECLARED.test(member)));
      // Subclasses declare only what differs.
      const inherited = Object.getPrototypeOf(module[exported]) === Function.prototype ? [] : [...there];
      assert.deepEqual(
        [...said].filter((member) => !there.has(member)),
        [],
        `${exported} declares missing members`,
      );
      assert.deepEqual(
        [...there].filter((member) => !said.has(member) && !inherited.includes(member)),
        [],
        `${exported} has undeclared members`,
      );
    }
  });

  it(`the functions in the constants of ${name} are those declared`, () => {
    for (const file of files) {
      for (const [, constant, body] of readFileSync(join(ROOT, file), 'utf8').matchAll(
        /^export declare const (\w+): \{([\s\S]*?)^\};/gm,
      )) {
        const said = [...body.matchAll(/^ {2}readonly (\w+):/gm)].map(([, member]) => member);
        assert.deepEqual(Object.keys(required()[constant]).sort(), said.sort(), constant);
      }
    }
  });
}

describe('vocabularies', () => {
  const { CODES } = require('../../lib/errors.js');
  const { ENUMS } = require('../../lib/remote/wire/schema.js');
  const { CellKind, CompareOp, Durability, ErrorKind } = require('../../lib/vocabulary.js');
  const union = (file, pattern) =>
    [...pattern.exec(readFileSync(join(ROOT, 'types', file), 'utf8'))[1].matchAll(/'([^']+)'/g)].map(([, name]) => name);

  it('durabilities and comparison operators have the numbers of Thrift2 and the declared names', () => {
    assert.deepEqual(Durability, ENUMS.TDurability);
    assert.deepEqual(CompareOp, ENUMS.TCompareOp);
    assert.deepEqual(union('write.d.ts', /type Durability = (.*);/), Object.keys(Durability));
    const operators = union('write.d.ts', /type CompareOp =([^;]*);/);
    assert.deepEqual(operators, [...Object.keys(SIGNS), ...Object.keys(CompareOp)]);
  });

  it('the declared types of cells are those of the native module', () => {
    assert.deepEqual(union('row.d.ts', /readonly type: (.*);/), Object.keys(CellKind));
  });

  it('every error kind of the native module has a class and a declared code', () => {
    assert.deepEqual(
      Object.keys(ErrorKind).filter((kind) => !(kind in CODES)),
      [],
    );
    const declaredCodes = new Set(
      readFileSync(join(ROOT, 'types', 'error.d.ts'), 'utf8')
        .match(/'[A-Z_]+'/g)
        .map((code) => code.slice(1, -1)),
    );
    assert.deepEqual([...declaredCodes].sort(), Object.values(CODES).sort());
  });
});
