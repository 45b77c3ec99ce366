'use strict';
/** Arguments of another realm, as in jest's jsdom environment, where Buffers are not instances of its Uint8Array. */

const assert = require('node:assert/strict');
const { test } = require('node:test');
const { runInNewContext } = require('node:vm');
const hjall = require('../lib/index.js');

test('bytes, Maps, Sets and AbortSignals of another realm', async () => {
  const { key, value, data, keys } = runInNewContext(`
    const bytes = (...codes) => new Uint8Array(codes);
    ({ key: bytes(114), value: bytes(120), data: new Map([[bytes(102, 58, 109), bytes(109)]]), keys: new Set([bytes(114)]) })`);
  assert.ok(!(key instanceof Uint8Array));
  const db = hjall.memory();
  await db.createTable('t', ['f']);
  const table = db.table('t');
  await table.put(key, { 'f:a': value });
  await table.put(key, data);
  await table.put(key, [{ family: 'f', qualifier: value, value }]);
  await table.batch().put(key, { 'f:b': value }).write();
  const [row] = await table.rows(keys, { columns: runInNewContext('[new Uint8Array([102])]') });
  assert.deepEqual({ ...row.values }, Object.fromEntries(['a', 'b', 'm', 'x'].map((name) => [`f:${name}`, Buffer.from(name === 'm' ? 'm' : 'x')])));
  assert.equal(await table.checkAndDelete(key, 'f:m', value, 'f:m'), false);
  const matching = await table.scan({ filter: hjall.filters.value('=', value) }).toArray();
  assert.deepEqual(matching.map(({ columns }) => columns), [['f:a', 'f:b', 'f:x']]);
  const foreign = { [Symbol.toStringTag]: 'AbortSignal', aborted: true, reason: new Error('enough') };
  await assert.rejects(table.row(key, { signal: foreign }), /enough/);
  await assert.rejects(table.row(key, { signal: {} }), TypeError);
  await db.close();
});
