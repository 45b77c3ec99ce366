'use strict';
/** What the declarations promise is there at run time, and what is there is declared: exports, and members of classes. */
const assert = require('node:assert/strict');
const { readdirSync, readFileSync } = require('node:fs');
const { join } = require('node:path');
const { it } = require('node:test');

const ROOT = join(__dirname, '..', '..');
/** Inherited from Node's or JavaScript's own classes, or of no concern to programs. */
const UNDECLARED = /^(_.*|constructor|name)$/;
/** Symbols by the names under which programs write them; their descriptions differ between versions of Node. */
const WELL_KNOWN = new Map(Object.getOwnPropertyNames(Symbol).map((name) => [Symbol[name], name]));
/** Fields that instances have, which no prototype shows. */
const FIELDS = {
  Batch: [], BatchError: ['failures'], HjallError: ['code', 'cause'], Filter: ['encoded'], Comparator: ['encoded'], Row: ['partial'], Server: ['host', 'port'],
  Table: [], TestDatabase: ['db'], RequestError: ['code'], NotFoundError: ['code'], ExistsError: ['code'], StateError: ['code'], RetryError: ['code'],
  StorageError: ['code'], ClosedError: ['code'], UnsupportedError: ['code'], ConnectionError: ['code'], ProtocolError: ['code'],
};

/** The values that declarations declare: name → members of the class, or undefined. */
function declared(files) {
  const found = new Map();
  for (const file of files) {
    const text = readFileSync(join(ROOT, file), 'utf8');
    for (const [, kind, name] of text.matchAll(/^export declare (class|function|const) (\w+)/gm)) {
      if (kind !== 'class') found.set(name, undefined);
      else {
        const body = new RegExp(`^export declare class ${name}\\b[\\s\\S]*?^}`, 'm').exec(text)[0];
        found.set(name, new Set([...body.matchAll(/^ {2}(?:readonly )?(\w+|\[Symbol\.\w+\])[<(?:]/gm)].map(([, member]) => member)));
      }
    }
  }
  return found;
}

/** Members of a class as programs reach them. */
function members(Class) {
  const names = new Set();
  for (let proto = Class.prototype; proto && proto !== Error.prototype && proto !== Object.prototype; proto = Object.getPrototypeOf(proto)) {
    for (const name of Reflect.ownKeys(proto)) {
      // Others are between hjall and Node, such as how a row is printed.
      if (typeof name === 'string') names.add(name);
      else if (WELL_KNOWN.has(name)) names.add(`[Symbol.${WELL_KNOWN.get(name)}]`);
    }
  }
  return [...names].filter((name) => !UNDECLARED.test(name));
}

const MODULES = [
  ['hjall', () => require('../../lib/index.js'), () => import('../../lib/index.mjs'), readdirSync(join(ROOT, 'types')).map((file) => join('types', file))],
  ['hjall/testing', () => require('../../lib/testing/index.js'), () => import('../../lib/testing/index.mjs'), ['testing.d.ts']],
];

for (const [name, required, imported, files] of MODULES) {
  const declarations = declared(files);

  it(`${name} exports what is declared, and declares what it exports`, async () => {
    const module = required();
    assert.deepEqual(Object.keys(module).sort(), [...declarations.keys()].sort());
    const es = { ...(await imported()) };
    assert.equal(es.default, module);
    delete es.default;
    assert.deepEqual(es, { ...module });
  });

  it(`the classes of ${name} have the members that are declared, and no others`, () => {
    const module = required();
    for (const [exported, names] of declarations) {
      if (names === undefined) continue;
      const there = new Set([...members(module[exported]), ...(FIELDS[exported] ?? [])]);
      const said = new Set([...names].filter((member) => !UNDECLARED.test(member)));
      // Subclasses repeat only what they say more exactly.
      const inherited = Object.getPrototypeOf(module[exported]) === Function.prototype ? [] : [...there];
      assert.deepEqual([...said].filter((member) => !there.has(member)), [], `${exported} declares what it does not have`);
      assert.deepEqual([...there].filter((member) => !said.has(member) && !inherited.includes(member)), [], `${exported} has what it does not declare`);
    }
  });

  it(`constants of ${name} have the functions that are declared`, () => {
    for (const file of files) {
      for (const [, constant, body] of readFileSync(join(ROOT, file), 'utf8').matchAll(/^export declare const (\w+): \{([\s\S]*?)^\};/gm)) {
        const said = [...body.matchAll(/^ {2}readonly (\w+):/gm)].map(([, member]) => member);
        assert.deepEqual(Object.keys(required()[constant]).sort(), said.sort(), constant);
      }
    }
  });
}
