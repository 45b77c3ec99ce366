// A day's work with a client that Apache Thrift generates for Node: HOST PORT, over each transport and protocol.
'use strict';

const assert = require('node:assert/strict');
const thrift = require('thrift');
const Int64 = require('node-int64');
const Service = require('./THBaseService');
const t = require('./hbase2_types');

const [host, port] = [process.argv[2], Number(process.argv[3])];
const text = (bytes) => bytes.toString();
const column = (family, qualifier, value, timestamp) =>
  new t.TColumnValue({ family, qualifier, value, timestamp: timestamp && new Int64(timestamp) });

async function day(transport, protocol, kind) {
  const connection = thrift.createConnection(host, port, { transport, protocol });
  const failed = new Promise((_, reject) => connection.on('error', reject));
  const client = thrift.createClient(Service, connection);
  await Promise.race([work(client, `node_${kind}`), failed]);
  connection.end();
  console.log(`node ${kind}: ok`);
}

async function work(client, table) {
  const name = new t.TTableName({ qualifier: table });
  if (await client.tableExists(name)) {
    if (await client.isTableEnabled(name)) await client.disableTable(name);
    await client.deleteTable(name);
  }
  const family = new t.TColumnFamilyDescriptor({ name: 'f', maxVersions: 3 });
  await client.createTable(new t.TTableDescriptor({ tableName: name, columns: [family] }), ['m']);
  assert.equal((await client.getAllRegionLocations(table)).length, 2);

  await client.put(table, new t.TPut({ row: 'a', columnValues: [column('f', 'q', 'old', 10), column('f', 'q', 'new', 20)] }));
  const got = await client.get(table, new t.TGet({ row: 'a', maxVersions: 2 }));
  assert.deepEqual(got.columnValues.map((c) => [text(c.value), c.timestamp.toNumber()]), [['new', 20], ['old', 10]]);
  assert.equal(await client.exists(table, new t.TGet({ row: 'none' })), false);
  assert.equal((await client.get(table, new t.TGet({ row: 'none' }))).row, null);

  const puts = Array.from({ length: 100 }, (_, i) =>
    new t.TPut({ row: `row${String(i).padStart(3, '0')}`, columnValues: [column('f', 'n', String(i))] }));
  await client.putMultiple(table, puts);
  const scanner = await client.openScanner(table, new t.TScan({ startRow: 'row', stopRow: 'rox' }));
  const rows = [];
  for (let page; (page = await client.getScannerRows(scanner, 30)).length > 0;) rows.push(...page.map((r) => text(r.row)));
  await client.closeScanner(scanner);
  assert.equal(rows.length, 100);
  assert.equal(rows[99], 'row099');
  await assert.rejects(client.getScannerRows(scanner, 1), t.TIllegalArgument);

  const counted = await client.increment(table, new t.TIncrement({ row: 'n', columns: [new t.TColumnIncrement({ family: 'f', qualifier: 'i' })] }));
  assert.equal(new Int64(counted.columnValues[0].value).toNumber(), 1);
  const changed = (value) => new t.TPut({ row: 'a', columnValues: [column('f', 'q', value)] });
  assert.equal(await client.checkAndPut(table, 'a', 'f', 'q', 'new', changed('newer')), true);
  assert.equal(await client.checkAndPut(table, 'a', 'f', 'q', 'new', changed('never')), false);
  await client.deleteSingle(table, new t.TDelete({ row: 'a' }));
  assert.equal(await client.exists(table, new t.TGet({ row: 'a' })), false);

  await assert.rejects(client.get(`${table}_missing`, new t.TGet({ row: 'a' })), (e) => e instanceof t.TIOError && e.canRetry === false);
  await client.disableTable(name);
  await client.deleteTable(name);
}

async function main() {
  for (const [transport, framing] of [[thrift.TBufferedTransport, 'buffered'], [thrift.TFramedTransport, 'framed']]) {
    for (const [protocol, coding] of [[thrift.TBinaryProtocol, 'binary'], [thrift.TCompactProtocol, 'compact']]) {
      await day(transport, protocol, `${framing}_${coding}`);
    }
  }
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
