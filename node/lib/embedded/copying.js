'use strict';
/** The progress of backups and restores, which the native module is asked for while they run. */

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

/**
 * Awaits a copy and reports its progress. If `report` throws, the promise rejects with that once the copy has ended.
 * @param {() => [string, string, number, number] | null} ask the native module
 * @param {(progress: object) => void} report
 * @param {Promise<void>} copy
 */
async function watched(ask, report, copy) {
  let failure;
  const tell = () => {
    const news = failure === undefined ? ask() : null;
    if (news === null) return;
    const [table, family, cells, bytes] = news;
    try {
      report({ table, family, cells, bytes });
    } catch (error) {
      failure = { error };
    }
  };
  const timer = setInterval(tell, INTERVAL_MS);
  try {
    await copy;
    tell();
  } finally {
    clearInterval(timer);
  }
  if (failure !== undefined) throw failure.error;
}

module.exports = { progressOf, watched };
