'use strict';
/**
 * A pool of connections, each of which carries one call at a time.
 *
 * Idle connections are reused, the most recently used first, and closed after a while. Beyond `connectionsMax`,
 * callers wait in a bounded queue. `openCount` includes a connection from before it is opened until after it is
 * closed, so the limit is never exceeded.
 */
const { whenAborted } = require('../abort.js');
const { make } = require('../errors.js');
const { clearTimeout, setTimeout } = require('../timers.js');

class Pool {
  /** `open(signal)` opens a connection. */
  constructor(open, { connectionsMax, waitingMax, idleMs, address }) {
    this.open = open;
    this.connectionsMax = connectionsMax;
    this.waitingMax = waitingMax;
    this.idleMs = idleMs;
    this.address = address;
    this.idle = [];
    this.openCount = 0;
    this.waiting = new Set();
    this.closed = false;
    this.whenEmpty = [];
  }

  /** Takes a connection for one call, which `release` gives back. */
  async acquire(signal) {
    if (this.closed) throw make('Closed', `the connection to ${this.address} has been closed`);
    signal?.throwIfAborted();
    for (let connection = this.idle.pop(); connection !== undefined; connection = this.idle.pop()) {
      if (this.activate(connection)) return connection;
    }
    if (this.openCount < this.connectionsMax) {
      this.openCount += 1;
    } else {
      const connection = await this.wait(signal);
      if (connection !== undefined) return connection;
    }
    try {
      return await this.open(signal);
    } catch (error) {
      this.freeSlot();
      throw error;
    }
  }

  activate(connection) {
    clearTimeout(connection.idleTimer);
    if (connection.usable) {
      connection.idle(false);
      return true;
    }
    this.openCount -= 1;
    return false;
  }

  /** Waits in the queue. Resolves to a connection, or to undefined if the caller may open one. */
  wait(signal) {
    if (this.waiting.size >= this.waitingMax) {
      throw make(
        'Busy',
        `all ${this.connectionsMax} connections to ${this.address} are in use, and ${this.waitingMax} calls are waiting: raise \`connectionsMax\` or \`waitingMax\`, or make fewer calls at once`,
      );
    }
    return new Promise((resolve, reject) => {
      const stopWaiting = () => {
        this.waiting.delete(waiter);
        stopListening?.();
      };
      const waiter = (connection) => {
        stopWaiting();
        resolve(connection);
      };
      this.waiting.add(waiter);
      const onAbort = () => {
        stopWaiting();
        reject(signal.reason);
      };
      const stopListening = signal === undefined ? undefined : whenAborted(signal, onAbort);
    });
  }

  /** Gives a connection back: to the next waiting caller, or to the idle ones. */
  release(connection) {
    if (!connection.usable) return this.freeSlot();
    const [next] = this.waiting;
    if (next !== undefined) return next(connection);
    if (this.closed) {
      connection.close();
      return this.freeSlot();
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
    this.freeSlot();
  }

  /** Passes on the right to open a connection: to the next waiting caller, if any. */
  freeSlot() {
    const [next] = this.waiting;
    if (next !== undefined) return next(undefined);
    this.openCount -= 1;
    if (this.closed && this.openCount === 0) for (const resolve of this.whenEmpty.splice(0)) resolve();
    return undefined;
  }

  /** Accepts no further callers; resolves when the current ones, including those that wait, have been served. */
  close() {
    this.closed = true;
    for (const connection of this.idle.splice(0)) {
      clearTimeout(connection.idleTimer);
      connection.close();
      this.openCount -= 1;
    }
    return this.openCount === 0 ? Promise.resolve() : new Promise((resolve) => this.whenEmpty.push(resolve));
  }
}

module.exports = { Pool };
