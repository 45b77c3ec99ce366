'use strict';
/** The backend of `connect()`: the operations above the seam (`../backend.js`) as calls of HBase's Thrift2 gateway. */
const { Backend } = require('../backend.js');
const { make } = require('../errors.js');
const { OPERATIONS } = require('./operations.js');
const { RemoteSource } = require('./source.js');

class RemoteBackend extends Backend {
  /** @param {import('./client.js').Client} client @param {'utf8' | undefined} encoding */
  constructor(client, encoding) {
    super();
    this.client = client;
    this.encoding = encoding;
    this.closed = false;
    /** What goes on although nobody waits for it. */
    this.loose = new Set();
  }

  async run(operation, request, signal) {
    if (this.closed) throw this.closedError();
    const carryOut = OPERATIONS[operation];
    if (carryOut === undefined) throw make('Unsupported', `${operation}: ${NOT_SAID[operation] ?? 'HBase\'s Thrift2 protocol has no such call'}`);
    return carryOut(this.client, request, signal);
  }

  runSync(operation) {
    throw make('Unsupported', `a remote database cannot be asked synchronously: call ${operation} without \`Sync\` and await it`);
  }

  scan(table, scan, signal) {
    if (this.closed) throw this.closedError();
    return new RemoteSource(this, table, scan, signal);
  }

  closedError() {
    return make('Closed', `the connection to ${this.client.settings.address} has been closed`);
  }

  /** Lets a promise go on by itself; closing waits for it. */
  background(promise) {
    const settled = promise.then(() => {}, () => {}).then(() => this.loose.delete(settled));
    this.loose.add(settled);
  }

  async close() {
    this.closed = true;
    while (this.loose.size > 0) await Promise.all(this.loose);
    await this.client.close();
  }

  /** Without waiting: idle connections are closed now, those in use after the calls that they carry. */
  closeSync() {
    this.closed = true;
    this.client.close();
  }
}

/** What Thrift2 cannot say, and what to do instead. */
const NOT_SAID = {
  flush: 'HBase\'s Thrift2 protocol cannot ask for it: ask the server\'s operator, or the HBase shell',
  compact: 'HBase\'s Thrift2 protocol cannot ask for it: ask the server\'s operator, or the HBase shell',
  serve: 'a remote database is served already: connect to its address',
  now: 'HBase\'s Thrift2 protocol does not tell the server\'s time: read the timestamp of a cell that you write',
};

module.exports = { RemoteBackend };
