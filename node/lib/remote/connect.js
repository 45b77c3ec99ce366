'use strict';
/** `connect()`: opens a remote database. */
const { Database } = require('../database.js');
const { locate } = require('../location.js');
const { checked, encodingOf, flag, oneOf, shown, signalOf, whole } = require('../options.js');
const { readingOf } = require('../reading.js');
const { RemoteBackend } = require('./backend.js');
const { Client } = require('./client.js');

const DAY_MS = 86_400_000;
const GIB = 2 ** 30;

const OPTIONS = new Set([
  'host',
  'port',
  'tls',
  'transport',
  'protocol',
  'path',
  'headers',
  'encoding',
  'readBigInts',
  'connectTimeoutMs',
  'callTimeoutMs',
  'connectionsMax',
  'callsPerConnection',
  'waitingMax',
  'idleMs',
  'retries',
  'pauseMs',
  'retryWrites',
  'responseBytesMax',
  'signal',
]);

const lower = (value, names, what, otherwise) => oneOf(value, names, what, otherwise).toLowerCase();

function text(value, what, otherwise) {
  if (value === undefined) return otherwise;
  if (typeof value !== 'string' || value === '') throw new TypeError(`${what} must be a string, not ${shown(value)}`);
  return value;
}

/** The option `tls`: a boolean, or options for Node's `tls.connect`. */
function tlsOf(value) {
  if (value === undefined || value === false) return undefined;
  if (value === true) return {};
  if (value === null || typeof value !== 'object')
    throw new TypeError(
      `connect: option \`tls\` must be true or options for tls.connect ({ ca, cert, key, … }), not ${shown(value)}`,
    );
  return value;
}

function headersOf(value) {
  if (value === undefined) return {};
  if (value === null || typeof value !== 'object')
    throw new TypeError(`connect: option \`headers\` must be an object, not ${shown(value)}`);
  return { ...value };
}

/** Checks options and applies defaults. */
function settingsOf(options) {
  const given = checked(options, OPTIONS, 'connect');
  const number = (name, least, most, otherwise) =>
    whole(given[name], `connect: option \`${name}\``, least, most, otherwise);
  const host = text(given.host, 'connect: option `host`', '127.0.0.1');
  const port = number('port', 1, 65535, 9090);
  const encoding = encodingOf(given.encoding, 'connect');
  const transport = lower(given.transport, ['BUFFERED', 'FRAMED', 'HTTP'], 'connect: option `transport`', 'BUFFERED');
  for (const name of ['path', 'headers'])
    if (given[name] !== undefined && transport !== 'http')
      throw new TypeError(
        `connect: option \`${name}\` is only for \`transport: 'http'\`, not '${transport}': give this transport or a URL with http:// or https://, or leave the option out`,
      );
  return {
    host,
    port,
    address: host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`,
    tls: tlsOf(given.tls),
    transport,
    protocol: lower(given.protocol, ['BINARY', 'COMPACT'], 'connect: option `protocol`', 'BINARY'),
    path: text(given.path, 'connect: option `path`', '/'),
    headers: headersOf(given.headers),
    encoding,
    reading: readingOf(given, 'connect'),
    connectTimeoutMs: number('connectTimeoutMs', 1, DAY_MS, 10_000),
    callTimeoutMs: number('callTimeoutMs', 1, DAY_MS, 60_000),
    connectionsMax: number('connectionsMax', 1, 10_000, 8),
    callsPerConnection: number('callsPerConnection', 1, 1000, 8),
    waitingMax: number('waitingMax', 0, 10_000_000, 100_000),
    idleMs: number('idleMs', 1, DAY_MS, 30_000),
    retries: number('retries', 0, 100, 5),
    pauseMs: number('pauseMs', 0, DAY_MS, 100),
    retryWrites: flag(given.retryWrites, 'connect: option `retryWrites`'),
    responseBytesMax: number('responseBytesMax', 1024, GIB, 128 * 2 ** 20),
  };
}

/** The schemes of URLs, with the options that they stand for. */
const SCHEMES = {
  'thrift:': {},
  'thrifts:': { tls: true },
  'http:': { transport: 'http' },
  'https:': { transport: 'http', tls: true },
};

/** The options of an address such as `thrift://host:9090` or `https://host/path`. Given options win. */
function withAddress(address, options) {
  if (address === undefined || (typeof address === 'object' && !(address instanceof URL))) return address;
  const text = String(address);
  // Without slashes, `localhost:9090` would be a URL with the scheme `localhost:`.
  if (!/^[a-z][a-z\d+.-]*:\/\//i.test(text) || !URL.canParse(text))
    throw new TypeError(`connect: ${shown(text)} is not a URL: write thrift://host:9090, or pass { host, port }`);
  const url = new URL(text);
  const scheme = SCHEMES[url.protocol];
  if (scheme === undefined)
    throw new TypeError(`connect: the URL must begin with ${Object.keys(SCHEMES).join('//, ')}//, not ${url.protocol}//`);
  if (url.username !== '' || url.password !== '')
    throw new TypeError('connect: a URL must not contain a password: use the option `headers` or `tls`');
  if (scheme.transport === undefined && !['', '/'].includes(url.pathname))
    throw new TypeError(`connect: only a http URL may have a path, not ${shown(text)}`);
  if (url.hash !== '' || (scheme.transport === undefined && url.search !== ''))
    throw new TypeError(`connect: options cannot be part of the URL ${shown(text)}: pass them as connect(url, options)`);
  const found = { ...scheme, host: url.hostname.replace(/^\[|\]$/g, '') };
  if (url.port !== '') found.port = Number(url.port);
  if (scheme.transport !== undefined) found.path = url.pathname + url.search;
  return { ...found, ...options };
}

/**
 * Connects to the Thrift2 gateway of hjall or HBase. Rejects if no server answers, or if it does not speak this
 * protocol.
 * @param {object | string | URL} [address] options, or a URL such as `thrift://host:9090`
 * @param {object} [more] options in addition to a URL; see types/open.d.ts
 * @returns {Promise<Database>}
 */
async function connect(address, more) {
  const options = withAddress(address, more);
  const settings = settingsOf(options);
  const signal = signalOf(options ?? {}, 'connect');
  const client = new Client(settings);
  try {
    // A cheap call that only Thrift2 has.
    await client.call('listNamespaces', {}, { signal });
  } catch (error) {
    await client.close();
    throw locate(error, 'connect', {}, connect);
  }
  return new Database(new RemoteBackend(client, settings.encoding, settings.reading));
}

module.exports = { connect, settingsOf };
