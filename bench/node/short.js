'use strict';
/** Time of single calls in µs: short scans, gets of a row that was overwritten many times, gets of named columns. */

const { COLUMNS, fill, hjallPeer, key } = require('./peers.js');

const ROWS = Number(process.env.ROWS ?? 100_000);
const CALLS = Number(process.env.CALLS ?? 2000);
const OVERWRITES = 10_000;
/** The columns of a wide row. */
const WIDE = 50;

const median = (all) => all.sort((a, b) => a - b)[all.length >> 1];
const shown = (us) => us.toFixed(2).padStart(9);

/** The median time of a call, in µs. Calls of less than a µs are timed in groups. */
async function time(call, group = 1) {
  const all = [];
  for (let i = 0; i < CALLS; i += 1) {
    const began = process.hrtime.bigint();
    for (let j = 0; j < group; j += 1) {
      const result = call(i * group + j);
      if (result instanceof Promise) await result;
    }
    all.push(Number(process.hrtime.bigint() - began) / 1000 / group);
  }
  return median(all);
}

function timeSync(call, group) {
  return time((i) => void call(i), group);
}

async function scans({ table }) {
  console.log(`\nscans of ${ROWS.toLocaleString('en')} rows of ${COLUMNS.length} cells, from a new place each time (µs)`);
  const start = (i) => Buffer.from(key((i * 7919) % ROWS));
  const first = async (scan) => {
    await scan.next();
    scan.close();
  };
  const firstSync = (scan) => {
    scan.next();
    scan.close();
  };
  for (const [name, sync, promise] of [
    ['the first row', (i) => firstSync(table.scanSync({ start: start(i) })), (i) => first(table.scan({ start: start(i) }))],
    ['limit 10', (i) => table.scanSync({ start: start(i), limit: 10 }).toArray(), (i) => table.scan({ start: start(i), limit: 10 }).toArray()],
    ['reverse, limit 1', (i) => table.scanSync({ start: start(i), reverse: true, limit: 1 }).toArray(), (i) => table.scan({ start: start(i), reverse: true, limit: 1 }).toArray()],
  ])
    console.log(`  ${name.padEnd(34)}scanSync${shown(await timeSync(sync))}   scan${shown(await time(promise))}`);
}

async function overwritten({ db, table }) {
  const row = Buffer.from('overwritten');
  table.putSync(row, { 'f:a': Buffer.from('0') });
  const get = () => table.rowSync(row);
  const before = await timeSync(get, 20);
  for (let i = 0; i < OVERWRITES; i += 1) table.putSync(row, { 'f:a': Buffer.from(String(i)) });
  const after = await timeSync(get, 20);
  await db.flush('t');
  const flushed = await timeSync(get, 20);
  console.log(`\nrowSync of one row with one cell (µs)`);
  console.log(`  written once${shown(before)}   after ${OVERWRITES.toLocaleString('en')} overwrites${shown(after)}   and a flush${shown(flushed)}`);
}

async function named({ table }) {
  const wide = Buffer.from('wide');
  table.putSync(wide, Object.fromEntries(Array.from({ length: WIDE }, (_, i) => [`f:q${i}`, Buffer.from('value')])));
  const small = Buffer.from(key(7));
  console.log('\nrowSync of named columns beside the whole row (µs)');
  for (const [name, row, columns] of [
    [`1 of ${COLUMNS.length} columns`, small, [COLUMNS[2]]],
    [`1 of ${WIDE} columns`, wide, ['f:q7']],
    ['the family', small, ['f']],
  ]) {
    const whole = await timeSync(() => table.rowSync(row), 20);
    const part = await timeSync(() => table.rowSync(row, { columns }), 20);
    console.log(`  ${name.padEnd(34)}${shown(part)}   whole row${shown(whole)}   ${(part / whole).toFixed(2)} ×`);
  }
}

async function main() {
  const peer = await hjallPeer();
  await fill(peer, ROWS);
  await peer.settle();
  await scans(peer);
  await overwritten(peer);
  await named(peer);
  await peer.close();
}

main();
