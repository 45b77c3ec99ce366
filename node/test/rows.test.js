'use strict';
/** Reading rows, in both forms of every method. */

const assert = require('node:assert/strict');
const { test } = require('node:test');
const hjall = require('../lib/index.js');

function users() {
  const db = hjall.memory({ encoding: 'utf8', clock: new hjall.ManualClock(1000) });
  db.createTableSync('users', { info: { versions: 3 }, log: {} });
  return { db, table: db.table('users') };
}

test('a row has its values by column', async () => {
  const { db, table } = users();
  await table.put('ann', { 'info:name': 'Ann', 'info:city': 'Oslo' });
  table.putSync('bob', [{ column: 'info:name', value: Buffer.from([0xff, 0]), timestamp: 5 }]);
  const ann = await table.row('ann');
  assert.deepEqual(ann.values, { 'info:city': 'Oslo', 'info:name': 'Ann' });
  assert.equal(ann.string('info:name'), 'Ann');
  assert.deepEqual(table.rowSync('bob').cells, [
    {
      column: 'info:name',
      family: Buffer.from('info'),
      qualifier: Buffer.from('name'),
      timestamp: 5,
      type: 'Put',
      value: Buffer.from([0xff, 0]),
    },
  ]);
  assert.equal(await table.row('nobody'), undefined);
  assert.equal(table.rowSync('nobody'), undefined);
  await db.close();
});

test('several rows are returned in the order of the keys', async () => {
  const { db, table } = users();
  await table.put('a', { 'info:x': '1' });
  await table.put('c', { 'info:x': '3' });
  const shown = (rows) => rows.map((row) => row?.string('info:x'));
  assert.deepEqual(shown(await table.rows(['c', 'b', 'a', 'c'])), ['3', undefined, '1', '3']);
  assert.deepEqual(shown(table.rowsSync(['c', 'b', 'a', 'c'])), ['3', undefined, '1', '3']);
  await assert.rejects(table.rows(['a'], { columns: 'no' }), { code: 'FAMILY_NOT_FOUND' });
  await db.close();
});

test('versions, time ranges and exact timestamps', async () => {
  const { db, table } = users();
  for (const timestamp of [1, 2, 3]) table.putSync('r', { 'info:v': `v${timestamp}` }, { timestamp });
  assert.deepEqual(
    (await table.cells('r', 'info:v')).map((c) => c.timestamp),
    [3, 2, 1],
  );
  assert.deepEqual(
    table.cellsSync('r', 'info:v', { versions: 2 }).map((c) => c.timestamp),
    [3, 2],
  );
  assert.equal((await table.row('r', { timeRange: [1, 3] })).string('info:v'), 'v2');
  assert.equal((await table.row('r', { timestamp: 1 })).string('info:v'), 'v1');
  assert.equal(table.rowSync('r', { timeRange: { from: 4 } }), undefined);
  await db.close();
});
