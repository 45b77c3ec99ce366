'use strict';
/** The progress of backups, restores and compactions, which the native module is asked for while they run. */

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

/** Asks for the progress of a backup or restore. */
function copyProgress(native) {
  const news = native.copyProgress();
  if (news === null) return null;
  const [table, family, cells, bytes] = news;
  return { table, family, cells, bytes };
}

/** Asks for the progress of a compaction. */
function compactionProgress(native, number) {
  const bytes = native.compactionProgress(number);
  return bytes === null ? null : { bytes };
}

/**
 * Awaits work and reports its progress. If `report` throws, the promise rejects with that once the work has ended.
 * @param {() => object | null} ask the native module
 * @param {(progress: object) => void} report
 * @param {Promise<void>} work
 */
async function watched(ask, report, work) {
  let failure;
  const tell = () => {
    const news = failure === undefined ? ask() : null;
    if (news === null) return;
    try {
      report(news);
    } catch (error) {
      failure = { error };
    }
  };
  const timer = setInterval(tell, INTERVAL_MS);
  try {
    await work;
    tell();
  } finally {
    clearInterval(timer);
  }
  if (failure !== undefined) throw failure.error;
}

module.exports = { compactionProgress, copyProgress, progressOf, watched };
