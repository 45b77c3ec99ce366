'use strict';
/**
 * Timers and microtasks that fake timers do not replace.
 *
 * Test runners replace the global functions, and node:test those of `node:timers` too, while a test runs. Functions
 * that are looked up when they are called would then never fire, so they are captured when this module is loaded.
 */

const { clearInterval, clearTimeout, setImmediate, setInterval, setTimeout } = require('node:timers');

const resolved = Promise.resolve();

/**
 * Runs a function at the end of the current turn, before any I/O. Unlike `queueMicrotask`, promises are never faked.
 */
function atEndOfTurn(callback) {
  resolved.then(callback);
}

module.exports = { atEndOfTurn, clearInterval, clearTimeout, setImmediate, setInterval, setTimeout };
