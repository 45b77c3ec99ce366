// Exercises the npm package hbase, which uses REST. Arguments: HOST PORT.
'use strict';

const assert = require('node:assert/strict');
const { promisify } = require('node:util');
const hbase = require('hbase');

const client = hbase({ host: process.argv[2], port: process.argv[3] });
const call = (object, method, ...given) => promisify(object[method].bind(object))(...given);
const name = 'node_rest';
const table = client.table(name);

async function tables() {
  assert.equal((await call(client, 'version')).REST, '0.0.3');
  assert.ok((await call(client, 'version_cluster')).Version);
  assert.equal((await call(client, 'status_cluster')).DeadNodes.length, 0);
  if (await call(table, 'exists')) await call(table, 'delete');
  assert.equal(await call(table, 'exists'), false);
  await call(table, 'create', { ColumnSchema: [{ name: 'f', VERSIONS: '3' }] });
  assert.equal(await call(table, 'exists'), true);
  assert.deepEqual((await call(client, 'tables')).filter((one) => one.name === name), [{ name }]);
  await call(table, 'update', { ColumnSchema: [{ name: 'g', IN_MEMORY: true }] });
  const schema = await call(table, 'schema');
  assert.deepEqual(schema.ColumnSchema.map((family) => [family.name, family.VERSIONS]), [['f', '3'], ['g', '1']]);
  assert.equal((await call(table, 'regions')).Region.length, 1);
}

async function rows() {
  const row = table.row('row/1 é');
  assert.equal(await call(row, 'exists'), false);
  await call(row, 'put', 'f:q', 'a value, é');
  assert.equal(await call(row, 'exists', 'f:q'), true);
  assert.equal((await call(row, 'get', 'f:q'))[0].$, 'a value, é');
  await call(row, 'put', ['f:a', 'g:b'], ['1', '2'], [10, 20]);
  assert.deepEqual(await call(row, 'get', ['f:a', 'g:b']), [{ column: 'f:a', timestamp: 10, $: '1' }, { column: 'g:b', timestamp: 20, $: '2' }]);
  await call(row, 'put', 'f:a', 'older', [5]);
  assert.deepEqual((await call(row, 'get', 'f:a', { v: 2 })).map((cell) => cell.$), ['1', 'older']);
  await call(row, 'delete', 'f:a');
  await assert.rejects(call(row, 'get', 'f:a'), { code: 404 });
  await call(row, 'delete');
  assert.equal(await call(row, 'exists'), false);
  const cells = Array.from({ length: 25 }, (_, n) => ({ key: `scan${String(n).padStart(2, '0')}`, column: 'f:n', $: String(n) }));
  await call(table.row(), 'put', cells);
  const found = await call(table.row('scan1*'), 'get');
  assert.deepEqual(found.map((cell) => [cell.key, cell.$]), Array.from({ length: 10 }, (_, n) => [`scan1${n}`, `1${n}`]));
}

async function scans() {
  const all = await call(table, 'scan', { startRow: 'scan05', endRow: 'scan20', batch: 4 });
  assert.deepEqual(all.map((cell) => cell.$), Array.from({ length: 15 }, (_, n) => String(n + 5)));
  const filter = { op: 'MUST_PASS_ALL', type: 'FilterList', filters: [{ op: 'EQUAL', type: 'RowFilter', comparator: { value: 'scan.3', type: 'RegexStringComparator' } }] };
  const filtered = await call(table, 'scan', { filter, maxVersions: 1 });
  assert.deepEqual(filtered.map((cell) => cell.key), ['scan03', 'scan13', 'scan23']);
}

async function main() {
  await tables();
  await rows();
  await scans();
  await call(table, 'delete');
  console.log('node-rest: ok');
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
