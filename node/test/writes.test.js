'use strict';
/** Writes: deletes, checks, row mutations, appends, batches, TTLs, durability. */

const assert = require('node:assert/strict');
const { test } = require('node:test');
const hjall = require('../lib/index.js');

function fresh() {
  const clock = new hjall.ManualClock(100_000);
  const db = hjall.memory({ encoding: 'utf8', clock });
  db.createTableSync('t', { f: { versions: 5 }, g: {} });
  return { db, clock, table: db.table('t') };
}

const values = (row) =>
  row && Object.fromEntries(Object.entries(row.values).map(([column, value]) => [column, value.toString()]));

test('deletes: a row, a family, a column, one version', async () => {
  const { table } = fresh();
  const fill = () => {
    for (const timestamp of [1, 2])
      table.putSync('r', { 'f:a': `a${timestamp}`, 'f:b': 'b', 'g:c': 'c' }, { timestamp });
  };
  fill();
  await table.delete('r', 'f:a');
  assert.deepEqual(values(table.rowSync('r')), { 'f:b': 'b', 'g:c': 'c' });
  await table.delete('r', ['f', 'g:c']);
  assert.equal(await table.row('r'), undefined);
  table.putSync('s', { 'f:a': 'old' }, { timestamp: 200_000 });
  table.putSync('s', { 'f:a': 'new' }, { timestamp: 200_001 });
  table.deleteSync('s', 'f:a', { exact: true });
  assert.deepEqual(values(table.rowSync('s')), { 'f:a': 'old' });
  await table.delete('s', [{ column: 'f:a', timestamp: 200_000, exact: true }]);
  assert.equal(table.rowSync('s'), undefined);
  table.putSync('u', { 'f:a': 'x', 'g:c': 'y' });
  await table.delete('u');
  assert.equal(table.existsSync('u'), false);
});

test('a delete deletes what is put in the same call; the remedies in README.md keep it', async (t) => {
  const local = hjall.memory({ encoding: 'utf8' });
  t.after(() => local.close());
  await local.createTable('t', ['f']);
  const { port } = await local.serve({ port: 0 });
  const remote = await hjall.connect({ port, encoding: 'utf8' });
  t.after(() => remote.close());
  for (const db of [local, remote]) {
    const table = db.table('t');
    const after = async (write) => {
      await table.put('r', { 'f:a': 'old', 'f:b': 'old' });
      await write(await table.row('r'));
      const found = values(await table.row('r'));
      await table.delete('r');
      return found;
    };
    const put = { put: { 'f:a': 'new' } };
    assert.deepEqual(await after(() => table.mutateRow('r', [{ delete: 'f:a' }, put])), { 'f:b': 'old' });
    assert.deepEqual(await after(() => table.mutateRow('r', [put, { delete: 'f:a' }])), { 'f:b': 'old' });
    const condition = { column: 'f:a', value: 'old' };
    assert.equal(await after(() => table.checkAndMutate('r', condition, [{ delete: true }, put])), undefined);
    // Remedies: only other columns are deleted, a batch, own times.
    const isNew = { 'f:a': 'new' };
    assert.deepEqual(await after(() => table.mutateRow('r', [put, { delete: 'f:b' }])), isNew);
    assert.deepEqual(await after(() => table.batch().delete('r').put('r', put.put).write()), isNew);
    const upTo = (row) => row.cells.map((cell) => cell.timestamp).reduce((a, b) => (a > b ? a : b));
    const withTimes = (at) => table.mutateRow('r', [{ delete: true, timestamp: at }, { ...put, timestamp: at + 1 }]);
    assert.deepEqual(await after((row) => withTimes(upTo(row))), isNew);
  }
});

test('data as an object, a Map and an array; columns as strings, bytes and parts', async () => {
  const { table } = fresh();
  await table.put(
    'r',
    new Map([
      [Buffer.from('f:\xff', 'latin1'), 'bytes'],
      ['f:text', 'text'],
    ]),
  );
  await table.put('r', [
    { family: 'f', qualifier: Buffer.from([0x3a]), value: 'colon' },
    { column: 'f:', value: 'empty' },
  ]);
  assert.deepEqual(values(await table.row('r')), {
    'f:': 'empty',
    'f::': 'colon',
    'f:text': 'text',
    'f:\\xFF': 'bytes',
  });
  assert.deepEqual(
    values(await table.row('r', { columns: [Buffer.from('f:\xff', 'latin1'), { family: 'f', qualifier: ':' }] })),
    {
      'f::': 'colon',
      'f:\\xFF': 'bytes',
    },
  );
  assert.deepEqual(values(await table.row('r', { columns: 'f:' })), { 'f:': 'empty' });
  assert.equal((await table.row('r')).get({ family: 'f', qualifier: Buffer.from([0xff]) }).toString(), 'bytes');
});

test('checks', async () => {
  const { table } = fresh();
  assert.equal(await table.checkAndPut('r', 'f:a', null, { 'f:a': '1' }), true);
  assert.equal(await table.checkAndPut('r', 'f:a', null, { 'f:a': '2' }), false);
  assert.equal(table.checkAndPutSync('r', 'f:a', '1', { 'f:a': '2' }), true);
  assert.equal(await table.checkAndPut('r', 'f:a', '1', { 'f:a': '3' }, { op: '>' }), true);
  assert.equal(await table.checkAndDelete('r', 'f:a', '9', 'f:a'), false);
  assert.equal(await table.checkAndDelete('r', 'f:a', '3', 'f:a'), true);
  const both = [{ put: { 'f:x': 'x' } }, { delete: 'g:c' }];
  assert.equal(await table.checkAndMutate('r', { column: 'f:a', value: null }, both), true);
  assert.deepEqual(values(await table.row('r')), { 'f:x': 'x' });
});

test('mutations of a row are atomic', async () => {
  const { table } = fresh();
  table.putSync('r', { 'f:a': 'a', 'g:c': 'c' });
  await table.mutateRow('r', [{ put: { 'f:b': 'b' } }, { delete: ['f:a', 'g'] }]);
  assert.deepEqual(values(table.rowSync('r')), { 'f:b': 'b' });
  await assert.rejects(table.mutateRow('r', [{ put: { 'f:c': 'c' } }, { put: { 'no:c': 'c' } }]), {
    code: 'FAMILY_NOT_FOUND',
  });
  assert.deepEqual(values(table.rowSync('r')), { 'f:b': 'b' });
  await table.mutateRow('r', [{ delete: true }]);
  assert.equal(table.rowSync('r'), undefined);
});

test('appends and increments return the new values', async () => {
  const { table } = fresh();
  assert.equal((await table.append('r', 'f:a', 'x')).toString(), 'x');
  assert.equal(table.appendSync('r', 'f:a', 'y').toString(), 'xy');
  assert.deepEqual(values(await table.appendRow('r', { 'f:a': 'z', 'f:b': 'b' })), { 'f:a': 'xyz', 'f:b': 'b' });
  await assert.rejects(table.increment('r', 'f:a'), { name: 'RequestError', code: 'NOT_A_LONG' });
});

test('cells expire after their TTL', async () => {
  const { clock, table } = fresh();
  await table.put('r', { 'f:a': 'x' }, { ttlMs: 1000 });
  await table.increment('r', 'f:n', 1, { ttlMs: 2000 });
  const batch = table.batch({ ttlMs: 3000 }).put('r', { 'f:b': 'y' });
  assert.equal(batch.size, 1);
  await batch.write();
  assert.equal(batch.size, 0);
  clock.advance(1001);
  assert.deepEqual((await table.row('r')).columns, ['f:b', 'f:n']);
  clock.advance(1000);
  assert.deepEqual(table.rowSync('r').columns, ['f:b']);
  clock.advance(1000);
  assert.equal(await table.row('r'), undefined);
});

test('every durability is accepted, in upper and lower case', async () => {
  const { table } = fresh();
  for (const durability of ['USE_DEFAULT', 'SKIP_WAL', 'ASYNC_WAL', 'SYNC_WAL', 'fsync_wal'])
    await table.put('r', { 'f:a': durability }, { durability });
  assert.equal((await table.row('r')).string('f:a'), 'fsync_wal');
});

test('a batch applies puts and deletes in order', async () => {
  const { table } = fresh();
  const batch = table.batch();
  for (let i = 0; i < 3000; i += 1) batch.put(`r${i}`, { 'f:a': `${i}` });
  batch.delete('r7').put('r8', { 'f:a': 'last' }).delete('r9', 'f:a').clear();
  assert.equal(batch.size, 0);
  for (let i = 0; i < 3000; i += 1) batch.put(`r${i}`, { 'f:a': `${i}` });
  await batch.delete('r7').put('r8', { 'f:a': 'last' }).delete('r9', 'f:a').write();
  assert.deepEqual(
    (await table.rows(['r6', 'r7', 'r8', 'r9'])).map((row) => row?.string('f:a')),
    ['6', undefined, 'last', undefined],
  );
  assert.equal((await table.scan().toArray()).length, 2998);
  await table.batch().write();
});

test('changing a buffer after a call does not affect the call', async () => {
  const { table } = fresh();
  const key = Buffer.from('key');
  const value = Buffer.from('value');
  const put = table.put(key, { 'f:a': value });
  key.fill(0);
  value.fill(0);
  await put;
  assert.deepEqual(values(await table.row('key')), { 'f:a': 'value' });
});

test('concurrent calls get their own answers', async () => {
  const { table } = fresh();
  await Promise.all(Array.from({ length: 2000 }, (_, i) => table.put(`r${i}`, { 'f:a': `${i}`.repeat(i % 50) })));
  const rows = await Promise.all(Array.from({ length: 2000 }, (_, i) => table.row(`r${i}`)));
  rows.forEach((row, i) => assert.equal(row.string('f:a'), `${i}`.repeat(i % 50)));
  const large = 'x'.repeat(1 << 20);
  await table.put('large', { 'f:a': large, 'f:b': large });
  const [first, second] = await Promise.all([table.row('large'), table.row('r5')]);
  assert.equal(first.string('f:b'), large);
  assert.equal(second.string('f:a'), '55555');
  assert.equal(table.rowSync('large').string('f:a'), large);
});
