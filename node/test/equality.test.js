'use strict';
/** Comparisons, copies and clones of rows see the cells. */

const assert = require('node:assert/strict');
const { test } = require('node:test');
const { isDeepStrictEqual } = require('node:util');
const hjall = require('../lib/index.js');

const db = hjall.memory({ encoding: 'utf8' });
db.createTableSync('t', { f: { versions: 3 } });
const table = db.table('t');
for (const [key, data, timestamp] of [
  ['a', { 'f:x': '1' }, 1],
  ['b', { 'f:x': '1' }, 1],
  ['a2', { 'f:x': '2' }, 1],
  ['a3', { 'f:x': '1' }, 2],
  ['a4', { 'f:x': '1', 'f:y': '' }, 1],
])
  table.putSync(key, data, { timestamp });

test('rows are equal if their keys and cells are', async () => {
  const one = table.rowSync('a');
  assert.deepStrictEqual(await table.row('a'), one);
  for (const key of ['b', 'a2', 'a3', 'a4'])
    assert.ok(!isDeepStrictEqual(table.rowSync(key), one), `row ${key} equals row a`);
  table.putSync('a', { 'f:x': 'changed' }, { timestamp: 5 });
  assert.notDeepStrictEqual(table.rowSync('a'), one);
  const [scanned] = await table.scan({ start: 'a2', limit: 1 }).toArray();
  assert.deepStrictEqual(scanned, table.rowSync('a2'));
  scanned.values; // decoding must not change the outcome
  assert.deepStrictEqual(scanned, table.rowSync('a2'));
});

test('spread, structuredClone and Object.entries see the cells', () => {
  const row = table.rowSync('a4');
  for (const copy of [{ ...row }, structuredClone(row), Object.fromEntries(Object.entries(row))]) {
    assert.equal(Buffer.from(copy.key).toString(), 'a4');
    assert.deepEqual(
      copy.cells.map(({ column, timestamp, value }) => [column, timestamp, Buffer.from(value).toString()]),
      [
        ['f:x', 1, '1'],
        ['f:y', 1, ''],
      ],
    );
    assert.equal(copy.partial, false);
  }
});

/** The memory that a small value may share with others: Node's pool for small Buffers. */
const POOL_BYTES = 8192;

test('a kept value does not keep the other rows of its block', async () => {
  const local = hjall.memory();
  await local.createTable('t', ['f']);
  const { port } = await local.serve({ port: 0 });
  const remote = await hjall.connect({ port });
  for (const size of [1000, 40_000]) {
    const keys = Array.from({ length: 100 }, (_, i) => Buffer.from(`row${i}`));
    const batch = local.table('t').batch();
    for (const key of keys) batch.put(key, { 'f:x': Buffer.alloc(size, 'x') });
    await batch.write();
    for (const [name, table] of Object.entries({ embedded: local.table('t'), remote: remote.table('t') })) {
      const scanned = await table.scan().toArray();
      const some = [...scanned, ...(await table.rows(keys)), await table.row(keys[0]), ...(name === 'embedded' ? table.scanSync() : [])];
      for (const { key, cells } of some) {
        const [{ family, qualifier, value }] = cells;
        for (const bytes of [key, family, qualifier, value]) {
          const kept = bytes.buffer.byteLength;
          assert.ok(kept <= Math.max(POOL_BYTES, 2.5 * size), `${name}, values of ${size} bytes: ${bytes.length} bytes keep ${kept}`);
        }
      }
    }
  }
  await remote.close();
  await local.close();
});

test('a row accessor refuses a name that is not a column', () => {
  const row = table.rowSync('a4');
  for (const read of ['get', 'has', 'string', 'long', 'bigint', 'double', 'json', 'timestamp', 'versions'])
    assert.throws(() => row[read]('f.x'), { name: 'TypeError', message: /single column.*: write 'family:f\.x'/ }, read);
  // `f:x` has this name, and its family was left out.
  assert.throws(() => row.get('x'), { name: 'TypeError', message: /not 'x': did you mean 'f:x'\?$/ });
  assert.throws(() => row.get({ family: 'f' }), { name: 'TypeError', message: /single column.*'f:qualifier' if 'f' is the family/ });
  assert.equal(row.get('f:none'), undefined);
});
