'use strict';
/**
 * Keeps the process alive while the native module works for it, which the event loop does not see: while calls are
 * pending, and while a server listens.
 */

const { setInterval } = require('./timers.js');

/** The longest interval that Node accepts. */
const INTERVAL_MAX_MS = 0x7fffffff;

/** The objects that keep the process alive, which are also protected from garbage collection. */
const alive = new Set();
/** The native module's wake-up does not keep the process alive; this timer does, while the set is not empty. */
let timer;

/** Lets an object keep the process alive. */
function keepAlive(object) {
  if (timer === undefined) timer = setInterval(() => {}, INTERVAL_MAX_MS);
  else if (alive.size === 0) timer.ref();
  alive.add(object);
}

/** Ends that. */
function letEnd(object) {
  if (alive.delete(object) && alive.size === 0) timer.unref();
}

module.exports = { keepAlive, letEnd };
