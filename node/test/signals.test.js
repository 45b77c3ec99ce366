'use strict';
/**
 * Many calls with one AbortSignal, on embedded and remote databases: aborting ends all of them, and no listeners
 * remain.
 */
const assert = require('node:assert/strict');
const { getEventListeners } = require('node:events');
const { it } = require('node:test');
const { freshDatabase } = require('../lib/testing/index.js');

const CALLS = 100;

for (const remote of [false, true]) {
  const where = remote ? 'remote' : 'embedded';

  it(`calls that share a signal leave no listeners behind and cause no warning (${where})`, async (t) => {
    const warnings = [];
    const warned = (warning) => warnings.push(warning.message);
    process.on('warning', warned);
    t.after(() => process.off('warning', warned));
    const { db } = await freshDatabase(t, { encoding: 'utf8', tables: { t: ['f'] }, remote });
    const { signal } = new AbortController();
    await Promise.all(Array.from({ length: CALLS }, (_, i) => db.table('t').put(`r${i}`, { 'f:q': 'x' }, { signal })));
    assert.equal(getEventListeners(signal, 'abort').length, 0);
    assert.deepEqual(warnings, []);
  });

  it(`aborting a shared signal ends all pending calls (${where})`, async (t) => {
    const { db } = await freshDatabase(t, { encoding: 'utf8', tables: { t: ['f'] }, remote });
    const controller = new AbortController();
    const calls = Array.from({ length: CALLS }, () => db.table('t').row('r', { signal: controller.signal }));
    const reason = new Error('enough');
    controller.abort(reason);
    for (const call of await Promise.allSettled(calls)) assert.equal(call.reason, reason);
    assert.equal(getEventListeners(controller.signal, 'abort').length, 0);
    assert.equal(await db.table('t').row('r'), undefined, 'the database remains usable');
  });
}
