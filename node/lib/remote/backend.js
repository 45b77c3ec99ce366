'use strict';
/** The backend of `connect()`: executes the operations of `../backend.js` as calls to HBase's Thrift2 gateway. */
const { Backend } = require('../backend.js');
const { make } = require('../errors.js');
const { escaped } = require('../options.js');
const { noSyncCalls } = require('./failure.js');
const { HANDLERS } = require('./operations.js');
const { RemoteBlockSource } = require('./block-source.js');

class RemoteBackend extends Backend {
  /**
   * @param {import('./client.js').Client} client
   * @param {'utf8' | undefined} encoding
   * @param {object} reading made by `readingOf`
   */
  constructor(client, encoding, reading) {
    super();
    this.client = client;
    this.encoding = encoding;
    this.reading = reading;
    this.place = { address: client.settings.address };
    this.closed = false;
    /** Calls that continue although no caller awaits them. `close` waits for them. */
    this.backgroundCalls = new Set();
  }

  async run(operation, request, signal) {
    if (this.closed) throw this.closedError();
    const handler = HANDLERS[operation];
    if (handler === undefined)
      throw make('Unsupported', UNSUPPORTED[operation]?.(request, this.place.address) ?? NO_CALL);
    return handler(this.client, request, signal, this.reading);
  }

  runSync(operation, _request, method = operation) {
    throw noSyncCalls(method);
  }

  scan(table, scan, signal) {
    if (this.closed) throw this.closedError();
    return new RemoteBlockSource(this, table, scan, signal);
  }

  get isClosed() {
    return this.deferred.isClosing || this.closed;
  }

  closedError() {
    return this.client.closedError();
  }

  /** Lets a call continue in the background. */
  background(promise) {
    const settled = promise
      .then(
        () => {},
        () => {},
      )
      .then(() => this.backgroundCalls.delete(settled));
    this.backgroundCalls.add(settled);
  }

  async close() {
    this.closed = true;
    while (this.backgroundCalls.size > 0) await Promise.all(this.backgroundCalls);
    await this.client.close();
  }

  /** Closes idle connections now and the others after their current call, without waiting. */
  closeSync() {
    this.closed = true;
    this.client.close();
  }
}

const NO_CALL = "HBase's Thrift2 protocol has no such call";

/** The alternatives to `compact`. hjall's shell uses Thrift1 for it, which hjall serves on the same port. */
function compactInShell({ table, major }, address) {
  const command = `${major ? 'major_compact' : 'compact'} '${escaped(table)}'`;
  return `${NO_CALL}: if the server is hjall, run \`hjall shell --server ${address} -e "${command}"\`; if it is HBase, run ${command} in the HBase shell`;
}

/** The alternatives to `flush`, which neither Thrift1 nor Thrift2 has. */
function flushInShell({ table }) {
  const command = `flush '${escaped(table)}'`;
  return `${NO_CALL}: if the server is hjall, which flushes by itself when it has to, stop it and run \`hjall shell --data DIR -e "${command}"\`, or use open(); if it is HBase, run ${command} in the HBase shell`;
}

/**
 * Operations that Thrift2 does not have: functions that return the reason and the alternatives, given the request and
 * the server's address.
 */
const UNSUPPORTED = {
  beginLoad: () => 'a bulk load writes files of the engine in this process: use createWriteStream',
  flush: flushInShell,
  compact: compactInShell,
  backup: () => `${NO_CALL}: run \`hjall backup\` on the server's machine`,
  tableStatistics: () => `${NO_CALL}: see the server's metrics`,
  statistics: () => `${NO_CALL}: see the server's metrics`,
  serve: () => 'a remote database is already served: connect to its address',
  now: () => "HBase's Thrift2 protocol does not return the server's time: read the timestamp of a cell that you have written",
};

module.exports = { RemoteBackend };
