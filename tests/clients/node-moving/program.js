// The calls of hbase and node-thrift2-hbase, and those of hjall that docs/from-node-clients.md lists for them: what one
// client writes, the other reads. Arguments: HOST PORT.
'use strict';

const assert = require('node:assert/strict');
const { promisify } = require('node:util');
const hbase = require('hbase');
const thrift2 = require('node-thrift2-hbase');
const { codecs, compare, connect, filters } = require(process.env.HJALL);

const [host, port] = [process.argv[2], Number(process.argv[3])];
const call = (object, method, ...given) => promisify(object[method].bind(object))(...given);
const shown = (cells) => cells.map(({ column, timestamp, value }) => [column, timestamp, value]);

async function rest(db) {
  const client = hbase({ host, port });
  const table = client.table('users');
  await call(table, 'create', { ColumnSchema: [{ name: 'info', VERSIONS: '3' }] });
  assert.equal((await db.describeTable('users')).families.info.versions, 3);
  assert.equal(await db.tableExists('users'), await call(table, 'exists'));
  assert.deepEqual(await db.tables(), (await call(client, 'tables')).map(({ name }) => name));
  assert.equal((await db.regions('users')).length, (await call(table, 'regions')).Region.length);
  await db.addFamily('users', 'stats');
  assert.deepEqual((await call(table, 'schema')).ColumnSchema.map(({ name }) => name), ['info', 'stats']);

  const t = db.table('users');
  const row = table.row('ann');
  await call(row, 'put', 'info:name', 'Ann');
  assert.equal((await t.row('ann', { columns: 'info:name' }))?.get('info:name'), 'Ann');
  await t.put('ann', [{ column: 'info:a', value: '1', timestamp: 10 }, { column: 'info:b', value: '2', timestamp: 20 }]);
  await call(row, 'put', 'info:a', 'older', [5]);
  const old = await call(row, 'get', ['info:a', 'info:b'], { v: 2 });
  const found = await t.row('ann', { columns: ['info:a', 'info:b'], versions: 2 });
  assert.deepEqual(shown(found.cells), old.map(({ column, timestamp, $ }) => [column, timestamp, $]));
  const ranged = await t.row('ann', { columns: ['info:a'], versions: 2, timeRange: [0, 10] });
  assert.deepEqual(shown(ranged.cells), [['info:a', 5, 'older']]);
  await t.batch().put('abe', { 'info:name': 'Abe' }).put('bob', { 'info:name': 'Bob' }).write();
  const prefixed = await call(table.row('a*'), 'get');
  assert.deepEqual((await t.scan({ prefix: 'a' }).toArray()).map(({ key }) => key), [...new Set(prefixed.map(({ key }) => key))]);
  for (const key of ['ann', 'none']) assert.equal(await t.exists(key, { columns: 'info:name' }), await call(table.row(key), 'exists', 'info:name'));
  assert.equal(await t.row('none'), undefined);
  const filter = { type: 'RowFilter', op: 'EQUAL', comparator: { type: 'RegexStringComparator', value: 'b$' } };
  const options = { startRow: 'a', endRow: 'z', column: 'info:name', maxVersions: 1, filter };
  const scanned = (await call(table, 'scan', options)).map(({ key, $ }) => [key, $]);
  assert.deepEqual(scanned, [['bob', 'Bob']]);
  for (const filter of [filters.row('=', compare.regex('b$')), "RowFilter(=, 'regexstring:b$')"]) {
    const rows = await t.scan({ start: 'a', stop: 'z', columns: ['info:name'], versions: 1, filter }).toArray();
    assert.deepEqual(rows.map((one) => [one.key, one.get('info:name')]), scanned);
  }
  const streamed = [];
  for await (const one of t.createReadStream({ start: 'b' })) streamed.push(one.key);
  assert.deepEqual(streamed, ['bob']);
  await t.delete('ann', 'info:name');
  await assert.rejects(call(row, 'get', 'info:name'), { code: 404 });
  await call(row, 'delete');
  assert.equal(await t.row('ann'), undefined);
  await db.disableTable('users');
  await db.dropTable('users');
  assert.equal(await call(table, 'exists'), false);
}

/** The types of values, a value of each, and what reads the same bytes. */
const TYPES = [
  ['string', 'Ann', codecs.string],
  ['json', { a: [1] }, codecs.json],
  ['integer', -7, codecs.int32],
  ['float', 1.5, codecs.float],
  ['double', 0.1, codecs.double],
  ['number', 2 ** 40, codecs.int64],
];

async function typed(client, t) {
  for (const [type, value, codec] of TYPES) {
    const put = new client.Put('typed');
    put.add('info', type, { type, value });
    await client.putAsync('users', put);
    assert.deepEqual((await t.row('typed')).decode(`info:${type}`, codec), value, type);
    await t.put('typed', { [`info:${type}`]: codec.encode(value) });
    const get = new client.Get('typed');
    get.add('info', { name: type, type });
    assert.deepEqual((await client.getAsync('users', get)).info[type], value, type);
  }
}

async function overThrift2(db) {
  await db.createTable('users', { info: { versions: 3 } });
  const t = db.table('users');
  const client = thrift2({ hosts: [host], port: String(port) });
  await client.putAsync('users', new client.Put('ann').add('info', 'name', 'Ann', 10));
  await t.put('ann', { 'info:name': 'Bea' }, { timestamp: 20 });
  const all = new client.Get('ann').addColumn('info', 'name').setMaxVersions(3).setTimeRange({ minStamp: 0, maxStamp: 30 });
  const { columnValues } = await client.getAsync('users', all);
  const cells = await t.row('ann', { columns: ['info:name'], versions: 3, timeRange: [0, 30] });
  assert.deepEqual(shown(cells.cells), columnValues.map(({ timestamp, value }) => ['info:name', Number(timestamp), value.toString()]));
  // The gateway ignores the time of a column to get.
  const timed = await client.getAsync('users', new client.Get('ann').addTimestamp('info', 'name', 10));
  assert.equal(timed.columnValues[0].value.toString(), 'Bea');
  assert.equal((await t.row('ann', { columns: ['info:name'], timestamp: 10 })).get('info:name'), 'Ann');
  await client.putRowAsync('users', 'bob', 'info', { name: 'Bob' });
  assert.equal((await t.row('bob', { columns: ['info'] })).get('info:name'), (await client.getRowAsync('users', 'bob', ['info:name'], {})).columnValues[0].value.toString());
  await typed(client, t);

  await client.incAsync('users', new client.Inc('ann').add('info', 'visits', 2));
  assert.equal(await t.increment('ann', 'info:visits', 2), 4);
  await client.incRowAsync('users', 'ann', [{ cf: 'info', qualifier: 'visits', amount: 2 }]);
  assert.equal((await t.incrementRow('ann', { 'info:visits': 2 })).long('info:visits'), 8);
  const scan = new client.Scan({ startRow: 'a', stopRow: 'c', numRows: 2, maxVersions: 1, filterString: "QualifierFilter(=, 'binary:name')" });
  const rows = await t.scan({ start: 'a', stop: 'c', limit: 2, versions: 1, filter: scan.filterString }).toArray();
  assert.deepEqual(rows.map(({ key }) => key), (await client.scanAsync('users', scan)).map(({ row }) => row.toString()));
  await client.delAsync('users', new client.Del('bob').addColumn('info', 'name'));
  assert.equal(await t.row('bob'), undefined);
  await t.delete('ann', 'info:name', { timestamp: 10 });
  assert.deepEqual((await t.cells('ann', 'info:name')).map(({ value }) => value), ['Bea']);
  await t.delete('ann');
  assert.equal((await client.getAsync('users', new client.Get('ann'))).columnValues.length, 0);
}

async function main() {
  const db = await connect({ host, port, encoding: 'utf8' });
  await rest(db);
  await overThrift2(db);
  await db.close();
  console.log('node-moving: ok');
  // The pool of node-thrift2-hbase keeps the process running.
  process.exit(0);
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
