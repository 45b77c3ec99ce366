'use strict';
/** 64-bit numbers are never rounded, and are bigints only if a number cannot represent them. */

const assert = require('node:assert/strict');
const { test } = require('node:test');
const hjall = require('../lib/index.js');

function table() {
  const db = hjall.memory({ encoding: 'utf8', clock: new hjall.ManualClock(1000) });
  db.createTableSync('t', { f: { versions: 100 } });
  return db.table('t');
}

const TIMES = [
  0n,
  1n,
  2n ** 31n,
  2n ** 32n,
  2n ** 32n + 1n,
  2n ** 52n - 1n,
  2n ** 52n,
  2n ** 53n - 1n,
  2n ** 53n,
  2n ** 53n + 1n,
  2n ** 62n,
  2n ** 63n - 2n,
];

test('timestamps are returned as they were given', async () => {
  const t = table();
  for (const time of TIMES) await t.put('r', { 'f:a': 'x' }, { timestamp: time });
  const got = (await t.cells('r', 'f:a')).map((c) => c.timestamp);
  assert.deepEqual(got.map(BigInt), [...TIMES].reverse());
  for (const time of got) assert.equal(typeof time, Number.isSafeInteger(Number(time)) ? 'number' : 'bigint');
  for (const time of TIMES) assert.equal(t.rowSync('r', { timestamp: time }).cells.length, 1);
});

test('longs, as values and as counters', async () => {
  const t = table();
  for (const n of [0n, -1n, 1n, 2n ** 53n, -(2n ** 53n), 2n ** 63n - 1n, -(2n ** 63n), 2n ** 52n, -(2n ** 52n) - 1n]) {
    t.putSync('r', { 'f:n': hjall.long(n) });
    const row = t.rowSync('r');
    assert.equal(row.bigint('f:n'), n);
    assert.equal(typeof row.long('f:n'), Number.isSafeInteger(Number(n)) ? 'number' : 'bigint');
  }
  assert.equal(await t.increment('c', 'f:n'), 1);
  assert.equal(await t.increment('c', 'f:n', -3), -2);
  assert.equal(await t.increment('c', 'f:n', 2n ** 60n), 2n ** 60n - 2n);
  assert.equal(t.incrementSync('c', 'f:n', -(2n ** 60n)), -2);
  const both = await t.incrementRow('d', { 'f:a': 1, 'f:b': 2n ** 53n });
  assert.deepEqual([both.long('f:a'), both.long('f:b')], [1, 2n ** 53n]);
});

test('numbers that may already have been rounded are rejected, with a remedy', async () => {
  const t = table();
  await assert.rejects(t.increment('c', 'f:n', 2 ** 53), { name: 'RangeError', message: /bigint: 9007199254740992n/ });
  await assert.rejects(t.increment('c', 'f:n', 1.5), { name: 'RangeError', message: /integer/ });
  await assert.rejects(t.put('r', { 'f:a': 'x' }, { timestamp: 2 ** 60 }), RangeError);
  await assert.rejects(t.put('r', { 'f:a': 'x' }, { timestamp: '5' }), {
    name: 'TypeError',
    message: /number or bigint/,
  });
  assert.throws(() => hjall.long(2n ** 63n), { name: 'RangeError', message: /64 bits/ });
});

test('typed accessors', () => {
  const t = table();
  const double = Buffer.alloc(8);
  double.writeDoubleBE(1.5);
  t.putSync('r', { 'f:s': 'Zoë', 'f:j': '{"a":[1]}', 'f:d': double, 'f:3': 'abc' });
  const row = t.rowSync('r');
  assert.equal(row.string('f:s'), 'Zoë');
  assert.deepEqual(row.json('f:j'), { a: [1] });
  assert.equal(row.double('f:d'), 1.5);
  assert.equal(row.long('f:none'), undefined);
  assert.equal(row.timestamp('f:s'), 1000);
  assert.throws(() => row.long('f:3'), { name: 'RangeError', message: /value of f:3 is not a long: it has 3 bytes/ });
});
