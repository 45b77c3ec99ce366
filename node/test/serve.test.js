'use strict';
/** serve(): Thrift clients use the database while the program does. */

const assert = require('node:assert/strict');
const { test } = require('node:test');
const hjall = require('../lib/index.js');

test("the program and its clients see each other's writes", async () => {
  const db = hjall.memory({ encoding: 'utf8' });
  await db.createTable('t', ['f']);
  const server = await db.serve({ port: 0 });
  assert.match(server.address, /^127\.0\.0\.1:\d+$/);
  const there = await hjall.connect({ host: server.host, port: server.port, encoding: 'utf8' });
  await db.table('t').put('r', { 'f:a': 'here' });
  assert.equal((await there.table('t').row('r')).string('f:a'), 'here');
  await there.table('t').put('r', { 'f:a': 'there' });
  assert.equal(db.table('t').rowSync('r').string('f:a'), 'there');
  await there.close();
  await server.close();
  await server.close();
  assert.ok(await db.table('t').exists('r'), 'the database remains open');
  await db.close();
});

test('closing the database stops its servers; the error for a port in use names the reason', async () => {
  const db = hjall.memory();
  const server = db.serveSync({ port: 0 });
  const message = /^serve: cannot listen on 127\.0\.0\.1:\d+: the port is in use; .*option `port`.*`port: 0`$/;
  await assert.rejects(db.serve({ port: server.port }), { name: 'StorageError', message });
  const elsewhere = /^serve: cannot listen on 192\.0\.2\.1:\d+: .*; choose another address with the options `host` and `port`$/;
  await assert.rejects(db.serve({ host: '192.0.2.1', port: 0 }), { name: 'StorageError', message: elsewhere });
  await assert.rejects(db.serve({ host: 'no such host', port: 0 }), { code: 'INVALID_ARGUMENT' });
  assert.throws(() => db.serveSync({ port: 70_000 }), RangeError);
  const closing = db.close();
  await server.close();
  await closing;
  await server.close();
  server.closeSync();
  await server[Symbol.asyncDispose]();
  const again = hjall.memory();
  const second = await again.serve({ port: server.port });
  assert.equal(second.port, server.port);
  await again.close();
});
