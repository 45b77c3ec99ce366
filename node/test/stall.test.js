'use strict';
/** A stalled store must not stall the rest of the program: its files, its timers, its other databases. */

const assert = require('node:assert/strict');
const { mkdtempSync, readdirSync, rmSync } = require('node:fs');
const { readFile } = require('node:fs/promises');
const { tmpdir } = require('node:os');
const { join } = require('node:path');
const { test } = require('node:test');
const hjall = require('../lib/index.js');
const { stalling } = require('./stalling.js');

/** More calls than the threads of libuv and hjall together. */
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
  test(`while ${what} are stalled, files and other databases can be read`, async () => {
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
    assert.equal(settled, 0, 'no stalled call was answered');
    store.release();
    await Promise.all(calls);
    await db.close();
  });
}

test('aborting a call that waits behind a stalled one rejects it at once, and it never begins', async () => {
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

test('close waits for pending calls and rejects later ones', async () => {
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

for (const incremental of [false, true])
  test(`a signal ends a backup, and removes what it has copied${incremental ? ', with `incremental`' : ''}`, async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'hjall-ended-'));
    t.after(() => rmSync(folder, { recursive: true }));
    const { db, store } = stalling();
    await db.createTable('t', ['f']);
    await db.table('t').put('r', { 'f:a': 'x' });
    store.hold(true);
    const controller = new AbortController();
    const backup = db.backup(join(folder, 'copy'), { incremental, signal: controller.signal });
    let isSettled = false;
    const settled = backup.catch(() => {}).then(() => {
      isSettled = true;
    });
    await rest();
    controller.abort(new Error('enough'));
    await rest();
    assert.equal(isSettled, false, 'the promise waits for the end of the backup');
    store.release();
    await assert.rejects(backup, { message: 'enough' });
    await settled;
    assert.deepEqual(readdirSync(folder), []);
    await db.backup(join(folder, 'copy'), { incremental, signal: new AbortController().signal });
    assert.deepEqual(readdirSync(folder), ['copy']);
    await db.close();
  });
