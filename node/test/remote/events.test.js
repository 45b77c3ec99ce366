'use strict';
/** What remote databases publish on diagnostics channels: connections, and calls that are repeated. */
const assert = require('node:assert/strict');
const { subscribe, unsubscribe } = require('node:diagnostics_channel');
const { it } = require('node:test');
const hjall = require('../../lib/index.js');
const { scripted } = require('./scripted.js');

const NAMES = ['connect', 'disconnect', 'retry'];

/** The events until the test ends: [name, message]. */
function events(test) {
  const seen = [];
  for (const name of NAMES) {
    const listener = (message) => seen.push([name, message]);
    subscribe(`hjall:${name}`, listener);
    test.after(() => unsubscribe(`hjall:${name}`, listener));
  }
  return seen;
}

const shown = (seen) =>
  seen.map(([name, { method, table, attempt, error }]) => [name, method, table, attempt, error?.code].filter((part) => part !== undefined).join(' '));

it('a broken connection and the repeated call have their reasons', async (t) => {
  const seen = events(t);
  const answers = [(_, socket) => void socket.destroy(), () => ({ success: { columnValues: [] } })];
  const { port } = await scripted(t, { get: (...call) => answers.shift()(...call) });
  const db = await hjall.connect({ port, encoding: 'utf8', pauseMs: 0 });
  assert.equal(await db.table('t').row('r'), undefined);
  await db.close();
  assert.deepEqual(shown(seen), ['connect', 'disconnect CONNECTION', 'retry get t 1 CONNECTION', 'connect', 'disconnect']);
  for (const [, { address, error }] of seen) {
    assert.equal(address, `127.0.0.1:${port}`);
    if (error !== undefined) assert.ok(error instanceof hjall.ConnectionError && error.message.includes(address), error.message);
  }
});

it('a scan that goes on after its lease ran out is a retry', async (t) => {
  const seen = events(t);
  const row = { row: Buffer.from('r'), columnValues: [] };
  const blocks = [{ success: [row] }, { ia: { message: 'Invalid scanner Id' } }, { success: [] }];
  const { port } = await scripted(t, { openScanner: () => ({ success: 1 }), getScannerRows: () => blocks.shift() });
  const db = await hjall.connect({ port, encoding: 'utf8' });
  assert.equal((await db.table('t').scan().toArray()).length, 1);
  assert.deepEqual(shown(seen), ['connect', 'retry scan t 1 STALE']);
  await db.close();
});

it('connections over HTTP are published, too', async (t) => {
  const seen = events(t);
  const local = hjall.memory();
  const { port } = await local.serve({ port: 0 });
  const db = await hjall.connect({ port, transport: 'http' });
  await db.tables();
  assert.deepEqual(shown(seen), ['connect']);
  await db.close();
  while (seen.length < 2) await new Promise(setImmediate);
  assert.deepEqual(shown(seen), ['connect', 'disconnect']);
  await local.close();
});
