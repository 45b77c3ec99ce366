'use strict';
/**
 * The package's work in one turn of the event loop is bounded: calls beyond it begin in later turns, and wide rows are
 * converted over several. Work is counted, not timed.
 */

const assert = require('node:assert/strict');
const { channel } = require('node:diagnostics_channel');
const { after, before, test } = require('node:test');
const { setFlagsFromString } = require('node:v8');
const { runInNewContext } = require('node:vm');
const hjall = require('../lib/index.js');
const { later } = require('../lib/turns.js');
const { turns } = require('./turns.js');

/** More calls than one turn makes. */
const CALLS = 6000;
/** The most calls that begin in one turn: those that waited, and new ones. */
const CALLS_OF_TURN = 1000;
/** The cells of a wide row, and the most that are converted in one turn. */
const WIDE = 12_000;
const CELLS_OF_TURN = 4000;

const key = (i) => `row${String(i).padStart(5, '0')}`;
const COLUMNS = Array.from({ length: WIDE }, (_, i) => `f:q${String(i).padStart(5, '0')}`);
const wide = (value) => Object.fromEntries(COLUMNS.map((column) => [column, value]));

let db;
let table;
let remote;
before(async () => {
  db = hjall.memory({ encoding: 'utf8' });
  await db.createTable('t', { f: { versions: 1 } });
  table = db.table('t');
  const { port } = await db.serve({ port: 0 });
  remote = await hjall.connect({ port, encoding: 'utf8' });
});
after(async () => {
  await remote.close();
  await db.close();
});

/** Defines a test for the table in this process, and for the same one through a connection. */
function testBoth(name, body) {
  test(name, () => body(table));
  test(`${name}, remotely`, () => body(remote.table('t')));
}

/** The most calls that began in one turn of the event loop while `work` ran. */
async function mostOfTurn(work) {
  let [most, count] = [0, 0];
  const begun = () => {
    if (count === 0)
      setImmediate(() => {
        most = Math.max(most, count);
        count = 0;
      });
    count += 1;
  };
  const started = channel('tracing:hjall:call:start');
  started.subscribe(begun);
  try {
    await work();
  } finally {
    started.unsubscribe(begun);
  }
  return most;
}

testBoth('calls that the program makes in one turn begin in several', async (on) => {
  const row = Buffer.alloc(5);
  const value = Buffer.alloc(5);
  const data = { 'f:q': value };
  const most = await mostOfTurn(() => {
    const calls = [];
    for (let i = 0; i < CALLS; i += 1) {
      row.write(String(i).padStart(5, '0'));
      value.write(String(i).padStart(5, '0'));
      calls.push(on.put(row, data));
    }
    // What was passed has been copied.
    row.fill('x');
    value.fill('x');
    data['f:none'] = 'x';
    return Promise.all(calls);
  });
  assert.ok(most <= CALLS_OF_TURN, `${most} calls`);
  let found;
  const reads = await mostOfTurn(async () => {
    found = await Promise.all(Array.from({ length: CALLS }, (_, i) => on.row(String(i).padStart(5, '0'))));
  });
  assert.ok(reads <= CALLS_OF_TURN, `${reads} calls`);
  assert.deepEqual(found.map(({ values }) => values), Array.from({ length: CALLS }, (_, i) => ({ 'f:q': String(i).padStart(5, '0') })));
});

/** Makes so many calls that the next one waits for a later turn. */
function fillTurn(on = table) {
  return Promise.all(Array.from({ length: CALLS }, (_, i) => on.row(key(i))));
}

test('a call that waited fails as others do, with the stack of the code that awaits it', async () => {
  const filled = fillTurn();
  async function program() {
    await db.table('none').row('r');
  }
  await assert.rejects(program(), (error) => {
    assert.equal(error.code, 'TABLE_NOT_FOUND');
    assert.match(error.message, /^row: /);
    assert.match(error.stack, /program/);
    return true;
  });
  await filled;
  const again = fillTurn();
  async function wrong() {
    await table.put('r', { 'f:q': 5 });
  }
  await assert.rejects(wrong(), (error) => {
    assert.ok(error instanceof TypeError);
    assert.match(error.stack, /at async wrong/);
    return true;
  });
  await again;
});

test('a call that waits can be aborted', async () => {
  const filled = fillTurn();
  const controller = new AbortController();
  const reason = new Error('enough');
  const aborted = assert.rejects(table.put('aborted', { 'f:q': 'x' }, { signal: controller.signal }), reason);
  controller.abort(reason);
  await aborted;
  await filled;
  assert.equal(await table.row('aborted'), undefined);
});

test('the forms of arguments are the same for calls that wait', async () => {
  const filled = fillTurn();
  const cells = [{ column: 'f:a', value: 'array', timestamp: 5 }, { family: 'f', qualifier: Buffer.from('b'), value: Buffer.from('b') }];
  const calls = [
    table.put('array', cells),
    table.put('map', new Map([[Buffer.from('f:a'), Buffer.from('map')]])),
    table.incrementRow('counters', { 'f:n': 5n }),
    table.mutateRow('mutated', [{ put: { 'f:a': 'x' } }, { put: { 'f:b': 'y' }, timestamp: 7 }]),
  ];
  cells[0].value = 'changed';
  cells.pop();
  await Promise.all([...calls, filled]);
  assert.deepEqual({ ...(await table.row('array')).values }, { 'f:a': 'array', 'f:b': 'b' });
  assert.deepEqual({ ...(await table.row('map')).values }, { 'f:a': 'map' });
  assert.equal((await table.row('counters')).long('f:n'), 5);
  assert.equal((await table.row('mutated')).timestamp('f:b'), 7);
  const both = [fillTurn(), table.rows(new Set(['map', 'none'])), table.row('array', { filter: hjall.filters.value('=', 'b') })];
  const [, rows, filtered] = await Promise.all(both);
  assert.deepEqual(rows.map((row) => row?.key), ['map', undefined]);
  assert.deepEqual(filtered.columns, ['f:b']);
});

test('close completes the calls that wait, and refuses later ones', async () => {
  for (const close of [(own) => own.close(), async (own) => own.closeSync()]) {
    const own = hjall.memory({ encoding: 'utf8' });
    await own.createTable('t', ['f']);
    const calls = fillTurn(own.table('t'));
    const closed = close(own);
    await assert.rejects(own.table('t').row('r'), { code: 'CLOSED' });
    assert.equal((await calls).length, CALLS);
    await closed;
    await own.close();
    await assert.rejects(own.table('t').row('r'), { code: 'CLOSED' });
  }
});

test('close completes calls with wide rows, which are converted and encoded over several turns', async () => {
  const own = hjall.memory({ encoding: 'utf8' });
  await own.createTable('t', ['f']);
  const { port } = await own.serve({ port: 0 });
  const connection = await hjall.connect({ port, encoding: 'utf8' });
  for (const [name, on] of Object.entries({ remote: connection, embedded: own })) {
    const written = [on.table('t').put(name, wide('x')), fillTurn(on.table('t')), on.table('t').put(`${name} 2`, wide('y'))];
    const closed = on.close();
    await assert.rejects(on.table('t').row('r'), { code: 'CLOSED' });
    await Promise.all(written);
    if (on !== own) assert.equal(own.table('t').rowSync(name).columns.length, WIDE);
    await closed;
  }
});

const LEAST = WIDE / CELLS_OF_TURN;

for (const [form, columns] of Object.entries({
  'an object': wide,
  'a Map': (value) => new Map(COLUMNS.map((column) => [column, value])),
  'an array of cells': (value) => COLUMNS.map((column) => ({ column, value })),
})) {
  testBoth(`a wide row given as ${form} is written over several turns`, async (on) => {
    const [, writing] = await turns(() => on.put(form, columns(form)));
    assert.ok(writing >= LEAST, `${writing} turns`);
    const [row, reading] = await turns(() => on.row(form));
    assert.ok(reading >= LEAST, `${reading} turns`);
    assert.deepEqual(Object.entries(row.values), Object.entries(wide(form)));
    assert.deepEqual(row, table.rowSync(form));
    await table.delete(form);
  });
}

testBoth('other calls with wide rows take several turns, too', async (on) => {
  const half = COLUMNS.slice(0, WIDE / 2);
  const counters = Object.fromEntries(COLUMNS.map((column) => [column, 2]));
  for (const [name, call, check] of [
    ['incrementRow', () => on.incrementRow('w', counters), (row) => assert.equal(row.long(COLUMNS[WIDE - 1]), 2)],
    ['appendRow', () => on.appendRow('v', wide('x')), (row) => assert.deepEqual({ ...row.values }, wide('x'))],
    ['rows', () => on.rows(['w', 'none', 'v']), (rows) => assert.deepEqual(rows.map((row) => row?.cells.length), [WIDE, undefined, WIDE])],
    ['scan', () => on.scan({ start: 'v', stop: 'x' }).toArray(), (rows) => assert.deepEqual(rows.map(({ cells }) => cells.length), [WIDE, WIDE])],
    ['checkAndPut', () => on.checkAndPut('c', 'f:none', null, wide('y')), (done) => assert.equal(done, true)],
    ['mutateRow', () => on.mutateRow('v', [{ put: wide('z') }, { put: { 'f:last': 'z' } }]), () => assert.equal(table.rowSync('v').get('f:last'), 'z')],
    ['delete', () => on.delete('v', half.concat(half)), () => assert.equal(table.rowSync('v').columns.length, WIDE / 2 + 1)],
    ['batch', () => on.batch().put('v', wide('b')).delete('w').write(), () => assert.equal(table.rowSync('v').get(COLUMNS[0]), 'b')],
  ]) {
    const [result, count] = await turns(call);
    check(result);
    assert.ok(count >= LEAST, `${name}: ${count} turns`);
  }
  await table.delete('c').then(() => table.delete('v'));
  table.putSync('s', wide('sync'));
  assert.deepEqual({ ...table.rowSync('s').values }, wide('sync'));
});

testBoth('a wide row fails as others do', async (on) => {
  await assert.rejects(on.put('r', { ...wide('x'), 'f:last': 5 }), TypeError);
  await assert.rejects(on.put('r', { ...wide('x'), 'none:q': 'x' }), { code: 'FAMILY_NOT_FOUND' });
  const controller = new AbortController();
  const aborted = assert.rejects(on.put('r', wide('x'), { signal: controller.signal }), new Error('enough'));
  controller.abort(new Error('enough'));
  await aborted;
  assert.equal(await table.row('r'), undefined);
});

test('wide rows keep the forms of values that the database was opened with', async () => {
  const own = hjall.memory({ readBigInts: true });
  await own.createTable('t', ['f']);
  const numbers = own.table('t');
  await numbers.incrementRow(Buffer.from('r'), Object.fromEntries(COLUMNS.map((column) => [column, 1])));
  const row = await numbers.row(Buffer.from('r'));
  assert.equal(typeof row.cells.at(-1).timestamp, 'bigint');
  assert.equal(row.long(COLUMNS.at(-1)), 1n);
  assert.ok(Buffer.isBuffer(row.key) && Buffer.isBuffer(row.cells[0].value));
  await own.close();
});

test('the queue does not grow while work always waits', async () => {
  setFlagsFromString('--expose-gc');
  const gc = runInNewContext('gc');
  const used = () => {
    gc();
    return process.memoryUsage().heapUsed;
  };
  const grown = await new Promise((resolve) => {
    const before = used();
    let left = 2_000_000;
    const work = {
      units: 1,
      run() {
        left -= 1;
        if (left > 0) later(work);
        else resolve(used() - before);
      },
    };
    later(work);
  });
  assert.ok(grown < 4 << 20, `${grown} bytes`);
});
