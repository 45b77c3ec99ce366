'use strict';
/**
 * Calls that are longer than the server's limit on messages. The server answers them with an error, and closes the
 * connection.
 */
const assert = require('node:assert/strict');
const { after, before, describe, it } = require('node:test');
const { connect } = require('../../lib/index.js');
const { serving } = require('../serving.js');
const { exception, reply, scripted } = require('./scripted.js');

/** The limit of the server: less than the size at which batches are split. */
const LIMIT = 256 << 10;
/** What hjall answers to a message that is longer than its limit. */
const TOO_LONG = 'the message is longer than the 1024 bytes that are allowed (limits.message): send less at once, or raise the limit';
const PROTOCOL_ERROR = 7;
const BUSY = {
  io: {
    message:
      'org.apache.hadoop.hbase.CallQueueTooBigException: Call queue is full on h,1,2, is hbase.ipc.server.max.callqueue.size too small? (limits.bytes_in_flight; try again later, or send less at once)',
    canRetry: true,
  },
};

/** Columns that together have `times` times the limit. None of the values is too large for a cell. */
const wide = (times) => Object.fromEntries(Array.from({ length: 2 * times }, (_, i) => [`f:${i}`, Buffer.alloc(LIMIT / 2)]));

describe('hjall with small limits', () => {
  let server;
  before(async () => {
    server = await serving(['--info-listen', 'off', '--set', `limits.message=${LIMIT}`, '--set', `limits.frame=${LIMIT}`]);
    const db = await connect({ port: server.port, encoding: 'utf8' });
    await db.createTable('t', ['f']);
    await db.close();
  });
  after(() => server.stop());

  for (const options of [{}, { protocol: 'compact' }, { transport: 'framed' }, { transport: 'http' }]) {
    const name = Object.values(options)[0] ?? 'buffered';
    const limit = name === 'framed' ? /limits\.frame/ : /limits\.message/;
    const expected = (error) => {
      assert.equal(error.code, 'REFUSED', error.message);
      assert.match(error.message, limit);
      assert.doesNotMatch(error.message, /KeyValue|may or may not/);
      return true;
    };

    it(`${name}: one code for the mistake, and the next call is executed`, async () => {
      const db = await connect({ port: server.port, encoding: 'utf8', pauseMs: 0, ...options });
      const table = db.table('t');
      for (let round = 1; round <= 8; round += 1) {
        await assert.rejects(table.put('r', wide(round)), expected);
        assert.equal(await table.increment(`counter ${name}`, 'f:n'), round);
      }
      const batch = table.batch().put('r', wide(2)).put('s', { 'f:a': 'x' });
      await assert.rejects(batch.write(), ({ code, failures }) => {
        assert.deepEqual([code, failures.length, failures[0].index], ['REFUSED', 1, 0]);
        return expected(failures[0].error);
      });
      assert.ok(await table.exists('s'), 'the other rows were written');
      await db.close();
    });

    it(`${name}: the rows of a call that is too long are sent one by one`, async () => {
      const db = await connect({ port: server.port, encoding: 'utf8', pauseMs: 0, ...options });
      const table = db.table('t');
      const batch = table.batch();
      for (let i = 0; i < 20; i += 1) batch.put(`${name} ${i}`, { 'f:a': Buffer.alloc(LIMIT / 8) });
      await batch.write();
      assert.equal(await table.count({ prefix: `${name} ` }), 20);
      await db.close();
    });
  }
});

async function database(test, answers, options) {
  const server = await scripted(test, answers);
  const db = await connect({ port: server.port, encoding: 'utf8', connectionsMax: 1, pauseMs: 0, ...options });
  test.after(() => db.close());
  return { table: db.table('t'), server };
}

it('calls behind one that is too long were not read, and are sent again', async (t) => {
  const held = [];
  const counted = [{ family: Buffer.from('f'), qualifier: Buffer.from('n'), value: Buffer.alloc(8), timestamp: 1 }];
  const { table, server } = await database(t, {
    put(call, socket) {
      held.push(call, socket);
    },
    increment(call, socket) {
      // On the first connection, nothing after the put is read.
      if (socket !== held[1]) return { success: { row: Buffer.from('r'), columnValues: counted } };
      socket.end(exception(held[0], TOO_LONG, PROTOCOL_ERROR));
      return undefined;
    },
  });
  const put = assert.rejects(table.put('r', { 'f:a': 'x' }), { code: 'REFUSED', message: /limits\.message/ });
  const increment = table.increment('r', 'f:n');
  await put;
  assert.equal(await increment, 0);
  assert.equal(server.calls.filter((method) => method === 'put').length, 1, 'the refused call is not repeated');
});

it('a connection on which a call was malformed or found no memory takes no further calls', async (t) => {
  const sockets = new Set();
  const answers = [(call) => exception(call, 'a field has the wrong type', PROTOCOL_ERROR), () => BUSY, () => ({})];
  const { table } = await database(t, {
    put(call, socket) {
      sockets.add(socket);
      return answers.shift()(call);
    },
  });
  await assert.rejects(table.put('r', { 'f:a': 'x' }), { code: 'INVALID_ARGUMENT', message: /wrong type/ });
  await table.put('r', { 'f:a': 'x' });
  assert.equal(sockets.size, 3);
});

it('a call that was sent before such an answer keeps its own', async (t) => {
  const { table } = await database(t, {
    put: (call, socket) => void (held = [call, socket]),
    exists(call) {
      held[1].write(Buffer.concat([exception(held[0], 'a field has the wrong type', PROTOCOL_ERROR), reply(call, { success: true })]));
    },
  });
  let held;
  const put = assert.rejects(table.put('r', { 'f:a': 'x' }), { code: 'INVALID_ARGUMENT' });
  assert.equal(await table.exists('r'), true);
  await put;
});
