'use strict';
/** Runs a random program on two databases, step by step, and reports the first difference with the steps before it. */
const { Program } = require('./program.js');
const { outcome } = require('./shown.js');

const LAST = 12;
const AROUND = 60;

/** The position at which two texts begin to differ, with its surroundings. */
function firstDifference(a, b) {
  let at = 0;
  while (a[at] === b[at]) at += 1;
  return `"${a.slice(Math.max(0, at - AROUND), at)}": "${a.slice(at, at + AROUND)}" here, "${b.slice(at, at + AROUND)}" there`;
}

/**
 * Two writes without a timestamp in the same millisecond are one version, otherwise two. Therefore each step runs in a
 * different millisecond, on both databases.
 */
async function nextMillisecond() {
  const now = Date.now();
  while (Date.now() <= now) await new Promise(setImmediate);
}

/**
 * @param {number} seed
 * @param {number} steps
 * @param {[object, object]} databases each with an empty table of that name and `Program.families`
 * @param {{ name: string, tables?: boolean, masked?: (text: string) => string }} options `masked` removes from
 * answers what may differ
 * @returns {Promise<string | undefined>} the difference
 */
async function compared(seed, steps, [one, other], { name, tables, masked = (text) => text }) {
  const program = new Program(seed, { tables });
  const log = [];
  for (let i = 0; i < steps; i += 1) {
    const step = program.step();
    const [a, b] = [await outcome(() => step.run(one, name)), await outcome(() => step.run(other, name))];
    log.push(`  ${step.text}\n    → ${a}`);
    if (masked(a) !== masked(b))
      return `seed ${seed}, step ${i}:\n${log.slice(-LAST).join('\n')}\n  other → ${b}\n  they differ after ${firstDifference(masked(a), masked(b))}`;
    await nextMillisecond();
  }
  return undefined;
}

module.exports = { compared };
