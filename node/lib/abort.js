'use strict';
/**
 * One listener per AbortSignal, however many calls share it: Node treats more than ten listeners as a leak and prints a
 * warning.
 */

/** signal → { callbacks, listener } */
const entries = new WeakMap();

/**
 * Registers a callback for the abort of a signal, which must not have been aborted yet.
 * @param {AbortSignal} signal
 * @param {() => void} callback
 * @returns {() => void} removes the callback
 */
function whenAborted(signal, callback) {
  let entry = entries.get(signal);
  if (entry === undefined) {
    const callbacks = new Set();
    const listener = () => {
      entries.delete(signal);
      for (const each of [...callbacks]) each();
    };
    entry = { callbacks, listener };
    entries.set(signal, entry);
    signal.addEventListener('abort', listener, { once: true });
  }
  const { callbacks, listener } = entry;
  callbacks.add(callback);
  return () => {
    callbacks.delete(callback);
    if (callbacks.size > 0 || entries.get(signal) !== entry) return;
    entries.delete(signal);
    signal.removeEventListener('abort', listener);
  };
}

module.exports = { whenAborted };
