'use strict';
/** Tables, families, namespaces and regions, and their descriptors. */

const assert = require('node:assert/strict');
const { mkdtempSync, rmSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join } = require('node:path');
const { test } = require('node:test');
const { pathToFileURL } = require('node:url');
const { NotFoundError, memory, open, restore, restoreSync } = require('../lib/index.js');

test('a descriptor has the options given, and can be used again', async () => {
  const db = memory();
  const info = {
    versions: 3,
    minVersions: 1,
    ttlSeconds: 86400,
    keepDeletedCells: 'TTL',
    compression: 'GZ',
    bloomFilter: 'ROWCOL',
    inMemory: true,
  };
  await db.createTable(
    't',
    { info: { ...info, configuration: { 'a.b': 'c' } }, log: { newVersionBehavior: true } },
    { durability: 'ASYNC_WAL', readOnly: false },
  );
  const { name, families, options } = await db.describeTable('t');
  assert.equal(name, 't');
  assert.deepEqual({ ...families.info, ...info }, families.info);
  assert.deepEqual(families.info.configuration, { 'a.b': 'c' });
  assert.equal(families.log.newVersionBehavior, true);
  assert.equal(families.log.ttlSeconds, 'FOREVER');
  assert.equal(options.durability, 'ASYNC_WAL');
  await db.createTable('u', families, options);
  const again = db.describeTableSync('u');
  assert.deepEqual(again, { name: 'u', families, options });
  await db.close();
});

test('altering a table replaces its descriptor; families can be added, altered and dropped individually', async () => {
  const db = memory({ encoding: 'utf8' });
  db.createTableSync('t', { a: {}, b: { versions: 2 } });
  await db.alterTable('t', { a: { versions: 5 } }, { readOnly: true });
  assert.deepEqual(Object.keys(db.describeTableSync('t').families), ['a']);
  await assert.rejects(db.table('t').put('r', { 'a:x': '1' }), { code: 'READ_ONLY' });
  await db.alterTable('t', { a: {} });
  await db.addFamily('t', 'c', { ttlSeconds: 10 });
  db.alterFamilySync('t', 'c', { ttlSeconds: 20 });
  assert.equal((await db.describeTable('t')).families.c.ttlSeconds, 20);
  await db.dropFamily('t', 'a');
  assert.deepEqual(Object.keys(db.describeTableSync('t').families), ['c']);
  await assert.rejects(db.dropFamily('t', 'c'), { code: 'FAMILY_OPERATION' });
  await db.close();
});

test('the life cycle of a table', async () => {
  const db = memory({ encoding: 'utf8' });
  await db.createTable('t', ['f'], { splits: ['m', 'd'] });
  await assert.rejects(db.createTable('t', ['f']), { name: 'ExistsError', code: 'TABLE_EXISTS' });
  assert.deepEqual(await db.tables(), ['t']);
  await db.table('t').put('r', { 'f:a': 'x' });
  await assert.rejects(db.dropTable('t'), { name: 'StateError', code: 'TABLE_NOT_DISABLED' });
  await db.disableTable('t');
  assert.equal(await db.isTableEnabled('t'), false);
  await db.truncateTable('t', { preserveSplits: true });
  assert.equal(await db.table('t').row('r'), undefined);
  assert.deepEqual(
    (await db.regions('t')).map(({ start }) => start.toString()),
    ['', 'd', 'm'],
  );
  db.disableTableSync('t');
  db.truncateTableSync('t');
  assert.equal(db.regionsSync('t').length, 1);
  db.disableTableSync('t');
  db.enableTableSync('t');
  db.disableTableSync('t');
  await db.dropTable('t');
  assert.equal(await db.tableExists('t'), false);
  await assert.rejects(db.describeTable('t'), NotFoundError);
  await db.close();
});

test("HBase's split algorithms", async () => {
  const db = memory();
  const starts = async (options) => {
    await db.createTable('t', ['f'], options);
    const found = (await db.regions('t')).slice(1).map(({ start }) => start);
    await db.disableTable('t');
    await db.dropTable('t');
    return found;
  };
  const text = (keys) => keys.map(String);
  assert.deepEqual(text(await starts({ splitAlgo: 'HexStringSplit', regions: 4 })), [
    '40000000',
    '80000000',
    'c0000000',
  ]);
  assert.deepEqual(text(await starts({ splitAlgo: 'DecimalStringSplit', regions: 3 })), ['33333333', '66666666']);
  assert.deepEqual(
    (await starts({ splitAlgo: 'UniformSplit', regions: 3 })).map((key) => key.toString('hex')),
    ['5555555555555555', 'aaaaaaaaaaaaaaaa'],
  );
  await assert.rejects(db.createTable('t', ['f'], { splits: [Buffer.from('a'), Buffer.from('a')] }), {
    code: 'INVALID_ARGUMENT',
  });
  await db.close();
});

test('namespaces', async () => {
  const db = memory();
  await db.createNamespace('n', { owner: 'ann' });
  assert.deepEqual(await db.describeNamespace('n'), { name: 'n', configuration: { owner: 'ann' } });
  await db.alterNamespace('n', { owner: 'bob' });
  assert.deepEqual(db.describeNamespaceSync('n').configuration, { owner: 'bob' });
  assert.deepEqual(await db.namespaces(), ['default', 'hbase', 'n']);
  await db.createTable('n:t', ['f']);
  await db.createTable('t', ['f']);
  assert.deepEqual(await db.tables(), ['t', 'n:t']);
  assert.deepEqual(await db.tables({ namespace: 'n' }), ['n:t']);
  assert.deepEqual(await db.tables({ namespace: 'default' }), ['t']);
  await assert.rejects(db.dropNamespace('n'), { code: 'CONSTRAINT' });
  await assert.rejects(db.describeNamespace('m'), { name: 'NotFoundError', code: 'NAMESPACE_NOT_FOUND' });
  await db.close();
});

test('a backup is a database, and restore copies it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'hjall-backup-'));
  const at = (name) => join(folder, name);
  const db = memory({ encoding: 'utf8' });
  await db.createTable('t', ['f']);
  await db.table('t').put('r', { 'f:a': 'x' });
  await db.backup(at('one'));
  await assert.rejects(db.backup(at('one')), { code: 'INVALID_ARGUMENT' });
  db.backupSync(pathToFileURL(at('two')));
  await db.close();
  await restore(at('one'), at('three'));
  restoreSync(at('two'), at('four'));
  await assert.rejects(restore(at('none'), at('six')), { code: 'INVALID_ARGUMENT' });
  assert.throws(() => restoreSync(7, at('six')), TypeError);
  // An incremental backup replaces an earlier one.
  const source = await open(at('three'), { encoding: 'utf8' });
  for (let round = 0; round < 2; round += 1) await source.backup(at('five'), { incremental: true });
  await source.close();
  for (const name of ['one', 'two', 'three', 'four', 'five']) {
    const copy = await open(at(name), { encoding: 'utf8' });
    assert.equal((await copy.table('t').row('r')).get('f:a')?.toString(), 'x');
    await copy.close();
  }
  rmSync(folder, { recursive: true });
});

test('flush and compact resolve when they have ended', async () => {
  const db = memory({ encoding: 'utf8' });
  db.createTableSync('t', ['f']);
  await db.table('t').put('r', { 'f:a': 'x' });
  await db.flush('t');
  await db.compact('t', { major: true });
  db.flushSync('t');
  db.compactSync('t');
  await assert.rejects(db.compact('none'), { code: 'TABLE_NOT_FOUND' });
  assert.equal(typeof (await db.now()), 'number');
  assert.match(await db.clusterId(), /^[0-9a-f-]{36}$/);
  await db.close();
});
