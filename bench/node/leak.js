'use strict';
/**
 * Resident and JavaScript heap memory, in MB, over ten million calls of all kinds. Run with --expose-gc to
 * exclude garbage.
 */

const { key } = require('./peers.js');
const hjall = require('../../node/lib/index.js');

const CALLS = Number(process.env.CALLS ?? 10_000_000);
const ROWS = 1000;
const STEPS = 10;

async function main() {
  const db = hjall.memory({ encoding: 'utf8' });
  db.createTableSync('t', ['f']);
  const table = db.table('t');
  for (let i = 0; i < ROWS; i += 1) table.putSync(key(i), { 'f:a': `value ${i}`, 'f:n': hjall.long(i) });
  const at = (i) => key(i % ROWS);
  let calls = 0;
  /** One round: 90 % gets, synchronous and asynchronous; abandoned scans, errors, aborts, writes. */
  const round = async () => {
    for (let i = 0; i < 4500; i += 1) table.rowSync(at(i)).string('f:a');
    const gets = [];
    for (let i = 0; i < 4500; i += 1) gets.push(table.row(at(i)));
    for (const row of await Promise.all(gets)) row.long('f:n');
    for (let i = 0; i < 200; i += 1) table.putSync(at(i), { 'f:a': `value ${i}` }, { timestamp: 5 });
    await Promise.all(Array.from({ length: 200 }, (_, i) => table.put(at(i), { 'f:a': `value ${i}` }, { timestamp: 5 })));
    for (let i = 0; i < 100; i += 1) for await (const _ of table.scan({ limit: 100 })) break;
    await Promise.all(Array.from({ length: 200 }, () => db.table('none').row('r').catch(() => {})));
    const aborted = Array.from({ length: 300 }, (_, i) => {
      const controller = new AbortController();
      const call = table.row(at(i), { signal: controller.signal }).catch(() => {});
      if (i % 2 === 0) controller.abort();
      return call;
    });
    await Promise.all(aborted);
    calls += 10_000;
  };
  const memory = () => {
    global.gc?.();
    const { rss, heapUsed, external, arrayBuffers } = process.memoryUsage();
    const mb = (bytes) => (bytes / 1e6).toFixed(1).padStart(8);
    console.log(`  ${calls.toLocaleString('en').padStart(12)} calls   resident${mb(rss)}   heap${mb(heapUsed)}   outside${mb(external + arrayBuffers)}`);
  };
  console.log('memory in MB');
  await round();
  memory();
  for (let step = 1; step <= STEPS; step += 1) {
    while (calls < (CALLS * step) / STEPS) await round();
    memory();
  }
  await db.close();
}

main();
