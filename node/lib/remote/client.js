'use strict';
/** Thrift2 calls: over pooled connections, with timeouts and retries, and with this package's errors. */
const { hbaseException, make } = require('../errors.js');
const { escaped } = require('../options.js');
const { publish } = require('../tracing.js');
const { overTurns } = require('../turns.js');
const { tableNameOf } = require('./descriptor.js');
const { AFTER, afterAnswer, notRead, ofApplicationError, ofIoError } = require('./failure.js');
const { Pool } = require('./pool.js');
const { mayRepeat, pause } = require('./retry.js');
const { TransportError } = require('./transport/transport-error.js');
const { HttpConnection } = require('./transport/http.js');
const { SocketConnection } = require('./transport/socket.js');
const { decodeAnswer, decodeAnswerInSlices, encodeCallInSlices } = require('./wire/message.js');
const { METHODS } = require('./wire/schema.js');
const { WireError } = require('./wire/types.js');

/** An answer from this length on is decoded over several turns. */
const LONG_ANSWER_BYTES = 128 << 10;

/** The methods that return a value. */
const RETURNING = new Set(Object.keys(METHODS).filter((name) => METHODS[name].result.some(([, field]) => field === 'success')));

/** An error answer, with what the server said about repeating the call. */
class ErrorAnswer extends Error {
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
    /** The calls that are being encoded over several turns. */
    this.encoding = new Set();
    const open = (signal) => (settings.transport === 'http' ? HttpConnection : SocketConnection).open(settings, signal);
    this.pool = new Pool(open, settings);
  }

  /** The error of calls after `close`. */
  closedError() {
    return this.pool.closedError();
  }

  /**
   * Makes a call; resolves to its result (undefined for void methods).
   * @param {string} method
   * @param {object} args the arguments by name
   * @param {{ signal?: AbortSignal, table?: string }} [about] `table`: for error messages
   */
  async call(method, args, { signal, table } = {}) {
    this.sequence = (this.sequence + 1) & 0x7fffffff;
    const call = { method, table, sequence: this.sequence, address: this.settings.address };
    const steps = encodeCallInSlices(this.settings.protocol, method, args, call.sequence);
    const { done, value } = steps.next();
    const bytes = done ? value : await this.encoded(steps, signal);
    const { repeat } = METHODS[method];
    const repeatable = repeat === 'always' || (repeat === 'ifAsked' && this.settings.retryWrites);
    for (let attempt = 0; ; attempt += 1) {
      signal?.throwIfAborted();
      try {
        return await this.attempt(call, bytes, signal);
      } catch (caught) {
        signal?.throwIfAborted();
        const failure = await this.explained(caught, call, signal);
        const known = failure instanceof TransportError || failure instanceof ErrorAnswer;
        if (!known || attempt >= this.settings.retries || !mayRepeat(failure, repeatable)) throw known ? publicError(failure, call, repeatable) : failure;
        publish('retry', () => ({
          address: call.address,
          method,
          table,
          attempt: attempt + 1,
          error: publicError(failure, call, repeatable),
        }));
      }
      await pause(attempt, this.settings.pauseMs, signal);
    }
  }

  /** The bytes of a call with long lists, for which `close` waits. */
  encoded(steps, signal) {
    const bytes = overTurns(steps, signal);
    const over = () => this.encoding.delete(bytes);
    this.encoding.add(bytes);
    bytes.then(over, over);
    return bytes;
  }

  /** Replaces NOT_SERVING by TABLE_DISABLED if that is the reason: then repeating the call is useless. */
  async explained(failure, { method, table }, signal) {
    if (!(failure instanceof ErrorAnswer) || failure.error.code !== 'NOT_SERVING' || table === undefined || method === 'isTableDisabled') return failure;
    // If the server cannot say, the first error is the one to report.
    if (!(await this.call('isTableDisabled', { tableName: tableNameOf(table) }, { signal, table }).catch(() => false))) return failure;
    return new ErrorAnswer({ error: make('TableDisabled', `table "${escaped(table)}" is disabled`, failure.error), canRetry: false, failed: failure.failed });
  }

  async attempt(call, bytes, signal) {
    const connection = await this.pool.acquire(signal);
    let answer;
    try {
      signal?.throwIfAborted();
      const received = await connection.exchange(bytes, { signal, timeoutMs: this.settings.callTimeoutMs });
      const message = [this.settings.protocol, call.method, received, call.sequence];
      answer =
        received.length < LONG_ANSWER_BYTES
          ? decodeAnswer(...message)
          : await overTurns(decodeAnswerInSlices(...message), signal);
      // Before `release`, which may pass the connection on.
      const after = afterAnswer(answer);
      if (after !== AFTER.KEPT) connection.retire(after === AFTER.ENDED);
    } catch (error) {
      // After an answer that cannot be read, nothing that follows on the connection can be trusted.
      if (error instanceof WireError) connection.close();
      throw error instanceof WireError ? new TransportError('Protocol', `${call.address}: ${error.message}`, { sent: true, cause: error }) : error;
    } finally {
      this.pool.release(connection);
    }
    return this.unwrap(answer, call);
  }

  unwrap({ failure, result }, call) {
    if (failure !== undefined) throw new ErrorAnswer({ error: ofApplicationError(failure, call), canRetry: false });
    if (result.io !== undefined) throw new ErrorAnswer(ofIoError(result.io, call));
    if (result.ia !== undefined) throw new ErrorAnswer({ error: ofIllegalArgument(result.ia, call), canRetry: false });
    if (result.success === undefined && RETURNING.has(call.method))
      throw new TransportError('Protocol', `${call.address}: the answer to ${call.method} has no result`, { sent: true });
    return result.success;
  }

  close() {
    if (this.encoding.size === 0) return this.pool.close();
    return Promise.allSettled(this.encoding).then(() => this.pool.close());
  }
}

/** The TIllegalArgument of scanner calls, which declare it only for unknown scanners. */
function ofIllegalArgument({ message = '' }, { address }) {
  return make('Stale', `${address} does not know this scanner, probably because its lease expired between two blocks (in HBase, hbase.client.scanner.timeout.period, 60 s by default): process rows faster, or reduce \`caching\``, hbaseException('org.apache.hadoop.hbase.UnknownScannerException', message));
}

/** The kinds of failures of the transport after which the call has not been executed. */
const REFUSALS = new Set(['Protocol', 'AccessDenied']);

/** The error that a program gets for a failure. */
function publicError(failure, { method }, repeatable) {
  if (failure instanceof ErrorAnswer) {
    if (failure.failed !== undefined) Object.defineProperty(failure.error, 'failedActions', { value: failure.failed });
    return failure.error;
  }
  // A fetch of a scanner is not repeatable either, but it changes no data.
  const isWrite = !repeatable && METHODS[method].repeat === 'ifAsked';
  const uncertainty = failure.sent && isWrite && !REFUSALS.has(failure.kind) ? `; ${method} may or may not have been executed` : '';
  const error = failure.toPublic(uncertainty);
  return failure.kind === 'Refused' && !failure.sent ? notRead(error) : error;
}

module.exports = { Client };
