'use strict';
/** The progress of backups, restores and compactions, which the native module is asked for while they run. */

const { whenAborted } = require('../abort.js');
const { clearInterval, setInterval } = require('../timers.js');
const { shown } = require('../options.js');

/** How often progress is reported. */
const INTERVAL_MS = 50;

/** Checks the option `onProgress`. */
function progressOf(given, where) {
  if (given !== undefined && typeof given !== 'function')
    throw new TypeError(`${where}: option \`onProgress\` must be a function, not ${shown(given)}`);
  return given;
}

let begun = 0;

/**
 * How the program watches a long operation: the options `onProgress` and `signal`, and the number under which the
 * native module knows the operation, which the request carries; 0 if it is not watched.
 * @param {string} operation
 * @param {((progress: object) => void) | undefined} report
 * @param {AbortSignal | undefined} signal has not been aborted yet
 */
function watchOf(operation, report, signal) {
  if (report === undefined && signal === undefined) return { operation, number: 0 };
  begun = (begun % 0xffffffff) + 1;
  return { operation, report, signal, number: begun };
}

/** A backup or restore in the native module. */
const copying = (native, number) => ({
  progress() {
    const news = native.copyProgress(number);
    if (news === null) return null;
    const [table, family, cells, bytes] = news;
    return { table, family, cells, bytes };
  },
  stop: () => native.stopCopy(number),
  end: () => native.endCopy(number),
});

/** A compaction in the native module. */
const compacting = (native, number) => ({
  progress() {
    const bytes = native.compactionProgress(number);
    return bytes === null ? null : { bytes };
  },
  stop: () => native.stopCompaction(number),
  end: () => native.endCompaction(number),
});

/**
 * Awaits work and reports its progress. If the signal is aborted or `report` throws, the work is stopped, and the
 * promise rejects with the reason or the exception once it has ended. An abort of work that is complete by then has no
 * effect.
 * @param {{ progress(): object | null, stop(): void, end(): void }} native
 * @param {{ report?: (progress: object) => void, signal?: AbortSignal }} watch made by `watchOf`
 * @param {Promise<void>} work
 */
async function watched(native, { report, signal }, work) {
  let failure;
  const stop = (error, isAbort) => {
    failure ??= { error, isAbort };
    native.stop();
  };
  const tell = () => {
    const news = failure === undefined ? native.progress() : null;
    if (news === null) return;
    try {
      report(news);
    } catch (error) {
      stop(error, false);
    }
  };
  const timer = report && setInterval(tell, INTERVAL_MS);
  const unheed = signal && whenAborted(signal, () => stop(signal.reason, true));
  try {
    await work;
    if (failure?.isAbort) failure = undefined;
    if (report !== undefined) tell();
  } catch (error) {
    if (failure === undefined || error.code !== 'CANCELLED') throw error;
  } finally {
    clearInterval(timer);
    unheed?.();
    native.end();
  }
  if (failure !== undefined) throw failure.error;
}

module.exports = { compacting, copying, progressOf, watchOf, watched };
