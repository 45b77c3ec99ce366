'use strict';
/**
 * A pool of connections.
 *
 * A call takes an idle connection, the most recently used one first, or a new one. Once `connectionsMax` are open, it
 * shares the connection with the fewest calls, up to the connection's `capacity`. Beyond that, callers wait in a
 * bounded queue. Idle connections are closed after a while. `openCount` includes a connection from before it is opened
 * until after it is closed, so the limit is never exceeded.
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
    /** The number of calls of each open connection. */
    this.calls = new Map();
    this.openCount = 0;
    this.waiting = new Set();
    this.closed = false;
    this.whenEmpty = [];
  }

  /** The error of calls after `close`. */
  closedError() {
    return make('Closed', `the connection to ${this.address} has been closed: connect again to use the database`);
  }

  /** Takes a connection for one call, which `release` gives back. */
  async acquire(signal) {
    if (this.closed) throw this.closedError();
    signal?.throwIfAborted();
    for (let connection = this.idle.pop(); connection !== undefined; connection = this.idle.pop()) {
      if (this.activate(connection)) return this.taken(connection);
    }
    if (this.openCount < this.connectionsMax) {
      this.openCount += 1;
    } else {
      const shared = this.leastUsed();
      if (shared !== undefined) return this.taken(shared);
      const connection = await this.wait(signal);
      if (connection !== undefined) return connection;
    }
    let opened;
    try {
      opened = await this.open(signal);
    } catch (error) {
      this.freeSlot();
      throw error;
    }
    this.calls.set(opened, 0);
    this.taken(opened);
    this.offer(opened);
    return opened;
  }

  /** Counts a call on a connection. */
  taken(connection) {
    this.calls.set(connection, this.calls.get(connection) + 1);
    return connection;
  }

  /** The connection with the fewest calls that can carry another one. */
  leastUsed() {
    let [best, fewest] = [undefined, Infinity];
    for (const [connection, calls] of this.calls) {
      if (connection.usable && calls < connection.capacity && calls < fewest) [best, fewest] = [connection, calls];
    }
    return best;
  }

  /** Lets waiting callers use a connection, as far as it can carry their calls. */
  offer(connection) {
    while (this.waiting.size > 0 && connection.usable && this.calls.get(connection) < connection.capacity) {
      const [next] = this.waiting;
      next(this.taken(connection));
    }
  }

  activate(connection) {
    clearTimeout(connection.idleTimer);
    if (connection.usable) {
      connection.idle(false);
      return true;
    }
    this.calls.delete(connection);
    this.openCount -= 1;
    return false;
  }

  /**
   * Waits in the queue. Resolves to a connection, which counts the call already, or to undefined if the caller may open
   * one.
   */
  wait(signal) {
    if (this.waiting.size >= this.waitingMax) {
      throw make(
        'Busy',
        `all ${this.connectionsMax} connections to ${this.address} are in use, and ${this.waitingMax} calls are waiting: raise \`connectionsMax\`, \`callsPerConnection\` or \`waitingMax\`, or make fewer calls at once`,
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

  /** Ends a call of a connection, which waiting callers may use then. Without calls, it becomes idle. */
  release(connection) {
    this.calls.set(connection, this.calls.get(connection) - 1);
    this.offer(connection);
    if (this.calls.get(connection) > 0) return;
    if (this.closed || !connection.usable) {
      connection.close();
      this.calls.delete(connection);
      this.freeSlot();
      return;
    }
    connection.idle(true);
    connection.idleTimer = setTimeout(() => this.expire(connection), this.idleMs).unref();
    this.idle.push(connection);
  }

  expire(connection) {
    const at = this.idle.indexOf(connection);
    if (at < 0) return;
    this.idle.splice(at, 1);
    this.calls.delete(connection);
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
      this.calls.delete(connection);
      this.openCount -= 1;
    }
    return this.openCount === 0 ? Promise.resolve() : new Promise((resolve) => this.whenEmpty.push(resolve));
  }
}

module.exports = { Pool };
