'use strict';
/** Retries: which calls are repeated after a failure. A second increment would be wrong, so it never is. */
const assert = require('node:assert/strict');
const net = require('node:net');
const { once } = require('node:events');
const { it } = require('node:test');
const { connect } = require('../../lib/remote/connect.js');
const { pauseOf } = require('../../lib/remote/retry.js');
const { scripted } = require('./scripted.js');

const BUSY = {
  io: {
    message: 'org.apache.hadoop.hbase.CallQueueTooBigException: Call queue is full on h,1,2, too many items queued ?',
    canRetry: true,
  },
};
const LOST = { io: { message: 'java.io.IOException: connection reset by peer', canRetry: true } };
const COUNTED = {
  success: {
    row: Buffer.from('r'),
    columnValues: [
      {
        family: Buffer.from('f'),
        qualifier: Buffer.from('n'),
        value: Buffer.from('0000000000000007', 'hex'),
        timestamp: 1,
      },
    ],
  },
};
const NOTHING = { success: { columnValues: [] } };

/** Answers each call with the next answer, and further calls with the last one. */
const inTurn =
  (...answers) =>
  (...call) => {
    const answer = answers.length > 1 ? answers.shift() : answers[0];
    return typeof answer === 'function' ? answer(...call) : answer;
  };
const hangUp = (_, socket) => void socket.destroy();

async function database(test, answers, options) {
  const server = await scripted(test, answers);
  const db = await connect({ port: server.port, encoding: 'utf8', pauseMs: 0, retries: 3, ...options });
  test.after(() => db.close());
  return { users: db.table('t'), calls: (method) => server.calls.filter((c) => c === method).length };
}

it('any call is repeated if the queue is full', async (t) => {
  const { users, calls } = await database(t, { increment: inTurn(BUSY, BUSY, COUNTED) });
  assert.equal(await users.increment('r', 'f:n', 7), 7);
  assert.equal(calls('increment'), 3);
});

it('a queue that stays full is an error', async (t) => {
  const { users, calls } = await database(t, { get: () => BUSY });
  await assert.rejects(users.row('r'), { code: 'BUSY', name: 'RetryError' });
  assert.equal(calls('get'), 4);
});

it('a read survives a broken connection', async (t) => {
  const { users, calls } = await database(t, { get: inTurn(hangUp, NOTHING) });
  assert.equal(await users.row('r'), undefined);
  assert.equal(calls('get'), 2);
});

it('a write whose connection breaks is not repeated, and its error says that it may have been executed', async (t) => {
  const { users, calls } = await database(t, { increment: hangUp, put: hangUp });
  await assert.rejects(users.increment('r', 'f:n', 1), {
    code: 'CONNECTION',
    message: /increment may or may not have been executed/,
  });
  await assert.rejects(users.put('r', { 'f:a': 'x' }), { code: 'CONNECTION', message: /put may or may not/ });
  assert.deepEqual([calls('increment'), calls('put')], [1, 1]);
});

it('a write whose connection breaks is repeated with retryWrites', async (t) => {
  const { users, calls } = await database(t, { put: inTurn(hangUp, {}) }, { retryWrites: true });
  await users.put('r', { 'f:a': 'x' });
  assert.equal(calls('put'), 2);
});

it('reads are repeated if the server allows it', async (t) => {
  const { users, calls } = await database(t, { get: inTurn(LOST, NOTHING), increment: () => LOST });
  assert.equal(await users.row('r'), undefined);
  await assert.rejects(users.increment('r', 'f:n', 1), { code: 'IO' });
  assert.deepEqual([calls('get'), calls('increment')], [2, 1]);
});

it('a permanent failure is not repeated, even if the batch says that it may be', async (t) => {
  const batch = {
    io: {
      message:
        'Failed 2 actions: org.apache.hadoop.hbase.regionserver.NoSuchColumnFamilyException: Column family zz does not exist\n\tat x\n: 2 times, servers with issues: h,1,2',
      canRetry: true,
    },
  };
  const { users, calls } = await database(t, { putMultiple: () => batch });
  await assert.rejects(users.batch().put('a', { 'zz:a': '1' }).put('b', { 'zz:a': '1' }).write(), (error) => {
    assert.equal(error.code, 'FAMILY_NOT_FOUND');
    assert.deepEqual(
      error.failures.map(({ index }) => index),
      [0, 1],
    );
    return true;
  });
  assert.equal(calls('putMultiple'), 1);
});

it('a batch that failed in part is not repeated: the descriptor tells which rows failed', async (t) => {
  const some = {
    io: {
      message:
        'Failed 1 action: org.apache.hadoop.hbase.regionserver.NoSuchColumnFamilyException: Column family zz does not exist: 1 time, servers with issues: h,1,2',
      canRetry: true,
    },
  };
  const descriptor = { success: { tableName: { qualifier: Buffer.from('t') }, columns: [{ name: Buffer.from('f') }] } };
  const { users, calls } = await database(t, { putMultiple: () => some, getTableDescriptor: () => descriptor });
  await assert.rejects(users.batch().put('a', { 'f:a': '1' }).put('b', { 'zz:a': '1' }).write(), (error) => {
    assert.deepEqual(
      error.failures.map(({ index }) => index),
      [1],
    );
    return true;
  });
  assert.equal(calls('putMultiple'), 1);
});

it('an unreachable address is tried a few times and named in the error', async (t) => {
  const server = net.createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  await assert.rejects(connect({ port, pauseMs: 0, retries: 2 }), {
    code: 'CONNECTION',
    message: new RegExp(`127.0.0.1:${port}.*ECONNREFUSED.*; is a Thrift2 server running there\\? \\(options \`host\` and \`port\`, or the URL\\)$`),
  });
  await assert.rejects(connect({ port, transport: 'http', pauseMs: 0, retries: 0 }), { message: /ECONNREFUSED.*; is a Thrift2 server running there\?/ });
  t.diagnostic(`port ${port}`);
});

it("pauses grow as in HBase's client", () => {
  assert.deepEqual(
    [0, 1, 2, 3, 4, 5, 6, 7, 8].map((attempt) => pauseOf(attempt, 100, () => 0)),
    [100, 200, 300, 500, 1000, 2000, 4000, 10000, 10000],
  );
  assert.equal(
    pauseOf(0, 100, () => 1),
    101,
  );
});
