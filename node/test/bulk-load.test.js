'use strict';
/** Bulk loads: sorted rows that are written to files directly. */
const assert = require('node:assert/strict');
const { mkdtempSync, readdirSync, rmSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join } = require('node:path');
const { after, it } = require('node:test');
const { memory, open } = require('../lib/index.js');
const { connect } = require('../lib/remote/connect.js');
const { serving } = require('./serving.js');

const folders = [];
after(() => folders.forEach((folder) => rmSync(folder, { recursive: true, force: true })));

/** A folder that is removed at the end. */
function folder() {
  folders.push(mkdtempSync(join(tmpdir(), 'hjall-bulk-')));
  return folders.at(-1);
}

async function table(db, name = 't') {
  await db.createTable(name, ['f', 'g']);
  return db.table(name);
}

const key = (i) => `row${String(i).padStart(6, '0')}`;
const rows = function* (count, value = 'v') {
  for (let i = 0; i < count; i += 1) yield [key(i), { 'f:n': `${value}${i}` }];
};
async function* later(iterable) {
  for (const row of iterable) yield row;
}

/** The files of families. Keyspace 0 is the index, and 1 the catalog. */
function files(path) {
  const keyspaces = join(path, 'data', 'keyspaces');
  return readdirSync(keyspaces)
    .filter((name) => name !== '0' && name !== '1')
    .flatMap((name) => readdirSync(join(keyspaces, name, 'tables')).map((file) => join(name, file)));
}

for (const [where, opened] of [
  ['in memory', () => memory({ encoding: 'utf8' })],
  ['on disk', () => open(folder(), { encoding: 'utf8' })],
]) {
  it(`loads rows of iterables and async iterables ${where}`, async () => {
    const db = await opened();
    const users = await table(db);
    const reports = [];
    assert.equal(await users.bulkLoad(rows(2500), { onProgress: (n) => reports.push(n) }), 2500);
    assert.deepEqual(reports, [1000, 2000]);
    assert.equal(await users.bulkLoad(later(rows(10, 'new')), { timestamp: 4102444800000, ttlMs: 4102444800000 }), 10);
    assert.equal(users.bulkLoadSync([{ key: 'zz', put: { 'g:x': 'y' }, timestamp: 7 }]), 1);
    assert.equal(await users.bulkLoad([]), 0);
    assert.equal(await users.count(), 2501);
    assert.equal((await users.row(key(3))).string('f:n'), 'new3');
    assert.equal((await users.row(key(2400))).string('f:n'), 'v2400');
    assert.equal((await users.row('zz')).timestamp('g:x'), 7);
    const copy = await table(db, 'copy');
    assert.equal(await copy.bulkLoad(users.scan()), 2501);
    assert.deepEqual(await copy.scan().toArray(), await users.scan().toArray());
    await db.close();
  });
}

it('refuses unsorted rows by name, and stores nothing', async () => {
  const path = folder();
  const db = await open(path, { encoding: 'utf8' });
  const users = await table(db);
  await users.put('k', { 'f:q': 'kept' });
  const unsorted = [...rows(3000), ['a', { 'f:q': '1' }]];
  const expected = { code: 'INVALID_ARGUMENT', message: /^bulkLoad: .*row "a" follows row "row002999"/ };
  await assert.rejects(users.bulkLoad(unsorted), expected);
  assert.throws(() => users.bulkLoadSync(unsorted), { message: /^bulkLoadSync: .*row "a" follows row "row002999"/ });
  assert.equal(await users.count(), 1);
  assert.deepEqual(files(path), []);
  await db.close();
});

it('discards the load if the iterable, a row or the progress function fails, or the signal is aborted', async () => {
  const path = folder();
  const db = await open(path, { encoding: 'utf8' });
  const users = await table(db);
  const failing = function* () {
    yield* rows(1500);
    throw new RangeError('no more');
  };
  await assert.rejects(users.bulkLoad(failing()), { name: 'RangeError', message: 'no more' });
  await assert.rejects(users.bulkLoad([...rows(1500), ['zz', { 'absent:q': '1' }]]), { code: 'FAMILY_NOT_FOUND' });
  await assert.rejects(users.bulkLoad([[key(1), { 'f:q': 5 }]]), TypeError);
  await assert.rejects(users.bulkLoad([{ key: 'a', delete: true }]), { message: /bulkLoad: row 0: a bulk load takes no deletes/ });
  await assert.rejects(users.bulkLoad(5), { name: 'TypeError', message: /rows must be an iterable/ });
  const fails = () => {
    throw new RangeError('stop');
  };
  await assert.rejects(users.bulkLoad(rows(1500), { onProgress: fails }), { message: 'stop' });
  const stop = new AbortController();
  const stopping = later(rows(5000));
  const stopped = users.bulkLoad(stopping, { signal: stop.signal, onProgress: () => stop.abort(new Error('enough')) });
  await assert.rejects(stopped, { message: 'enough' });
  assert.equal(await users.count(), 0);
  assert.deepEqual(files(path), []);
  await db.close();
});

it('ends a load when the database is closed', async () => {
  const path = folder();
  const db = await open(path, { encoding: 'utf8' });
  const users = await table(db);
  const closing = async function* () {
    yield* rows(1200);
    await db.close();
    yield ['zz', { 'f:q': '1' }];
  };
  await assert.rejects(users.bulkLoad(closing()), { code: 'CLOSED' });
  const again = await open(path, { encoding: 'utf8' });
  assert.equal(await again.table('t').count(), 0);
  await again.close();
});

it('is for embedded databases', async () => {
  const server = await serving();
  const db = await connect({ port: server.port });
  await assert.rejects(db.table('t').bulkLoad([]), { code: 'UNSUPPORTED' });
  await db.close();
  await server.stop();
});
