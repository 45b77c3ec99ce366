'use strict';
/** Delay of setImmediate in ms during a full scan and a major compaction, compared with an idle process. */

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
  await peer.close();
}

main();
