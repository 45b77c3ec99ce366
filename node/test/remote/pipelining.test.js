'use strict';
/** Several calls at a time on one connection: their order, their limit, and what a failure does to the others. */
const assert = require('node:assert/strict');
const { once } = require('node:events');
const { describe, it } = require('node:test');
const { connect, memory } = require('../../lib/index.js');
const { reply, scripted } = require('./scripted.js');

/** A server that holds the calls of `methods` until the test answers them, and a connection to it. */
async function holding(test, options, ...methods) {
  const held = [];
  let arrived = () => {};
  const hold = (call, socket) => {
    held.push({ call, socket });
    arrived();
  };
  const server = await scripted(test, Object.fromEntries(methods.map((method) => [method, hold])));
  const db = await connect({ port: server.port, encoding: 'utf8', connectionsMax: 1, pauseMs: 0, ...options });
  test.after(() => db.close());
  /** Waits until the server holds `count` calls. */
  const until = (count) =>
    new Promise((resolve) => {
      arrived = () => held.length >= count && resolve();
      arrived();
    });
  return { db, table: db.table('t'), server, held, until };
}

const rowOf = ({ tget }) => tget.row.toString();
/** The answer to `exists`: whether the key begins with "y". */
const answerOf = ({ call }) => reply(call, { success: rowOf(call.args).startsWith('y') });

it('answers belong to the calls in their order, however they arrive', async (t) => {
  for (const size of [1, 7, 1 << 20]) {
    const { table, held, until } = await holding(t, {}, 'exists');
    const calls = ['y1', 'n1', 'y2', 'y3', 'n2'].map((key) => table.exists(key));
    await until(5);
    const bytes = Buffer.concat(held.map(answerOf));
    const { socket } = held[0];
    socket.setNoDelay(true);
    for (let at = 0; at < bytes.length; at += size) {
      socket.write(bytes.subarray(at, at + size));
      await new Promise(setImmediate);
    }
    assert.deepEqual(await Promise.all(calls), [true, false, true, true, false]);
  }
});

it('no more than callsPerConnection calls are sent before an answer', async (t) => {
  const { table, held, until, server } = await holding(t, { callsPerConnection: 3 }, 'exists');
  const sent = () => server.calls.filter((method) => method === 'exists').length;
  const calls = ['y1', 'y2', 'y3', 'y4', 'y5'].map((key) => table.exists(key));
  await until(3);
  assert.equal(sent(), 3);
  assert.equal(server.sockets.size, 1);
  for (let answered = 0; answered < 5; answered += 1) {
    await until(1);
    assert.ok(sent() <= answered + 3);
    const one = held.shift();
    one.socket.write(answerOf(one));
    await calls[answered];
  }
  assert.deepEqual(await Promise.all(calls), [true, true, true, true, true]);
});

it('connections are shared only once all of them are open', async (t) => {
  const { table, held, until, server } = await holding(t, { connectionsMax: 2, callsPerConnection: 2 }, 'exists');
  const calls = [table.exists('y1')];
  await until(1);
  calls.push(table.exists('y2'));
  await until(2);
  assert.equal(server.sockets.size, 2);
  calls.push(table.exists('y3'), table.exists('y4'));
  await until(4);
  assert.deepEqual(new Set([held[2].socket, held[3].socket]), server.sockets);
  for (const one of held) one.socket.write(answerOf(one));
  assert.deepEqual(await Promise.all(calls), [true, true, true, true]);
});

it('the answer to an aborted call is discarded, and the others keep theirs', async (t) => {
  const { table, held, until, server } = await holding(t, {}, 'exists');
  const controller = new AbortController();
  const calls = [table.exists('n1'), table.exists('y1', { signal: controller.signal }), table.exists('n2')];
  await until(3);
  controller.abort();
  await assert.rejects(calls[1], { name: 'AbortError' });
  held[0].socket.write(Buffer.concat(held.map(answerOf)));
  assert.deepEqual(await Promise.all([calls[0], calls[2]]), [false, false]);
  const next = table.exists('y2');
  await until(4);
  held[3].socket.write(answerOf(held[3]));
  assert.equal(await next, true);
  assert.equal(server.sockets.size, 1);
  assert.equal(held[3].socket, held[0].socket, 'the connection is kept');
});

it('a connection that only awaits answers of aborted calls is closed', async (t) => {
  const { table, held, until } = await holding(t, {}, 'exists');
  const controller = new AbortController();
  const aborted = [1, 2].map(() => table.exists('y1', { signal: controller.signal }));
  const last = table.exists('y2');
  await until(3);
  controller.abort();
  for (const call of aborted) await assert.rejects(call, { name: 'AbortError' });
  const [{ socket }] = held;
  const rest = held.splice(0);
  socket.write(Buffer.concat(rest.map(answerOf)));
  assert.equal(await last, true);

  const second = new AbortController();
  const alone = [1, 2].map(() => table.exists('y1', { signal: second.signal }));
  await until(2);
  const closed = once(held[0].socket, 'close');
  second.abort();
  for (const call of alone) await assert.rejects(call, { name: 'AbortError' });
  await closed;
});

it('a broken connection fails all its calls: reads are repeated, writes are not', async (t) => {
  const { table, held, until, server } = await holding(t, {}, 'exists', 'put');
  const reads = [table.exists('y1'), table.exists('n1')];
  const writes = [1, 2].map((i) => table.put(`r${i}`, { 'f:q': 'x' }));
  const failures = writes.map((write) =>
    assert.rejects(write, { code: 'CONNECTION', message: /may or may not have been executed/ }),
  );
  await until(4);
  held.splice(0)[0].socket.destroy();
  await Promise.all(failures);
  await until(2);
  for (const one of held) one.socket.write(answerOf(one));
  assert.deepEqual((await Promise.all(reads)).sort(), [false, true]);
  assert.equal(server.calls.filter((method) => method === 'put').length, 2, 'no write is sent again');
});

it('a timeout fails the calls of its connection, which say why', async (t) => {
  const { table } = await holding(t, { callTimeoutMs: 500, retries: 0 }, 'exists', 'put');
  const calls = [table.exists('y1'), table.put('r', { 'f:q': 'x' })];
  await assert.rejects(calls[0], { code: 'TIMEOUT', message: /callTimeoutMs/ });
  await assert.rejects(calls[1], { code: 'CONNECTION', message: /timeout of an earlier call; put may or may not/ });
});

it('an answer to another call fails all calls of its connection', async (t) => {
  const { table, held, until } = await holding(t, { retries: 0 }, 'exists');
  const calls = [table.exists('y1'), table.exists('n1')];
  const failures = [
    assert.rejects(calls[0], { code: 'PROTOCOL', message: /not to call/ }),
    assert.rejects(calls[1], { code: /PROTOCOL|CONNECTION/ }),
  ];
  await until(2);
  held[0].socket.write(answerOf(held[1]));
  await Promise.all(failures);
});

describe('a server', () => {
  for (const transport of ['buffered', 'framed', 'http']) {
    for (const protocol of ['binary', 'compact']) {
      it(`answers hundreds of calls at a time on one connection (${transport}, ${protocol})`, async (t) => {
        const local = memory({ encoding: 'utf8' });
        t.after(() => local.close());
        await local.createTable('t', ['f']);
        const { port } = await local.serve({ port: 0 });
        const options = { port, encoding: 'utf8', transport, protocol, connectionsMax: 1, callsPerConnection: 64 };
        const db = await connect(options);
        t.after(() => db.close());
        const table = db.table('t');
        const keys = Array.from({ length: 300 }, (_, i) => `r${i}`);
        await Promise.all(keys.map((key) => table.put(key, { 'f:q': `value of ${key}`, 'f:big': key.repeat(key.length * 100) })));
        const rows = await Promise.all(keys.map((key) => table.row(key)));
        assert.deepEqual(
          rows.map((row) => [row.key, row.get('f:q'), row.get('f:big').length]),
          keys.map((key) => [key, `value of ${key}`, key.length * key.length * 100]),
        );
        const [counts, scanned] = await Promise.all([
          Promise.all(keys.map(() => table.increment('n', 'f:n'))),
          table.scan({ prefix: 'r' }).toArray(),
          assert.rejects(db.table('none').row('r'), { code: 'TABLE_NOT_FOUND' }),
        ]);
        assert.deepEqual(counts.sort((a, b) => a - b), keys.map((_, i) => i + 1));
        assert.equal(scanned.length, 300);
      });
    }
  }
});
