'use strict';
/** A store that stalls must not stall the program around it: its files, its timers, its other databases. */

const assert = require('node:assert/strict');
const { readFile } = require('node:fs/promises');
const { test } = require('node:test');
const hjall = require('../lib/index.js');
const { stalling } = require('./stalling.js');

/** More calls than libuv and hjall have threads together. */
const MANY = 64;

async function rest(work) {
  const other = hjall.memory({ encoding: 'utf8' });
  other.createTableSync('t', ['f']);
  await other.table('t').put('r', { 'f:a': 'x' });
  assert.equal((await other.table('t').row('r')).string('f:a'), 'x');
  assert.match((await readFile(__filename)).toString(), /must not stall/);
  await new Promise((resolve) => setImmediate(resolve));
  await other.close();
  return work;
}

for (const [what, reads, begin] of [
  ['writes', false, (table, i) => table.put(`r${i}`, { 'f:a': 'x' })],
  ['gets', true, (table, i) => table.row(`r${i}`)],
  ['scans', true, (table) => table.scan().next()],
  ['increments', false, (table) => table.increment('n', 'f:n')],
]) {
  test(`while ${what} stall, files are read and other databases answer`, async () => {
    const { db, store } = stalling();
    await db.createTable('t', ['f']);
    const table = db.table('t');
    store.hold(reads);
    let settled = 0;
    const calls = Array.from({ length: MANY }, (_, i) =>
      begin(table, i).finally(() => {
        settled += 1;
      }),
    );
    await rest();
    assert.equal(settled, 0, 'nothing of it was answered meanwhile');
    store.release();
    await Promise.all(calls);
    await db.close();
  });
}

test('a call that is aborted while it waits behind a stall is let go at once, and never begins', async () => {
  const { db, store } = stalling();
  await db.createTable('t', ['f']);
  const table = db.table('t');
  store.hold(false);
  const before = Array.from({ length: MANY }, (_, i) => table.put(`r${i}`, { 'f:a': 'x' }));
  const controller = new AbortController();
  const late = table.put('late', { 'f:a': 'x' }, { signal: controller.signal });
  const reason = new Error('no longer wanted');
  controller.abort(reason);
  await assert.rejects(late, reason);
  store.release();
  await Promise.all(before);
  assert.equal(await table.row('late'), undefined);
  await db.close();
});

test('close waits for what was begun, and refuses what comes after', async () => {
  const { db, store } = stalling();
  await db.createTable('t', ['f']);
  const table = db.table('t');
  store.hold(false);
  const put = table.put('r', { 'f:a': 'x' });
  const closed = db.close();
  await new Promise((resolve) => setImmediate(resolve));
  await assert.rejects(table.row('r'), { name: 'ClosedError', code: 'CLOSED' });
  assert.throws(() => table.rowSync('r'), { code: 'CLOSED' });
  store.release();
  await put;
  await closed;
  await db.close();
});
