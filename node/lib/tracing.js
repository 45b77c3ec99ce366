'use strict';
/**
 * The diagnostics channels of calls: `tracing:hjall:call:start`, `:end`, `:asyncStart`, `:asyncEnd` and `:error`, as
 * Node's `tracingChannel('hjall:call')` names them. Messages are { method, table, result | error }.
 *
 * Remote databases also publish events: `hjall:connect`, `hjall:disconnect` and `hjall:retry`.
 */

const { channel, tracingChannel } = require('node:diagnostics_channel');

const calls = tracingChannel('hjall:call');
const channels = [calls.start, calls.end, calls.asyncStart, calls.asyncEnd, calls.error];

/** Runs a call that returns a promise. Without subscribers, this costs a few comparisons. */
function traced(method, request, run) {
  if (!channels.some((channel) => channel.hasSubscribers)) return run();
  return calls.tracePromise(run, { method, table: request.table });
}

/** Runs a synchronous call. */
function tracedSync(method, request, run) {
  if (!channels.some((channel) => channel.hasSubscribers)) return run();
  return calls.traceSync(run, { method, table: request.table });
}

const events = { connect: channel('hjall:connect'), disconnect: channel('hjall:disconnect'), retry: channel('hjall:retry') };

/**
 * Publishes an event of a remote database.
 * @param {keyof events} name
 * @param {() => object} message makes the message, if there are subscribers
 */
function publish(name, message) {
  if (events[name].hasSubscribers) events[name].publish(message());
}

module.exports = { publish, traced, tracedSync };
