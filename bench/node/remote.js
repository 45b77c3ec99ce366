'use strict';
/** Calls per second on a server in another process, by the number of connections and of calls on each. */

const { fork } = require('node:child_process');
const { once } = require('node:events');
const hjall = require('../../node/lib/index.js');

const ROUNDS = Number(process.env.ROUNDS ?? 5);
const ROUND_MS = Number(process.env.ROUND_MS ?? 1000);
/** The number of calls that the program makes at a time. */
const CALLERS = Number(process.env.CALLERS ?? 64);
const ROWS = 10_000;
/** [connectionsMax, callsPerConnection] */
const POOLS = [
  [1, 1],
  [1, 8],
  [1, 64],
  [8, 1],
  [8, 8],
  [64, 1],
];

const key = (i) => `row${String(i % ROWS).padStart(8, '0')}`;
const CALLS = {
  get: (table, i) => table.row(key(i * 7919)),
  put: (table, i) => table.put(key(i * 7919), { 'f:q': 'a value of a few bytes' }),
};

async function serve() {
  const db = hjall.memory();
  await db.createTable('t', ['f']);
  const { port } = await db.serve({ port: 0 });
  process.send(port);
  process.once('disconnect', () => db.close());
}

/** Calls per second of `CALLERS` callers, each of which awaits its call before it makes the next. */
async function rate(call, table) {
  const until = performance.now() + ROUND_MS;
  let calls = 0;
  const caller = async () => {
    while (performance.now() < until) await call(table, (calls += 1));
  };
  await Promise.all(Array.from({ length: CALLERS }, caller));
  return (calls * 1000) / ROUND_MS;
}

const median = (all) => all.sort((a, b) => a - b)[all.length >> 1];

async function main() {
  const server = fork(__filename, ['serve']);
  const [port] = await once(server, 'message');
  const pools = await Promise.all(
    POOLS.map(async ([connectionsMax, callsPerConnection]) => ({
      name: `${connectionsMax} × ${callsPerConnection}`,
      db: await hjall.connect({ port, encoding: 'utf8', connectionsMax, callsPerConnection, idleMs: 3_600_000 }),
      rates: Object.fromEntries(Object.keys(CALLS).map((name) => [name, []])),
    })),
  );
  const filled = pools[0].db.table('t').batch();
  for (let i = 0; i < ROWS; i += 1) filled.put(key(i), { 'f:q': 'a value of a few bytes' });
  await filled.write();
  // All pools in each round, so that other load on the machine concerns them alike. The first round warms up.
  for (let round = 0; round <= ROUNDS; round += 1)
    for (const { db, rates } of pools)
      for (const [name, call] of Object.entries(CALLS)) {
        const measured = await rate(call, db.table('t'));
        if (round > 0) rates[name].push(measured);
      }
  console.log(`calls/s of ${CALLERS} callers at a time, by connections × calls on each; medians of ${ROUNDS} rounds`);
  for (const { name, rates } of pools) {
    const shown = Object.entries(rates).map(([call, all]) => `${call} ${Math.round(median(all)).toLocaleString('en').padStart(9)}`);
    console.log(`  ${name.padEnd(8)} ${shown.join('   ')}`);
  }
  for (const { db } of pools) await db.close();
  server.disconnect();
}

if (process.argv[2] === 'serve') serve();
else main();
