'use strict';
/** A database being served to Thrift clients. */

const { OPERATIONS } = require('./backend.js');
const { BACKEND, task, twins } = require('./twins.js');

let last = 0;

/** A number for a server, unlike all before in this event loop. */
function nextServer() {
  last += 1;
  return last;
}

/** Made by `db.serve()`. Closing the database stops it too. It does not keep the process alive. */
class Server {
  #number;
  /** The address it listens on. */
  host;
  /** The port, also where any free one was asked for. */
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
    twins(Server, {
      /** Stops once the calls that run are done. Idempotent. */
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
