'use strict';
/**
 * A TCP or TLS connection that carries one call at a time, as HBase's Thrift servers expect.
 *
 * A failure during a call, an abort or a timeout closes the connection, since the answer might still arrive and would
 * be taken for the next one.
 */
const net = require('node:net');
const tls = require('node:tls');
const { whenAborted } = require('../../abort.js');
const { clearTimeout, setTimeout } = require('../../timers.js');
const { measurer } = require('../wire/message.js');
const { WireError } = require('../wire/types.js');
const { TransportError } = require('./transport-error.js');
const { AnswerBuffer, framed, unframed } = require('./answer-buffer.js');

/** The idle time after which TCP probes whether the peer is still reachable. */
const KEEP_ALIVE_MS = 30_000;

class SocketConnection {
  constructor(socket, settings) {
    this.socket = socket;
    this.settings = settings;
    this.usable = true;
    /** The pending call: { buffer, resolve, reject }. */
    this.call = undefined;
    socket.on('data', (chunk) => this.receive(chunk));
    socket.on('error', (error) =>
      this.fail(
        new TransportError('Connection', `the connection to ${settings.address} broke: ${error.message}`, {
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
      };
      const onError = (error) =>
        fail(
          new TransportError('Connection', `cannot connect to ${address}: ${error.message || error.code}`, {
            sent: false,
            cause: error,
          }),
        );
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
          this.fail(
            new TransportError(
              'Timeout',
              `no answer from ${address} within ${timeoutMs} ms (callTimeoutMs); are its transport and protocol ${transport} and ${protocol}?`,
              { sent: true },
            ),
          ),
        timeoutMs,
      );
      const stopListening = signal === undefined ? undefined : whenAborted(signal, () => this.fail(signal.reason));
      const settled = (settle) => (value) => {
        clearTimeout(timer);
        stopListening?.();
        this.call = undefined;
        settle(value);
      };
      this.call = { buffer, resolve: settled(resolve), reject: settled(reject) };
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
    if (this.call === undefined)
      return this.fail(
        new TransportError('Protocol', `${this.settings.address} sent data without a call`, { sent: false }),
      );
    try {
      const answer = this.call.buffer.add(chunk);
      if (answer !== undefined) this.call.resolve(answer);
    } catch (error) {
      if (!(error instanceof WireError)) throw error;
      this.fail(
        new TransportError('Protocol', `${this.settings.address}: ${error.message}`, { sent: true, cause: error }),
      );
    }
    return undefined;
  }

  /** Closes the connection and rejects the pending call with this reason. */
  fail(reason) {
    this.usable = false;
    this.socket.destroy();
    this.call?.reject(reason);
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
    );
  }
}

module.exports = { SocketConnection };
