'use strict';
/** Calls with many gets or mutations leave the event loop free between their parts, and behave as one call. */

const assert = require('node:assert/strict');
const { after, before, test } = require('node:test');
const hjall = require('../lib/index.js');
const { turns } = require('./turns.js');

const ROWS = 5500;
const key = (i) => `row${String(i).padStart(5, '0')}`;
const KEYS = Array.from({ length: ROWS }, (_, i) => key(i));

let db;
let table;
before(async () => {
  db = hjall.memory({ encoding: 'utf8' });
  await db.createTable('t', { f: { versions: 1 } });
  table = db.table('t');
});
after(() => db.close());

test('a large batch is written in its order, over several turns', async () => {
  const batch = table.batch();
  for (const one of KEYS) batch.put(one, { 'f:q': one });
  batch.delete(key(0)).put(key(1), { 'f:q': 'last' });
  const [, count] = await turns(() => batch.write());
  assert.ok(count >= 5, `${count} turns`);
  assert.equal(await table.count(), ROWS - 1);
  assert.equal((await table.row(key(1))).get('f:q'), 'last');
});

test('many rows are read in the order of their keys, over several turns', async () => {
  const [rows, count] = await turns(() => table.rows(['none', ...KEYS.slice(2)]));
  assert.ok(count >= 5, `${count} turns`);
  assert.equal(rows[0], undefined);
  assert.deepEqual(rows.slice(1).map((row) => row.get('f:q')), KEYS.slice(2));
});

test('failures are reported by their position in the batch', async () => {
  const batch = table.batch();
  for (const [at, one] of KEYS.entries()) batch.put(one, { [at % 2500 === 2400 ? 'none:q' : 'f:q']: 'x' });
  await assert.rejects(batch.write(), ({ failures }) => {
    assert.deepEqual(failures.map(({ index, error }) => [index, error.code]), [
      [2400, 'FAMILY_NOT_FOUND'],
      [4900, 'FAMILY_NOT_FOUND'],
    ]);
    return true;
  });
});

test('an aborted call rejects with the reason, also between two parts', async () => {
  const controller = new AbortController();
  const reason = new Error('enough');
  const batch = table.batch();
  for (const one of KEYS) batch.put(one, { 'f:q': 'x' });
  const calls = [table.rows(KEYS, { signal: controller.signal }), batch.write({ signal: controller.signal })];
  const rejected = calls.map((call) => assert.rejects(call, reason));
  controller.abort(reason);
  await Promise.all(rejected);
});

test('a missing table is one error', async () => {
  await assert.rejects(db.table('none').rows(KEYS), { code: 'TABLE_NOT_FOUND' });
});

test('close waits for the parts of a call, and refuses later calls', async () => {
  const own = hjall.memory({ encoding: 'utf8' });
  await own.createTable('t', ['f']);
  const batch = own.table('t').batch();
  for (const one of KEYS) batch.put(one, { 'f:q': one });
  const written = batch.write();
  const closed = own.close();
  await assert.rejects(own.table('t').row('r'), { code: 'CLOSED' });
  await written;
  await closed;
  await own.close();
  await assert.rejects(own.table('t').row('r'), { code: 'CLOSED' });
});

test('a call that is cancelled when it has ended does not cancel a later one', async () => {
  for (let round = 0; round < 300; round += 1) {
    const controller = new AbortController();
    const calls = [];
    for (let n = 0; n < 4; n += 1) calls.push(table.row(`r${n}`, { signal: controller.signal }).catch(() => {}));
    // The calls end meanwhile, in threads.
    const end = process.hrtime.bigint() + BigInt(round % 30) * 10_000n;
    await Promise.resolve();
    while (process.hrtime.bigint() < end);
    controller.abort();
    await Promise.all(calls);
    await Promise.all([1, 2, 3, 4].map((n) => table.row(`r${n}`)));
  }
});
