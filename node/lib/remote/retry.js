'use strict';
/** Whether a failed call is repeated, and after which pause. */
const { whenAborted } = require('../abort.js');
const { clearTimeout, setTimeout } = require('../timers.js');
const { TransportError } = require('./transport/transport-error.js');

/** The factors by which HBase's client lengthens the pause before its second, third, … attempt. */
const PAUSES = [1, 2, 3, 5, 10, 20, 40, 100];
/** A random addition to each pause, so that callers that failed together do not retry together. */
const JITTER = 0.01;

/** Errors that the server reports before it begins a call: any call may be repeated after them. */
const NOT_BEGUN = new Set(['BUSY', 'NOT_SERVING']);

/** Failures of the transport that a repetition would only meet again. */
const FINAL = new Set(['Protocol', 'AccessDenied', 'Refused']);

/**
 * Whether a failed call may be repeated.
 *
 * `repeatable` calls may be executed twice: reads, and writes if the program allows it. Other calls are repeated only
 * if the server cannot have begun them, because nothing was sent or because the server was too busy.
 */
function mayRepeat(failure, repeatable) {
  if (failure instanceof TransportError) {
    if (FINAL.has(failure.kind)) return false;
    // Repeating a call that timed out would only add to the load of a slow server.
    return failure.sent ? repeatable && failure.kind === 'Connection' : true;
  }
  if (failure.failed !== undefined && failure.failed > 1) return repeatable && NOT_BEGUN.has(failure.error?.code);
  // The gateway made several attempts before it gave up, and one of them may have been executed.
  if (NOT_BEGUN.has(failure.error?.code)) return repeatable || !failure.gaveUp;
  return repeatable && failure.canRetry === true && failure.error.code === 'IO';
}

/** The pause after attempt number `attempt` (from 0), in milliseconds. */
function pauseOf(attempt, pauseMs, random = Math.random) {
  return pauseMs * PAUSES[Math.min(attempt, PAUSES.length - 1)] * (1 + JITTER * random());
}

/** Waits for the pause; rejects with the signal's reason if it is aborted first. */
function pause(attempt, pauseMs, signal) {
  return new Promise((resolve, reject) => {
    const stopListening =
      signal === undefined
        ? undefined
        : whenAborted(signal, () => {
            clearTimeout(timer);
            reject(signal.reason);
          });
    const timer = setTimeout(
      () => {
        stopListening?.();
        resolve();
      },
      pauseOf(attempt, pauseMs),
    );
  });
}

module.exports = { mayRepeat, pause, pauseOf };
