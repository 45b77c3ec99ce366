'use strict';
/**
 * A TCP or TLS connection that carries up to `callsPerConnection` calls at a time. Thrift's servers answer the calls of
 * a connection in their order; those that read one call after the other find the next ones in the socket's buffer.
 *
 * A failure or a timeout closes the connection, and all its calls fail: an answer that is late or lost would be taken
 * for the next one. The answer to an aborted call is discarded; the connection is closed if no other call awaits one.
 */
const net = require('node:net');
const tls = require('node:tls');
const { whenAborted } = require('../../abort.js');
const { clearTimeout, setTimeout } = require('../../timers.js');
const { publish } = require('../../tracing.js');
const { measurer } = require('../wire/message.js');
const { AnswerTooLong, WireError } = require('../wire/types.js');
const { TransportError, broke, cannotConnect } = require('./transport-error.js');
const { AnswerBuffer, framed, unframed } = require('./answer-buffer.js');

/** The idle time after which TCP probes whether the peer is still reachable. */
const KEEP_ALIVE_MS = 30_000;

class SocketConnection {
  constructor(socket, settings) {
    this.socket = socket;
    this.settings = settings;
    this.isOpen = true;
    /** Whether it takes further calls. */
    this.usable = true;
    this.capacity = settings.callsPerConnection;
    /** The calls that await answers, in their order: { buffer, resolve, reject, isAborted }. */
    this.calls = [];
    socket.on('data', (chunk) => this.receive(chunk));
    socket.on('error', (error) =>
      this.fail(
        new TransportError('Connection', broke(settings, error), {
          sent: true,
          cause: error,
        }),
      ),
    );
    socket.on('close', () =>
      this.fail(new TransportError('Connection', `${settings.address} closed the connection`, { sent: true })),
    );
    // A half-closed connection will deliver no further answer.
    socket.on('end', () =>
      this.fail(new TransportError('Connection', `${settings.address} closed the connection`, { sent: true })),
    );
  }

  /** Connects. Rejects with a TransportError whose `sent` is false, or with the signal's reason. */
  static open(settings, signal) {
    return new Promise((resolve, reject) => {
      const { host, port, address, connectTimeoutMs } = settings;
      const socket = settings.tls
        ? tls.connect({ host, port, servername: net.isIP(host) ? undefined : host, ...settings.tls })
        : net.connect({ host, port });
      const done = (settle, value) => {
        clearTimeout(timer);
        stopListening?.();
        for (const [event, listener] of listeners) socket.off(event, listener);
        settle(value);
      };
      const fail = (reason) => {
        done(reject, reason);
        // Destroying the socket may emit another error.
        socket.on('error', () => {});
        socket.destroy();
      };
      const timer = setTimeout(
        () =>
          fail(
            new TransportError(
              'Timeout',
              `no connection to ${address} within ${connectTimeoutMs} ms (connectTimeoutMs)`,
              { sent: false },
            ),
          ),
        connectTimeoutMs,
      );
      const stopListening = signal === undefined ? undefined : whenAborted(signal, () => fail(signal.reason));
      const onReady = () => {
        socket.setNoDelay(true);
        socket.setKeepAlive(true, KEEP_ALIVE_MS);
        done(resolve, new SocketConnection(socket, settings));
        publish('connect', () => ({ address }));
      };
      const onError = (error) => fail(new TransportError('Connection', cannotConnect(settings, error), { sent: false, cause: error }));
      const onClose = () =>
        fail(new TransportError('Connection', `${address} closed the connection immediately`, { sent: false }));
      const listeners = [
        ['error', onError],
        ['close', onClose],
        [settings.tls ? 'secureConnect' : 'connect', onReady],
      ];
      for (const [event, listener] of listeners) socket.on(event, listener);
    });
  }

  /** Sends a call; resolves to the bytes of its answer. */
  exchange(bytes, { signal, timeoutMs }) {
    const { protocol, transport, responseBytesMax, address } = this.settings;
    return new Promise((resolve, reject) => {
      if (!this.usable)
        return reject(new TransportError('Connection', `the connection to ${address} is closed`, { sent: false }));
      const buffer = new AnswerBuffer(
        transport === 'framed' ? framed(responseBytesMax) : unframed(measurer(protocol, responseBytesMax)),
        responseBytesMax + 4,
      );
      const timer = setTimeout(
        () =>
          this.failOne(
            call,
            new TransportError(
              'Timeout',
              `no answer from ${address} within ${timeoutMs} ms (callTimeoutMs); are its transport and protocol ${transport} and ${protocol}?`,
              { sent: true },
            ),
            `the connection to ${address} was closed after the timeout of an earlier call`,
          ),
        timeoutMs,
      );
      const stopListening = signal === undefined ? undefined : whenAborted(signal, () => this.abort(call, signal.reason));
      const settled = (settle) => (value) => {
        clearTimeout(timer);
        stopListening?.();
        settle(value);
      };
      const call = { buffer, resolve: settled(resolve), reject: settled(reject), isAborted: false };
      this.calls.push(call);
      this.send(bytes, transport === 'framed');
      return undefined;
    });
  }

  send(bytes, withLength) {
    if (!withLength) return void this.socket.write(bytes);
    const head = Buffer.allocUnsafe(4);
    head.writeUInt32BE(bytes.length);
    this.socket.cork();
    this.socket.write(head);
    this.socket.write(bytes);
    this.socket.uncork();
    return undefined;
  }

  receive(chunk) {
    const { address } = this.settings;
    try {
      for (let rest = chunk; rest.length > 0; ) {
        const [call] = this.calls;
        if (call === undefined) throw new WireError(`${rest.length} bytes were sent without a call`);
        const answer = call.buffer.add(rest);
        if (answer === undefined) return;
        ({ rest } = call.buffer);
        if (rest.length > 0 && this.calls.length === 1)
          throw new WireError(`${rest.length} unexpected bytes follow the answer`);
        this.calls.shift();
        if (!call.isAborted) call.resolve(answer);
      }
    } catch (error) {
      if (!(error instanceof WireError)) throw error;
      const reason = `${address}: ${error.message}`;
      const sent = this.calls.length > 0;
      if (error instanceof AnswerTooLong)
        this.failOne(
          this.calls[0],
          new TransportError('Refused', reason, { sent, cause: error }),
          `the connection to ${address} was closed, because an earlier answer is longer than responseBytesMax`,
        );
      this.fail(new TransportError('Protocol', reason, { sent, cause: error }));
    }
    this.closeIfAborted();
  }

  /** Rejects an aborted call; its answer will be discarded. */
  abort(call, reason) {
    call.isAborted = true;
    call.reject(reason);
    this.closeIfAborted();
  }

  /** Closes the connection if it only waits for answers that will be discarded. */
  closeIfAborted() {
    if (this.calls.length > 0 && this.calls.every(({ isAborted }) => isAborted)) this.close();
  }

  /** Closes the connection. Rejects one of its calls with this reason, and the others because of that. */
  failOne(failed, reason, why) {
    this.calls = this.calls.filter((call) => call !== failed);
    failed.reject(reason);
    this.fail(new TransportError('Connection', why, { sent: true }));
  }

  /** Closes the connection and rejects the pending calls with this reason. `isOwn`: the program closes it. */
  fail(reason, isOwn = false) {
    const { address } = this.settings;
    if (this.isOpen) publish('disconnect', () => ({ address, error: isOwn ? undefined : reason.toPublic() }));
    this.isOpen = false;
    this.usable = false;
    this.socket.destroy();
    for (const call of this.calls.splice(0)) if (!call.isAborted) call.reject(reason);
  }

  /**
   * Takes no further calls, since the server may close the connection. `isEnded`: it does, and has read nothing after
   * the last call that it answered, so that those that still await answers can be sent again.
   */
  retire(isEnded) {
    this.usable = false;
    if (!isEnded) return;
    const { address } = this.settings;
    this.fail(new TransportError('Connection', `${address} closed the connection after a message that it refused`, { sent: false }));
  }

  /** Marks the connection as idle or not. An idle connection does not keep the process alive. */
  idle(isIdle) {
    if (isIdle) this.socket.unref();
    else this.socket.ref();
  }

  close() {
    this.fail(
      new TransportError('Connection', `the connection to ${this.settings.address} was closed by this program`, {
        sent: true,
      }),
      true,
    );
  }
}

module.exports = { SocketConnection };
