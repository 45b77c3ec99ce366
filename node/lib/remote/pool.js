'use strict';
/**
 * Connections, of which each carries one call at a time.
 *
 * Idle ones are used again, the last one first, and closed after a while. Beyond `connectionsMax` callers wait in line; the line is bounded too. Places are
 * counted from before a connection is opened until after it is closed, so that there are never more.
 */
const { whenAborted } = require('../abort.js');
const { make } = require('../errors.js');

class Pool {
  /** `open(signal)`: a new connection. */
  constructor(open, { connectionsMax, waitingMax, idleMs, address }) {
    this.open = open;
    this.connectionsMax = connectionsMax;
    this.waitingMax = waitingMax;
    this.idleMs = idleMs;
    this.address = address;
    this.idle = [];
    this.places = 0;
    this.waiting = new Set();
    this.closed = false;
    this.whenEmpty = [];
  }

  /** A connection for one call; give it back with `release`. */
  async acquire(signal) {
    if (this.closed) throw make('Closed', `the connection to ${this.address} has been closed`);
    signal?.throwIfAborted();
    for (let connection = this.idle.pop(); connection !== undefined; connection = this.idle.pop()) {
      if (this.wake(connection)) return connection;
    }
    if (this.places < this.connectionsMax) {
      this.places += 1;
    } else {
      const connection = await this.wait(signal);
      if (connection !== undefined) return connection;
    }
    try {
      return await this.open(signal);
    } catch (error) {
      this.leave();
      throw error;
    }
  }

  wake(connection) {
    clearTimeout(connection.idleTimer);
    if (connection.usable) {
      connection.idle(false);
      return true;
    }
    this.places -= 1;
    return false;
  }

  /** Waits for a connection, or (undefined) for the place of one. */
  wait(signal) {
    if (this.waiting.size >= this.waitingMax) {
      throw make('Busy', `all ${this.connectionsMax} connections to ${this.address} are in use and ${this.waitingMax} calls wait already: raise \`connectionsMax\` or \`waitingMax\`, or ask less at once`);
    }
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.waiting.delete(waiter);
        stopListening?.();
      };
      const waiter = (connection) => {
        leave();
        resolve(connection);
      };
      this.waiting.add(waiter);
      const onAbort = () => {
        leave();
        reject(signal.reason);
      };
      const stopListening = signal === undefined ? undefined : whenAborted(signal, onAbort);
    });
  }

  /** Hands a connection to who waits, or keeps it for a while. */
  release(connection) {
    if (!connection.usable) return this.leave();
    const [next] = this.waiting;
    if (next !== undefined) return next(connection);
    if (this.closed) {
      connection.close();
      return this.leave();
    }
    connection.idle(true);
    connection.idleTimer = setTimeout(() => this.expire(connection), this.idleMs).unref();
    this.idle.push(connection);
    return undefined;
  }

  expire(connection) {
    const at = this.idle.indexOf(connection);
    if (at < 0) return;
    this.idle.splice(at, 1);
    connection.close();
    this.leave();
  }

  /** Gives a place up, to the next in line if there is one. */
  leave() {
    const [next] = this.waiting;
    if (next !== undefined) return next(undefined);
    this.places -= 1;
    if (this.closed && this.places === 0) for (const resolve of this.whenEmpty.splice(0)) resolve();
    return undefined;
  }

  /** Takes no more callers; resolves once those that are there, waiting or not, have been served. */
  close() {
    this.closed = true;
    for (const connection of this.idle.splice(0)) {
      clearTimeout(connection.idleTimer);
      connection.close();
      this.places -= 1;
    }
    return this.places === 0 ? Promise.resolve() : new Promise((resolve) => this.whenEmpty.push(resolve));
  }
}

module.exports = { Pool };
