'use strict';
/** How long operations are watched: what ends them, and what their promise settles with. */

const assert = require('node:assert/strict');
const { test } = require('node:test');
const { watched } = require('../lib/embedded/progress.js');

/** A long operation, which reports progress until it is stopped or completed. */
function operation() {
  let settle;
  const work = new Promise((resolve, reject) => {
    settle = { resolve, reject };
  });
  const calls = [];
  const native = {
    progress: () => ({ bytes: 1 }),
    stop() {
      calls.push('stop');
      settle.reject(Object.assign(new Error('stopped'), { code: 'CANCELLED' }));
    },
    end: () => calls.push('end'),
  };
  return { work, calls, native, ...settle };
}

test('an exception from onProgress stops the operation', async () => {
  const { work, calls, native } = operation();
  const report = () => {
    throw new Error('no more');
  };
  await assert.rejects(watched(native, { report }, work), { message: 'no more' });
  assert.deepEqual(calls, ['stop', 'end']);
});

test('an abort from onProgress stops the operation', async () => {
  const { work, calls, native } = operation();
  const controller = new AbortController();
  const report = () => controller.abort(new Error('enough'));
  await assert.rejects(watched(native, { report, signal: controller.signal }, work), { message: 'enough' });
  assert.deepEqual(calls, ['stop', 'end']);
});

test('an abort of an operation that completes all the same has no effect', async () => {
  const { work, calls, native, resolve } = operation();
  const controller = new AbortController();
  const done = watched(native, { signal: controller.signal }, work);
  resolve();
  controller.abort(new Error('too late'));
  await done;
  assert.deepEqual(calls, ['stop', 'end']);
});

test('an exception from the last report rejects, although the operation is complete', async () => {
  const { work, native, resolve } = operation();
  const report = () => {
    throw new Error('no more');
  };
  resolve();
  await assert.rejects(watched(native, { report }, work), { message: 'no more' });
});

test('other errors of the operation are not hidden', async () => {
  for (const code of ['IO', 'CANCELLED']) {
    const { work, native, reject } = operation();
    const controller = new AbortController();
    const done = watched(native, { signal: controller.signal }, work);
    reject(Object.assign(new Error('failed'), { code }));
    if (code === 'IO') controller.abort(new Error('enough'));
    await assert.rejects(done, { message: 'failed' });
  }
});
