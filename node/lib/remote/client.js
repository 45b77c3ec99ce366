'use strict';
/** Calls of the contract: pooled, timed, tried again where that is right, with errors of this package. */
const { make } = require('../errors.js');
const { tableNameOf } = require('./descriptor.js');
const { ofApplicationError, ofIoError } = require('./failure.js');
const { Pool } = require('./pool.js');
const { mayRepeat, pause } = require('./retry.js');
const { Broken } = require('./transport/broken.js');
const { HttpConnection } = require('./transport/http.js');
const { SocketConnection } = require('./transport/socket.js');
const { decodeAnswer, encodeCall } = require('./wire/message.js');
const { WireError } = require('./wire/types.js');

/** Calls that only read: carried out twice they change nothing, so a broken connection is no reason to fail. */
const READS = new Set([
  'exists', 'existsAll', 'get', 'getMultiple', 'getScannerResults', 'openScanner', 'closeScanner', 'getRegionLocation', 'getAllRegionLocations',
  'getTableDescriptor', 'getTableDescriptors', 'getTableDescriptorsByPattern', 'getTableDescriptorsByNamespace', 'getTableNamesByPattern',
  'getTableNamesByNamespace', 'tableExists', 'isTableEnabled', 'isTableDisabled', 'isTableAvailable', 'getNamespaceDescriptor',
  'listNamespaceDescriptors', 'listNamespaces', 'getThriftServerType', 'getClusterId',
]);

/** What failed, and what the server said about trying again. */
class Refusal extends Error {
  constructor({ error, canRetry, failed, gaveUp }) {
    super(error.message);
    this.error = error;
    this.canRetry = canRetry;
    this.failed = failed;
    this.gaveUp = gaveUp === true;
  }
}

class Client {
  constructor(settings) {
    this.settings = settings;
    this.sequence = 0;
    const open = (signal) => (settings.transport === 'http' ? HttpConnection : SocketConnection).open(settings, signal);
    this.pool = new Pool(open, settings);
  }

  /**
   * One call; resolves to its `success` (undefined for calls that return nothing).
   * @param {string} method
   * @param {object} args by the names of the contract
   * @param {{ signal?: AbortSignal, table?: string }} [about] `table`: for messages
   */
  async call(method, args, { signal, table } = {}) {
    this.sequence = (this.sequence + 1) & 0x7fffffff;
    const call = { method, table, sequence: this.sequence, address: this.settings.address };
    const bytes = encodeCall(this.settings.protocol, method, args, call.sequence);
    const repeatable = READS.has(method) || (this.settings.retryWrites && method !== 'getScannerRows');
    for (let attempt = 0; ; attempt += 1) {
      signal?.throwIfAborted();
      try {
        return await this.attempt(call, bytes, signal);
      } catch (caught) {
        signal?.throwIfAborted();
        const failure = await this.explained(caught, call, signal);
        const known = failure instanceof Broken || failure instanceof Refusal;
        if (!known || attempt >= this.settings.retries || !mayRepeat(failure, repeatable)) throw known ? published(failure, call, repeatable) : failure;
      }
      await pause(attempt, this.settings.pauseMs, signal);
    }
  }

  /** A region that is not being served may be on its way, or of a table that is disabled: then there is no use in waiting. */
  async explained(failure, { method, table }, signal) {
    if (!(failure instanceof Refusal) || failure.error.code !== 'NOT_SERVING' || table === undefined || method === 'isTableDisabled') return failure;
    if (!(await this.call('isTableDisabled', { tableName: tableNameOf(table) }, { signal, table }))) return failure;
    return new Refusal({ error: make('TableDisabled', `table "${table}" is disabled`, failure.error), canRetry: false, failed: failure.failed });
  }

  async attempt(call, bytes, signal) {
    const connection = await this.pool.acquire(signal);
    let answer;
    try {
      signal?.throwIfAborted();
      const received = await connection.exchange(bytes, { signal, timeoutMs: this.settings.callTimeoutMs });
      answer = decodeAnswer(this.settings.protocol, call.method, received, call.sequence);
    } catch (error) {
      // Out of step: what comes next on it would be taken for the answer to another call.
      if (!(error instanceof Broken) && !signal?.aborted) connection.close();
      throw error instanceof WireError ? new Broken('Protocol', `${call.address}: ${error.message}`, { sent: true, cause: error }) : error;
    } finally {
      this.pool.release(connection);
    }
    return this.unwrap(answer, call);
  }

  unwrap({ failure, result }, call) {
    if (failure !== undefined) throw new Refusal({ error: ofApplicationError(failure, call), canRetry: false });
    if (result.io !== undefined) throw new Refusal(ofIoError(result.io, call));
    if (result.ia !== undefined) throw new Refusal({ error: ofIllegalArgument(result.ia, call), canRetry: false });
    return result.success;
  }

  close() {
    return this.pool.close();
  }
}

/** Only calls on scanners declare it, and only for a number that the server does not know (any more). */
function ofIllegalArgument({ message = '' }, { address }) {
  return make('Stale', `${address} does not know this scanner (any more): it forgets those that nobody asked for a while (HBase: hbase.client.scanner.timeout.period, 60 s). Read on more quickly, or ask for less at once (\`caching\`)`, new Error(message));
}

/** A failure as programs see it. */
function published(failure, { method }, repeatable) {
  if (failure instanceof Refusal) {
    if (failure.failed !== undefined) Object.defineProperty(failure.error, 'failedActions', { value: failure.failed });
    return failure.error;
  }
  const doubt = failure.sent && !repeatable && failure.kind !== 'Protocol' ? `; ${method} may or may not have been carried out` : '';
  return make(failure.kind, `${failure.message}${doubt}`, failure.cause);
}

module.exports = { Client };
