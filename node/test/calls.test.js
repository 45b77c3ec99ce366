'use strict';
/** What calls do with limits, existing tables, ranges, and with memory that belongs to the program. */

const assert = require('node:assert/strict');
const { mkdtempSync, rmSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join } = require('node:path');
const { test } = require('node:test');
const { pipeline } = require('node:stream/promises');
const hjall = require('../lib/index.js');

function filled(rows = 5) {
  const db = hjall.memory({ encoding: 'utf8' });
  db.createTableSync('t', ['f', 'g']);
  const table = db.table('t');
  for (let i = 0; i < rows; i += 1) table.putSync(`r${i}`, { 'f:n': String(i), 'g:m': 'x' });
  return { db, table };
}

test('a limit of 0 returns nothing', async () => {
  const { db, table } = filled();
  assert.deepEqual(await table.scan({ limit: 0 }).toArray(), []);
  assert.deepEqual(table.scanSync({ limit: 0 }).toArray(), []);
  assert.deepEqual(await table.scan({ limit: 0 }).nextBlock(), []);
  for await (const row of table.createReadStream({ limit: 0 })) assert.fail(`row ${row.key}`);
  assert.equal((await table.scan({ limit: 1 }).toArray()).length, 1);
  const { port } = await db.serve({ port: 0 });
  const remote = await hjall.connect({ port, encoding: 'utf8' });
  assert.deepEqual(await remote.table('t').scan({ limit: 0 }).toArray(), []);
  await remote.close();
  await db.close();
});

test('a short get is answered within the turn, unless a call is pending or it can be aborted', async () => {
  const { db, table } = filled();
  const isAnsweredNow = async (get) => {
    let isAnswered = false;
    const answered = get.then(() => {
      isAnswered = true;
    });
    for (let i = 0; i < 50; i += 1) await undefined;
    const isNow = isAnswered;
    await answered;
    return isNow;
  };
  assert.ok(await isAnsweredNow(table.row('r1')));
  assert.ok(await isAnsweredNow(table.row('none')));
  assert.ok(await isAnsweredNow(table.exists('r1', { columns: ['g:m'] })));
  assert.ok(!(await isAnsweredNow(table.row('r1', { signal: new AbortController().signal }))));
  assert.ok(!(await isAnsweredNow(table.row('r1', { filter: 'KeyOnlyFilter()' }))), 'filters may take long');
  const put = table.put('r1', { 'f:n': 'new' });
  assert.ok(!(await isAnsweredNow(table.row('r1'))));
  await put;
  // Hidden cells are work that does not end soon.
  for (let i = 0; i < 1000; i += 1) table.putSync('r2', { [`f:${i}`]: 'x' });
  table.deleteSync('r2');
  assert.ok(!(await isAnsweredNow(table.row('r2'))));
  await db.close();
});

test('createTable with ifNotExists leaves an existing table as it is', async () => {
  const { db, table } = filled();
  const { port } = await db.serve({ port: 0 });
  const remote = await hjall.connect({ port, encoding: 'utf8' });
  for (const one of [db, remote]) {
    await one.createTable('t', ['other'], { ifNotExists: true });
    await one.createTable('u', ['f'], { ifNotExists: true });
    await assert.rejects(one.createTable('t', ['f']), { code: 'TABLE_EXISTS', message: /"t".*ifNotExists/ });
    await assert.rejects(one.createTable('t', ['f'], { ifNotExists: false }), { code: 'TABLE_EXISTS' });
    await assert.rejects(one.createTable('no:t', ['f'], { ifNotExists: true }), { code: 'NAMESPACE_NOT_FOUND' });
  }
  db.createTableSync('t', ['f'], { ifNotExists: true });
  assert.equal(await table.count(), 5);
  assert.deepEqual(Object.keys((await db.describeTable('t')).families), ['f', 'g']);
  await remote.close();
  await db.close();
});

test('a batch copies what it is given', async () => {
  const { db, table } = filled(0);
  const [key, value, qualifier] = [Buffer.from('k1'), Buffer.from('v1'), Buffer.from('q1')];
  const batch = table
    .batch()
    .put(key, [{ family: Buffer.from('f'), qualifier, value }])
    .put(key, new Map([[Buffer.from('f:m'), value]]))
    .delete(key, [{ family: 'f', qualifier, timestamp: 1 }]);
  key[1] = value[1] = qualifier[1] = 0x39;
  await batch.write();
  assert.deepEqual(table.rowSync('k1').columns, ['f:m', 'f:q1']);
  assert.equal(table.rowSync('k1').string('f:q1'), 'v1');
  assert.equal(table.rowSync('k9'), undefined);
  await db.close();
});

test('buffers can be reused from one put of a batch to the next, and batches beside each other', async () => {
  const { db, table } = filled(0);
  const [key, value, qualifier, column] = ['k0', 'v0', 'q0', 'f:m0'].map((text) => Buffer.from(text));
  const batches = [table.batch(), table.batch()];
  for (let i = 0; i < 8; i += 1) {
    for (const bytes of [key, value, qualifier]) bytes[1] = 0x30 + i;
    column[3] = 0x30 + i;
    batches[i % 2].put(key, [{ family: 'f', qualifier, value }]).put(key, new Map([[column, value]]));
    // What an invalid put would have added is discarded.
    assert.throws(() => batches[i % 2].put(key, { 'f:x': value, 'f:y': 5 }), TypeError);
  }
  assert.deepEqual(batches.map(({ size }) => size), [8, 8]);
  batches[1].writeSync();
  await batches[0].write();
  for (let i = 0; i < 8; i += 1)
    assert.deepEqual({ ...table.rowSync(`k${i}`).values }, { [`f:m${i}`]: `v${i}`, [`f:q${i}`]: `v${i}` });
  assert.equal(batches[0].size, 0);
  await batches[0].put('again', { 'f:x': 'x' }).write();
  assert.equal(table.rowSync('again').string('f:x'), 'x');
  await db.close();
});

test('the failures of a batch name their rows, also on the calling thread and of a table without a number', async () => {
  const { db, table } = filled(0);
  const batch = () => {
    const made = table.batch();
    for (let i = 0; i < 1500; i += 1) made.put(`k${i}`, { [i % 1000 === 7 ? 'none:q' : 'f:q']: 'x' });
    return made;
  };
  for (const write of [(made) => made.write(), async (made) => made.writeSync()])
    await assert.rejects(write(batch()), ({ failures }) => {
      assert.deepEqual(failures.map(({ index, row }) => [index, row]), [[7, 'k7'], [1007, 'k1007']]);
      return true;
    });
  assert.equal(await table.count(), 1498);
  for (const name of ['none', 'not a name'])
    await assert.rejects(db.table(name).batch().put('r', { 'f:q': 'x' }).write(), hjall.HjallError);
  await db.close();
});

test('a write stream copies what it is given', async () => {
  const { db, table } = filled(0);
  const stream = table.createWriteStream({ batchRows: 3 });
  const [key, value] = [Buffer.from('k0'), Buffer.from('v0')];
  await pipeline(async function* () {
    for (let i = 0; i < 9; i += 1) {
      key[1] = value[1] = 0x30 + i;
      yield [[key, { 'f:n': value }], { key, put: [{ column: 'f:m', value }] }, { key, delete: Buffer.from('g') }][i % 3];
    }
    key[1] = value[1] = 0x40;
  }, stream);
  assert.equal(stream.rowsWritten, 9);
  for (const i of [0, 3, 6]) assert.equal(table.rowSync(`k${i}`).string('f:n'), `v${i}`);
  for (const i of [1, 4, 7]) assert.equal(table.rowSync(`k${i}`).string('f:m'), `v${i}`);
  assert.equal(await table.count(), 6);
  await db.close();
});

test('a write stream reports an invalid element with its position, also the last one', async () => {
  const { db, table } = filled(0);
  const failed = (elements) =>
    pipeline(elements, table.createWriteStream()).then(
      () => assert.fail('no error'),
      (error) => error.message,
    );
  assert.match(await failed([['a', { 'f:n': 'x' }], ['b', { f: 'x' }]]), /row 1: column must be a single column/);
  const stream = table.createWriteStream();
  const error = new Promise((resolve) => stream.once('error', resolve));
  stream.end(['a', { 'f:n': 5 }]);
  assert.match((await error).message, /row 0: the value of f:n .*long\(5\)/);
  await db.close();
});

test('the lifetime of cells is at least a millisecond', async () => {
  const { db, table } = filled(0);
  for (const ttlMs of [0, -1, 0n, -5n]) {
    for (const call of [
      () => table.put('r', { 'f:a': 'x' }, { ttlMs }),
      () => table.increment('r', 'f:n', 1, { ttlMs }),
      () => table.append('r', 'f:a', 'x', { ttlMs }),
      () => table.mutateRow('r', [{ put: { 'f:a': 'x' }, ttlMs }]),
      async () => table.batch({ ttlMs }).put('r', { 'f:a': 'x' }),
    ])
      await assert.rejects(call(), { name: 'RangeError', message: /ttlMs` must be at least 1/ });
  }
  for (const ttlSeconds of [0, -1])
    await assert.rejects(db.createTable('u', { f: { ttlSeconds } }), { message: /TTL|ttl/ });
  await assert.rejects(table.put('r', { 'f:a': 'x' }, { ttl: 5 }), { message: /`ttl`: did you mean `ttlMs`/ });
  await assert.rejects(db.createTable('u', { f: { ttl: 5 } }), { message: /`ttl`: did you mean `ttlSeconds`/ });
  await db.close();
});

test('count and deleteRows work on ranges and report progress', async () => {
  const { db, table } = filled(0);
  const batch = table.batch();
  for (let i = 0; i < 5000; i += 1) batch.put(`a${String(i).padStart(4, '0')}`, { 'f:n': String(i % 10), 'g:m': 'x' });
  await batch.put('b', { 'f:n': '1' }).write();
  const { port } = await db.serve({ port: 0 });
  const remote = await hjall.connect({ port, encoding: 'utf8' });
  for (const one of [table, remote.table('t')]) {
    assert.equal(await one.count(), 5001);
    assert.equal(await one.count({ prefix: 'a1' }), 1000);
    assert.equal(await one.count({ start: 'a4998', stop: 'b' }), 2);
    assert.equal(await one.count({ filter: "ValueFilter(=, 'binary:3')" }), 500);
    assert.equal(await one.count({ columns: 'g' }), 5000);
  }
  assert.equal(table.countSync({ prefix: 'a' }), 5000);
  const seen = [];
  assert.equal(await table.deleteRows({ prefix: 'a1', onProgress: (rows) => seen.push(rows) }), 1000);
  assert.equal(seen.at(-1), 1000);
  assert.deepEqual(seen, [...seen].sort((x, y) => x - y));
  assert.equal(table.deleteRowsSync({ start: 'a2', stop: 'a3', filter: "ValueFilter(=, 'binary:3')" }), 100);
  assert.equal(await remote.table('t').deleteRows({ prefix: 'a4' }), 1000);
  assert.equal(await table.count(), 2901);
  await assert.rejects(table.deleteRows({}), { name: 'TypeError', message: /truncateTable/ });
  await assert.rejects(table.deleteRows(), { name: 'TypeError', message: /truncateTable/ });
  const before = await table.count();
  for (const range of [{ prefix: '' }, { start: '' }, { stop: '' }, { start: '', stop: '' }, { prefix: Buffer.alloc(0) }]) {
    await assert.rejects(table.deleteRows(range), { name: 'TypeError', message: /not empty.*truncateTable/ });
    assert.throws(() => table.deleteRowsSync(range), { name: 'TypeError', message: /not empty.*truncateTable/ });
    await assert.rejects(remote.table('t').deleteRows(range), { name: 'TypeError', message: /not empty.*truncateTable/ });
  }
  await assert.rejects(table.deleteRows({ prefix: '', filter: "ValueFilter(=, 'binary:3')" }), /to search all rows, give `start`/);
  assert.equal(await table.count(), before);
  assert.equal(await table.deleteRows({ start: '', stop: 'a0' }), 0);
  assert.equal(await table.deleteRows({ start: 'zz', stop: '' }), 0);
  assert.equal(await table.deleteRows({ start: '\0', filter: "ValueFilter(=, 'binary:none')" }), 0);
  await assert.rejects(table.count({ limit: 5 }), { name: 'TypeError', message: /unknown option `limit`/ });
  await assert.rejects(db.table('none').deleteRows({ prefix: 'a' }), { code: 'TABLE_NOT_FOUND', message: /^deleteRows: / });
  await remote.close();
  await db.close();
});

test('an operator compares the stored value with the given one, in checks as in filters', async () => {
  const { db, table } = filled(0);
  const { filters } = hjall;
  table.putSync('r', { 'f:n': '5' });
  for (const [op, value, holds] of [
    ['<', '6', true],
    ['<', '5', false],
    ['<=', '5', true],
    ['>', '4', true],
    ['GREATER', '6', false],
    ['>=', '5', true],
    ['!=', '5', false],
    ['=', '5', true],
  ]) {
    const found = await table.scan({ filter: filters.singleColumnValue('f:n', op, value) }).toArray();
    assert.equal(found.length === 1, holds, `filter ${op} ${value}`);
    assert.equal(await table.checkAndPut('r', 'f:n', value, { 'f:n': '5' }, { op }), holds, `put ${op} ${value}`);
    assert.equal(await table.checkAndDelete('r', 'f:n', value, 'f:none', { op }), holds, `delete ${op} ${value}`);
    const condition = { column: 'f:n', op, value };
    assert.equal(await table.checkAndMutate('r', condition, [{ put: { 'f:n': '5' } }]), holds, `mutate ${op} ${value}`);
  }
  await db.close();
});

test('connect takes a URL', async () => {
  const { db } = filled();
  const { port } = await db.serve({ port: 0 });
  for (const [url, options] of [
    [`thrift://127.0.0.1:${port}`, {}],
    [new URL(`thrift://127.0.0.1:${port}/`), { transport: 'framed' }],
    [`http://127.0.0.1:${port}/`, {}],
    ['thrift://127.0.0.1', { port }],
  ]) {
    const remote = await hjall.connect(url, { encoding: 'utf8', ...options });
    assert.equal(await remote.table('t').count(), 5, String(url));
    await remote.close();
  }
  for (const [url, message] of [
    ['localhost:9090', /"localhost:9090" is not a URL: write thrift:\/\/host:9090/],
    ['127.0.0.1:9090', /is not a URL: write thrift:\/\/host:9090/],
    ['localhost', /is not a URL: write thrift:\/\/host:9090/],
    ['thrift://me:secret@h', /must not contain a password/],
    ['thrift://h/path', /only a http URL/],
    ['ftp://h', /must begin with thrift:\/\/.*, not ftp:\/\//],
    ['thrift://h?encoding=utf8', /options cannot be part of the URL.*: pass them as connect\(url, options\)/],
    ['thrifts://h/?a=b', /options cannot be part of the URL/],
    ['http://h/#a', /options cannot be part of the URL/],
  ])
    await assert.rejects(hjall.connect(url), { name: 'TypeError', message });
  await assert.rejects(hjall.open('localhost:9090'), { name: 'TypeError', message: /address of a server.*connect/ });
  await db.close();
});

test('figures of tables and of the database', async () => {
  const { db, table } = filled();
  await table.row('r0');
  assert.deepEqual(await db.tableStatistics('t'), { fileBytes: 0, files: 0, regions: 1, reads: 1, writes: 5 });
  assert.equal(db.statisticsSync().rowCacheRows >= 0, true);
  await assert.rejects(db.tableStatistics('none'), { code: 'TABLE_NOT_FOUND', message: /^tableStatistics: / });
  await db.close();
});

test('compactions report their progress', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'hjall-progress-'));
  const db = await hjall.open(folder, { encoding: 'utf8' });
  try {
    await db.createTable('t', ['f']);
    const batch = db.table('t').batch();
    for (let i = 0; i < 3000; i += 1) batch.put(`r${i}`, { 'f:a': 'x'.repeat(500) });
    await batch.write();
    await db.flush('t');
    const seen = [];
    await db.compact('t', { major: true, onProgress: ({ bytes }) => seen.push(bytes) });
    assert.ok(seen.length > 0 && seen.at(-1) > 1_000_000 && seen.at(-1) < 3_000_000, `${seen}`);
    assert.deepEqual(seen, [...new Set(seen)].sort((a, b) => a - b));
    const fail = () => {
      throw new Error('no more');
    };
    await assert.rejects(db.compact('t', { major: true, onProgress: fail }), { message: 'no more' });
    await assert.rejects(db.compact('t', { onProgress: 5 }), { name: 'TypeError', message: /^compact: option `onProgress`/ });
    const sync = { name: 'TypeError', message: /onProgress.*use (compact|backup)\(\)/ };
    assert.throws(() => db.compactSync('t', { onProgress: fail }), sync);
    assert.throws(() => db.backupSync(join(folder, 'copy'), { onProgress: fail }), sync);
    await db.compact('t');
  } finally {
    await db.close();
    rmSync(folder, { recursive: true });
  }
});

test('backups and restores report their progress', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'hjall-progress-'));
  const { db } = filled(1000);
  try {
    const seen = [];
    await db.backup(join(folder, 'copy'), { onProgress: (progress) => seen.push(progress) });
    assert.deepEqual({ ...seen.at(-1), bytes: 0 }, { table: 't', family: 'g', cells: 2000, bytes: 0 });
    assert.ok(seen.at(-1).bytes > 2000);
    const again = [];
    await hjall.restore(join(folder, 'copy'), join(folder, 'again'), { onProgress: (progress) => again.push(progress) });
    assert.equal(again.at(-1).cells, 2000);
    const fail = () => {
      throw new Error('no more');
    };
    await assert.rejects(db.backup(join(folder, 'third'), { onProgress: fail }), { message: 'no more' });
    await assert.rejects(db.backup(join(folder, 'fourth'), { onProgress: 5 }), { name: 'TypeError' });
  } finally {
    await db.close();
    rmSync(folder, { recursive: true });
  }
});

test('a signal ends a compaction', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'hjall-progress-'));
  const db = await hjall.open(folder, { encoding: 'utf8' });
  try {
    await db.createTable('t', { f: { versions: 1 } });
    for (const value of ['1', '2']) {
      await db.table('t').put('r', { 'f:a': value });
      await db.flush('t');
    }
    const { files } = await db.tableStatistics('t');
    const controller = new AbortController();
    const compacted = db.compact('t', { major: true, signal: controller.signal });
    controller.abort(new Error('enough'));
    await assert.rejects(compacted, { message: 'enough' });
    assert.ok((await db.tableStatistics('t')).files >= files);
    db.compactSync('t', { major: true, signal: new AbortController().signal });
    assert.ok((await db.tableStatistics('t')).files < files);
    await db.compact('t', { major: true, signal: new AbortController().signal });
  } finally {
    await db.close();
    rmSync(folder, { recursive: true });
  }
});
