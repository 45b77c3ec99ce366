'use strict';
/** The connection pool: its limits, its queue, and closing. */
const assert = require('node:assert/strict');
const { once } = require('node:events');
const { it } = require('node:test');
const { connect } = require('../../lib/remote/connect.js');
const { reply, scripted } = require('./scripted.js');

/** A server whose answers to `exists` the test releases. */
async function slow(test, options) {
  const held = [];
  let arrived = () => {};
  const server = await scripted(test, {
    exists(call, socket) {
      held.push(() => socket.write(reply(call, { success: true })));
      arrived();
    },
  });
  const db = await connect({ port: server.port, encoding: 'utf8', pauseMs: 0, ...options });
  test.after(() => {
    for (const answer of held.splice(0)) answer();
    return db.close();
  });
  /** Waits until the server holds `count` calls. */
  const holding = (count) =>
    new Promise((resolve) => {
      arrived = () => held.length >= count && resolve();
      arrived();
    });
  return { db, users: db.table('t'), server, held, holding };
}

it('calls share connections up to the limit', async (t) => {
  const { users, server, held, holding } = await slow(t, { connectionsMax: 2, callsPerConnection: 1 });
  const all = [1, 2, 3, 4, 5].map(() => users.exists('r'));
  await holding(2);
  assert.equal(server.sockets.size, 2);
  for (let answered = 0; answered < 5; answered += 1) {
    await holding(1);
    held.shift()();
  }
  assert.deepEqual(await Promise.all(all), [true, true, true, true, true]);
  assert.equal(server.sockets.size, 2);
});

it('the queue is bounded', async (t) => {
  const { users, held, holding } = await slow(t, { connectionsMax: 1, callsPerConnection: 1, waitingMax: 1, retries: 0 });
  const first = users.exists('r');
  const second = users.exists('r');
  await assert.rejects(users.exists('r'), { code: 'BUSY', message: /connectionsMax/ });
  for (const call of [first, second]) {
    await holding(1);
    held.shift()();
    await call;
  }
});

it('a waiting call can be aborted', async (t) => {
  const { users, held, holding, server } = await slow(t, { connectionsMax: 1, callsPerConnection: 1 });
  const first = users.exists('r');
  await holding(1);
  const controller = new AbortController();
  const second = users.exists('r', { signal: controller.signal });
  const reason = new Error('no longer needed');
  controller.abort(reason);
  await assert.rejects(second, reason);
  held.shift()();
  assert.equal(await first, true);
  assert.equal(server.calls.filter((c) => c === 'exists').length, 1, 'the aborted call is not sent');
});

it('aborting a pending call closes its connection', async (t) => {
  const { users, holding, server, held } = await slow(t, { connectionsMax: 1 });
  const controller = new AbortController();
  const call = users.exists('r', { signal: controller.signal });
  await holding(1);
  const [socket] = server.sockets;
  controller.abort();
  await assert.rejects(call, { name: 'AbortError' });
  await once(socket, 'close');
  held.shift();
  const next = users.exists('r');
  await holding(1);
  held.shift()();
  assert.equal(await next, true, 'another connection may be opened');
});

it('a call with an aborted signal is not sent', async (t) => {
  const { users, server } = await slow(t);
  await assert.rejects(users.exists('r', { signal: AbortSignal.abort() }), { name: 'AbortError' });
  assert.equal(server.calls.includes('exists'), false);
});

it('idle connections are closed after a while', async (t) => {
  const { server } = await slow(t, { idleMs: 1 });
  const [socket] = server.sockets;
  if (socket !== undefined) await once(socket, 'close');
  assert.equal(server.sockets.size, 0);
});

it('closing completes pending and waiting calls and rejects new ones', async (t) => {
  const { db, users, held, holding } = await slow(t, { connectionsMax: 1, callsPerConnection: 1 });
  const calls = [users.exists('r'), users.exists('r')];
  await holding(1);
  const closed = db.close();
  await assert.rejects(users.exists('r'), { code: 'CLOSED' });
  for (let i = 0; i < 2; i += 1) {
    await holding(1);
    held.shift()();
  }
  await closed;
  assert.deepEqual(await Promise.all(calls), [true, true]);
  await db.close();
});
