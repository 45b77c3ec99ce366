'use strict';
/**
 * Compares gets, batch puts and scans with classic-level, better-sqlite3 and lmdb, alternating in one process, and
 * batch puts also with fjall alone in a process of its own. Prints medians and ratios.
 */

const { COLUMNS, PER_BATCH, fjallPeer, hjallPeer, levelCellsPeer, levelPeer, lmdbPeer, sqlitePeer } = require('./peers.js');

const ROWS = Number(process.env.ROWS ?? 100_000);
const ROUNDS = Number(process.env.ROUNDS ?? 5);
const ROUND_MS = Number(process.env.ROUND_MS ?? 500);
/** Number of concurrent gets if promises are not awaited one by one. */
const AT_ONCE = 100;
/** Number of scans that are open at the same time. */
const SCANS = 500;

const median = (all) => all.sort((a, b) => a - b)[all.length >> 1];
const shown = (n) => Math.round(n).toLocaleString('en').padStart(11);

/** CPU time per call in nanoseconds, by peer. On a busy machine, it varies less than calls per second. */
const cpu = new Map();

/** Runs `step(i)` for one round; returns calls per second. */
function rateSync(name, step) {
  const before = process.cpuUsage();
  const until = performance.now() + ROUND_MS;
  const began = performance.now();
  let n = 0;
  while (performance.now() < until) {
    for (let i = 0; i < 200; i += 1) step(n + i);
    n += 200;
  }
  const { user, system } = process.cpuUsage(before);
  cpu.set(name, [...(cpu.get(name) ?? []), ((user + system) * 1000) / n]);
  return (n * 1000) / (performance.now() - began);
}

async function rate(step, each) {
  const began = performance.now();
  const until = began + ROUND_MS;
  let n = 0;
  while (performance.now() < until) {
    await step(n);
    n += each;
  }
  return (n * 1000) / (performance.now() - began);
}

/** How many times as fast as the others hjall is. */
function ratios(rates) {
  const others = [...rates].filter(([name]) => name !== 'hjall');
  return others.map(([name, rate]) => `${(rates.get('hjall') / rate).toFixed(2)} × ${name}`).join('   ');
}

/** Prints rates, and what hjall's is beside the others. */
function print(title, rates, unit) {
  console.log(`\n${title}`);
  for (const [name, rate] of rates) console.log(`  ${name.padEnd(16)}${shown(rate)}${unit}   ${name === 'hjall' ? ratios(rates) : ''}`);
}

/** Measures all peers that support an operation, alternating; prints the medians of the rounds. */
async function compare(title, peers, can, measure) {
  const able = peers.filter(can);
  const rates = new Map(able.map((peer) => [peer.name, []]));
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const peer of able) rates.get(peer.name).push(await measure(peer));
  }
  print(title, new Map([...rates].map(([name, all]) => [name, median(all)])), '/s');
}

/** Fills all peers alternately, batch by batch; prints the medians. */
async function fillAll(peers) {
  const rates = new Map(peers.map((peer) => [peer.name, []]));
  for (let i = 0; i < ROWS; i += PER_BATCH)
    for (const peer of peers) {
      const began = performance.now();
      await peer.putMany(i, i + PER_BATCH);
      rates.get(peer.name).push((PER_BATCH * COLUMNS.length * 1000) / (performance.now() - began));
    }
  print(`batch put, ${PER_BATCH} rows a batch (cells)`, new Map([...rates].map(([name, all]) => [name, median(all)])), '/s');
}

/** What a program pays that reads one row of a scan, and what scans cost that stay open. */
async function scansOpened(table) {
  const first = [];
  for (let i = 0; i < 200; i += 1) {
    const began = performance.now();
    const scan = table.scan();
    await scan.next();
    first.push((performance.now() - began) * 1000);
    scan.close();
  }
  const sync = [];
  for (let i = 0; i < 200; i += 1) {
    const scan = table.scanSync();
    const began = performance.now();
    scan.next();
    sync.push((performance.now() - began) * 1000);
    scan.return();
  }
  const before = process.memoryUsage().rss;
  const open = Array.from({ length: SCANS }, () => table.scan());
  for (const scan of open) await scan.next();
  const each = (process.memoryUsage().rss - before) / SCANS / 1024;
  for (const scan of open) scan.close();
  console.log('\nscans of hjall');
  console.log(`  first row         ${median(first).toFixed(1)} µs, sync ${median(sync).toFixed(1)} µs`);
  console.log(`  an open scan      ${Math.max(0, each).toFixed(0)} KiB of resident memory, of ${SCANS} (with the next block, which is read ahead)`);
}

async function main() {
  const peers = [await hjallPeer(), await levelPeer(), await sqlitePeer(), await lmdbPeer()];
  console.log(`${ROWS.toLocaleString('en')} rows of ${COLUMNS.length} cells with 20 bytes each; classic-level and lmdb: one value of a key`);
  const onlyBatches = [await levelCellsPeer(), await fjallPeer('cells'), await fjallPeer('rows')];
  await fillAll([...peers, ...onlyBatches]);
  for (const peer of onlyBatches) await peer.close();
  for (const peer of peers) await peer.settle();
  const keys = Array.from({ length: 8192 }, (_, i) => peers[0].keys((i * 104_729) % ROWS));
  const at = (i) => keys[i & 8191];
  // The first reads of a row come from files, and the second fills the row cache. On a busy machine, they would be most
  // of those that are measured.
  for (const { getSync } of peers) for (let pass = 0; pass < 3; pass += 1) keys.forEach(getSync);

  await compare('get of a row, sync', peers, (peer) => peer.getSync, (peer) => rateSync(peer.name, (i) => peer.getSync(at(i))));
  const cost = new Map([...cpu].map(([name, all]) => [name, median(all)]));
  for (const [name, ns] of cost) console.log(`  ${name.padEnd(16)}${shown(ns)} ns of CPU a get   ${(cost.get('classic-level') / ns).toFixed(2)} × classic-level`);
  await compare('get of a row, promise, one after the other', peers, (peer) => peer.get, (peer) => rate((i) => peer.get(at(i)), 1));
  await compare(`get of a row, promise, ${AT_ONCE} at once`, peers, (peer) => peer.get, (peer) =>
    rate(async (n) => {
      const some = [];
      for (let i = 0; i < AT_ONCE; i += 1) some.push(peer.get(at(n + i)));
      await Promise.all(some);
    }, AT_ONCE),
  );
  console.log('\nscan of everything (cells to JavaScript objects; classic-level: values)');
  for (const peer of peers) {
    for (const [name, scan] of [['', peer.scan], [', row by row', peer.scanByRow]]) {
      if (scan === undefined) continue;
      const rates = [];
      for (let round = 0; round < 3; round += 1) {
        const began = performance.now();
        rates.push(((await scan()) * 1000) / (performance.now() - began));
      }
      console.log(`  ${(peer.name + name).padEnd(24)}${shown(median(rates))}/s`);
    }
  }
  await scansOpened(peers[0].table);
  for (const peer of peers) await peer.close();
}

main();
