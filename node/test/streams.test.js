'use strict';
/** Read streams and write streams, with backpressure. */
const assert = require('node:assert/strict');
const { Readable, Writable, Transform } = require('node:stream');
const { pipeline } = require('node:stream/promises');
const { after, before, it } = require('node:test');
const { connect } = require('../lib/remote/connect.js');
const { serving } = require('./serving.js');

let server;
let db;
before(async () => {
  server = await serving();
  db = await connect({ port: server.port, encoding: 'utf8' });
});
after(async () => {
  await db.close();
  await server.stop();
});

/** Creates a table. */
async function table(name) {
  await db.createTable(name, ['f']);
  return db.table(name);
}

const key = (i) => `row${String(i).padStart(6, '0')}`;
const pairs = function* (count) {
  for (let i = 0; i < count; i += 1) yield [key(i), { 'f:n': String(i) }];
};

it('loads rows and reads them back', async () => {
  const users = await table('loads');
  const load = users.createWriteStream({ batchRows: 300 });
  await pipeline(Readable.from(pairs(1000)), load);
  assert.equal(load.rowsWritten, 1000);
  const seen = [];
  for await (const row of users.createReadStream()) seen.push([row.key.toString(), { 'f:n': row.string('f:n') }]);
  assert.deepEqual(seen, [...pairs(1000)]);
});

it('copies a table with its timestamps', async () => {
  const from = await table('from');
  const to = await table('to');
  await pipeline(Readable.from(pairs(700)), from.createWriteStream({ timestamp: 42 }));
  await pipeline(from.createReadStream(), to.createWriteStream());
  const rows = await to.scan().toArray();
  assert.equal(rows.length, 700);
  assert.ok(rows.every((row) => row.timestamp('f:n') === 42));
});

it('writes deletes', async () => {
  const users = await table('deletes');
  await users.put('a', { 'f:x': '1', 'f:y': '2' });
  await users.put('b', { 'f:x': '1' });
  await pipeline(
    Readable.from([
      { key: 'a', delete: ['f:x'] },
      { key: 'b', delete: true },
      { key: 'c', put: { 'f:x': '3' }, timestamp: 7 },
    ]),
    users.createWriteStream(),
  );
  assert.deepEqual(
    (await users.scan().toArray()).map((row) => [row.key.toString(), row.columns]),
    [
      ['a', ['f:y']],
      ['c', ['f:x']],
    ],
  );
});

it('a slow reader pauses the scan', async () => {
  const users = await table('slow');
  await pipeline(Readable.from(pairs(3000)), users.createWriteStream());
  const stream = users.createReadStream({ caching: 100, highWaterMark: 10 });
  const iterator = stream[Symbol.asyncIterator]();
  assert.equal((await iterator.next()).value.key.toString(), key(0));
  assert.ok(stream.readableLength <= 10, `${stream.readableLength} rows are buffered`);
  await iterator.return();
  assert.equal(stream.destroyed, true);
});

it('a write stream applies backpressure until rows are written', async () => {
  const users = await table('full');
  const load = users.createWriteStream({ batchRows: 10 });
  let room = true;
  let written = 0;
  while (room) {
    room = load.write([key(written), { 'f:n': 'x' }]);
    written += 1;
    assert.ok(written <= 21, 'write() never returned false');
  }
  await new Promise((resolve) => load.once('drain', resolve));
  assert.ok(load.rowsWritten >= 10);
  load.end();
  await new Promise((resolve) => load.once('finish', resolve));
  assert.equal((await users.scan().toArray()).length, written);
});

it('an error lists the rows that were not written', async () => {
  const users = await table('errors');
  const rows = [...pairs(25)];
  rows[13] = [key(13), { 'missing:n': 'x' }];
  await assert.rejects(pipeline(Readable.from(rows), users.createWriteStream({ batchRows: 10 })), (error) => {
    assert.equal(error.code, 'FAMILY_NOT_FOUND');
    assert.deepEqual(
      error.failures.map(({ index, row }) => [index, row.toString()]),
      [[13, key(13)]],
    );
    return true;
  });
});

it('invalid rows are rejected before anything is sent', async () => {
  const users = await table('misuse');
  await assert.rejects(pipeline(Readable.from([{ id: 1 }]), users.createWriteStream()), {
    name: 'TypeError',
    message: /row 0: must be a Row/,
  });
  assert.throws(() => users.createWriteStream({ batchRow: 5 }), {
    name: 'TypeError',
    message: /did you mean `batchRows`/,
  });
  assert.throws(() => users.createReadStream({ limits: 5 }), { name: 'TypeError', message: /did you mean `limit`/ });
});

it('an AbortSignal ends both kinds of streams', async () => {
  const users = await table('aborts');
  await pipeline(Readable.from(pairs(2000)), users.createWriteStream());
  const controller = new AbortController();
  const slow = new Writable({ objectMode: true, write: (_, __, done) => (controller.abort(), done()) });
  await assert.rejects(pipeline(users.createReadStream({ signal: controller.signal, caching: 10 }), slow), {
    name: 'AbortError',
  });
  const load = users.createWriteStream({ signal: AbortSignal.abort() });
  await assert.rejects(pipeline(Readable.from(pairs(1)), load), { name: 'AbortError' });
});

it('rows pass through a transform', async () => {
  const users = await table('through');
  await pipeline(Readable.from(pairs(5)), users.createWriteStream());
  const doubled = new Transform({
    objectMode: true,
    transform: (row, _, done) => done(null, [row.key, { 'f:n': String(2 * Number(row.string('f:n'))) }]),
  });
  await pipeline(users.createReadStream(), doubled, users.createWriteStream());
  assert.deepEqual(
    (await users.scan().toArray()).map((row) => row.string('f:n')),
    ['0', '2', '4', '6', '8'],
  );
});
