'use strict';
/** AbortSignals that many calls share: one listener on each, since Node takes more than ten for a leak, and warns of it. */

/** signal → { callbacks, listener } */
const heard = new WeakMap();

/**
 * Calls back when a signal is aborted, which it must not be yet.
 * @param {AbortSignal} signal
 * @param {() => void} callback
 * @returns {() => void} takes it back
 */
function whenAborted(signal, callback) {
  let entry = heard.get(signal);
  if (entry === undefined) {
    const callbacks = new Set();
    const listener = () => {
      heard.delete(signal);
      for (const each of [...callbacks]) each();
    };
    entry = { callbacks, listener };
    heard.set(signal, entry);
    signal.addEventListener('abort', listener, { once: true });
  }
  const { callbacks, listener } = entry;
  callbacks.add(callback);
  return () => {
    callbacks.delete(callback);
    if (callbacks.size > 0 || heard.get(signal) !== entry) return;
    heard.delete(signal);
    signal.removeEventListener('abort', listener);
  };
}

module.exports = { whenAborted };
