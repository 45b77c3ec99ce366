'use strict';
/** The end of connections; only pending calls keep a process alive. And TLS: accepted and rejected handshakes. */
const assert = require('node:assert/strict');
const { execFile } = require('node:child_process');
const net = require('node:net');
const { join } = require('node:path');
const tls = require('node:tls');
const { once } = require('node:events');
const { it } = require('node:test');
const { promisify } = require('node:util');
const { connect, memory } = require('../../lib/index.js');

const run = promisify(execFile);
const TIMEOUT_MS = 60_000;

/** A served database with one row. */
async function served(test) {
  const db = memory({ encoding: 'utf8' });
  test.after(() => db.close());
  await db.createTable('t', ['f']);
  await db.table('t').put('r', { 'f:q': 'x' });
  return (await db.serve({ port: 0 })).port;
}

for (const transport of ['buffered', 'framed', 'http']) {
  it(`a program that does not close its connection can end (${transport})`, async (t) => {
    const port = await served(t);
    const program = `
      const { connect } = require(${JSON.stringify(join(__dirname, '..', '..', 'lib'))});
      connect({ port: ${port}, encoding: 'utf8', transport: '${transport}' }).then(async (db) => {
        for await (const row of db.table('t').scan()) console.log(row.string('f:q'));
      });`;
    const { stdout } = await run(process.execPath, ['-e', program], { timeout: TIMEOUT_MS });
    assert.equal(stdout, 'x\n');
  });
}

it('closeSync rejects new calls and completes the pending one', async (t) => {
  const db = await connect({ port: await served(t), encoding: 'utf8' });
  const row = db.table('t').row('r');
  db.closeSync();
  assert.equal((await row).string('f:q'), 'x');
  await assert.rejects(db.table('t').row('r'), { code: 'CLOSED' });
});

/** A pre-shared key, so that the test needs no certificates. */
const SHARED = { ciphers: 'PSK-AES128-GCM-SHA256', maxVersion: 'TLSv1.2' };
const KEY = Buffer.from('d731ef57be09e5204f0b205b60627028', 'hex');

/** A TLS server in front of a plain port. */
async function tlsProxy(test, port) {
  const server = tls.createServer(
    { ...SHARED, pskCallback: (_, identity) => (identity === 'ann' ? KEY : null) },
    (secure) => {
      const plain = net.connect(port, '127.0.0.1');
      secure.pipe(plain).pipe(secure);
      for (const socket of [secure, plain]) socket.on('error', () => socket.destroy());
    },
  );
  server.on('tlsClientError', () => {});
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  test.after(() => server.close());
  return server.address().port;
}

const identity = (name) => ({
  ...SHARED,
  checkServerIdentity: () => undefined,
  pskCallback: () => ({ psk: KEY, identity: name }),
});

it('speaks TLS', async (t) => {
  const port = await tlsProxy(t, await served(t));
  const db = await connect({ port, encoding: 'utf8', tls: identity('ann'), protocol: 'compact' });
  assert.equal((await db.table('t').row('r')).string('f:q'), 'x');
  await db.close();
});

it('a failed handshake is a ConnectionError', async (t) => {
  const port = await tlsProxy(t, await served(t));
  await assert.rejects(connect({ port, tls: identity('bob'), retries: 0 }), {
    code: 'CONNECTION',
    message: /cannot connect.*[^\n]; does the server use TLS, and does the option `tls` fit its settings\?$/,
  });
});

it('TLS to a plain server, and a plain connection to a TLS server, do not hang', async (t) => {
  const plain = await served(t);
  const secure = await tlsProxy(t, plain);
  await assert.rejects(connect({ port: plain, tls: true, retries: 0, connectTimeoutMs: 2000 }), {
    name: 'ConnectionError',
  });
  await assert.rejects(connect({ port: secure, retries: 0, callTimeoutMs: 2000 }), {
    name: /ConnectionError|ProtocolError/,
  });
});
