'use strict';
/** Connections: how many there are, who waits for them, and how they end. */
const assert = require('node:assert/strict');
const { once } = require('node:events');
const { it } = require('node:test');
const { connect } = require('../../lib/remote/connect.js');
const { reply, scripted } = require('./scripted.js');

/** A server that answers `exists` when the test says so. */
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
  /** Waits until so many calls are being held. */
  const holding = (count) => new Promise((resolve) => {
    arrived = () => held.length >= count && resolve();
    arrived();
  });
  return { db, users: db.table('t'), server, held, holding };
}

it('calls share connections, and no more than allowed', async (t) => {
  const { users, server, held, holding } = await slow(t, { connectionsMax: 2 });
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

it('the line of those who wait is bounded', async (t) => {
  const { users, held, holding } = await slow(t, { connectionsMax: 1, waitingMax: 1, retries: 0 });
  const first = users.exists('r');
  const second = users.exists('r');
  await assert.rejects(users.exists('r'), { code: 'BUSY', message: /connectionsMax/ });
  for (const call of [first, second]) {
    await holding(1);
    held.shift()();
    await call;
  }
});

it('who waits can give up', async (t) => {
  const { users, held, holding, server } = await slow(t, { connectionsMax: 1 });
  const first = users.exists('r');
  await holding(1);
  const leaving = new AbortController();
  const second = users.exists('r', { signal: leaving.signal });
  const reason = new Error('no longer needed');
  leaving.abort(reason);
  await assert.rejects(second, reason);
  held.shift()();
  assert.equal(await first, true);
  assert.equal(server.calls.filter((c) => c === 'exists').length, 1, 'what was given up is not sent');
});

it('giving up a call under way closes its connection', async (t) => {
  const { users, holding, server, held } = await slow(t, { connectionsMax: 1 });
  const leaving = new AbortController();
  const call = users.exists('r', { signal: leaving.signal });
  await holding(1);
  const [socket] = server.sockets;
  leaving.abort();
  await assert.rejects(call, { name: 'AbortError' });
  await once(socket, 'close');
  held.shift();
  const next = users.exists('r');
  await holding(1);
  held.shift()();
  assert.equal(await next, true, 'its place is free again');
});

it('an aborted signal asks nothing', async (t) => {
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

it('closing lets calls under way end, waiting ones too, and takes no more', async (t) => {
  const { db, users, held, holding } = await slow(t, { connectionsMax: 1 });
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
