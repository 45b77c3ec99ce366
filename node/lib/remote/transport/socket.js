'use strict';
/**
 * A TCP or TLS connection that carries one call at a time, as HBase's Thrift servers serve them.
 *
 * Whatever goes wrong in the middle of a call leaves the stream out of step (an answer may still arrive), so it closes the connection; so do an
 * AbortSignal and a timeout.
 */
const net = require('node:net');
const tls = require('node:tls');
const { whenAborted } = require('../../abort.js');
const { measurer } = require('../wire/message.js');
const { WireError } = require('../wire/types.js');
const { Broken } = require('./broken.js');
const { Inbox, framed, unframed } = require('./inbox.js');

/** After so long without a word TCP asks whether the other end is still there. */
const KEEP_ALIVE_MS = 30_000;

class SocketConnection {
  constructor(socket, settings) {
    this.socket = socket;
    this.settings = settings;
    this.usable = true;
    /** The call under way: { inbox, resolve, reject }. */
    this.call = undefined;
    socket.on('data', (chunk) => this.arrived(chunk));
    socket.on('error', (error) => this.broke(new Broken('Connection', `the connection to ${settings.address} broke: ${error.message}`, { sent: true, cause: error })));
    socket.on('close', () => this.broke(new Broken('Connection', `${settings.address} closed the connection`, { sent: true })));
    // A half-closed connection answers nothing any more.
    socket.on('end', () => this.broke(new Broken('Connection', `${settings.address} closed the connection`, { sent: true })));
  }

  /** Connects; rejects with a Broken that was not sent, or with the signal's reason. */
  static open(settings, signal) {
    return new Promise((resolve, reject) => {
      const { host, port, address, connectTimeoutMs } = settings;
      const socket = settings.tls ? tls.connect({ host, port, servername: net.isIP(host) ? undefined : host, ...settings.tls }) : net.connect({ host, port });
      const done = (settle, value) => {
        clearTimeout(timer);
        stopListening?.();
        for (const [event, listener] of listeners) socket.off(event, listener);
        settle(value);
      };
      const fail = (reason) => {
        done(reject, reason);
        // Destroying may still raise an error, about which nobody wants to hear.
        socket.on('error', () => {});
        socket.destroy();
      };
      const timer = setTimeout(() => fail(new Broken('Timeout', `no connection to ${address} within ${connectTimeoutMs} ms (connectTimeoutMs)`, { sent: false })), connectTimeoutMs);
      const stopListening = signal === undefined ? undefined : whenAborted(signal, () => fail(signal.reason));
      const onReady = () => {
        socket.setNoDelay(true);
        socket.setKeepAlive(true, KEEP_ALIVE_MS);
        done(resolve, new SocketConnection(socket, settings));
      };
      const onError = (error) => fail(new Broken('Connection', `cannot connect to ${address}: ${error.message || error.code}`, { sent: false, cause: error }));
      const onClose = () => fail(new Broken('Connection', `${address} closed the connection at once`, { sent: false }));
      const listeners = [['error', onError], ['close', onClose], [settings.tls ? 'secureConnect' : 'connect', onReady]];
      for (const [event, listener] of listeners) socket.on(event, listener);
    });
  }

  /** Sends a call and returns the bytes of its answer. */
  exchange(bytes, { signal, timeoutMs }) {
    const { protocol, transport, responseBytesMax, address } = this.settings;
    return new Promise((resolve, reject) => {
      if (!this.usable) return reject(new Broken('Connection', `the connection to ${address} is closed`, { sent: false }));
      const inbox = new Inbox(transport === 'framed' ? framed(responseBytesMax) : unframed(measurer(protocol, responseBytesMax)), responseBytesMax + 4);
      const timer = setTimeout(() => this.broke(new Broken('Timeout', `no answer from ${address} within ${timeoutMs} ms (callTimeoutMs); are its transport and protocol ${transport} and ${protocol}?`, { sent: true })), timeoutMs);
      const stopListening = signal === undefined ? undefined : whenAborted(signal, () => this.broke(signal.reason));
      const settled = (settle) => (value) => {
        clearTimeout(timer);
        stopListening?.();
        this.call = undefined;
        settle(value);
      };
      this.call = { inbox, resolve: settled(resolve), reject: settled(reject) };
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

  arrived(chunk) {
    if (this.call === undefined) return this.broke(new Broken('Protocol', `${this.settings.address} spoke without being asked`, { sent: false }));
    try {
      const answer = this.call.inbox.add(chunk);
      if (answer !== undefined) this.call.resolve(answer);
    } catch (error) {
      if (!(error instanceof WireError)) throw error;
      this.broke(new Broken('Protocol', `${this.settings.address}: ${error.message}`, { sent: true, cause: error }));
    }
    return undefined;
  }

  /** Ends the connection, and the call under way with this reason. */
  broke(reason) {
    this.usable = false;
    this.socket.destroy();
    this.call?.reject(reason);
  }

  /** An idle connection does not keep the process alive. */
  idle(isIdle) {
    if (isIdle) this.socket.unref();
    else this.socket.ref();
  }

  close() {
    this.broke(new Broken('Connection', `the connection to ${this.settings.address} was closed here`, { sent: true }));
  }
}

module.exports = { SocketConnection };
