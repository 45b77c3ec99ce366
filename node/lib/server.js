'use strict';
/** A Thrift server for a database in this process. */

const { OPERATIONS } = require('./backend.js');
const { BACKEND, defineMethods, task } = require('./methods.js');

let last = 0;

/** A new number for a server, unique in this event loop. */
function nextServer() {
  last += 1;
  return last;
}

/** A server made by `db.serve()`. Closing the database also stops it. It does not keep the process alive. */
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
  }

  /** `host:port`. */
  get address() {
    return this.host.includes(':') ? `[${this.host}]:${this.port}` : `${this.host}:${this.port}`;
  }

  static {
    defineMethods(Server, {
      /** Stops the server after its current calls. Idempotent. */
      close() {
        return task(OPERATIONS.stopServing, { number: this.#number });
      },
    });
  }
}

Server.prototype[Symbol.asyncDispose] = function dispose() {
  return this.close();
};
Server.prototype[Symbol.dispose] = function dispose() {
  this.closeSync();
};

module.exports = { Server, nextServer };
