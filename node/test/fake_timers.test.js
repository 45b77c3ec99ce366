'use strict';
/** Databases work while a test runner's fake timers are installed, and afterwards. */

const assert = require('node:assert/strict');
const { test } = require('node:test');
const hjall = require('../lib/index.js');

/** Programs that hang do not fail by themselves. */
const TIMEOUT_MS = 20_000;

async function used(db) {
  await db.createTable('t', ['f'], { ifNotExists: true });
  await db.table('t').put('r', { 'f:a': 'x' });
  assert.equal((await db.table('t').row('r')).string('f:a'), 'x');
  for await (const row of db.table('t').scan()) assert.equal(row.key.toString(), 'r');
}

for (const apis of [['setInterval'], ['setTimeout'], ['setImmediate'], ['setTimeout', 'setInterval', 'setImmediate', 'Date']]) {
  test(`node:test's fake ${apis.join(', ')}`, { timeout: TIMEOUT_MS }, async (t) => {
    t.mock.timers.enable({ apis });
    const db = hjall.memory({ encoding: 'utf8' });
    await used(db);
    t.mock.timers.reset();
    await used(db);
    await db.close();
  });
}

test("node:test's fake timers and a remote database", { timeout: TIMEOUT_MS }, async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout', 'setInterval', 'setImmediate'] });
  const local = hjall.memory({ encoding: 'utf8' });
  const { port } = await local.serve({ port: 0 });
  const db = await hjall.connect({ port, encoding: 'utf8' });
  await used(db);
  t.mock.timers.reset();
  await used(db);
  await db.close();
  await local.close();
});

test('replaced microtasks, ticks and timers, as in jest and vitest', { timeout: TIMEOUT_MS }, async () => {
  const names = ['queueMicrotask', 'setImmediate', 'setInterval', 'setTimeout'];
  const originals = names.map((name) => globalThis[name]);
  const db = hjall.memory({ encoding: 'utf8' });
  for (const name of names) globalThis[name] = () => 0;
  try {
    await used(db);
  } finally {
    names.forEach((name, i) => {
      globalThis[name] = originals[i];
    });
  }
  await used(db);
  await db.close();
});
