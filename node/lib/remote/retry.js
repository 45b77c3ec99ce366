'use strict';
/** When a failed call is sent again, and how long to wait before. */
const { whenAborted } = require('../abort.js');
const { Broken } = require('./transport/broken.js');

/** HBase's client waits so many pauses before its second, third, … attempt. */
const PAUSES = [1, 2, 3, 5, 10, 20, 40, 100];
/** And a little longer by chance, so that callers who failed together do not come back together. */
const JITTER = 0.01;

/** What a server says before it has done anything: safe to send again, whatever it was. */
const UNTOUCHED = new Set(['BUSY', 'NOT_SERVING']);

/**
 * Whether a call that failed so may be sent again.
 *
 * `repeatable`: doing it twice is the same as once (reads), or the caller said that twice is fine. Everything else is sent again only if the server
 * cannot have begun it: no byte was sent, or it said that it had no room.
 */
function mayRepeat(failure, repeatable) {
  if (failure instanceof Broken) {
    if (failure.kind === 'Protocol') return false;
    // Waiting once more for what took too long already makes a slow server slower.
    return failure.sent ? repeatable && failure.kind === 'Connection' : true;
  }
  if (failure.failed !== undefined && failure.failed > 1) return repeatable && UNTOUCHED.has(failure.error?.code);
  // The gateway tried before it gave up, and one of its attempts may have been carried out.
  if (UNTOUCHED.has(failure.error?.code)) return repeatable || !failure.gaveUp;
  return repeatable && failure.canRetry === true && failure.error.code === 'IO';
}

/** How long to wait before the attempt after `attempt` (0 is the first), in milliseconds. */
function pauseOf(attempt, pauseMs, random = Math.random) {
  return pauseMs * PAUSES[Math.min(attempt, PAUSES.length - 1)] * (1 + JITTER * random());
}

/** Waits; rejects with the signal's reason if that comes first. */
function pause(attempt, pauseMs, signal) {
  return new Promise((resolve, reject) => {
    const stopListening = signal === undefined ? undefined : whenAborted(signal, () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
    const timer = setTimeout(() => {
      stopListening?.();
      resolve();
    }, pauseOf(attempt, pauseMs));
  });
}

module.exports = { mayRepeat, pause, pauseOf };
