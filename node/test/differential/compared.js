'use strict';
/** A random program on two databases, step by step: the first difference is reported with what led to it. */
const { Program } = require('./program.js');
const { outcome } = require('./shown.js');

const LAST = 12;
const AROUND = 60;

/** Where two texts begin to differ. */
function parting(a, b) {
  let at = 0;
  while (a[at] === b[at]) at += 1;
  return `"${a.slice(Math.max(0, at - AROUND), at)}": "${a.slice(at, at + AROUND)}" here, "${b.slice(at, at + AROUND)}" there`;
}

/** Two writes without a time in one millisecond are one version, in two they are two: so that both databases see the same, each step has its own. */
async function nextMillisecond() {
  const now = Date.now();
  while (Date.now() <= now) await new Promise(setImmediate);
}

/**
 * @param {number} seed
 * @param {number} steps
 * @param {[object, object]} databases each with an empty table of that name and `Program.families`
 * @param {{ name: string, tables?: boolean, masked?: (text: string) => string }} options `masked`: answers without what may differ
 * @returns {Promise<string | undefined>} the difference
 */
async function compared(seed, steps, [one, other], { name, tables, masked = (text) => text }) {
  const program = new Program(seed, { tables });
  const said = [];
  for (let i = 0; i < steps; i += 1) {
    const step = program.step();
    const [a, b] = [await outcome(() => step.run(one, name)), await outcome(() => step.run(other, name))];
    said.push(`  ${step.text}\n    → ${a}`);
    if (masked(a) !== masked(b)) return `seed ${seed}, step ${i}:\n${said.slice(-LAST).join('\n')}\n  other → ${b}\n  they part at ${parting(masked(a), masked(b))}`;
    await nextMillisecond();
  }
  return undefined;
}

module.exports = { compared };
