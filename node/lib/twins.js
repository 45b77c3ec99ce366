'use strict';
/** Methods in two forms, a promise and a `Sync` twin, as Node's own `fs` has them: both carry out what one private function prepared. */

const { signalOf } = require('./options.js');

/** The key under which objects of the interface keep their backend. */
const BACKEND = Symbol('backend');

/**
 * What a method asks of its backend.
 * @param {string} operation a name of OPERATIONS
 * @param {object} request
 * @param {{ signal?: AbortSignal }} [options] the caller's options
 * @param {(answer: any) => unknown} [finish] from the backend's answer to the caller's
 */
function task(operation, request, options, finish) {
  return { operation, request, signal: options?.signal, finish };
}

/**
 * Gives a class `name` and `nameSync` for each function of `prepared`, which is called with the object as `this` and returns a `task`.
 * The promise form rejects where the other throws, also for misuse.
 */
function twins(Class, prepared) {
  for (const [name, prepare] of Object.entries(prepared)) {
    method(Class, name, function (a, b, c, d, e) {
      let asked;
      try {
        asked = prepare.call(this, a, b, c, d, e);
        if (asked.signal !== undefined && aborted(asked, name)) return Promise.reject(asked.signal.reason);
      } catch (error) {
        return Promise.reject(error);
      }
      const answer = this[BACKEND].run(asked.operation, asked.request, asked.signal);
      return asked.finish === undefined ? answer : answer.then(asked.finish);
    });
    method(Class, `${name}Sync`, function (a, b, c, d, e) {
      const asked = prepare.call(this, a, b, c, d, e);
      if (asked.signal !== undefined && aborted(asked, `${name}Sync`)) throw asked.signal.reason;
      const answer = this[BACKEND].runSync(asked.operation, asked.request);
      return asked.finish === undefined ? answer : asked.finish(answer);
    });
  }
}

function aborted(asked, name) {
  return signalOf(asked, name).aborted;
}

function method(Class, name, run) {
  Object.defineProperty(run, 'name', { value: name });
  Object.defineProperty(Class.prototype, name, { value: run, writable: true, configurable: true });
}

module.exports = { BACKEND, task, twins };
