'use strict';
/** The backend of `connect()`: executes the operations of `../backend.js` as calls to HBase's Thrift2 gateway. */
const { Backend } = require('../backend.js');
const { make } = require('../errors.js');
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
      throw make('Unsupported', UNSUPPORTED[operation] ?? "HBase's Thrift2 protocol has no such call");
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
    return make('Closed', `the connection to ${this.client.settings.address} has been closed`);
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

/** Operations that Thrift2 does not have, and alternatives. */
const UNSUPPORTED = {
  beginLoad: 'a bulk load writes files of the engine in this process: use createWriteStream',
  flush: "HBase's Thrift2 protocol has no such call: use the HBase shell, or ask the server's operator",
  compact: "HBase's Thrift2 protocol has no such call: use the HBase shell, or ask the server's operator",
  backup: "HBase's Thrift2 protocol has no such call: run `hjall backup` on the server's machine",
  tableStatistics: "HBase's Thrift2 protocol has no such call: see the server's metrics",
  statistics: "HBase's Thrift2 protocol has no such call: see the server's metrics",
  serve: 'a remote database is already served: connect to its address',
  now: "HBase's Thrift2 protocol does not return the server's time: read the timestamp of a cell that you have written",
};

module.exports = { RemoteBackend };
