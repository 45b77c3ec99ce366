'use strict';
/** From opening a database to the end of the process: nothing hangs, and no acknowledged write is lost. */

const assert = require('node:assert/strict');
const { execFile } = require('node:child_process');
const { mkdtempSync, rmSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join } = require('node:path');
const { after, test } = require('node:test');
const { promisify } = require('node:util');
const { Worker, markAsUncloneable } = require('node:worker_threads');
const hjall = require('../lib/index.js');

const LIB = JSON.stringify(join(__dirname, '..', 'lib', 'index.js'));
const folders = [];
after(() => folders.forEach((folder) => rmSync(folder, { recursive: true, force: true })));

function folder() {
  folders.push(mkdtempSync(join(tmpdir(), 'hjall-lifetime-')));
  return folders.at(-1);
}

/**
 * Runs a program in a separate process and returns its output. If it hangs, node:test's time limit ends the test.
 */
async function program(body, ...args) {
  const text = `const hjall = require(${LIB}); const [folder] = process.argv.slice(1); (async () => { ${body} })();`;
  const { stdout } = await promisify(execFile)(process.execPath, ['-e', text, ...args]);
  return stdout.trim();
}

test('data exists after a folder is reopened', async () => {
  const path = folder();
  const db = await hjall.open(path, { encoding: 'utf8' });
  await db.createTable('t', ['f']);
  await db.table('t').put('r', { 'f:a': 'x' });
  await db.close();
  await db.close();
  const again = hjall.openSync(path, { encoding: 'utf8' });
  assert.equal(again.table('t').rowSync('r').string('f:a'), 'x');
  again.closeSync();
  again.closeSync();
});

test('the error names the reason why a folder cannot be opened', async () => {
  await assert.rejects(
    hjall.open('/proc/nowhere/db'),
    (error) => error instanceof hjall.StorageError && error.code === 'IO',
  );
  const path = folder();
  const db = await hjall.open(path);
  for (const options of [
    { cacheBytes: 1 << 20 },
    { rowCacheBytes: 1 << 20 },
    { writeBufferBytes: 1 << 20 },
    { catalogBytes: 1 << 20 },
    { durability: 'FSYNC_WAL' },
    { syncIntervalMs: 250 },
    { syncInterval: 250 },
  ])
    await assert.rejects(hjall.open(path, options), { code: 'INVALID_ARGUMENT' });
  const advice = /^LOCKED .*; to read it all the same, open it with `readOnly: true`, or use connect\(\)/;
  for (const call of ['hjall.openSync(folder)', 'await hjall.open(folder)'])
    assert.match(await program(`try { ${call} } catch (error) { console.log(error.code, error.message) }`, path), advice);
  await db.close();
});

test('durability is an option of the database', async () => {
  const path = folder();
  for (const options of [{ durability: 'FSYNC_WAL', syncIntervalMs: 0 }, { durability: 'SYNC_WAL', syncInterval: 250 }]) {
    const db = await hjall.open(path, { encoding: 'utf8', ...options });
    await db.close();
  }
  await assert.rejects(hjall.open(path, { durability: 'SKIP_WAL' }), /`durability`/);
  await assert.rejects(hjall.open(path, { syncIntervalMs: -1 }), /`syncIntervalMs`/);
  await assert.rejects(hjall.open(path, { syncInterval: -1 }), /`syncInterval`/);
  await assert.rejects(hjall.open(path, { syncInterval: 1, syncIntervalMs: 1 }), /the former name of `syncIntervalMs`/);
});

test('close completes pending calls', async () => {
  const db = hjall.openSync(folder(), { encoding: 'utf8' });
  db.createTableSync('t', ['f']);
  const table = db.table('t');
  const calls = Array.from({ length: 500 }, (_, i) => table.put(`r${i}`, { 'f:a': 'x' }));
  const gets = Array.from({ length: 500 }, (_, i) => table.row(`r${i}`));
  const scan = table.scan();
  const [first] = await Promise.all([scan.next(), ...calls, ...gets, db.close()]);
  assert.equal(typeof first.done, 'boolean');
  await assert.rejects(table.put('r', { 'f:a': 'x' }), { code: 'CLOSED' });
});

/** The rows of a table that are several blocks of a scan. */
const ROWS = 5000;

/** Creates tables with ROWS rows. */
function fill(db, ...tables) {
  for (const table of ['t', ...tables]) {
    db.createTableSync(table, ['f']);
    const batch = db.table(table).batch();
    for (let i = 0; i < ROWS; i += 1) batch.put(`r${i}`, { 'f:a': 'x'.repeat(300) });
    batch.writeSync();
  }
  return db;
}

/** Connects to a database with such tables. */
async function connected(t, ...tables) {
  const db = fill(hjall.memory({ encoding: 'utf8' }), ...tables);
  t.after(() => db.close());
  const { port } = await db.serve({ port: 0 });
  return await hjall.connect({ port, encoding: 'utf8' });
}

test('close completes calls of several steps that have begun', async (t) => {
  for (const [where, db] of [
    ['remote', await connected(t, 'u')],
    ['embedded', fill(hjall.openSync(folder(), { encoding: 'utf8' }), 'u')],
  ]) {
    const table = db.table('t');
    const scan = table.scan();
    const seen = [];
    const next = Array.from({ length: 4000 }, () => scan.next());
    const calls = [
      table.count({ onProgress: (rows) => seen.push(rows) }),
      table.scan().toArray().then((rows) => rows.length),
      // Not the table that the others read: they may reach its rows before the deletion or after it.
      db.table('u').deleteRows({ prefix: 'r1' }),
      Promise.all(next).then((all) => all.filter(({ done }) => !done).length),
    ];
    const closed = db.close();
    for (const later of [() => table.count(), () => table.deleteRows({ prefix: 'r' }), () => table.scan().toArray(), () => table.scan().next()])
      await assert.rejects(later(), { code: 'CLOSED' }, where);
    assert.deepEqual(await Promise.all(calls), [ROWS, ROWS, 1111, 4000], where);
    assert.ok(seen.length > 1, `${where}: the count has ${seen.length} steps`);
    await closed;
    await assert.rejects(scan.next().then(() => scan.toArray()), { code: 'CLOSED' }, where);
  }
});

test('a scan returns no further rows after close', async (t) => {
  for (const [where, db, remedy] of [
    ['remote', await connected(t), /the connection to .* has been closed: connect again/],
    ['embedded', fill(hjall.openSync(folder(), { encoding: 'utf8' })), /the database has been closed: open it again/],
  ]) {
    const begun = Array.from({ length: 3 }, () => db.table('t').scan());
    for (const scan of begun) assert.equal((await scan.next()).done, false, where);
    const sync = where === 'remote' ? undefined : db.table('t').scanSync();
    sync?.next();
    const closed = db.close();
    const denied = { code: 'CLOSED', message: remedy };
    const [next, block, array] = begun;
    await assert.rejects(next.next(), denied, where);
    await assert.rejects(block.nextBlock(), denied, where);
    await closed;
    await assert.rejects(array.toArray(), denied, where);
    await assert.rejects(db.table('t').row('r'), denied, where);
    if (sync !== undefined) assert.throws(() => sync.next(), denied);
  }
});

test('a call of several steps may close the database', async (t) => {
  const db = await connected(t);
  const closed = [];
  const counted = await db.table('t').count({ onProgress: () => closed.push(db.close()) });
  assert.equal(counted, ROWS);
  await Promise.all(closed);
  await assert.rejects(db.tables(), { code: 'CLOSED' });
});

test('closeSync ends calls of several steps', async (t) => {
  for (const db of [await connected(t), fill(hjall.memory({ encoding: 'utf8' }))]) {
    const counted = db.table('t').count();
    db.closeSync();
    await assert.rejects(counted, { code: 'CLOSED' });
  }
});

test('closeSync completes pending calls', async () => {
  const db = hjall.memory({ encoding: 'utf8' });
  db.createTableSync('t', ['f']);
  const calls = Array.from({ length: 100 }, (_, i) => db.table('t').put(`r${i}`, { 'f:a': 'x' }));
  db.closeSync();
  await Promise.all(calls);
});

test('disposing closes the database', async () => {
  const db = hjall.memory();
  await db[Symbol.asyncDispose]();
  assert.throws(() => db.tablesSync(), { code: 'CLOSED' });
  const other = hjall.memory();
  other[Symbol.dispose]();
  assert.throws(() => other.tablesSync(), { code: 'CLOSED' });
});

test('a program that awaits nothing ends, even if it did not close the database', async () => {
  const path = folder();
  const body = `const db = await hjall.open(folder, { encoding: 'utf8' }); await db.createTable('t', ['f']);
    await db.table('t').put('r', { 'f:a': 'x' }); const server = await db.serve({ port: 0 }); server.unref(); console.log('done');`;
  assert.equal(await program(body, path), 'done');
  const db = hjall.openSync(path, { encoding: 'utf8' });
  assert.equal(db.table('t').rowSync('r').string('f:a'), 'x');
  db.closeSync();
});

test('a server keeps the program running until it or its database is closed', async () => {
  const serving = `let db = hjall.memory({ encoding: 'utf8' }); db.createTableSync('t', ['f']);
    const { port } = await db.serve({ port: 0 });`;
  // Nothing else does: the timer does not, and the program keeps neither the database nor the server.
  const body = `let client; { ${serving} db = undefined;
      client = async () => (await hjall.connect({ port, encoding: 'utf8' })).table('t').put('r', { 'f:a': 'x' }); }
    gc(); let turns = 0; const later = () => {
      gc(); turns += 1;
      if (turns < 20) setTimeout(later, 1).unref();
      else client().then(() => console.log('served'), console.log).then(() => process.exit());
    }; later();`;
  assert.equal(await program(`require('node:v8').setFlagsFromString('--expose-gc');
    const gc = require('node:vm').runInNewContext('gc'); ${body}`), 'served');
  for (const end of ['await db.close()', 'db.closeSync()', 'await server.close()', 'server.closeSync()', 'server.unref()'])
    assert.equal(await program(`const db = hjall.memory(); const server = await db.serve({ port: 0 });
      server.unref(); server.ref(); ${end}; console.log('ended');`), 'ended', end);
  // A server that was closed has nothing to keep the process alive for; nor has one that begins while the database
  // ends.
  for (const end of ['await server.close(); server.ref()', 'const late = db.serve({ port: 0 }).catch(() => {}); await db.close(); await late'])
    assert.equal(await program(`const db = hjall.memory(); const server = await db.serve({ port: 0 });
      ${end}; console.log('ended');`), 'ended', end);
});

test('a pending call keeps the program running', async () => {
  const body = `const db = hjall.openSync(folder, { encoding: 'utf8' }); db.createTableSync('t', ['f']);
    for (let i = 0; i < 200; i += 1) db.table('t').put('r' + i, { 'f:a': 'x' }).then(() => { if (i === 199) console.log('all'); });`;
  assert.equal(await program(body, folder()), 'all');
});

test('writes acknowledged before process.exit are stored', async () => {
  const path = folder();
  const body = `const db = await hjall.open(folder, { encoding: 'utf8' }); await db.createTable('t', ['f']); const table = db.table('t');
    let done = 0; for (let i = 0; i < 1000; i += 1) table.put('r' + i, { 'f:a': 'x' }).then(() => { require('node:fs').writeSync(1, i + '\\n'); if ((done += 1) === 300) process.exit(0); });`;
  const acknowledged = (await program(body, path)).split('\n');
  assert.equal(acknowledged.length, 300);
  const db = hjall.openSync(path, { encoding: 'utf8' });
  for (const i of acknowledged) assert.ok(db.table('t').existsSync(`r${i}`), `row ${i} was acknowledged`);
  db.closeSync();
});

test('a program can exit while its store is stalled', async () => {
  const stalled = JSON.stringify(join(__dirname, 'stalling.js'));
  const body = `const { db, store } = require(${stalled}).stalling(); await db.createTable('t', ['f']); store.hold(false);
    db.table('t').put('r', { 'f:a': 'x' }); setImmediate(() => { console.log('ends'); process.exit(0); });`;
  assert.equal(await program(body), 'ends');
});

/** A worker that runs `body` with `db` open on the folder. `answer` resolves to the message that it posts. */
function worker(path, body) {
  const text = `const hjall = require(${LIB}); const { parentPort, workerData } = require('node:worker_threads');
    (async () => { const db = await hjall.open(workerData, { encoding: 'utf8' }); ${body} })();`;
  const made = new Worker(text, { eval: true, workerData: path });
  const answer = new Promise((resolve, reject) => {
    made.once('message', resolve);
    made.once('error', reject);
  });
  return { worker: made, answer, ended: new Promise((resolve) => made.once('exit', resolve)) };
}

test('workers share one engine', async () => {
  const path = folder();
  const db = await hjall.open(path, { encoding: 'utf8' });
  await db.createTable('t', ['f']);
  const body = `for (let i = 0; i < 250; i += 1) await db.table('t').increment('n', 'f:n');
    for (let i = 0; i < 250; i += 1) db.table('t').incrementSync('n', 'f:n'); parentPort.postMessage('done');`;
  const workers = Array.from({ length: 3 }, () => worker(path, body));
  await Promise.all(workers.map(({ answer }) => answer));
  assert.equal((await db.table('t').row('n')).long('f:n'), 1500);
  await Promise.all(workers.map(({ ended }) => ended));
  assert.equal((await db.table('t').row('n')).long('f:n'), 1500, 'the workers did not close the engine for others');
  await db.close();
});

test('objects with a database cannot be copied to a worker', { skip: markAsUncloneable === undefined }, async () => {
  const db = hjall.memory();
  const table = db.table('t');
  for (const one of [db, table, table.scan(), table.scanSync()]) {
    assert.throws(() => structuredClone(one), { name: 'DataCloneError' });
    assert.throws(() => new Worker('', { eval: true, workerData: { one } }), { name: 'DataCloneError' });
  }
  await db.close();
});

test('terminating a worker with pending calls does not affect others', async () => {
  const path = folder();
  const db = await hjall.open(path, { encoding: 'utf8' });
  await db.createTable('t', ['f']);
  const body = `for (let i = 0; i < 2000; i += 1) db.table('t').put('r' + i, { 'f:a': 'x' }); parentPort.postMessage('begun');
    for await (const row of db.table('t').scan()) row.values;`;
  for (let i = 0; i < 3; i += 1) {
    const { worker: made, answer } = worker(path, body);
    await answer;
    await made.terminate();
  }
  await db.table('t').put('after', { 'f:a': 'x' });
  assert.ok(await db.table('t').exists('after'));
  await db.close();
});

test('a database that is no longer referenced is closed when it is collected', async () => {
  const body = `let db = hjall.openSync(folder); db = undefined;
    for (let i = 0; i < 50; i += 1) { global.gc(); await new Promise(setImmediate); }
    hjall.openSync(folder, { cacheBytes: 1 << 20 }); console.log('opened with other options');`;
  const text = `const hjall = require(${LIB}); const [folder] = process.argv.slice(1); (async () => { ${body} })();`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--expose-gc', '-e', text, folder()]);
  assert.equal(stdout.trim(), 'opened with other options');
});

test('another process reads a folder that is being written', async () => {
  const path = folder();
  const db = await hjall.open(path, { encoding: 'utf8' });
  await db.createTable('t', ['f', 'g']);
  const read = `
    const db = await hjall.open(folder, { encoding: 'utf8', readOnly: true });
    const t = db.table('t');
    const refused = [];
    for (const change of [
      () => t.put('r', { 'f:a': 'changed' }),
      () => t.delete('r'),
      () => t.batch().put('r', { 'f:a': 'changed' }).write(),
      () => t.increment('r', 'f:n'),
      () => db.createTable('new', ['f']),
      () => db.disableTable('t'),
      () => db.flush('t'),
    ])
      await change().catch((error) => refused.push(error.code, /reading only.*opening for writing/.test(error.message)));
    const row = await t.row('r');
    await db.close();
    console.log(JSON.stringify([row.string('f:a'), row.string('g:a'), refused]));
  `;
  const refusals = Array.from({ length: 7 }, () => ['READ_ONLY', true]).flat();
  for (const value of ['1', '2']) {
    await db.table('t').put('r', { 'f:a': value, 'g:a': value });
    assert.deepEqual(JSON.parse(await program(read, path)), [value, value, refusals]);
  }
  const before = await hjall.open(path, { encoding: 'utf8', readOnly: true });
  await db.table('t').put('r', { 'f:a': '3' });
  assert.equal(before.table('t').rowSync('r').string('f:a'), '2');
  await before.close();
  await db.close();
  await assert.rejects(hjall.open(join(path, 'missing'), { readOnly: true }), { code: 'INVALID_ARGUMENT' });
});
