'use strict';
/** hjall and the databases it is compared with, loaded with the same rows: a key and five small values. */

const { mkdtempSync, rmSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join } = require('node:path');
const hjall = require('../../node/lib/index.js');

const COLUMNS = ['f:city', 'f:mail', 'f:name', 'f:phone', 'f:street'];
const PER_BATCH = 1000;

/** The i-th key. Keys are hashed, so rows are inserted in random order. */
function key(i) {
  return `user${String((i * 7_919_999) % 100_000_007).padStart(9, '0')}`;
}

/** The value of a cell, 20 bytes. */
function value(i, column) {
  return Buffer.from(`${column}-${i}`.padEnd(20, '.').slice(0, 20));
}

const cellsOf = (i) => Object.fromEntries(COLUMNS.map((column) => [column, value(i, column)]));

function folder(name) {
  const path = mkdtempSync(join(tmpdir(), `hjall-bench-${name}-`));
  process.on('exit', () => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** hjall: a row of five cells. */
async function hjallPeer() {
  const db = hjall.openSync(folder('hjall'));
  db.createTableSync('t', ['f']);
  const table = db.table('t');
  return {
    name: 'hjall',
    db,
    table,
    keys: (i) => Buffer.from(key(i)),
    putMany: async (from, to) => {
      const batch = table.batch();
      for (let i = from; i < to; i += 1) batch.put(Buffer.from(key(i)), cellsOf(i));
      await batch.write();
    },
    settle: () => db.compact('t', { major: true }),
    getSync: (k) => table.rowSync(k).values['f:name'],
    get: (k) => table.row(k),
    scan: async () => {
      let cells = 0;
      const scan = table.scan();
      for (let block = await scan.nextBlock(); block.length > 0; block = await scan.nextBlock()) {
        for (const row of block) for (const column in row.values) cells += Number(row.values[column].length > 0);
      }
      return cells;
    },
    scanByRow: async () => {
      let cells = 0;
      for await (const row of table.scan()) for (const column in row.values) cells += Number(row.values[column].length > 0);
      return cells;
    },
    close: () => db.close(),
  };
}

/** classic-level: one value per key, as long as the five together. */
async function levelPeer() {
  const { ClassicLevel } = require('classic-level');
  const db = new ClassicLevel(folder('level'), { keyEncoding: 'buffer', valueEncoding: 'buffer' });
  await db.open();
  return {
    name: 'classic-level',
    keys: (i) => Buffer.from(key(i)),
    putMany: (from, to) => {
      const batch = db.batch();
      for (let i = from; i < to; i += 1) batch.put(Buffer.from(key(i)), Buffer.concat(COLUMNS.map((c) => value(i, c))));
      return batch.write();
    },
    settle: () => db.compactRange(Buffer.from('a'), Buffer.from('z')),
    getSync: (k) => db.getSync(k),
    get: (k) => db.get(k),
    scan: async () => {
      let values = 0;
      const iterator = db.iterator();
      for (let some = await iterator.nextv(1000); some.length > 0; some = await iterator.nextv(1000)) {
        for (const [, bytes] of some) values += Number(bytes.length > 0);
      }
      await iterator.close();
      return values;
    },
    close: () => db.close(),
  };
}

/** classic-level with a key and a value for each cell, as much as hjall stores. Only for batches. */
async function levelCellsPeer() {
  const { ClassicLevel } = require('classic-level');
  const db = new ClassicLevel(folder('level-cells'), { keyEncoding: 'buffer', valueEncoding: 'buffer' });
  await db.open();
  return {
    name: 'classic-level, a key per cell',
    putMany: (from, to) => {
      const batch = db.batch();
      for (let i = from; i < to; i += 1) {
        const row = key(i);
        for (const column of COLUMNS) batch.put(Buffer.from(`${row}${column}`), value(i, column));
      }
      return batch.write();
    },
    close: () => db.close(),
  };
}

/**
 * fjall alone, the store below hjall, in a Rust process that makes and commits the same batches on request. `stored`:
 * `cells` for the keys and values that hjall stores, `rows` for one value per key, as classic-level. Only for batches.
 */
async function fjallPeer(stored) {
  const { spawn } = require('node:child_process');
  const { createInterface } = require('node:readline');
  const child = spawn(process.env.HJALL_BENCH, ['batches', '--stored', stored], { stdio: ['pipe', 'pipe', 'inherit'] });
  const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    name: stored === 'cells' ? 'fjall alone, a key per cell' : 'fjall alone, a key per row',
    putMany: async (from, to) => {
      child.stdin.write(`${from} ${to}\n`);
      if ((await answers.next()).done) throw new Error('hjall-bench has ended');
    },
    close: async () => child.stdin.end(),
  };
}

/** better-sqlite3: a row of five columns. It has no asynchronous API. */
async function sqlitePeer() {
  const Database = require('better-sqlite3');
  const db = new Database(join(folder('sqlite'), 'db'));
  db.pragma('journal_mode = WAL');
  db.pragma('synchronous = NORMAL');
  db.exec('create table t (k blob primary key, city blob, mail blob, name blob, phone blob, street blob) without rowid');
  const insert = db.prepare('insert into t values (?, ?, ?, ?, ?, ?)');
  const select = db.prepare('select city, mail, name, phone, street from t where k = ?');
  const all = db.prepare('select * from t');
  return {
    name: 'better-sqlite3',
    keys: (i) => Buffer.from(key(i)),
    putMany: async (from, to) => {
      db.transaction(() => {
        for (let i = from; i < to; i += 1) insert.run(Buffer.from(key(i)), ...COLUMNS.map((c) => value(i, c)));
      })();
    },
    settle: async () => {},
    getSync: (k) => select.get(k).name,
    scan: async () => {
      let cells = 0;
      for (const row of all.iterate()) for (const column in row) cells += Number(column !== 'k' && row[column].length > 0);
      return cells;
    },
    close: async () => db.close(),
  };
}

/** lmdb: one value per key, an object with five properties. Its reads are synchronous, from mapped memory. */
async function lmdbPeer() {
  const { open } = require('lmdb');
  const db = open({ path: folder('lmdb'), keyEncoding: 'binary' });
  return {
    name: 'lmdb',
    keys: (i) => Buffer.from(key(i)),
    putMany: async (from, to) => {
      const done = [];
      for (let i = from; i < to; i += 1) done.push(db.put(Buffer.from(key(i)), cellsOf(i)));
      await Promise.all(done);
    },
    settle: async () => {},
    getSync: (k) => db.get(k)['f:name'],
    scan: async () => {
      let cells = 0;
      for (const { value: row } of db.getRange({})) for (const column in row) cells += Number(row[column].length > 0);
      return cells;
    },
    close: () => db.close(),
  };
}

/** Fills a peer with the rows 0 … count; returns cells per second. */
async function fill(peer, count) {
  const began = performance.now();
  for (let i = 0; i < count; i += PER_BATCH) await peer.putMany(i, Math.min(i + PER_BATCH, count));
  return (count * COLUMNS.length * 1000) / (performance.now() - began);
}

module.exports = { COLUMNS, PER_BATCH, fill, fjallPeer, hjallPeer, key, levelCellsPeer, levelPeer, lmdbPeer, sqlitePeer };
