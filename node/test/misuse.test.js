'use strict';
/** Invalid arguments raise a TypeError or RangeError that names a remedy, in both forms of a method. */

const assert = require('node:assert/strict');
const { test } = require('node:test');
const hjall = require('../lib/index.js');

const db = hjall.memory({ encoding: 'utf8' });
db.createTableSync('t', ['f']);
const t = db.table('t');
const plain = hjall.memory();
plain.createTableSync('t', ['f']);

const CASES = [
  [
    'a misspelt option',
    () => t.row('r', { timerange: [0, 1] }),
    TypeError,
    /option `timerange`: did you mean `timeRange`\?/,
  ],
  [
    'an option of another method',
    () => t.put('r', { 'f:a': 'x' }, { versions: 2 }),
    TypeError,
    /option `versions`: expected one of `ttlMs`/,
  ],
  [
    'a misspelt table option',
    () => db.createTable('u', ['f'], { readonly: true }),
    TypeError,
    /did you mean `readOnly`\?/,
  ],
  [
    'a misspelt family option',
    () => db.createTable('u', { f: { version: 2 } }),
    TypeError,
    /family 'f': unknown option `version`: did you mean `versions`\?/,
  ],
  [
    'a family option without its last letter',
    () => db.createTable('u', { f: { maxVersion: 2 } }),
    TypeError,
    /unknown option `maxVersion`: did you mean `versions`\?/,
  ],
  ['a family option like another', () => db.createTable('u', { f: { minVersion: 2 } }), TypeError, /did you mean `minVersions`\?/],
  [
    'a misspelt attribute of a family',
    () => db.createTable('u', { f: { attributes: { TLL: '60' } } }),
    TypeError,
    /family 'f': option `attributes`: unknown attribute "TLL": did you mean `TTL`\? \(the option `metadata` stores/,
  ],
  [
    'a misspelt attribute of a table',
    () => db.createTable('u', ['f'], { attributes: new Map([[Buffer.from('Durabilty'), 'FSYNC_WAL']]) }),
    TypeError,
    /createTable: option `attributes`: unknown attribute "Durabilty": did you mean `DURABILITY`\?/,
  ],
  [
    'an attribute of families for a table',
    () => db.alterTable('t', ['f'], { attributes: { VERSIONS: '2' } }),
    TypeError,
    /alterTable: option `attributes`: VERSIONS is an attribute of families/,
  ],
  [
    'an attribute of tables for a family',
    () => db.addFamily('t', 'g', { attributes: { READONLY: 'true' } }),
    TypeError,
    /READONLY is an attribute of tables/,
  ],
  ['metadata that is no object', () => db.alterFamily('t', 'f', { metadata: 'x' }), TypeError, /option `metadata` must be an object/],
  [
    'a family option of the wrong type',
    () => db.createTable('u', { f: { inMemory: 1 } }),
    TypeError,
    /must be true or false, not 1/,
  ],
  [
    'an unknown compression',
    () => db.createTable('u', { f: { compression: 'ZIP' } }),
    RangeError,
    /`compression` cannot be "ZIP"/,
  ],
  [
    'an unknown split algorithm',
    () => db.createTable('u', ['f'], { splitAlgo: 'HexSplit', regions: 4 }),
    RangeError,
    /HexStringSplit/,
  ],
  ['regions without an algorithm', () => db.createTable('u', ['f'], { regions: 4 }), TypeError, /needs `splitAlgo`/],
  ['a string instead of bytes', () => plain.table('t').row('r'), TypeError, /encoding: 'utf8'.*Buffer\.from\("r"\)/],
  [
    'a string value instead of bytes',
    () => plain.table('t').put(Buffer.from('r'), { 'f:a': 'x' }),
    TypeError,
    /the value of f:a must be a Buffer/,
  ],
  ['a number as a value', () => t.put('r', { 'f:a': 5 }), TypeError, /a string, Buffer or Uint8Array.*'5'.*long\(5\)/],
  ['a number instead of bytes', () => plain.table('t').put(Buffer.from('r'), { 'f:a': 5 }), TypeError, /be a Buffer.*: use long\(5\)/],
  ['a number beyond 2^53', () => t.put('r', { 'f:a': 2 ** 53 }), TypeError, /long\(9007199254740992n\)/],
  ['a fraction', () => t.put('r', { 'f:a': 1.5 }), TypeError, /use '1\.5' for its text, or codecs\.double\.encode\(1\.5\)/],
  ['NaN', () => t.put('r', { 'f:a': NaN }), TypeError, /not the number NaN: check the calculation of it, or use codecs\.double/],
  ['a sign for "equal"', () => t.checkAndPut('r', 'f:a', 'x', { 'f:a': 'y' }, { op: '==' }), RangeError, /"=="; did you mean `=`\?/],
  ['a sign for "unequal"', () => t.checkAndPut('r', 'f:a', 'x', { 'f:a': 'y' }, { op: '<>' }), RangeError, /did you mean `!=`\?/],
  ['an unknown operator', () => t.checkAndPut('r', 'f:a', 'x', { 'f:a': 'y' }, { op: '~' }), RangeError, /`=`, `!=`.*`NOT_EQUAL`/],
  ['a misspelt operator', () => t.checkAndPut('r', 'f:a', 'x', { 'f:a': 'y' }, { op: 'equals' }), RangeError, /did you mean `EQUAL`\?/],
  ['the name of a property as an operator', () => t.checkAndPut('r', 'f:a', 'x', { 'f:a': 'y' }, { op: 'constructor' }), RangeError, /`=`/],
  ['a number as an operator', () => t.checkAndPut('r', 'f:a', 'x', { 'f:a': 'y' }, { op: 2 }), TypeError, /cannot be 2; expected one of `<`/],
  ['an undefined value', () => t.put('r', { 'f:a': undefined }), TypeError, /not undefined/],
  ['a family instead of a column', () => t.put('r', { f: 'x' }), TypeError, /'f:qualifier'/],
  ['options that are not an object', () => t.row('r', 'f:a'), TypeError, /options must be an object, not "f:a"/],
  ['versions that are not a number', () => t.row('r', { versions: '3' }), TypeError, /must be a number, not "3"/],
  ['versions out of range', () => t.row('r', { versions: -1 }), RangeError, /from 0 to 2147483647, not -1/],
  [
    'an unknown durability',
    () => t.put('r', { 'f:a': 'x' }, { durability: 'SYNC' }),
    RangeError,
    /did you mean `SYNC_WAL`\?|expected one of USE_DEFAULT|cannot be "SYNC"/,
  ],
  ['an empty list of columns to delete', () => t.delete('r', []), RangeError, /would delete the whole row/],
  [
    'a missing expected value',
    () => t.checkAndPut('r', 'f:a', undefined, { 'f:a': 'x' }),
    TypeError,
    /null for "no such cell, or an empty value"/,
  ],
  [
    'a mutation with both put and delete',
    () => t.mutateRow('r', [{ put: {}, delete: true }]),
    TypeError,
    /either `put` or `delete`/,
  ],
  ['mutations that are not an array', () => t.mutateRow('r', { put: {} }), TypeError, /must be an array/],
  ['an invalid signal', () => t.row('r', { signal: {} }), TypeError, /must be an AbortSignal/],
  ['an invalid filter', () => t.row('r', { filter: 5 }), TypeError, /filters\.…\(\)/],
  ['an invalid table name', () => db.createTable(5, ['f']), TypeError, /must be a string/],
  ['both time range and timestamp', () => t.row('r', { timestamp: 1, timeRange: [0, 1] }), TypeError, /not both/],
  ['an object as a value', () => t.put('r', { 'f:a': { b: 1 } }), TypeError, /a string, Buffer.*codecs\.json\.encode/],
  ['a Date as a timestamp', () => t.put('r', { 'f:a': 'x' }, { timestamp: new Date(5) }), TypeError, /getTime\(\)/],
  ['a callback', () => t.row('r', () => {}), TypeError, /no callback, await the promise/],
  ['a callback after the options', () => t.row('r', {}, () => {}), TypeError, /^row: methods take no callback, await the promise/],
  ['a callback of a write', () => t.put('r', { 'f:a': 'x' }, {}, () => {}), TypeError, /^put: methods take no callback/],
  ['a callback of a method without options', () => db.clusterId(() => {}, () => {}), TypeError, /no callback/],
  ['a column and a value instead of data', () => t.put('r', 'f:a', 'x'), TypeError, /^put: .*not "f:a": write put\(row, \{ 'f:a': value \}\)/],
  ['bytes instead of data', () => t.put('r', Buffer.from('f:a'), 'x'), TypeError, /write put\(row, \{ 'f:a': value \}\)/],
  [
    'a column and a value instead of data in a batch',
    async () => t.batch().put('r', 'f:a', 'x'),
    TypeError,
    /^batch\.put: .*write put\(row, \{ 'f:a': value \}\)/,
  ],
  ...[{ timestamp: 5 }, { durability: 'SYNC_WAL' }, { ttlMs: 5 }].flatMap((options) =>
    [
      ['delete', () => t.delete('r', options)],
      ['batch.delete', async () => t.batch().delete('r', options)],
    ].map(([where, call]) => [
      `${Object.keys(options)} in place of the columns of ${where}`,
      call,
      TypeError,
      /delete: options come third: delete\(row, columns, options\), with undefined as the columns for the whole row$/,
    ]),
  ),
  ['null to add', () => t.increment('r', 'f:n', null), TypeError, /^increment: amount must be a number or bigint, not null/],
  ...[{ path: '/thrift' }, { headers: { authorization: 'Basic x' } }].flatMap((options) =>
    [[options], [{ ...options, transport: 'framed' }], ['thrift://localhost:1', options]].map((given) => [
      `${Object.keys(options)} for another transport: ${JSON.stringify(given)}`,
      () => hjall.connect(...given),
      TypeError,
      /^connect: option `(path|headers)` is only for `transport: 'http'`, not '(buffered|framed)': /,
    ]),
  ),
  ['a database in memory by name', () => hjall.open(':memory:'), TypeError, /use memory\(\)/],
  ...['cacheBytes', 'rowCacheBytes', 'writeBufferBytes', 'catalogBytes'].flatMap((name) =>
    [
      [-1, RangeError],
      [1.5, RangeError],
      [NaN, RangeError],
      [2 ** 53, RangeError],
      ['1', TypeError],
      [1n, TypeError],
      [null, TypeError],
    ].map(([size, Class]) => [
      `${typeof size} ${size} as ${name}`,
      async () => hjall.memory({ [name]: size }),
      Class,
      new RegExp(`^memory: option \`${name}\` must be an? `),
    ]),
  ),
  ...[
    ['a row key', () => t.put('\ud800', { 'f:a': 'x' }), 'put: row key'],
    ['a row key of a read', () => t.row('\udc00'), 'row: row key'],
    ['a row key of several', () => t.rows(['a', '\ud800']), 'rows: row key'],
    ['a column', () => t.put('r', { 'f:\ud800': 'x' }), 'put: column'],
    ['a column of a read', () => t.row('r', { columns: 'f:\ud800' }), 'row: column'],
    ['a qualifier', () => t.put('r', [{ family: 'f', qualifier: '\ud800', value: 'x' }]), 'put: column: qualifier'],
    ['a value', () => t.put('r', { 'f:a': 'a\ud800b' }), 'put: the value of f:a'],
    ['a value of a batch', async () => t.batch().put('r', { 'f:a': '\ud83d' }), 'batch.put: the value of f:a'],
    ['a value to append', () => t.append('r', 'f:a', '\ud800'), 'append: value'],
    ['an expected value', () => t.checkAndPut('r', 'f:a', '\ud800', {}), 'checkAndPut: expected value'],
    ['a prefix', () => t.count({ prefix: '\ud800' }), 'count: option `prefix`'],
    ['a filter', () => t.row('r', { filter: "ValueFilter(=, 'binary:\ud800')" }), 'row: option `filter`'],
    ['a value of a filter', async () => hjall.filters.value('=', '\ud800'), 'compare.binary: value'],
    ['a regular expression', async () => hjall.compare.regex('\ud800'), 'compare.regex: pattern'],
    ['a value of a codec', async () => hjall.codecs.string.encode('\ud800'), 'codecs.string: value'],
    ['a split key', () => db.createTable('u', ['f'], { splits: ['\ud800'] }), 'createTable: split key'],
    ['a family', () => db.createTable('u', ['f\ud800']), 'createTable: family name'],
    ['a folder', () => hjall.open('/tmp/\ud800'), 'open: the path'],
    ['a configuration', () => db.createNamespace('n', { a: '\ud800' }), 'createNamespace: configuration `a`'],
  ].map(([what, call, where]) => [
    `half of a surrogate pair in ${what}`,
    call,
    TypeError,
    new RegExp(`^${where} cannot be ".*\\\\ud[0-9a-f]{3}.*": it has half of a surrogate pair`),
  ]),
  ...[null, 5, 'f', []].map((given) => [
    `${JSON.stringify(given)} as familyTimeRanges`,
    async () => t.scan({ familyTimeRanges: given }),
    TypeError,
    /^scan: option `familyTimeRanges` must be an object \{ family: \[from, to\] \} or a Map, not /,
  ]),
  ...[1, null, {}, 'ab', ['a']].map((given) => [
    `${JSON.stringify(given)} as a fuzzy row`,
    async () => hjall.filters.fuzzyRow(given),
    TypeError,
    /^filters\.fuzzyRow: a pattern must be an array \[key, mask\], not /,
  ]),
  ['flags that are not a string', async () => hjall.compare.regex('a', null), TypeError, /^compare\.regex: flags must be a string/],
  ['a property as a split algorithm', () => db.createTable('u', ['f'], { splitAlgo: 'toString', regions: 4 }), RangeError, /HexStringSplit/],
  ['an object as a split algorithm', () => db.createTable('u', ['f'], { splitAlgo: Object.create(null), regions: 4 }), TypeError, /HexStringSplit/],
  ...['string', 'json', 'int32', 'int64', 'float', 'double'].flatMap((name) =>
    [['a string', 'abcd', `row\\.decode\\(column, codecs\\.${name}\\)`], ['undefined', undefined, 'may not have'], ['a number', 5, '']].map(
      ([what, value, remedy]) => [
        `${what} to decode by codecs.${name}`,
        async () => hjall.codecs[name].decode(value),
        TypeError,
        new RegExp(`^codecs\\.${name}: the value must be a Buffer or Uint8Array, not .*${remedy}`),
      ],
    ),
  ),
  ['a string for fromLong', async () => hjall.fromLong('12345678'), TypeError, /^fromLong\(\): value .*; use row\.long\(column\)/],
  ['keys that are not an array', () => t.rows('abc'), TypeError, /array of row keys/],
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

test('methods without their objects are refused', async () => {
  const { put, putSync } = t;
  const message = /^put(Sync)?: must be called on its object/;
  await assert.rejects(put('r', { 'f:a': 'x' }), { name: 'TypeError', message });
  assert.throws(() => putSync.call({}, 'r', { 'f:a': 'x' }), { name: 'TypeError', message });
});

test('the Sync methods throw the same errors', () => {
  assert.throws(() => t.rowSync('r', { timerange: 1 }), /did you mean `timeRange`/);
  assert.throws(() => hjall.memory({ encoding: 'latin1' }), /cannot be "latin1"/);
  assert.throws(() => hjall.memory({ clock: 5 }), /must be a ManualClock/);
  assert.throws(() => hjall.openSync(5), /name of a folder/);
  assert.throws(() => hjall.openSync('x', { readOnly: 1 }), /option `readOnly` must be true or false/);
  assert.throws(() => hjall.memory({ readOnly: true }), /`readOnly`/);
  assert.throws(() => t.scan({ limits: 5 }), /did you mean `limit`/);
  assert.throws(() => t.batch().put('r', { 'f:a': 1 }), /long\(1\)/);
  assert.throws(() => db.table(), /must be a string/);
  assert.throws(() => hjall.memory('./data'), /use open\("\.\/data"\)/);
  assert.throws(() => hjall.filters.value('==', 'x'), /operator cannot be "=="; did you mean `=`/);
  assert.throws(() => new hjall.Database('./data'), /made by open\(folder\)/);
  assert.throws(() => [...t.scan()], /`for await`, or scanSync\(\)/);
  const text = db.table('t');
  text.putSync('text', { 'f:a': 'x' });
  for (const given of [null, 'json']) assert.throws(() => text.rowSync('text').decoded(given), /^TypeError: decoded: codecs must be an object/);
  assert.throws(() => text.rowSync('text').json('f:a'), /the value of f:a cannot be decoded by codecs\.json: /);
  hjall.memory({ encoding: 'UTF-8' }).closeSync();
});

test('errors of the database have a class, a code and a cause', async () => {
  const error = await db
    .table('none')
    .row('r')
    .catch((e) => e);
  assert.ok(error instanceof hjall.NotFoundError && error instanceof hjall.HjallError && error instanceof Error);
  assert.equal(error.code, 'TABLE_NOT_FOUND');
  assert.equal(error.name, 'NotFoundError');
  const batch = t.batch().put('a', { 'f:x': '1' }).put('b', { 'no:x': '1' }).delete('c');
  const failed = await batch.write().catch((e) => e);
  assert.ok(failed instanceof hjall.BatchError);
  assert.equal(failed.code, 'FAMILY_NOT_FOUND');
  assert.deepEqual(
    failed.failures.map(({ index, row }) => [index, row.toString()]),
    [[1, 'b']],
  );
  assert.equal(failed.cause, failed.failures[0].error);
  assert.ok(await t.exists('a'), 'the other rows were written');
});
