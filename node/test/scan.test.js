'use strict';
/** Scans: their results, their end, and how far they read ahead. */

const assert = require('node:assert/strict');
const { test } = require('node:test');
const hjall = require('../lib/index.js');
const { BACKEND } = require('../lib/methods.js');

function filled(rows, bytes = 10) {
  const db = hjall.memory({ encoding: 'utf8' });
  db.createTableSync('t', { f: { versions: 3 }, g: {} });
  const batch = db.table('t').batch();
  for (let i = 0; i < rows; i += 1)
    batch.put(`r${String(i).padStart(5, '0')}`, { 'f:a': 'x'.repeat(bytes), 'g:b': 'y' });
  batch.writeSync();
  return { db, table: db.table('t') };
}

const keysOf = (rows) => rows.map((row) => row.key.toString());
const collected = async (scan) => {
  const rows = [];
  for await (const row of scan) rows.push(row);
  return rows;
};

test('every row is returned once, in order, over many blocks', async () => {
  const { db, table } = filled(5000, 100);
  const keys = keysOf(await collected(table.scan()));
  assert.equal(keys.length, 5000);
  assert.deepEqual(keys, [...keys].sort());
  assert.deepEqual(keysOf([...table.scanSync()]), keys);
  assert.deepEqual(keysOf(await collected(table.scan({ reverse: true }))), [...keys].reverse());
  assert.deepEqual(keysOf(await table.scan({ limit: 777 }).toArray()), keys.slice(0, 777));
  await db.close();
});

test('ranges and prefixes, in both directions', async () => {
  const { db, table } = filled(0);
  for (const key of ['a', 'b', 'b\0', 'b1', 'b2', 'bz', 'c', 'ca']) table.putSync(key, { 'f:a': 'x' });
  for (const key of [[0xff], [0xff, 1], [0xff, 0xff]]) table.putSync(Buffer.from(key), { 'f:a': 'x' });
  const keys = async (options) => (await table.scan(options).toArray()).map((row) => row.key.toString('latin1'));
  assert.deepEqual(await keys({ prefix: 'b' }), ['b', 'b\0', 'b1', 'b2', 'bz']);
  assert.deepEqual(await keys({ prefix: 'b', reverse: true }), ['bz', 'b2', 'b1', 'b\0', 'b']);
  assert.deepEqual(await keys({ prefix: 'b', reverse: true, limit: 2 }), ['bz', 'b2']);
  assert.deepEqual(await keys({ prefix: 'b', reverse: true, filter: 'PageFilter(2)' }), ['bz', 'b2']);
  assert.deepEqual(await keys({ prefix: 'b', reverse: true, filter: hjall.filters.row('<', 'b2') }), [
    'b1',
    'b\0',
    'b',
  ]);
  assert.deepEqual(await keys({ prefix: Buffer.from([0xff]) }), ['\xff', '\xff\x01', '\xff\xff']);
  assert.deepEqual(await keys({ prefix: Buffer.from([0xff]), reverse: true }), ['\xff\xff', '\xff\x01', '\xff']);
  assert.deepEqual(await keys({ start: 'b1', stop: 'c' }), ['b1', 'b2', 'bz']);
  assert.deepEqual(await keys({ start: 'c', stop: 'b1', reverse: true }), ['c', 'bz', 'b2']);
  await db.close();
});

test('start and stop narrow a prefix down: pages of its rows', async () => {
  const { db, table } = filled(0);
  const all = ['', 'b', 'b1', 'b2', 'b3', 'c', '\xff', '\xff\xff'].filter((key) => key !== '');
  for (const key of all) table.putSync(Buffer.from(key, 'latin1'), { 'f:a': 'x' });
  const bound = (key) => (key === undefined ? undefined : Buffer.from(key, 'latin1'));
  const bounds = [undefined, '', 'a', 'b', 'b1', 'b15', 'b3', 'b4', 'c', 'd', '\xff', '\xff\xff', '\xff\xff\xff'];
  for (const prefix of ['', 'a', 'b', 'b1', 'c', '\xff'])
    for (const start of bounds)
      for (const stop of bounds)
        for (const reverse of [false, true]) {
          const inRange = (key) =>
            reverse ? (!start || key <= start) && (!stop || key > stop) : (!start || key >= start) && (!stop || key < stop);
          const expected = all.filter((key) => key.startsWith(prefix) && inRange(key));
          const options = { prefix: bound(prefix), start: bound(start), stop: bound(stop), reverse };
          const found = table.scanSync(options).toArray().map((row) => row.key.toString('latin1'));
          const about = JSON.stringify({ prefix, start, stop, reverse });
          assert.deepEqual(found, reverse ? expected.reverse() : expected, about);
          if (!reverse && start !== undefined)
            assert.equal(table.countSync({ prefix: options.prefix, start: options.start, stop: options.stop }), expected.length, about);
        }
  const pages = [];
  for (let start; ; ) {
    const rows = await table.scan({ prefix: 'b', start, limit: 2 + 1 }).toArray();
    pages.push(keysOf(rows.slice(0, 2)));
    if (rows.length <= 2) break;
    start = rows[2].key;
  }
  assert.deepEqual(pages, [['b', 'b1'], ['b2', 'b3']]);
  assert.equal(await table.deleteRows({ prefix: 'b', start: 'c' }), 0);
  assert.equal(await table.deleteRows({ prefix: 'b', start: 'b2' }), 2);
  assert.deepEqual(keysOf(await table.scan({ stop: 'd' }).toArray()), ['b', 'b1', 'c']);
  await assert.rejects(table.deleteRows({ prefix: '', start: '' }), /not empty/);
  await db.close();
});

test('columns, versions, partial rows, time ranges', async () => {
  const { db, table } = filled(0);
  for (const timestamp of [1, 2, 3])
    table.putSync('r', { 'f:a': `a${timestamp}`, 'f:b': `b${timestamp}` }, { timestamp });
  const shown = async (options) =>
    (await table.scan(options).toArray()).map((row) =>
      [...row.cells.map((c) => `${c.column}@${c.timestamp}`), ...(row.partial ? ['…'] : [])].join(' '),
    );
  assert.deepEqual(await shown({ columns: ['f:b'], versions: 2 }), ['f:b@3 f:b@2']);
  assert.deepEqual(await shown({ batch: 1 }), ['f:a@3 …', 'f:b@3']);
  assert.deepEqual(await shown({ timeRange: [0, 2] }), ['f:a@1 f:b@1']);
  assert.deepEqual(await shown({ familyTimeRanges: { f: [2, 3] } }), ['f:a@2 f:b@2']);
  assert.deepEqual(await shown({ familyTimeRanges: { f: { to: 2 } } }), ['f:a@1 f:b@1']);
  await db.close();
});

test('leaving the loop closes the scan', async () => {
  const { db, table } = filled(2000, 200);
  const scan = table.scan();
  for await (const _ of scan) break;
  assert.deepEqual(await scan.next(), { value: undefined, done: true });
  const sync = table.scanSync();
  for (const _ of sync) break;
  assert.equal(sync.next().done, true);
  const thrown = table.scan();
  await assert.rejects(async () => {
    for await (const _ of thrown) throw new Error('out');
  }, /out/);
  assert.deepEqual(await thrown.next(), { value: undefined, done: true });
  const disposed = table.scan();
  await disposed.next();
  await disposed[Symbol.asyncDispose]();
  assert.equal((await disposed.next()).done, true);
  await db.close();
});

test('a second loop over a scan is refused', async () => {
  const { db, table } = filled(3);
  const over = { name: 'TypeError', message: /^scan: table "t": the rows of this scan have been read, .* call scan\(\) again/ };
  const left = async (scan) => {
    for await (const _ of scan) break;
  };
  for (const end of [collected, (scan) => scan.toArray(), left, (scan) => scan.close()]) {
    const scan = table.scan();
    await end(scan);
    await assert.rejects(collected(scan), over);
    await assert.rejects(scan.toArray(), over);
    // As those of any iterator.
    assert.deepEqual([await scan.next(), await scan.nextBlock()], [{ value: undefined, done: true }, []]);
  }
  const none = table.scan({ limit: 0 });
  assert.deepEqual(await collected(none), []);
  await assert.rejects(collected(none), over);
  const begun = table.scan();
  await begun.next();
  assert.equal((await collected(begun)).length, 2, 'a loop goes on where calls of next() have ended');

  const overSync = { name: 'TypeError', message: /^scanSync: .* call scanSync\(\) again/ };
  for (const end of [(scan) => [...scan], (scan) => scan.toArray(), (scan) => scan.return(), (scan) => scan.close()]) {
    const scan = table.scanSync();
    end(scan);
    assert.throws(() => [...scan], overSync);
    assert.throws(() => scan.toArray(), overSync);
    assert.deepEqual([scan.next(), scan.nextBlock()], [{ value: undefined, done: true }, []]);
  }
  await db.close();
});

test('a scan reads at most one block ahead of a slow program', async () => {
  const { db, table } = filled(20_000, 100);
  const backend = table[BACKEND];
  const run = backend.run.bind(backend);
  let asked = 0;
  backend.run = (operation, ...rest) => {
    asked += Number(operation === 'nextBlock');
    return run(operation, ...rest);
  };
  const scan = table.scan();
  const idle = async () => {
    for (let i = 0; i < 200; i += 1) await new Promise(setImmediate);
  };
  await scan.next();
  await idle();
  assert.equal(asked, 0, 'the first row was read here, and no more may be wanted');
  await scan.next();
  await idle();
  assert.equal(asked, 2);
  scan.close();
  await db.close();
});

test('blocks begin with one row, or with all of a short scan, and grow', async () => {
  const { db, table } = filled(5000, 100);
  const lengths = [];
  const scan = table.scan();
  for (let block = await scan.nextBlock(); block.length > 0; block = await scan.nextBlock()) lengths.push(block.length);
  assert.equal(lengths[0], 1);
  lengths.slice(1).forEach((length, i) => assert.ok(length <= 8 * Math.max(...lengths.slice(0, i + 1)), `${lengths}`));
  assert.ok(lengths.length < 100, `${lengths.length} blocks`);
  assert.equal((await table.scan({ limit: 10 }).nextBlock()).length, 10);
  assert.equal(table.scanSync({ limit: 10 }).nextBlock().length, 10);
  assert.equal(table.scanSync({ limit: 1000 }).nextBlock().length, 1);
  await db.close();
});

test('the first row of a scan in memory is read within the turn', async () => {
  const { db, table } = filled(5000, 100);
  const isReadNow = async (scan) => {
    let row;
    const read = scan.next().then(({ value }) => {
      row = value;
    });
    for (let i = 0; i < 50; i += 1) await undefined;
    const isNow = row !== undefined;
    await read;
    return isNow && [row, ...(await collected(scan))];
  };
  assert.equal((await isReadNow(table.scan())).length, 5000);
  assert.equal((await isReadNow(table.scan({ limit: 10, reverse: true }))).length, 10);
  assert.equal(await isReadNow(table.scan({ filter: 'KeyOnlyFilter()' })), false, 'filters may take long');
  // Hidden cells are work that does not end soon.
  for (let i = 0; i < 1000; i += 1) table.putSync('0', { 'f:a': 'x', [`f:${i}`]: 'x' });
  table.deleteSync('0');
  assert.equal(await isReadNow(table.scan()), false);
  assert.equal((await collected(table.scan())).length, 5000);
  await db.close();
});

test('errors are reported when rows are requested, and end the scan', async () => {
  const { db, table } = filled(10);
  const scan = db.table('none').scan();
  await assert.rejects(scan.next(), { code: 'TABLE_NOT_FOUND' });
  assert.equal((await scan.next()).done, true);
  await assert.rejects(collected(table.scan({ filter: 'NoSuchFilter()' })), hjall.RequestError);
  assert.throws(() => [...table.scanSync({ columns: 'none' })], { code: 'FAMILY_NOT_FOUND' });
  await db.close();
});

test('an AbortSignal ends a scan, before or after it has begun', async () => {
  const { db, table } = filled(20_000, 100);
  await assert.rejects(table.scan({ signal: AbortSignal.abort() }).next(), { name: 'AbortError' });
  const controller = new AbortController();
  let seen = 0;
  await assert.rejects(
    async () => {
      for await (const _ of table.scan({ signal: controller.signal })) {
        seen += 1;
        if (seen === 10) controller.abort();
      }
    },
    { name: 'AbortError' },
  );
  assert.ok(seen < 20_000);
  assert.throws(() => [...table.scanSync({ signal: controller.signal })], { name: 'AbortError' });
  await assert.rejects(table.row('r', { signal: controller.signal }), { name: 'AbortError' });
  assert.throws(() => table.rowSync('r', { signal: controller.signal }), { name: 'AbortError' });
  await db.close();
});

test('concurrent calls of next are answered in their order', async () => {
  const { db, table } = filled(30);
  const scan = table.scan();
  const rows = await Promise.all(Array.from({ length: 32 }, () => scan.next()));
  assert.deepEqual(
    rows.map(({ value }) => value?.key.toString()),
    [...Array.from({ length: 30 }, (_, i) => `r${String(i).padStart(5, '0')}`), undefined, undefined],
  );
  const blocks = table.scan();
  const read = await Promise.all([blocks.nextBlock(), blocks.next(), blocks.nextBlock(), blocks.toArray()]);
  assert.deepEqual(
    [...read[0], read[1].value, ...read[2], ...read[3]].map((row) => row.key.toString()),
    rows.slice(0, 30).map(({ value }) => value.key.toString()),
  );
  await db.close();
});

test('a scan that is closed while a block is awaited ends', async () => {
  const { db, table } = filled(30);
  const scan = table.scan();
  const pending = [scan.next(), scan.next()];
  scan.close();
  for (const { done } of await Promise.all(pending)) assert.equal(done, true);
  await db.close();
});
