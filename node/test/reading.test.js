'use strict';
/** The form of what reads return, which `encoding` and `readBigInts` choose, in embedded and remote databases. */

const assert = require('node:assert/strict');
const { finished, pipeline } = require('node:stream/promises');
const { after, before, describe, test } = require('node:test');
const hjall = require('../lib/index.js');

const { codecs, connect, memory } = hjall;
const BROKEN = Buffer.from([0x61, 0xff, 0x00]);
const BIG = 2n ** 60n;

/** A database, and a connection to it, both with these options. */
async function both(options) {
  const local = memory({ ...options, clock: new hjall.ManualClock(1000) });
  await local.createTable('t', { f: { versions: 3 } });
  const { port } = await local.serve({ port: 0 });
  return { embedded: local, remote: await connect({ ...options, port }) };
}

async function close({ embedded, remote }) {
  await remote.close();
  await embedded.close();
}

/** Every way to read the row `key`. */
async function readings(table, key, isRemote) {
  const range = { start: key, limit: 1 };
  const found = [await table.row(key), ...(await table.rows([key])), ...(await table.scan(range).toArray())];
  for await (const row of table.scan(range)) found.push(row);
  for await (const row of table.createReadStream(range)) found.push(row);
  found.push((await table.scan(range).nextBlock())[0]);
  if (!isRemote) {
    found.push(table.rowSync(key), ...table.rowsSync([key]), ...table.scanSync(range), table.scanSync(range).nextBlock()[0]);
  }
  return found;
}

for (const name of ['embedded', 'remote']) {
  describe(`${name}, with encoding`, () => {
    let all;
    let table;
    before(async () => {
      all = await both({ encoding: 'utf8' });
      table = all[name].table('t');
      await table.put('é', { 'f:text': 'naïve', 'f:empty': '', 'f:bytes': BROKEN, 'f:n': hjall.long(5) });
    });
    after(() => close(all));

    test('keys and values are strings, and bytes that are not UTF-8 are kept', async () => {
      for (const row of await readings(table, 'é', name === 'remote')) {
        assert.equal(row.key, 'é');
        assert.deepEqual(
          { ...row.values, 'f:n': undefined },
          { 'f:bytes': BROKEN, 'f:empty': '', 'f:n': undefined, 'f:text': 'naïve' },
        );
        assert.deepEqual([row.get('f:text'), row.string('f:text'), row.long('f:n')], ['naïve', 'naïve', 5]);
        assert.deepEqual(row.decode('f:n', codecs.int64), 5);
        assert.deepEqual(row.decoded({ 'f:n': codecs.int64, 'f:bytes': { decode: (bytes) => bytes.length } }), {
          'f:bytes': 3,
          'f:empty': '',
          'f:n': 5,
          'f:text': 'naïve',
        });
        assert.deepEqual(row.toJSON().key, 'é');
        assert.equal(row.cells.find(({ column }) => column === 'f:text').value, 'naïve');
      }
      assert.equal((await table.cells('é', 'f:text'))[0].value, 'naïve');
      await table.put(BROKEN, { 'f:q': 'x' });
      assert.deepEqual((await table.row(BROKEN)).key, BROKEN);
      await table.delete(BROKEN);
    });

    test('append returns text', async () => {
      assert.equal(await table.append('a', 'f:x', 'b'), 'b');
      assert.equal(await table.append('a', 'f:x', 'é'), 'bé');
      assert.equal((await table.appendRow('a', { 'f:x': '!' })).get('f:x'), 'bé!');
      await table.delete('a');
    });

    test('split keys and the keys of failures have the same form', async () => {
      await all.embedded.createTable('split', ['f'], { splits: ['é', BROKEN] });
      const regions = await all[name].regions('split');
      assert.deepEqual(regions.map(({ start, end }) => [start, end]), [['', BROKEN], [BROKEN, 'é'], ['é', '']]);
      await all.embedded.disableTable('split');
      await all.embedded.dropTable('split');
      const failed = { 'none:q': 'x' };
      await assert.rejects(table.batch().put('é', failed).put(BROKEN, failed).write(), ({ failures }) => {
        assert.deepEqual(failures.map(({ row }) => row), ['é', BROKEN]);
        return true;
      });
      const stream = table.createWriteStream();
      stream.end(['é', failed]);
      await assert.rejects(finished(stream), ({ failures }) => failures[0].row === 'é');
    });

    test('rows can be copied to a table of a database without encoding, unchanged', async () => {
      const bytes = memory();
      await bytes.createTable('t', ['f']);
      await pipeline(table.createReadStream(), bytes.table('t').createWriteStream());
      const copy = await bytes.table('t').row(Buffer.from('é'));
      assert.deepEqual(copy.get('f:bytes'), BROKEN);
      assert.deepEqual(copy.get('f:n'), hjall.long(5));
      assert.deepEqual(copy.key, Buffer.from('é'));
      await bytes.close();
    });
  });

  describe(`${name}, with readBigInts`, () => {
    let all;
    let table;
    before(async () => {
      all = await both({ encoding: 'utf8', readBigInts: true });
      table = all[name].table('t');
      await table.put('r', { 'f:small': hjall.long(5), 'f:big': hjall.long(BIG) }, { timestamp: 7 });
    });
    after(() => close(all));

    test('counters, timestamps and the codec int64 are bigints', async () => {
      for (const row of await readings(table, 'r', name === 'remote')) {
        assert.deepEqual([row.long('f:small'), row.long('f:big'), row.bigint('f:small')], [5n, BIG, 5n]);
        assert.deepEqual([row.timestamp('f:small'), row.cells[0].timestamp], [7n, 7n]);
        assert.equal(row.decode('f:small', codecs.int64), 5n);
        assert.deepEqual(row.decoded({ 'f:small': codecs.int64, 'f:big': codecs.int64 }), { 'f:big': BIG, 'f:small': 5n });
      }
      assert.equal((await table.cells('r', 'f:small'))[0].timestamp, 7n);
      assert.equal(await table.increment('r', 'f:small'), 6n);
      assert.equal((await table.incrementRow('r', { 'f:small': 1 })).long('f:small'), 7n);
      assert.equal(typeof (await all[name].regions('t'))[0].id, 'bigint');
      if (name === 'embedded') assert.equal(await all.embedded.now(), 1000n);
    });
  });

  test(`${name}, without options: bytes, and numbers where they are exact`, async () => {
    const all = await both({});
    const table = all[name].table('t');
    const key = Buffer.from('r');
    await table.put(key, { 'f:small': hjall.long(5), 'f:big': hjall.long(BIG) }, { timestamp: BIG });
    assert.deepEqual((await all[name].regions('t'))[0].start, Buffer.alloc(0));
    for (const row of await readings(table, key, name === 'remote')) {
      assert.deepEqual(row.key, key);
      assert.deepEqual(row.values, { 'f:big': hjall.long(BIG), 'f:small': hjall.long(5) });
      assert.deepEqual([row.long('f:small'), row.long('f:big'), row.timestamp('f:big')], [5, BIG, BIG]);
    }
    await close(all);
  });
}

test('rows with text can be compared and cloned', async () => {
  const db = memory({ encoding: 'utf8' });
  await db.createTable('t', ['f']);
  await db.table('t').put('r', { 'f:q': 'v' }, { timestamp: 1 });
  const [one, other] = [await db.table('t').row('r'), db.table('t').rowSync('r')];
  assert.deepStrictEqual(one, other);
  assert.equal(structuredClone(one).key, 'r');
  await db.close();
});

test('other values of the options are refused', async () => {
  assert.throws(() => memory({ encoding: 'latin1' }), /option `encoding` cannot be "latin1"/);
  assert.throws(() => memory({ readBigInts: 1 }), /option `readBigInts` must be true or false/);
  await assert.rejects(connect({ readBigInts: 'yes' }), /option `readBigInts` must be true or false/);
});
