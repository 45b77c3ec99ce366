'use strict';
/** Certificates for tests, made by openssl, and servers with users. */
const { execFileSync } = require('node:child_process');
const { mkdirSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');
const { binary, serving } = require('./serving.js');

const CURVE = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];

/** Makes in a folder: server.pem, of `localhost`; ca.pem; and alice.pem, which this CA has issued. */
function certificates(folder) {
  const openssl = (...args) => execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' });
  const names = 'subjectAltName=DNS:localhost,IP:127.0.0.1';
  const own = (name, ...more) =>
    openssl('req', '-x509', ...CURVE, '-days', '2', '-keyout', `${name}.key`, '-out', `${name}.pem`, ...more);
  own('server', '-subj', '/CN=localhost', '-addext', names);
  own('ca', '-subj', '/CN=authority');
  openssl('req', ...CURVE, '-subj', '/CN=alice', '-keyout', 'alice.key', '-out', 'alice.csr');
  // Without extensions, openssl makes a certificate of X.509's first version, which servers refuse.
  writeFileSync(join(folder, 'alice.ext'), 'basicConstraints=CA:FALSE\n');
  const issued = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-days', '2', '-extfile', 'alice.ext', '-out', 'alice.pem'];
  openssl('x509', '-req', '-in', 'alice.csr', ...issued);
}

/**
 * Starts a server with TLS whose users log in with the password `secret` or with a certificate: alice, who may do
 * everything, bob, who may read the table `t`, and carol, who may read and write all tables. The certificates are left
 * in the folder, which is created.
 * @returns {Promise<{ port: number, stop: () => Promise<void> }>}
 */
async function servingUsers(folder) {
  mkdirSync(folder, { recursive: true });
  certificates(folder);
  const users = join(folder, 'users.toml');
  const add = (name, ...roles) =>
    execFileSync(binary(), ['user', 'add', name, '--users', users, ...roles], { input: 'secret\n', stdio: 'pipe' });
  add('alice', '--read', '*', '--write', '*', '--admin', '*', '--certificate', 'cn:alice');
  add('bob', '--read', 't');
  add('carol', '--read', '*', '--write', '*');
  const file = (name) => join(folder, name);
  return serving([
    ...['--tls-cert', file('server.pem'), '--tls-key', file('server.key'), '--tls-client-ca', file('ca.pem')],
    ...['--users', users, '--set', 'tls.client_certificates=request'],
  ]);
}

module.exports = { CURVE, servingUsers };
