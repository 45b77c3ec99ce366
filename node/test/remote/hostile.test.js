'use strict';
/**
 * Broken, foreign and malicious servers: calls fail promptly with the reason, and announced lengths allocate no
 * memory.
 */
const assert = require('node:assert/strict');
const http = require('node:http');
const { once } = require('node:events');
const { it } = require('node:test');
const { HjallError } = require('../../lib/errors.js');
const { connect } = require('../../lib/remote/connect.js');
const { Chance } = require('../chance.js');
const { exception, framed, framedCallIn, reply, scripted } = require('./scripted.js');

/** The beginning of an answer that announces a list of `count` rows. */
function announcing({ method, sequence }, count) {
  const head = reply({ method, sequence }, { success: [] });
  const bytes = Buffer.from(head.subarray(0, head.length - 1));
  bytes.writeInt32BE(count, bytes.length - 4);
  return bytes;
}

async function table(test, answers, options) {
  const server = await scripted(test, answers, options?.transport === 'framed' ? framedCallIn : undefined);
  const db = await connect({ port: server.port, encoding: 'utf8', pauseMs: 0, ...options });
  test.after(() => db.close());
  return { table: db.table('t'), db, server };
}

it('lengths are checked against the limit before memory is allocated', async (t) => {
  const expected = [
    [0x7fffffff, 'REFUSED', /at least 21474\d+ bytes, and the limit is 1048576: .*raise `responseBytesMax`/],
    [-1, 'PROTOCOL', /announces -1 bytes or elements/],
    [200_000_000, 'REFUSED', /at least 200000\d+ bytes/],
  ];
  for (const [count, code, message] of expected) {
    const { table: users } = await table(
      t,
      { getMultiple: (call) => announcing(call, count) },
      { responseBytesMax: 1 << 20 },
    );
    await assert.rejects(users.rows(['r']), { code, message });
  }
});

it('an endless answer is cut off', async (t) => {
  const { table: users } = await table(
    t,
    {
      getMultiple(call, socket) {
        // A row without end: many small fields, none of which is too long.
        socket.write(announcing(call, 1));
        const fields = Buffer.alloc(65536, 3);
        const more = () => socket.destroyed || (socket.write(fields) ? setImmediate(more) : socket.once('drain', more));
        more();
      },
    },
    { responseBytesMax: 1 << 20 },
  );
  await assert.rejects(users.rows(['r']), { code: 'REFUSED', message: /responseBytesMax/ });
});

/** A row of five values with 1000 bytes each. */
const wide = (row) => ({
  row,
  columnValues: Array.from({ length: 5 }, (_, i) => ({
    family: Buffer.from('f'),
    qualifier: Buffer.from(String(i)),
    value: Buffer.alloc(1000),
    timestamp: 1,
  })),
});

it('an answer that is too long fails its call, says how long it is, and leaves the others', async (t) => {
  for (const transport of ['buffered', 'framed']) {
    const held = [];
    const sent = transport === 'framed' ? framed : (bytes) => bytes;
    const { table: users } = await table(
      t,
      {
        listNamespaces: (call) => sent(reply(call, { success: [] })),
        get(call, socket) {
          held.push(call);
          if (held.length === 1) return undefined;
          const { row } = call.args.tget;
          if (held.length > 2) return sent(reply(call, { success: { row, columnValues: [] } }));
          // The read behind the long answer is sent again, on another connection.
          return void socket.write(Buffer.concat(held.map((one) => sent(reply(one, { success: wide(row) })))));
        },
        append: (call) => sent(reply(call, { success: wide(Buffer.from('r')) })),
      },
      { responseBytesMax: 4096, connectionsMax: 1, transport },
    );
    const long = assert.rejects(users.row('long'), (error) => {
      assert.deepEqual([error.name, error.code], ['RequestError', 'REFUSED']);
      const [, length] = /(?:has|at least) (\d+) bytes, and the limit is 4096: .*raise `responseBytesMax`/.exec(error.message);
      assert.ok(length > 4096 && length < 6000, error.message);
      return true;
    });
    assert.equal(await users.row('other'), undefined);
    await long;
    const executed = { code: 'REFUSED', message: /responseBytesMax.*append may or may not have been executed/ };
    await assert.rejects(users.appendRow('r', { 'f:a': 'x' }), executed);
  }
});

it('rows that are too long together are read one by one', async (t) => {
  const { table: users } = await table(
    t,
    {
      getMultiple: ({ args }) => ({ success: args.tgets.map(({ row }) => wide(row)) }),
      get: ({ args }) => ({ success: wide(args.tget.row) }),
    },
    { responseBytesMax: 8192 },
  );
  assert.deepEqual((await users.rows(['a', 'b', 'c'])).map(({ key }) => key), ['a', 'b', 'c']);
});

it('rows without required fields are rejected, so that a few bytes cannot become many objects', async (t) => {
  const { table: users } = await table(t, {
    getMultiple: (call) => Buffer.concat([announcing(call, 1000), Buffer.alloc(1001)]),
  });
  await assert.rejects(users.rows(['r']), { code: 'PROTOCOL', message: /TResult without columnValues/ });
});

it('a call to a silent server times out', async (t) => {
  const { table: users, server } = await table(t, { get: () => undefined }, { callTimeoutMs: 1000 });
  await assert.rejects(users.row('r'), { code: 'TIMEOUT', message: /callTimeoutMs/ });
  assert.equal(server.calls.filter((c) => c === 'get').length, 1, 'the call is not repeated');
});

it('an answer to another call is rejected', async (t) => {
  const { table: users } = await table(t, {
    exists: (call) => reply({ method: 'exists', sequence: call.sequence - 1 }, { success: true }),
  });
  await assert.rejects(users.exists('r'), { code: 'PROTOCOL', message: /not to call/ });
});

it('unexpected bytes after an answer close the connection', async (t) => {
  let first = true;
  const { table: users, server } = await table(t, {
    exists(call) {
      const answer = reply(call, { success: true });
      const twice = first ? Buffer.concat([answer, answer]) : answer;
      first = false;
      return twice;
    },
  });
  await assert.rejects(users.exists('r'), { code: 'PROTOCOL', message: /follow the answer/ });
  assert.equal(await users.exists('r'), true, 'the next call has a new connection');
  assert.equal(server.calls.filter((c) => c === 'exists').length, 2);
});

it('damaged answers yield an error or an answer, and the next call works', async (t) => {
  const chance = new Chance(3);
  const cell = () => ({
    family: Buffer.from('f'),
    qualifier: chance.bytes(5),
    value: chance.bytes(30),
    timestamp: chance.below(1000),
  });
  // The server closes the connection after each answer, so that the client does not wait for the rest of one that is
  // too short.
  const damaged = (call, socket) => {
    const bytes = reply(call, {
      success: chance.list(5, () => ({ row: chance.bytes(5), columnValues: chance.list(5, cell) })),
    });
    for (let i = 0; i < 3; i += 1) bytes[chance.below(bytes.length)] = chance.below(256);
    socket.end(bytes);
  };
  // After an answer that announces too many bytes, the rows are read one by one.
  const get = (_, socket) => void socket.destroy();
  const { table: users } = await table(t, { get, getMultiple: damaged }, { retries: 0, responseBytesMax: 1 << 16 });
  let failed = 0;
  for (let i = 0; i < 300; i += 1) {
    await users.rows(['r', 's']).catch((error) => {
      assert.ok(error instanceof HjallError, error.stack);
      failed += 1;
    });
  }
  assert.ok(failed > 100 && failed < 300, `${failed} of 300 were rejected`);
});

it('an error names another protocol as the likely reason', async (t) => {
  const page = http.createServer((_, response) => response.writeHead(404).end('nothing here'));
  page.listen(0, '127.0.0.1');
  await once(page, 'listening');
  t.after(() => page.close());
  const { port } = page.address();
  await assert.rejects(connect({ port, retries: 0 }), { code: 'PROTOCOL', message: /transport and protocol/ });
  await assert.rejects(connect({ port, retries: 0, transport: 'framed' }), { code: 'PROTOCOL', message: /framed/ });
  await assert.rejects(connect({ port, retries: 0, transport: 'http' }), {
    code: 'PROTOCOL',
    message: /HTTP 404.*nothing here/,
  });
});

it('HTTP answers are limited too', async (t) => {
  const page = http.createServer((_, response) => {
    response.writeHead(200);
    const more = () =>
      response.destroyed || (response.write(Buffer.alloc(65536)) ? setImmediate(more) : response.once('drain', more));
    more();
  });
  page.listen(0, '127.0.0.1');
  await once(page, 'listening');
  t.after(() => page.closeAllConnections());
  t.after(() => page.close());
  await assert.rejects(connect({ port: page.address().port, transport: 'http', responseBytesMax: 1 << 20 }), {
    code: 'REFUSED',
    message: /responseBytesMax/,
  });
});

it('an error names the method that a server lacks', async (t) => {
  const { db } = await table(t, { getClusterId: (call) => exception(call, 'Invalid method name: getClusterId', 1) });
  await assert.rejects(db.clusterId(), { code: 'UNSUPPORTED', message: /getClusterId.*Thrift2/ });
});

it('an answer without a result, and rows without keys or cells, are rejected', async (t) => {
  const cell = { family: Buffer.from('f'), qualifier: Buffer.from('a'), value: Buffer.alloc(8), timestamp: 1 };
  const CALLS = {
    row: ['get', (users) => users.row('r')],
    exists: ['exists', (users) => users.exists('r')],
    rows: ['getMultiple', (users) => users.rows(['r'])],
    increment: ['increment', (users) => users.increment('r', 'f:a')],
    appendRow: ['append', (users) => users.appendRow('r', { 'f:a': 'x' })],
    checkAndPut: ['checkAndMutate', (users) => users.checkAndPut('r', 'f:a', null, { 'f:a': 'x' })],
    scan: ['openScanner', (users) => users.scan().toArray()],
    'scan with a limit': ['getScannerResults', (users) => users.scan({ limit: 1 }).toArray()],
    regions: ['getAllRegionLocations', (users, db) => db.regions('t')],
    describeTable: ['getTableDescriptor', (users, db) => db.describeTable('t')],
    tables: ['getTableNamesByPattern', (users, db) => db.tables()],
    clusterId: ['getClusterId', (users, db) => db.clusterId()],
  };
  for (const [name, [method, call]] of Object.entries(CALLS)) {
    const { table: users, db, server } = await table(t, { [method]: () => ({}) });
    const message = new RegExp(`^${name.split(' ')[0]}: .*the answer to ${method} has no result`);
    await assert.rejects(call(users, db), { name: 'ProtocolError', code: 'PROTOCOL', message });
    assert.equal(server.calls.filter((made) => made === method).length, 1, 'the call is not repeated');
  }
  const noKey = { columnValues: [cell] };
  const { table: users } = await table(t, {
    get: () => ({ success: noKey }),
    getMultiple: () => ({ success: [noKey] }),
    getScannerResults: () => ({ success: [noKey] }),
    openScanner: () => ({ success: 1 }),
    getScannerRows: () => ({ success: [noKey] }),
    increment: () => ({ success: { columnValues: [] } }),
    append: () => ({ success: { columnValues: [] } }),
  });
  for (const read of [users.row('r'), users.rows(['r']), users.scan({ limit: 1 }).toArray(), users.scan().toArray()])
    await assert.rejects(read, { code: 'PROTOCOL', message: /row that has no key/ });
  for (const write of [users.increment('r', 'f:a'), users.append('r', 'f:a', 'x')])
    await assert.rejects(write, { code: 'PROTOCOL', message: /without the cells/ });
});
