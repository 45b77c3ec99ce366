'use strict';
/** Codecs, and the diagnostics channels of calls. */

const assert = require('node:assert/strict');
const { tracingChannel } = require('node:diagnostics_channel');
const { test } = require('node:test');
const hjall = require('../lib/index.js');

const { codecs } = hjall;

test('codecs make the bytes of HBase and read them', async () => {
  for (const [codec, value, hex] of [
    [codecs.string, 'Zoë', '5a6fc3ab'],
    [codecs.json, { a: [1, null] }, Buffer.from('{"a":[1,null]}').toString('hex')],
    [codecs.int32, -2, 'fffffffe'],
    [codecs.int64, 258, '0000000000000102'],
    [codecs.int64, 2n ** 62n, '4000000000000000'],
    [codecs.float, 1.5, '3fc00000'],
    [codecs.double, -0.1, 'bfb999999999999a'],
  ]) {
    assert.equal(codec.encode(value).toString('hex'), hex, codec.name);
    assert.deepEqual(codec.decode(new Uint8Array(Buffer.from(hex, 'hex'))), value, codec.name);
  }
  for (const [codec, wrong] of [
    [codecs.string, 5],
    [codecs.json, undefined],
    [codecs.int32, 2 ** 31],
    [codecs.int32, 1.5],
    [codecs.int64, 2 ** 53],
    [codecs.float, '1'],
  ])
    assert.throws(() => codec.encode(wrong), /codecs\.|cannot be/, codec.name);
});

test('a row decodes its values', async () => {
  const db = hjall.memory({ encoding: 'utf8' });
  await db.createTable('t', ['f']);
  const table = db.table('t');
  await table.put('r', { 'f:n': codecs.int32.encode(7), 'f:s': 'text', 'f:j': codecs.json.encode([1]) });
  const row = await table.row('r');
  assert.equal(row.decode('f:n', codecs.int32), 7);
  assert.equal(row.decode('f:none', codecs.int32), undefined);
  assert.deepEqual(row.decoded({ 'f:n': codecs.int32, 'f:j': codecs.json }), { 'f:j': [1], 'f:n': 7, 'f:s': 'text' });
  assert.throws(() => row.decode('f:n', codecs.int64), /the value of f:n .*4 bytes, not 8/);
  assert.throws(() => row.decode('f:s', codecs.json), /the value of f:s cannot be decoded by codecs\.json: /);
  assert.throws(() => row.decode('f:s', 'json'), /must be one of codecs \(string, json/);
  await db.close();
});

test('calls are published on diagnostics channels', async () => {
  const db = hjall.memory({ encoding: 'utf8' });
  const seen = [];
  const subscribers = {
    start: ({ method, table }) => seen.push(`start ${method} ${table}`),
    asyncEnd: ({ method, error }) => seen.push(`end ${method} ${error?.code}`),
    end: () => {},
    asyncStart: () => {},
    error: ({ method }) => seen.push(`error ${method}`),
  };
  const calls = tracingChannel('hjall:call');
  calls.subscribe(subscribers);
  try {
    await db.createTable('t', ['f']);
    await db.table('t').scan().toArray();
    await assert.rejects(db.table('none').row('r'));
    assert.throws(() => db.table('none').rowSync('r'));
  } finally {
    calls.unsubscribe(subscribers);
  }
  await db.table('t').row('r');
  assert.deepEqual(seen, [
    'start createTable t',
    'end createTable undefined',
    'start scan t',
    'end scan undefined',
    'start row none',
    'error row',
    'end row TABLE_NOT_FOUND',
    'start rowSync none',
    'error rowSync',
  ]);
  await db.close();
});
