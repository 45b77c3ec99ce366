'use strict';
/** Logins over HTTP and with a certificate, and the errors of users without one or without permission. */
const assert = require('node:assert/strict');
const { execFileSync } = require('node:child_process');
const { mkdtempSync, readFileSync, rmSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join } = require('node:path');
const { finished } = require('node:stream/promises');
const { after, before, test } = require('node:test');
const { AccessError, connect } = require('../../lib/index.js');
const { CURVE, servingUsers } = require('../certificates.js');

const DENIED = 'org.apache.hadoop.hbase.security.AccessDeniedException';

let folder;
let server;
let alice;
before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'hjall-logins-'));
  server = await servingUsers(folder);
  alice = await connect({ ...withCertificate(), encoding: 'utf8' });
  await alice.createTable('t', ['f']);
});
after(async () => {
  await alice?.close();
  await server?.stop();
  rmSync(folder, { recursive: true });
});

const file = (name) => readFileSync(join(folder, name));
const withCertificate = () => ({
  host: 'localhost',
  port: server.port,
  tls: { ca: file('server.pem'), cert: file('alice.pem'), key: file('alice.key') },
});
const withPassword = (user, password = 'secret') => ({
  host: 'localhost',
  port: server.port,
  transport: 'http',
  encoding: 'utf8',
  tls: { ca: file('server.pem') },
  headers: { authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}` },
});

test('a user logs in with a certificate, or over HTTP with a password', async () => {
  await alice.table('t').put('r', { 'f:q': 'v' });
  const bob = await connect(withPassword('bob'));
  assert.equal((await bob.table('t').row('r')).string('f:q'), 'v');
  await bob.close();
});

test('calls without permission have the code ACCESS_DENIED, whatever the method, and are not repeated', async () => {
  const bob = await connect({ ...withPassword('bob'), pauseMs: 86_400_000 });
  const calls = {
    createTable: () => bob.createTable('u', ['f']),
    createTableUnlessExists: () => bob.createTable('u', ['f'], { ifNotExists: true }),
    alterTable: () => bob.alterTable('t', ['f']),
    addFamily: () => bob.addFamily('t', 'g'),
    alterFamily: () => bob.alterFamily('t', 'f', { versions: 2 }),
    dropFamily: () => bob.dropFamily('t', 'f'),
    disableTable: () => bob.disableTable('t'),
    createNamespace: () => bob.createNamespace('n'),
    put: () => bob.table('t').put('r', { 'f:q': 'v' }),
    row: () => bob.table('u').row('r'),
    scan: () => bob.table('u').scan().toArray(),
    increment: () => bob.table('t').increment('r', 'f:n'),
  };
  for (const [name, call] of Object.entries(calls))
    await assert.rejects(call, (error) => {
      assert.ok(error instanceof AccessError, `${name}: ${error.stack}`);
      assert.equal(error.code, 'ACCESS_DENIED', name);
      assert.equal(error.cause.name, DENIED, name);
      assert.match(error.message, /Insufficient permissions .*bob/);
      return true;
    });
  const batch = bob.table('t').batch().put('a', { 'f:q': 'v' }).put('b', { 'f:q': 'v' });
  await assert.rejects(batch.write(), (error) => {
    assert.deepEqual([error.code, error.failures.length], ['ACCESS_DENIED', 2]);
    return error.failures.every((failure) => failure.error instanceof AccessError);
  });
  await bob.close();
});

test('a user without the role admin lists tables and namespaces, and may ask for a table that exists', async () => {
  await alice.createNamespace('n');
  await alice.createTable('n:u', ['f']);
  const carol = await connect(withPassword('carol'));
  const bob = await connect(withPassword('bob'));
  for (const db of [alice, carol]) {
    assert.deepEqual(await db.tables(), ['t', 'n:u']);
    assert.deepEqual(await db.tables({ namespace: 'n' }), ['n:u']);
    assert.deepEqual(await db.namespaces(), ['default', 'hbase', 'n']);
  }
  assert.deepEqual([await bob.tables(), await bob.namespaces()], [['t'], ['default', 'hbase', 'n']]);
  await carol.createTable('t', ['f', 'g'], { ifNotExists: true });
  await assert.rejects(carol.createTable('v', ['f'], { ifNotExists: true }), { code: 'ACCESS_DENIED' });
  await Promise.all([bob.close(), carol.close()]);
  await alice.disableTable('n:u');
  await alice.dropTable('n:u');
  await alice.dropNamespace('n');
});

test('a batch that fails in part names its rows to a user who may not read the descriptor', async () => {
  const carol = await connect(withPassword('carol'));
  const table = carol.table('t');
  const failed = (code, ...keys) => (error) => {
    assert.deepEqual([error.name, error.code, error.failures?.map(({ row }) => row)], ['BatchError', code, keys]);
    return true;
  };
  const batch = table.batch().put('w1', { 'f:q': '1' }).put('w2', { 'zz:q': '1' }).put('w3', { 'f:q': '1' });
  await assert.rejects(batch.write(), failed('FAMILY_NOT_FOUND', 'w2'));
  const deletes = table.batch().delete('w1').delete('w2', ['zz:q']);
  await assert.rejects(deletes.write(), failed('FAMILY_NOT_FOUND', 'w2'));
  const stream = table.createWriteStream();
  stream.write({ key: 'w4', put: { 'f:q': '1' } });
  stream.end({ key: 'w5', put: { 'zz:q': '1' } });
  await assert.rejects(finished(stream), failed('FAMILY_NOT_FOUND', 'w5'));
  assert.deepEqual((await table.scan({ start: 'w' }).toArray()).map(({ key }) => key), ['w3', 'w4']);
  await table.deleteRows({ prefix: 'w' });
  await carol.close();
});

test('connections without a valid login have the code ACCESS_DENIED and the reason', async () => {
  const denied = (message) => ({ name: 'AccessError', code: 'ACCESS_DENIED', message });
  await assert.rejects(connect(withPassword('bob', 'wrong')), denied(/HTTP 401 .*password or the token is wrong/));
  const remedy = /[tT]o log in, give the option `headers`, .* with a URL .* https:\/\/ .*, or .* certificate as the options `tls\.cert` and `tls\.key`$/;
  await assert.rejects(connect({ ...withPassword('bob'), headers: {} }), denied(/HTTP 401/));
  await assert.rejects(connect({ ...withPassword('bob'), headers: {} }), denied(remedy));
  const { ca } = withCertificate().tls;
  await assert.rejects(connect({ ...withCertificate(), tls: { ca } }), denied(/^connect: this server has users; to log in/));
  await assert.rejects(connect({ ...withCertificate(), tls: { ca } }), denied(remedy));
  // A certificate without a user.
  execFileSync('openssl', ['req', ...CURVE, '-subj', '/CN=eve', '-keyout', 'eve.key', '-out', 'eve.csr'], { cwd: folder, stdio: 'pipe' });
  const issued = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-days', '2', '-extfile', 'alice.ext', '-out', 'eve.pem'];
  execFileSync('openssl', ['x509', '-req', '-in', 'eve.csr', ...issued], { cwd: folder, stdio: 'pipe' });
  const eve = { ...withCertificate(), tls: { ca, cert: file('eve.pem'), key: file('eve.key') } };
  await assert.rejects(connect(eve), denied(/no user has a name of the client's certificate .*; to log in/));
  await assert.rejects(connect(eve), denied(remedy));
});

test('errors of TLS name the option to change', async () => {
  const { ca } = withCertificate().tls;
  const failed = (message) => ({ code: 'CONNECTION', message });
  for (const transport of ['buffered', 'http']) {
    const given = { host: 'localhost', port: server.port, transport, retries: 0 };
    await assert.rejects(connect({ ...given, tls: true }), failed(/certificate; .* as the option `tls\.ca`$/));
    await assert.rejects(connect({ ...given, tls: { ca, servername: 'other' } }), failed(/altnames.*; .* option `tls\.servername`$/));
    const own = { ca, cert: file('server.pem'), key: file('server.key') };
    await assert.rejects(connect({ ...given, tls: own }), failed(/; the server refuses the certificate of the option `tls\.cert`, and its log has the reason$/));
  }
  const plain = connect({ host: 'localhost', port: server.port });
  await assert.rejects(plain, { code: 'REFUSED', message: /only TLS connections; give the option `tls`, or use a URL with thrifts:\/\/ or https:\/\/ \(/ });
});
