'use strict';
/**
 * Defines methods in two forms, `name` and `nameSync`, like those of Node's `fs`: both execute the same prepared
 * task.
 */

const { signalOf } = require('./options.js');

/** The key under which the public objects keep their backend. */
const BACKEND = Symbol('backend');

/**
 * The call of a method to its backend.
 * @param {string} operation one of OPERATIONS
 * @param {object} request
 * @param {{ signal?: AbortSignal }} [options] the caller's options
 * @param {(answer: any) => unknown} [finish] converts the backend's answer to the method's result
 */
function task(operation, request, options, finish) {
  return { operation, request, signal: options?.signal, finish };
}

/**
 * Defines methods `name` (which returns a promise) and `nameSync` for each function in `preparations`. The function
 * is called with the object as `this`, and returns a `task`. Where `nameSync` throws, also for invalid arguments,
 * `name` rejects.
 */
function defineMethods(Class, preparations) {
  for (const [name, prepare] of Object.entries(preparations)) {
    define(Class, name, function (a, b, c, d, e) {
      let prepared;
      try {
        prepared = prepare.call(this, a, b, c, d, e);
        if (prepared.signal !== undefined && isAborted(prepared, name)) return Promise.reject(prepared.signal.reason);
      } catch (error) {
        return Promise.reject(error);
      }
      const answer = this[BACKEND].run(prepared.operation, prepared.request, prepared.signal);
      return prepared.finish === undefined ? answer : answer.then(prepared.finish);
    });
    define(Class, `${name}Sync`, function (a, b, c, d, e) {
      const prepared = prepare.call(this, a, b, c, d, e);
      if (prepared.signal !== undefined && isAborted(prepared, `${name}Sync`)) throw prepared.signal.reason;
      const answer = this[BACKEND].runSync(prepared.operation, prepared.request);
      return prepared.finish === undefined ? answer : prepared.finish(answer);
    });
  }
}

function isAborted(prepared, name) {
  return signalOf(prepared, name).aborted;
}

function define(Class, name, run) {
  Object.defineProperty(run, 'name', { value: name });
  Object.defineProperty(Class.prototype, name, { value: run, writable: true, configurable: true });
}

module.exports = { BACKEND, defineMethods, task };
