'use strict';
/**
 * Delay of setImmediate in ms during a full scan and a major compaction, compared with an idle process, and the longest
 * turn of the event loop during single calls that move much data.
 */


const { existsSync, readFileSync } = require('node:fs');
const { PerformanceObserver } = require('node:perf_hooks');
const { fill, hjallPeer } = require('./peers.js');

const ROWS = Number(process.env.ROWS ?? 200_000);
const SECONDS = Number(process.env.SECONDS ?? 8);

const at = (sorted, share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];

/** Measures the delay between setImmediate and its callback until `over` returns true. */
async function delays(over) {
  const all = [];
  while (!over()) {
    const asked = performance.now();
    await new Promise(setImmediate);
    all.push(performance.now() - asked);
    // Without this pause, the event loop would do nothing but measure.
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  return all.sort((a, b) => a - b);
}

function print(title, all) {
  const shown = [0.5, 0.99, 0.999].map((share) => at(all, share).toFixed(2));
  console.log(`  ${title.padEnd(44)} p50 ${shown[0]}  p99 ${shown[1]}  p99.9 ${shown[2]}  worst ${all.at(-1).toFixed(2)}   (${all.length} times)`);
}

/** Calls that move much data: [what, function that makes the calls, function that prepares their argument]. */
function longCalls({ db, table }) {
  const key = Buffer.from('long');
  const many = Array.from({ length: 100_000 }, (_, i) => Buffer.from(`many${i}`));
  const value = Buffer.from('a value of 20 bytes.');
  const data = { 'f:a': value };
  const cells = Object.fromEntries(Array.from({ length: 100_000 }, (_, i) => [`f:q${i}`, value]));
  const large = { 'f:large': Buffer.alloc(10_000_000, 'x') };
  const rows = many.slice(0, 200);
  const wide = { 'f:w': Buffer.alloc(100_000, 'x') };
  const filled = (keys, columns) => () => {
    const batch = table.batch();
    for (const row of keys) batch.put(row, columns);
    return batch;
  };
  const write = (batch) => batch.write();
  return [
    ['put of 100,000 rows, not awaited one by one', () => Promise.all(many.map((row) => table.put(row, data)))],
    ['an empty async function, 100,000 times', () => Promise.all(many.map(async (row) => row))],
    ['row of 100,000 rows, not awaited one by one', () => Promise.all(many.map((row) => table.row(row)))],
    ['rows of 100,000 keys', () => table.rows(many)],
    ['write of a batch of 100,000 rows', write, filled(many, data)],
    ['put of 100,000 cells', () => table.put(key, cells)],
    ['row of 100,000 cells', () => table.row(key)],
    ['put of a value of 10 MB', () => table.put(key, large)],
    ['row with a value of 10 MB', () => table.row(key, { columns: 'f:large' })],
    ['write of a batch of 200 values of 100 kB', write, filled(rows, wide)],
    ['rows with 200 values of 100 kB', () => table.rows(rows)],
    ['scan of 200 values of 100 kB', () => table.scan({ columns: 'f:w' }).toArray()],
    ['flush', () => db.flush('t')],
  ];
}

const SCHEDULED = `/proc/self/task/${process.pid}/schedstat`;

/**
 * The time of this thread in ms: on Linux that of the processor, which does not count other programs' turns on a busy
 * machine, otherwise that of a clock.
 */
const threadTime = existsSync(SCHEDULED) ? () => Number(readFileSync(SCHEDULED, 'latin1').split(' ')[0]) / 1e6 : () => performance.now();

/** The times at which V8 collected garbage. */
const collections = [];
new PerformanceObserver((list) => collections.push(...list.getEntries().map((entry) => entry.startTime))).observe({ entryTypes: ['gc'] });

/**
 * The turns of the event loop during a call: the first, in which the program makes it, the longest of the others, and
 * the longest in which V8 did not collect garbage.
 */
async function longestTurn(call, argument) {
  const turns = [];
  let [isOver, last, lastAt] = [false, 0, 0];
  const turn = () => {
    const [now, at] = [threadTime(), performance.now()];
    turns.push({ time: now - last, from: lastAt, to: at });
    [last, lastAt] = [now, at];
    if (!isOver) setImmediate(turn);
  };
  await new Promise(setImmediate);
  collections.length = 0;
  const [began, beganAll] = [threadTime(), performance.now()];
  const called = call(argument);
  [last, lastAt] = [threadTime(), performance.now()];
  setImmediate(turn);
  const first = last - began;
  await called;
  isOver = true;
  const all = performance.now() - beganAll;
  // The observer is called later.
  await new Promise((resolve) => setTimeout(resolve, 20));
  const isQuiet = ({ from, to }) => !collections.some((at) => at >= from && at <= to);
  const longest = (some) => some.reduce((most, { time }) => Math.max(most, time), 0);
  return [first, longest(turns), longest(turns.filter(isQuiet)), all];
}

async function longTurns(peer) {
  console.log('\nturns of the event loop during single calls, in ms (goal: < 10)');
  for (const [what, call, prepare = () => {}] of longCalls(peer)) {
    // The second time, functions are compiled.
    await call(prepare());
    const [first, longest, quiet, all] = (await longestTurn(call, prepare())).map((ms) => ms.toFixed(1).padStart(6));
    console.log(`  ${what.padEnd(44)} making the call ${first}   longest turn after it ${longest}   without garbage collection ${quiet}   all ${all}`);
  }
}

async function main() {
  const peer = await hjallPeer();
  await fill(peer, ROWS);
  console.log(`delay of setImmediate in ms; ${ROWS.toLocaleString('en')} rows of 5 cells (goal: p99 < 5)`);
  const later = (seconds) => {
    const until = performance.now() + seconds * 1000;
    return () => performance.now() >= until;
  };
  print('idle', await delays(later(2)));
  const over = later(SECONDS);
  let cells = 0;
  let compactions = 0;
  const scanning = (async () => {
    while (!over()) {
      for await (const row of peer.table.scan()) {
        for (const column in row.values) cells += Number(row.values[column].length > 0);
        if (over()) break;
      }
    }
  })();
  const compacting = (async () => {
    while (!over()) {
      await fill(peer, 2000);
      await peer.db.flush('t');
      await peer.settle();
      compactions += 1;
    }
  })();
  print('a full scan (for await) and a compaction', await delays(over));
  await Promise.all([scanning, compacting]);
  console.log(`  meanwhile: ${Math.round(cells / SECONDS).toLocaleString('en')} cells/s scanned, ${compactions} major compactions`);
  await longTurns(peer);
  await peer.close();
}

main();
