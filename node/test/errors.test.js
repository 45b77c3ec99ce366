'use strict';
/** Errors name the method, the table, the row and the remedy, and have the stack of the code that made the call. */

const assert = require('node:assert/strict');
const { once } = require('node:events');
const { after, before, describe, test } = require('node:test');
const hjall = require('../lib/index.js');

const HBASE = 'org.apache.hadoop.hbase';
const ILLEGAL = 'java.lang.IllegalArgumentException';

let local;
let remote;
before(async () => {
  local = hjall.memory({ encoding: 'utf8' });
  await local.createTable('users', ['info']);
  await local.createTable('off', ['info']);
  await local.disableTable('off');
  const { port } = await local.serve({ port: 0 });
  remote = await hjall.connect({ port, encoding: 'utf8', retries: 0 });
});
after(async () => {
  await remote.close();
  await local.close();
});

/** Calls that fail in the same way, whatever the database: [call, code, class of the cause]. */
const SAME = {
  'a filter that is not one': [(db) => db.table('users').row('r', { filter: 'Nope(' }), 'INVALID_ARGUMENT', ILLEGAL],
  'an unknown filter': [(db) => db.table('users').scan({ filter: "No('a')" }).toArray(), 'INVALID_ARGUMENT', ILLEGAL],
  'a regular expression': [
    (db) => db.table('users').row('r', { filter: "RowFilter(=, 'regexstring:(')" }),
    'INVALID_ARGUMENT',
    ILLEGAL,
  ],
  'the name of a table': [(db) => db.createTable('a b', ['f']), 'INVALID_ARGUMENT', ILLEGAL],
  'the name of a table that is read': [(db) => db.table('a b').row('r'), 'INVALID_ARGUMENT', ILLEGAL],
  'the name of a family': [(db) => db.createTable('v', ['a:b']), 'INVALID_ARGUMENT', ILLEGAL],
  'the name of a namespace': [(db) => db.createNamespace('a-b'), 'UNPROCESSABLE', `${HBASE}.client.RetriesExhaustedException`],
  'a table without families': [(db) => db.createTable('v', []), 'INVALID_DESCRIPTOR', `${HBASE}.DoNotRetryIOException`],
  'a table of the system': [(db) => db.dropTable('hbase:meta'), 'SYSTEM_TABLE', 'java.io.IOException'],
  'a table that does not exist': [(db) => db.table('nope').row('r'), 'TABLE_NOT_FOUND', `${HBASE}.TableNotFoundException`],
  'a table that exists': [(db) => db.createTable('users', ['f']), 'TABLE_EXISTS', `${HBASE}.TableExistsException`],
  'a disabled table': [(db) => db.table('off').row('r'), 'TABLE_DISABLED', `${HBASE}.TableNotEnabledException`],
  'a negative timestamp': [
    (db) => db.table('users').put('r', { 'info:a': 'x' }, { timestamp: -5 }),
    'UNPROCESSABLE',
    `${HBASE}.client.RetriesExhaustedException`,
  ],
};

for (const [title, [call, code, javaClass]] of Object.entries(SAME)) {
  test(`embedded and remote report the same error for ${title}`, async () => {
    const [here, there] = [await failure(() => call(local)), await failure(() => call(remote))];
    const shown = ({ name, message, cause }) => [name, message, cause.name];
    assert.deepEqual([here.code, here.cause.name], [code, javaClass]);
    assert.deepEqual([there.code, ...shown(there)], [code, ...shown(here)]);
    // In an exception that the method does not declare, the remedy follows HBase's text on the same line.
    assert.ok(there.cause.message.startsWith(here.cause.message), there.cause.message);
  });
}

/** Requests that a remote database rejects itself, with the engine's messages. */
const MALFORMED = {
  'an empty key': (t) => t.row(''),
  'an empty key of a put': (t) => t.put('', { 'info:a': 'x' }),
  'a long key': (t) => t.put('k'.repeat(40_000), { 'info:a': 'x' }),
  'a long bound': (t) => t.scan({ start: 'k'.repeat(40_000) }).toArray(),
  'a column without a family': (t) => t.put('r', { ':a': 'x' }),
  'an append without a family': (t) => t.append('r', ':a', 'x'),
  'a put without values': (t) => t.put(Buffer.from('r\\\xff\n', 'latin1'), {}),
  'a negative timestamp': (t) => t.row('r', { timestamp: -5 }),
  'a negative range': (t) => t.scan({ timeRange: { from: -9, to: 5 } }).toArray(),
  'the last timestamp': (t) => t.row('r', { timestamp: 9223372036854775807n }),
  'a reversed range': (t) => t.row('r', { timeRange: { from: 9, to: 5 } }),
  'no versions': (t) => t.row('r', { versions: 0 }),
  'a negative timestamp of a delete': (t) => t.delete('r', ['info:a'], { timestamp: -5 }),
  'no mutations': (t) => t.mutateRow('r', []),
  'an empty split key': (_, db) => db.createTable('split', ['f'], { splits: [''] }),
  'a repeated split key': (_, db) => db.createTable('split', ['f'], { splits: ['a\n', 'a\n'] }),
};

for (const [title, call] of Object.entries(MALFORMED)) {
  test(`embedded and remote have the same message for ${title}`, async () => {
    const [here, there] = await Promise.all([local, remote].map((db) => failure(() => call(db.table('users'), db))));
    assert.deepEqual([there.message, there.code], [here.message, here.code]);
  });
}

const serialised = (name, ...body) => {
  const text = `org.apache.hadoop.hbase.filter.${name}`;
  return Buffer.from([10, text.length, ...Buffer.from(text), 18, body.length, ...body]);
};

/** Filters that no database can use. */
const FILTERS = [
  ["PrefixFilter('a'", 'INVALID_ARGUMENT'],
  ["Prefix('a')", 'INVALID_ARGUMENT'],
  [hjall.filters.page(-1), 'INVALID_ARGUMENT'],
  [hjall.filters.fuzzyRow(['abc', 'a']), 'INVALID_ARGUMENT'],
  [hjall.filters.multiRowRange(), 'INVALID_ARGUMENT'],
  [hjall.filters.row('=', hjall.compare.regex('(')), 'FILTER_REJECTED'],
  [hjall.filters.all(hjall.filters.page(-1)), 'FILTER_REJECTED'],
  [serialised('NoFilter'), 'FILTER_REJECTED'],
  [serialised('Filter'), 'FILTER_REJECTED'],
  [serialised('ValueFilter'), 'FILTER_REJECTED'],
  [serialised('ValueFilter', 255, 255), 'FILTER_REJECTED'],
  [Buffer.from([]), 'FILTER_MALFORMED'],
  [Buffer.from([255, 1, 2]), 'FILTER_MALFORMED'],
  [hjall.filters.prefix('a').encoded.subarray(0, -1), 'FILTER_MALFORMED'],
];

for (const [number, [filter, code]] of FILTERS.entries()) {
  test(`a filter that cannot be used has the same code everywhere: ${number}, ${code}`, async () => {
    for (const db of [local, remote]) {
      const users = db.table('users');
      for (const call of [() => users.row('r', { filter }), () => users.rows(['r'], { filter }), () => users.scan({ filter }).toArray()]) {
        const error = await failure(call);
        assert.equal(error.code, code, error.stack);
      }
    }
  });
}

const LARGE = Buffer.alloc(11 << 20);
/** Writes of a cell that is too large. */
const LARGE_WRITES = {
  put: (t) => t.put('r', { 'info:a': LARGE }),
  'batch of one': (t) => t.batch().put('r', { 'info:a': LARGE }).write(),
  batch: (t) => t.batch().put('q', { 'info:a': 'x' }).put('r', { 'info:a': LARGE }).write(),
  checkAndPut: (t) => t.checkAndPut('r', 'info:none', null, { 'info:a': LARGE }),
  append: (t) => t.append('r', 'info:a', LARGE),
  mutateRow: (t) => t.mutateRow('r', [{ put: { 'info:a': LARGE } }]),
};

for (const [method, write] of Object.entries(LARGE_WRITES)) {
  test(`a cell that is too large has its own code: ${method}`, async () => {
    for (const db of [local, remote]) {
      const error = await failure(() => write(db.table('users')));
      assert.equal(error.code, 'CELL_TOO_LARGE', error.stack);
      if (method === 'batch') {
        assert.deepEqual(error.failures.map(({ index }) => index), [1]);
        assert.ok(await db.table('users').exists('q'));
      }
      await db.table('users').delete('q');
    }
  });
}

/** Descriptors with values that HBase stores and does not obey. */
const REFUSED = [
  [{ f: { versions: 0 } }, {}, /option `versions`: Maximum versions must be positive, not 0: give .* 1 or more/],
  [{ f: { versions: -3 } }, {}, /Maximum versions must be positive, not -3/],
  [{ f: { versions: 1.5 } }, {}, /must be an integer from 1 to 2147483647, not 1\.5/],
  [{ f: { attributes: { VERSIONS: '0' } } }, {}, /option `attributes`: VERSIONS: Maximum versions must be positive/],
  [['f'], { durability: 'FSYNC' }, /option `durability` cannot be "FSYNC"; did you mean `FSYNC_WAL`\?/],
  [['f'], { attributes: { DURABILITY: 'FSYNC' } }, /option `attributes`: DURABILITY cannot be "FSYNC"; did you mean `FSYNC_WAL`\?/],
  [['f'], { attributes: new Map([[Buffer.from('DURABILITY'), Buffer.from('no')]]) }, /DURABILITY cannot be "no"; expected one of/],
  [['f'], { metadata: { DURABILITY: 'no' } }, /option `metadata`: DURABILITY cannot be "no"; expected one of/],
];

for (const [families, options, message] of REFUSED) {
  test(`descriptors are refused: ${message.source}`, async () => {
    for (const db of [local, remote]) {
      const calls = [() => db.createTable('refused', families, options), () => db.alterTable('users', families, options)];
      if (!Array.isArray(families)) {
        calls.push(() => db.addFamily('users', 'f', families.f), () => db.alterFamily('users', 'info', families.f));
      }
      for (const call of calls) {
        const error = await failure(call);
        assert.ok(error instanceof RangeError, error.stack);
        assert.match(error.message, message);
      }
    }
  });
}

test('attributes under the names of HBase have the same effect as options', async () => {
  for (const db of [local, remote]) {
    await db.createTable('named', { f: { attributes: { VERSIONS: '3' } } }, { attributes: { DURABILITY: 'fsync_wal', A: 'b' } });
    const { families, options } = await db.describeTable('named');
    assert.equal(families.f.versions, 3);
    assert.deepEqual([options.durability, options.attributes.A], ['FSYNC_WAL', 'b']);
    await db.disableTable('named');
    await db.dropTable('named');
  }
});

test('metadata may have any names, and descriptors with it can be used again', async () => {
  for (const db of [local, remote]) {
    const families = { f: { versions: 2, attributes: { owner: 'ann' }, metadata: { TLL: '1', READONLY: '2' } } };
    await db.createTable('described', families, { attributes: { owner: 'bob' }, metadata: { durability: '3' } });
    const found = await db.describeTable('described');
    assert.equal(found.families.f.attributes.owner, 'ann');
    assert.deepEqual(found.families.f.metadata, { TLL: '1', READONLY: '2' });
    assert.equal(found.options.attributes.owner, 'bob');
    assert.deepEqual(found.options.metadata, { durability: '3' });
    await db.createTable('copied', found.families, found.options);
    assert.deepEqual(await db.describeTable('copied'), { ...found, name: 'copied' });
    for (const name of ['described', 'copied']) {
      await db.disableTable(name);
      await db.dropTable(name);
    }
  }
});

/** Calls that a remote database does not have, and what their errors say. */
const UNSUPPORTED = [
  [(db) => db.table('users').putSync('r', { 'info:a': 'x' }), /^putSync: table "users", row "r": .*: use put\(\), and await it$/],
  [(db) => db.table('users').rowSync('r'), /^rowSync: .*: use row\(\), and await it$/],
  [(db) => db.table('users').batch().put('r', { 'info:a': 'x' }).writeSync(), /^batch\.writeSync: .*: use batch\.write\(\), and await it$/],
  [(db) => [...db.table('users').scanSync()], /^scanSync: .*: use scan\(\) with `for await`$/],
  [(db) => db.table('users').countSync(), /^countSync: .*: use count\(\), and await it$/],
  [(db) => db.table('users').deleteRowsSync({ prefix: 'r' }), /^deleteRowsSync: .*: use deleteRows\(\), and await it$/],
  [(db) => db.table('users').bulkLoadSync([]), /^bulkLoadSync: .*: use bulkLoad\(\), and await it$/],
  [(db) => db.table('users').bulkLoad([]), /^bulkLoad: table "users": a bulk load .*: use createWriteStream$/],
  [(db) => db.flush('users'), /^flush: table "users": HBase's .*: if the server is hjall, .* `hjall shell --data DIR -e "flush 'users'"`.*; if it is HBase, run flush 'users' in/],
  [(db) => db.compact('users'), /^compact: table "users": HBase's .*: if the server is hjall, run `hjall shell --server 127\.0\.0\.1:\d+ -e "compact 'users'"`; if it is HBase, run compact 'users' in/],
  [(db) => db.compact('users', { major: true }), /`hjall shell .* -e "major_compact 'users'"`/],
  [(db) => db.tablesSync(), /^tablesSync: .*: use tables\(\), and await it$/],
];

for (const [call, message] of UNSUPPORTED) {
  test(`remote databases do not have ${call.toString().replace(/^.*?db\./, '')}`, async () => {
    const error = await failure(() => call(remote));
    assert.equal(error.code, 'UNSUPPORTED');
    assert.match(error.message, message);
  });
}

/** The error of a call. */
async function failure(call) {
  try {
    await call();
  } catch (error) {
    return error;
  }
  return assert.fail('the call succeeded');
}

const CASES = {
  'a missing table': [(db) => db.table('nope').row('ann'), /^row: .*table "nope" does not exist: create it with createTable/],
  'a missing family': [
    (db) => db.table('users').put('ann', { 'no:a': 'x' }),
    /^put: row "ann": table "?users"? has no column family "?no"?: /,
  ],
  'an empty key': [(db) => db.table('users').put('', { 'info:a': 'x' }), /^put: table "users", row "": .*Row length is 0/],
  'a long key': [
    (db) => db.table('users').row('k'.repeat(40_000)),
    /^row: table "users", row "k{64}…" \(40000 bytes\): .*Row length 40000 is > 32767/,
  ],
  'a value that is not a counter': [
    async (db) => {
      await db.table('users').put('ann', { 'info:a': 'x' });
      await db.table('users').increment('ann', 'info:a');
    },
    /^increment: table "users", row "ann": .*exactly 8 bytes/,
  ],
  'a disabled table': [(db) => db.table('off').put('r', { 'info:a': 'x' }), /^put: .*off.*disabled.*enableTable/],
  'an enabled table': [(db) => db.dropTable('users'), /^dropTable: .*users.*disableTable/],
  'a scan': [(db) => db.table('nope').scan().toArray(), /^scan: .*table "nope" does not exist/],
  'an existing table': [(db) => db.createTable('users', ['f']), /^createTable: .*"users" already exists.*ifNotExists/],
};

for (const [name, database] of [
  ['embedded', () => local],
  ['remote', () => remote],
]) {
  describe(name, () => {
    for (const [title, [call, message]] of Object.entries(CASES)) {
      test(`the message of ${title}`, async () => {
        const error = await failure(() => call(database()));
        assert.ok(error instanceof hjall.HjallError, error.stack);
        assert.match(error.message, message);
        assert.ok(error.message.length < 500, error.message);
      });
    }

    test('the stack names the functions that await the call', async () => {
      async function readsTheUser() {
        return await database().table('nope').row('ann');
      }
      async function readsAll() {
        for await (const row of database().table('nope').scan()) assert.fail(row);
      }
      async function readsBlocks() {
        await database().table('nope').scan().nextBlock();
      }
      async function readsArray() {
        await database().table('nope').scan().toArray();
      }
      async function counts() {
        await database().table('nope').count();
      }
      async function readsTwo() {
        await Promise.all([database().table('users').row('ann'), database().table('nope').row('ann')]);
      }
      for (const reads of [readsTheUser, readsAll, readsBlocks, readsArray, counts, readsTwo]) {
        const { stack } = await failure(reads);
        assert.match(stack, new RegExp(`at async .*${reads.name} .*errors.test.js`), stack);
        assert.match(stack, /^NotFoundError: \w+: (row "ann": )?table "nope"/);
      }
    });
  });
}

test('the stack of invalid arguments begins with the caller', async () => {
  const data = { 'info:name': 5 };
  function puts() {
    return local.table('users').put('ann', data);
  }
  assert.match((await failure(puts)).stack, /^TypeError: put: .*\n +at puts /);
  function putsSync() {
    local.table('users').putSync('ann', data);
  }
  assert.throws(putsSync, ({ stack }) => /^TypeError: put: .*\n +at putsSync /.test(stack));
});

test('the stack of a synchronous call begins with its caller', () => {
  function readsTheUser() {
    local.table('nope').rowSync('ann');
  }
  assert.throws(readsTheUser, ({ stack }) => /^NotFoundError: rowSync: .*\n +at readsTheUser /.test(stack));
});

test('a failed open names its caller, and HBase text is the cause', async () => {
  const error = await failure(() => local.table('users').row(''));
  assert.match(error.message, /^row: /);
  const missing = await failure(() => local.table('nope').row('ann'));
  assert.equal(missing.cause.message, 'nope');
  assert.equal(missing.cause.name, 'org.apache.hadoop.hbase.TableNotFoundException');
  async function opens() {
    await hjall.open('/dev/null/x');
  }
  const { stack } = await failure(opens);
  assert.match(stack, /at async opens /);
  function opensSync() {
    hjall.openSync('/dev/null/x');
  }
  assert.throws(opensSync, (error) => /: openSync: .*\n +at opensSync /.test(error.stack));
});

test('the error of a batch has the stack of the code that awaits it, and that of a stream its table', async () => {
  const batch = local.table('users').batch().put('ann', { 'none:q': 'x' });
  async function writes() {
    await batch.write();
  }
  const { message, stack } = await failure(writes);
  assert.match(message, /^batch\.write: 1 of 1 puts and deletes failed; the first: table users has no column family none/);
  assert.match(stack, /at async writes /);
  function writesSync() {
    local.table('users').batch().put('ann', { 'none:q': 'x' }).writeSync();
  }
  assert.throws(writesSync, (error) => /^BatchError: batch\.writeSync: .*\n +at writesSync /.test(error.stack));
  const stream = local.table('nope').createWriteStream();
  stream.end(['ann', { 'info:name': 'Ann' }]);
  const [error] = await once(stream, 'error');
  assert.match(error.message, /^createWriteStream: 1 of 1 puts and deletes failed; the first: table "nope" does not exist/);
});

test('the reason of an AbortSignal is not changed', async () => {
  const reason = new Error('enough');
  const controller = new AbortController();
  const call = local.table('users').row('ann', { signal: controller.signal });
  controller.abort(reason);
  const { stack } = reason;
  assert.equal(await failure(() => call), reason);
  assert.equal(reason.stack, stack);
  assert.equal(reason.message, 'enough');
});

test('messages have no control characters of names and keys', async (t) => {
  const db = hjall.memory({ encoding: 'utf8' });
  t.after(() => db.close());
  await db.createTable('t', ['f']);
  const table = db.table('t');
  const { port } = await db.serve({ port: 0 });
  const remote = await hjall.connect({ port, encoding: 'utf8' });
  t.after(() => remote.close());
  const bad = 'a\nERROR \u001b[31m\u0085\u2028\u202e';
  const escaped = 'a\\nERROR \\u001b[31m\\u0085\\u2028\\u202e';
  const calls = [
    () => db.table('none').row(bad),
    () => remote.table('none').row(bad),
    () => table.put('r', { [`f:${bad}`]: 5 }),
    () => table.row('r', { [bad]: 5 }),
    () => table.put('r', `f:${bad}`, 'x'),
    () => table.increment('r', bad),
    () => table.put('r', { 'f:a': 'x' }, { durability: bad }),
    () => table.row('r', { [`${bad}`]: 1 }),
    () => db.createTable('u', { [bad]: { no: 1 } }),
  ];
  for (const call of calls) {
    await assert.rejects(call(), ({ message }) => {
      assert.ok(message.includes(escaped), message);
      assert.doesNotMatch(message, /[\p{Cc}\u2028\u202e]/u);
      return true;
    });
  }
});
