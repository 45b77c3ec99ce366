'use strict';
/**
 * Defines methods in two forms, `name` and `nameSync`, like those of Node's `fs`: both execute the same prepared
 * task.
 */

const { argumentError, locate, rejectedLater } = require('./location.js');
const { convertLists, convertListsNow, elementsOf } = require('./long-list.js');
const { signalOf } = require('./options.js');
const { traced, tracedSync } = require('./tracing.js');
const { CALL, SLICE, hasRoom, spend } = require('./turns.js');

/** The key under which the public objects keep their backend. */
const BACKEND = Symbol('backend');

/**
 * The call of a method to its backend.
 * @param {string} operation one of OPERATIONS
 * @param {object} request
 * @param {{ signal?: AbortSignal }} [options] the caller's options
 * @param {(answer: any) => unknown} [finish] converts the backend's answer to the method's result
 * @param {(error: Error) => unknown} [recover] converts an expected error to the method's result, or throws
 */
function task(operation, request, options, finish, recover) {
  return { operation, request, signal: options?.signal, finish, recover };
}

/**
 * A task whose answer may report errors.
 * @param {object} made by `task`
 * @param {(answer: any) => Error | undefined} check returns the error with which the method fails
 */
function checkedTask(made, check) {
  return { ...made, check };
}

/**
 * Defines methods `name` (which returns a promise) and `nameSync` for each function in `preparations`. The function
 * is called with the object as `this`, and returns a `task`. Where `nameSync` throws, also for invalid arguments,
 * `name` rejects. Messages of errors begin with `prefix` and the method's name.
 */
function defineMethods(Class, preparations, prefix = '') {
  for (const [name, prepare] of Object.entries(preparations)) {
    const where = prefix + name;
    const begin = function (a, b, c, d, e, isLate) {
      let prepared;
      try {
        prepared = prepare.call(this, a, b, c, d, e);
        if (prepared.signal !== undefined && isAborted(prepared, name)) return Promise.reject(prepared.signal.reason);
      } catch (error) {
        return isLate ? rejectedLater(error) : Promise.reject(argumentError(error, method));
      }
      const { operation, request, recover, signal } = prepared;
      // Larger requests are converted and encoded in parts, which are counted when they are.
      spend(Math.min(elementsOf(request), SLICE));
      // A reaction to the rejection, not an earlier place, gives the error its stack: V8 follows the promises from
      // there to the functions that await them.
      const failed = (error) => {
        const located = locate(error, where, request, failed);
        if (recover === undefined) throw located;
        return recover(located);
      };
      const { watch } = prepared;
      // What is watched is ended by its signal, and awaited until then.
      const abandoned = watch === undefined ? signal : undefined;
      const run = () => {
        const backend = this[BACKEND];
        const converted = convertLists(request, signal);
        const answer =
          converted === undefined
            ? backend.run(operation, request, abandoned)
            : backend.deferred.after(converted, () => backend.run(operation, request, abandoned));
        const { check, finish } = prepared;
        if (check === undefined) return (watch === undefined ? answer : backend.watched(watch, answer)).then(finish, failed);
        const ended = (given) => {
          const error = check(given);
          if (error !== undefined) throw locate(error, where, request, ended);
          return finish?.(given);
        };
        return answer.then(ended, failed);
      };
      return traced(name, request, run);
    };
    const parameters = prepare.length;
    const method = function (a, b, c, d, e) {
      if (arguments.length > parameters && isCallback(arguments[arguments.length - 1]))
        return Promise.reject(argumentError(noCallback(where), method));
      if (this?.[BACKEND] === undefined) return Promise.reject(argumentError(unbound(where), method));
      const { deferred } = this[BACKEND];
      if (deferred.isClosing) return Promise.reject(this[BACKEND].closedError());
      if (!hasRoom()) return deferred.add(begin, this, a, b, c, d, e);
      spend(CALL);
      return begin.call(this, a, b, c, d, e);
    };
    define(Class, name, method);
    const nameSync = `${name}Sync`;
    const methodSync = function (a, b, c, d, e) {
      if (arguments.length > parameters && isCallback(arguments[arguments.length - 1]))
        throw argumentError(noCallback(nameSync), methodSync);
      if (this?.[BACKEND] === undefined) throw argumentError(unbound(nameSync), methodSync);
      let prepared;
      try {
        prepared = prepare.call(this, a, b, c, d, e);
      } catch (error) {
        throw argumentError(error, methodSync);
      }
      if (prepared.signal !== undefined && isAborted(prepared, nameSync)) throw prepared.signal.reason;
      if (prepared.watch?.report !== undefined)
        throw argumentError(new TypeError(`${nameSync}: option \`onProgress\` needs the event loop: use ${name}()`), methodSync);
      if (prepared.watch !== undefined) prepared.request.number = 0;
      return tracedSync(nameSync, prepared.request, () => {
        convertListsNow(prepared.request);
        let answer;
        try {
          answer = this[BACKEND].runSync(prepared.operation, prepared.request, where);
        } catch (error) {
          const located = locate(error, prefix + nameSync, prepared.request, methodSync);
          if (prepared.recover === undefined) throw located;
          return prepared.recover(located);
        }
        const error = prepared.check?.(answer);
        if (error !== undefined) throw locate(error, prefix + nameSync, prepared.request, methodSync);
        return prepared.finish === undefined ? answer : prepared.finish(answer);
      });
    };
    define(Class, nameSync, methodSync);
  }
}

/** Whether an argument that a method does not have is a callback. Others are ignored, as JavaScript does. */
function isCallback(argument) {
  return typeof argument === 'function';
}

function noCallback(where) {
  return new TypeError(`${where}: methods take no callback, await the promise that they return`);
}

/** The error of a method that was taken from its object and called without it. */
function unbound(where) {
  return new TypeError(`${where}: must be called on its object: use bind, or an arrow function that does so`);
}

function isAborted(prepared, name) {
  return signalOf(prepared, name).aborted;
}

function define(Class, name, run) {
  Object.defineProperty(run, 'name', { value: name });
  Object.defineProperty(Class.prototype, name, { value: run, writable: true, configurable: true });
}

module.exports = { BACKEND, checkedTask, defineMethods, task };
