'use strict';
/**
 * The diagnostics channels of calls: `tracing:hjall:call:start`, `:end`, `:asyncStart`, `:asyncEnd` and `:error`, as
 * Node's `tracingChannel('hjall:call')` names them. Messages are { method, table, result | error }.
 */

const { tracingChannel } = require('node:diagnostics_channel');

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

module.exports = { traced, tracedSync };
