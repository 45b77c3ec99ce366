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

/** The answer to a batch some of whose rows have columns of families that the table lacks. */
const failedInPart = (failures) => ({
  io: {
    message: `Failed ${failures} action${failures === 1 ? '' : 's'}: org.apache.hadoop.hbase.regionserver.NoSuchColumnFamilyException: Column family zz does not exist in region t,,1.0. in table 't', {NAME => 'f'}\n\tat x\n: ${failures} time${failures === 1 ? '' : 's'}, servers with issues: h,1,2`,
    canRetry: true,
  },
});

it('a batch that failed in part is not repeated: the answer tells which rows failed', async (t) => {
  const { users, calls } = await database(t, { putMultiple: () => failedInPart(1) });
  await assert.rejects(users.batch().put('a', { 'f:a': '1' }).put('b', { 'zz:a': '1' }).write(), (error) => {
    assert.deepEqual([error.code, error.failures.map(({ index }) => index)], ['FAMILY_NOT_FOUND', [1]]);
    return true;
  });
  assert.equal(calls('putMultiple'), 1);
  assert.equal(calls('getTableDescriptor'), 0);
});

it('if the server does not say which rows of a batch failed, all are reported, with the error of the writes', async (t) => {
  const denied = { io: { message: 'org.apache.hadoop.hbase.security.AccessDeniedException: Insufficient permissions', canRetry: false } };
  const controller = new AbortController();
  const aborts = () => void controller.abort();
  for (const getTableDescriptor of [() => denied, () => BUSY, hangUp, aborts]) {
    const { users, calls } = await database(t, { putMultiple: () => failedInPart(2), getTableDescriptor }, { retries: 0 });
    const batch = users.batch().put('a', { 'f:a': '1' }).put('b', { 'zz:a': '1' }).put('c', { 'yy:a': '1' });
    await assert.rejects(batch.write({ signal: controller.signal }), (error) => {
      assert.deepEqual([error.name, error.code, error.failures.length], ['BatchError', 'IO', 3]);
      assert.match(error.message, /2 of 3 rows .* the first error: .*"zz"/);
      return true;
    });
    assert.equal(calls('putMultiple'), 1);
  }
});

it('a region that serves no calls is the error, even if the server cannot say whether the table is disabled', async (t) => {
  const message = 'org.apache.hadoop.hbase.NotServingRegionException: t,,1 is not online';
  const { users } = await database(t, { get: () => ({ io: { message, canRetry: false } }), isTableDisabled: hangUp }, { retries: 0 });
  await assert.rejects(users.row('r'), { code: 'NOT_SERVING' });
});

it('a batch with several families that the table lacks: the descriptor tells which rows failed', async (t) => {
  const descriptor = { success: { tableName: { qualifier: Buffer.from('t') }, columns: [{ name: Buffer.from('f') }] } };
  const { users, calls } = await database(t, { putMultiple: () => failedInPart(2), getTableDescriptor: () => descriptor });
  const batch = users.batch().put('a', { 'f:a': '1' }).put('b', { 'zz:a': '1' }).put('c', { 'yy:a': '1' });
  await assert.rejects(batch.write(), (error) => {
    assert.deepEqual(
      error.failures.map(({ index }) => index),
      [1, 2],
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
