'use strict';
/** `hjall/testing` with node:test: tests are isolated, and their databases are closed. */
const assert = require('node:assert/strict');
const { afterEach, beforeEach, describe, it } = require('node:test');
const { connect } = require('../lib/index.js');
const { databasePerTest, freshDatabase } = require('../lib/testing/index.js');

const options = { encoding: 'utf8', tables: { users: { info: { versions: 3, ttlSeconds: 60 } } } };

describe('freshDatabase', () => {
  let before;
  for (const name of ['the first test', 'another test']) {
    it(`${name} begins with empty tables`, async (t) => {
      const { db } = await freshDatabase(t, options);
      assert.equal((await db.table('users').scan().toArray()).length, 0);
      await db.table('users').put('ann', { 'info:name': 'Ann' });
      if (before !== undefined) await assert.rejects(before.table('users').row('ann'), { code: 'CLOSED' });
      before = db;
    });
  }

  it('the clock advances only on request', async (t) => {
    const { db, clock } = await freshDatabase(t, options);
    const users = db.table('users');
    await users.put('ann', { 'info:name': 'Ann' });
    assert.equal((await users.row('ann')).timestamp('info:name'), clock.now());
    clock.advance(60_001);
    assert.equal(await users.row('ann'), undefined);
  });

  it('serves Thrift clients', async (t) => {
    const { db, server, address } = await freshDatabase(t, { ...options, serve: true });
    await db.table('users').put('ann', { 'info:name': 'Ann' });
    const client = await connect({ port: server.port, encoding: 'utf8' });
    assert.equal((await client.table('users').row('ann')).string('info:name'), 'Ann');
    assert.equal(address, `127.0.0.1:${server.port}`);
    await client.close();
  });

  it('provides a connection with `remote`', async (t) => {
    const { db, clock } = await freshDatabase(t, { ...options, remote: { protocol: 'compact' } });
    await db.table('users').put('ann', { 'info:name': 'Ann' });
    assert.throws(() => db.table('users').rowSync('ann'), { code: 'UNSUPPORTED' });
    clock.advance(60_001);
    assert.equal(await db.table('users').row('ann'), undefined);
  });

  it('can be disposed of explicitly', async () => {
    const fresh = await freshDatabase(options);
    await fresh.dispose();
    await assert.rejects(fresh.db.table('users').row('ann'), { code: 'CLOSED' });
  });

  it('rejects invalid arguments', async () => {
    await assert.rejects(freshDatabase({ table: {} }), { name: 'TypeError', message: /did you mean `tables`/ });
    await assert.rejects(freshDatabase(42, options), { name: 'TypeError', message: /databasePerTest/ });
    await assert.rejects(freshDatabase({ clock: 'sundial' }), { name: 'TypeError', message: /'system'/ });
  });
});

describe('databasePerTest', () => {
  const fresh = databasePerTest(options, { beforeEach, afterEach });
  for (const name of ['one', 'two']) {
    it(`test ${name} has its own database`, async () => {
      assert.equal((await fresh.db.table('users').scan().toArray()).length, 0);
      await fresh.db.table('users').put(name, { 'info:name': name });
      fresh.clock.advance(1);
    });
  }

  it('requires hooks that are not global', () => {
    assert.throws(() => databasePerTest(options), { name: 'TypeError', message: /pass them/ });
  });
});
