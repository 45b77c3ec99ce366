'use strict';
/** How `console.log` shows the objects of the package. */

const assert = require('node:assert/strict');
const { mkdtempSync, rmSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join } = require('node:path');
const { test } = require('node:test');
const { inspect } = require('node:util');
const { connect, memory, open, openSync } = require('../lib/index.js');

test('a database shows where its data is, and whether it is open', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'hjall-inspect-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const local = memory();
  const { port } = await local.serve({ port: 0 });
  for (const [db, place] of [
    [await connect({ port }), `address: '127.0.0.1:${port}'`],
    [local, 'memory: true'],
    [await open(folder), `folder: '${folder}'`],
  ]) {
    const shown = () => inspect(db, { breakLength: Infinity });
    assert.equal(shown(), `Database { ${place}, state: 'open' }`);
    const closed = db.close();
    assert.equal(shown(), `Database { ${place}, state: 'closed' }`);
    await closed;
    assert.equal(shown(), `Database { ${place}, state: 'closed' }`);
  }
  const again = openSync(folder);
  again.closeSync();
  assert.match(inspect(again), /state: 'closed'/);
});

test('a scan shows its table, and whether it is open', async () => {
  const db = memory({ encoding: 'utf8' });
  await db.createTable('t', ['f']);
  const table = db.table('t');
  await table.batch().put('a', { 'f:a': 'x' }).put('b', { 'f:a': 'x' }).write();
  for (const [name, scan] of [['Scan', table.scan()], ['SyncScan', table.scanSync()]]) {
    assert.equal(inspect(scan), `${name} { table: 't', state: 'open' }`);
    await scan.next();
    assert.equal(inspect(scan), `${name} { table: 't', state: 'open' }`);
    scan.close();
    assert.equal(inspect(scan), `${name} { table: 't', state: 'closed' }`);
  }
  await db.close();
});
