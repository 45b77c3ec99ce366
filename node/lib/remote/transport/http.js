'use strict';
/** Calls as HTTP POSTs over a kept-alive connection, one at a time. It has the interface of SocketConnection. */
const http = require('node:http');
const https = require('node:https');
const { whenAborted } = require('../../abort.js');
const { clearTimeout, setTimeout } = require('../../timers.js');
const { publish } = require('../../tracing.js');
const { LOGINS } = require('../failure.js');
const { AnswerTooLong } = require('../wire/types.js');
const { TransportError, broke, cannotConnect } = require('./transport-error.js');

/** The length up to which an error page is quoted. */
const PAGE_CHARS_MAX = 200;
/** The statuses of requests without a valid login, and of those and others without permission. */
const NO_LOGIN = 401;
const DENIALS = new Set([NO_LOGIN, 403]);
/** How to log in, after a sentence of the server. */
const LOGIN_REMEDY = `To log in, ${LOGINS}`;
/** The status of requests whose body is too long. The server has not read it to its end. */
const TOO_LONG = 413;

class HttpConnection {
  constructor(settings) {
    this.settings = settings;
    this.usable = true;
    /** Calls at a time: Node's HTTP client does not send a request before the last one is answered. */
    this.capacity = 1;
    this.http = settings.tls ? https : http;
    this.agent = new this.http.Agent({ keepAlive: true, maxSockets: 1, maxFreeSockets: 1 });
    this.abandon = undefined;
    /** Why the connection was closed, and whether the program did. */
    this.failure = undefined;
    this.isOwn = false;
  }

  /** Does not connect: the first call does. */
  static async open(settings) {
    return new HttpConnection(settings);
  }

  exchange(bytes, { signal, timeoutMs }) {
    const { host, port, path, headers, tls, address, connectTimeoutMs } = this.settings;
    return new Promise((resolve, reject) => {
      let sent = false;
      const request = this.http.request({
        ...tls,
        host,
        port,
        path,
        agent: this.agent,
        method: 'POST',
        headers: {
          ...headers,
          'content-type': 'application/x-thrift',
          accept: 'application/x-thrift',
          'content-length': bytes.length,
        },
      });
      const done = (settle, value) => {
        clearTimeout(timer);
        clearTimeout(connecting);
        stopListening?.();
        this.abandon = undefined;
        settle(value);
      };
      const fail = (reason) => {
        this.usable = false;
        done(reject, reason);
        request.on('error', () => {});
        request.destroy();
        this.agent.destroy();
      };
      const broken = (kind, message, cause, received = sent) => {
        this.failure ??= new TransportError(kind, message, { sent: received, cause });
        fail(this.failure);
      };
      const timer = setTimeout(
        () => broken('Timeout', `no answer from ${address} within ${timeoutMs} ms (callTimeoutMs)`),
        timeoutMs,
      );
      const connecting = setTimeout(
        () => broken('Timeout', `no connection to ${address} within ${connectTimeoutMs} ms (connectTimeoutMs)`),
        connectTimeoutMs,
      );
      const connected = () => {
        sent = true;
        clearTimeout(connecting);
      };
      const stopListening = signal === undefined ? undefined : whenAborted(signal, () => fail(signal.reason));
      this.abandon = broken;
      request.once('socket', (socket) => {
        if (!socket.connecting) return connected();
        return socket.once(tls ? 'secureConnect' : 'connect', () => {
          connected();
          publish('connect', () => ({ address }));
          socket.once('close', () => publish('disconnect', () => ({ address, error: this.isOwn ? undefined : this.failure?.toPublic() })));
        });
      });
      request.once('error', (error) =>
        broken(
          'Connection',
          sent ? broke(this.settings, error) : cannotConnect(this.settings, error),
          error,
        ),
      );
      request.once('response', (response) => this.receive(response, broken, (answer) => done(resolve, answer)));
      request.end(bytes);
    });
  }

  receive(response, broken, resolve) {
    const { address, headers, responseBytesMax } = this.settings;
    const chunks = [];
    let length = 0;
    response.on('data', (chunk) => {
      length += chunk.length;
      if (length > responseBytesMax)
        broken('Refused', `${address}: ${new AnswerTooLong(`has at least ${length} bytes`, responseBytesMax).message}`);
      else chunks.push(chunk);
    });
    response.once('error', (error) =>
      broken('Connection', broke(this.settings, error), error),
    );
    response.once('aborted', () =>
      broken('Connection', `${address} closed the connection before the end of its answer`),
    );
    response.once('end', () => {
      const body = Buffer.concat(chunks, length);
      const status = response.statusCode;
      if (status === 200) return resolve(body);
      const answered = `${address} answered HTTP ${status} ${response.statusMessage}: ${body.toString('utf8', 0, PAGE_CHARS_MAX).trim()}`;
      if (status === TOO_LONG) return broken('Refused', answered, undefined, false);
      if (!DENIALS.has(status)) return broken('Protocol', answered);
      const isLoggedIn = Object.keys(headers).some((name) => name.toLowerCase() === 'authorization');
      return broken('AccessDenied', status === NO_LOGIN && !isLoggedIn ? `${answered} ${LOGIN_REMEDY}` : answered);
    });
  }

  /** Nothing to do: an HTTP server says in the head of its answer whether it closes the connection. */
  retire() {}

  /** Nothing to do: Node's agent does not keep the process alive for idle sockets. */
  idle() {}

  close() {
    if (this.usable) this.isOwn = true;
    this.usable = false;
    this.abandon?.('Connection', `the connection to ${this.settings.address} was closed by this program`);
    this.agent.destroy();
  }
}

module.exports = { HttpConnection };
