'use strict';
/** A Thrift server for a database in this process. */

const { OPERATIONS } = require('./backend.js');
const { keepAlive, letEnd } = require('./keep-alive.js');
const { BACKEND, defineMethods, task } = require('./methods.js');

let last = 0;

/** A new number for a server, unique in this event loop. */
function nextServer() {
  last += 1;
  return last;
}

/** The servers that listen. The program need not keep them or their databases, as it need not keep Node's servers. */
const listening = new Set();

/**
 * A server made by `db.serve()`. It keeps the process alive until it is closed, unless `unref` was called, as Node's
 * servers do. Closing the database also stops it.
 */
class Server {
  #number;
  /** The address it listens on. */
  host;
  /** The port it listens on. */
  port;

  constructor(backend, number, { host, port }) {
    Object.defineProperty(this, BACKEND, { value: backend });
    this.#number = number;
    this.host = host;
    this.port = port;
    // Otherwise the call that closes the database stops it.
    if (backend.isClosed) return;
    listening.add(this);
    this.ref();
  }

  /** `host:port`. */
  get address() {
    return this.host.includes(':') ? `[${this.host}]:${this.port}` : `${this.host}:${this.port}`;
  }

  /** Lets the process stay alive while the server listens, which is the default. Returns the server. */
  ref() {
    if (listening.has(this)) keepAlive(this);
    return this;
  }

  /** Lets the process end although the server listens. Returns the server. */
  unref() {
    letEnd(this);
    return this;
  }

  static {
    defineMethods(Server, {
      /** Stops the server after its current calls. Idempotent. */
      close() {
        stopped(this);
        return task(OPERATIONS.stopServing, { number: this.#number });
      },
    });
  }
}

const { close, closeSync } = Server.prototype;
// A database that has been closed, or is being closed, has stopped its servers, and their calls would fail.
const closing = {
  close() {
    return isOver(this) ? Promise.resolve() : close.call(this);
  },
  closeSync() {
    if (!isOver(this)) closeSync.call(this);
  },
};
for (const [name, value] of Object.entries(closing)) Object.defineProperty(Server.prototype, name, { value });

/** Whether the database of a server has been closed, or is being closed. Notes that the server has been stopped. */
function isOver(server) {
  const over = server?.[BACKEND]?.isClosed === true;
  if (over) stopped(server);
  return over;
}

Server.prototype[Symbol.asyncDispose] = function dispose() {
  return this.close();
};
Server.prototype[Symbol.dispose] = function dispose() {
  this.closeSync();
};

/** Notes that a server has been stopped, or will be by a call, which keeps the process alive meanwhile. */
function stopped(server) {
  listening.delete(server);
  letEnd(server);
}

/** Notes that the servers of a database have been stopped, or will be. */
function serversStopped(backend) {
  for (const server of listening) if (server[BACKEND] === backend) stopped(server);
}

module.exports = { Server, nextServer, serversStopped };
