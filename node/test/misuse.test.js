'use strict';
/** What is said wrongly is a TypeError or RangeError that names the remedy, from the promise as from the Sync twin. */

const assert = require('node:assert/strict');
const { test } = require('node:test');
const hjall = require('../lib/index.js');

const db = hjall.memory({ encoding: 'utf8' });
db.createTableSync('t', ['f']);
const t = db.table('t');
const plain = hjall.memory();
plain.createTableSync('t', ['f']);

const CASES = [
  ['an option misspelt', () => t.row('r', { timerange: [0, 1] }), TypeError, /option `timerange`: did you mean `timeRange`\?/],
  ['an option of another method', () => t.put('r', { 'f:a': 'x' }, { versions: 2 }), TypeError, /option `versions`: there is `ttl`/],
  ['an option of the table misspelt', () => db.createTable('u', ['f'], { readonly: true }), TypeError, /did you mean `readOnly`\?/],
  ['an option of the family misspelt', () => db.createTable('u', { f: { version: 2 } }), TypeError, /family 'f': option `version`: did you mean `versions`\?/],
  ['a family attribute of the wrong kind', () => db.createTable('u', { f: { inMemory: 1 } }), TypeError, /must be true or false, not 1/],
  ['an unknown compression', () => db.createTable('u', { f: { compression: 'ZIP' } }), RangeError, /`compression` cannot be "ZIP"/],
  ['an unknown split algorithm', () => db.createTable('u', ['f'], { splitAlgo: 'HexSplit', regions: 4 }), RangeError, /HexStringSplit/],
  ['regions without an algorithm', () => db.createTable('u', ['f'], { regions: 4 }), TypeError, /needs `splitAlgo`/],
  ['a string where bytes are wanted', () => plain.table('t').row('r'), TypeError, /encoding: 'utf8'.*Buffer\.from\("r"\)/],
  ['a string value where bytes are wanted', () => plain.table('t').put(Buffer.from('r'), { 'f:a': 'x' }), TypeError, /value must be a Buffer/],
  ['a number as value', () => t.put('r', { 'f:a': 5 }), TypeError, /long\(5\)/],
  ['no value at all', () => t.put('r', { 'f:a': undefined }), TypeError, /not undefined/],
  ['a family where a column is wanted', () => t.put('r', { f: 'x' }), TypeError, /'f:qualifier'/],
  ['options that are none', () => t.row('r', 'f:a'), TypeError, /options must be an object, not "f:a"/],
  ['versions that are no number', () => t.row('r', { versions: '3' }), TypeError, /must be a number, not "3"/],
  ['versions out of range', () => t.row('r', { versions: -1 }), RangeError, /from 0 to 2147483647, not -1/],
  ['a durability that there is not', () => t.put('r', { 'f:a': 'x' }, { durability: 'SYNC' }), RangeError, /did you mean `SYNC_WAL`\?|there is USE_DEFAULT|cannot be "SYNC"/],
  ['an empty list of columns to delete', () => t.delete('r', []), RangeError, /would delete the whole row/],
  ['an expected value left out', () => t.checkAndPut('r', 'f:a', undefined, { 'f:a': 'x' }), TypeError, /null for "there is none"/],
  ['a mutation that is both', () => t.mutateRow('r', [{ put: {}, delete: true }]), TypeError, /either `put` or `delete`/],
  ['mutations that are none', () => t.mutateRow('r', { put: {} }), TypeError, /must be an array/],
  ['a signal that is none', () => t.row('r', { signal: {} }), TypeError, /must be an AbortSignal/],
  ['a filter that is none', () => t.row('r', { filter: 5 }), TypeError, /filters\.…\(\)/],
  ['a table name that is none', () => db.createTable(5, ['f']), TypeError, /must be a string/],
  ['both time range and timestamp', () => t.row('r', { timestamp: 1, timeRange: [0, 1] }), TypeError, /not both/],
  ['keys that are no list', () => t.rows('abc'), TypeError, /array of row keys/],
];

for (const [title, call, Class, message] of CASES) {
  test(title, async () => {
    await assert.rejects(call(), (error) => {
      assert.ok(error instanceof Class, `${error.name}: ${error.message}`);
      assert.match(error.message, message);
      return true;
    });
  });
}

test('the Sync twins throw the same', () => {
  assert.throws(() => t.rowSync('r', { timerange: 1 }), /did you mean `timeRange`/);
  assert.throws(() => hjall.memory({ encoding: 'latin1' }), /cannot be "latin1"/);
  assert.throws(() => hjall.memory({ clock: 5 }), /must be a ManualClock/);
  assert.throws(() => hjall.openSync(5), /folder's name/);
  assert.throws(() => t.scan({ limits: 5 }), /did you mean `limit`/);
  assert.throws(() => t.batch().put('r', { 'f:a': 1 }), /long\(1\)/);
  assert.throws(() => db.table(), /must be a string/);
});

test('errors of the database have a class, a code and a cause', async () => {
  const error = await db.table('none').row('r').catch((e) => e);
  assert.ok(error instanceof hjall.NotFoundError && error instanceof hjall.HjallError && error instanceof Error);
  assert.equal(error.code, 'TABLE_NOT_FOUND');
  assert.equal(error.name, 'NotFoundError');
  const batch = t.batch().put('a', { 'f:x': '1' }).put('b', { 'no:x': '1' }).delete('c');
  const failed = await batch.write().catch((e) => e);
  assert.ok(failed instanceof hjall.BatchError);
  assert.equal(failed.code, 'FAMILY_NOT_FOUND');
  assert.deepEqual(failed.failures.map(({ index, row }) => [index, row.toString()]), [[1, 'b']]);
  assert.equal(failed.cause, failed.failures[0].error);
  assert.ok(await t.exists('a'), 'the others were written');
});
