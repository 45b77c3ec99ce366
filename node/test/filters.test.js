'use strict';
/**
 * Each filter gives the same result as the filter in HBase's language. Those that the language lacks are tested
 * separately.
 */

const assert = require('node:assert/strict');
const { test } = require('node:test');
const { compare, filters, memory } = require('../lib/index.js');

const db = memory({ encoding: 'utf8' });
db.createTableSync('t', { f: { versions: 5 }, g: {} });
const table = db.table('t');
const batch = table.batch({ timestamp: 10 });
for (const [i, row] of ['a1', 'a2', 'b1', 'b2', 'c1'].entries()) {
  batch.put(row, { 'f:name': `n${i}`, 'f:other': 'Same', 'f:x1': 'x', 'g:name': `g${i}` });
}
batch.put('a1', { 'f:name': 'newer' }, { timestamp: 20 });
batch.writeSync();

const shown = (filter) =>
  table
    .scanSync({ filter, versions: 5 })
    .toArray()
    .map((row) => [row.key.toString(), ...row.cells.map((c) => `${c.column}@${c.timestamp}=${c.value}`)].join(' '));

/** [value, the same filter as text] */
const SAME = [
  [filters.prefix('a'), "PrefixFilter('a')"],
  [filters.keyOnly(), 'KeyOnlyFilter()'],
  [filters.keyOnly(true), 'KeyOnlyFilter(true)'],
  [filters.firstKeyOnly(), 'FirstKeyOnlyFilter()'],
  [filters.columnPrefix('na'), "ColumnPrefixFilter('na')"],
  [filters.multipleColumnPrefix('na', 'x'), "MultipleColumnPrefixFilter('na', 'x')"],
  [filters.columnCountGet(2), 'ColumnCountGetFilter(2)'],
  [filters.page(2), 'PageFilter(2)'],
  [filters.columnPagination(1, 1), 'ColumnPaginationFilter(1, 1)'],
  [filters.inclusiveStop('b1'), "InclusiveStopFilter('b1')"],
  [filters.timestamps(20), 'TimestampsFilter(20)'],
  [filters.row('<=', 'b1'), "RowFilter(<=, 'binary:b1')"],
  [filters.row('>', 'b1'), "RowFilter(>, 'binary:b1')"],
  [filters.row('=', compare.regex('.*2$')), "RowFilter(=, 'regexstring:.*2$')"],
  [filters.family('=', 'g'), "FamilyFilter(=, 'binary:g')"],
  [filters.qualifier('!=', 'name'), "QualifierFilter(!=, 'binary:name')"],
  [filters.qualifier('=', compare.binaryPrefix('na')), "QualifierFilter(=, 'binaryprefix:na')"],
  [filters.value('=', compare.substring('SAM')), "ValueFilter(=, 'substring:SAM')"],
  [filters.columnRange({ min: 'n', max: 'o' }), "ColumnRangeFilter('n', true, 'o', false)"],
  [
    filters.columnRange({ min: 'name', minInclusive: false, max: 'x1', maxInclusive: true }),
    "ColumnRangeFilter('name', false, 'x1', true)",
  ],
  [filters.singleColumnValue('f:name', '=', 'n1'), "SingleColumnValueFilter('f', 'name', =, 'binary:n1')"],
  [
    filters.singleColumnValue('f:none', '=', 'n1', { filterIfMissing: true, latestVersionOnly: false }),
    "SingleColumnValueFilter('f', 'none', =, 'binary:n1', true, false)",
  ],
  [
    filters.singleColumnValueExclude('f:name', '>', 'n1'),
    "SingleColumnValueExcludeFilter('f', 'name', >, 'binary:n1')",
  ],
  [filters.dependentColumn('f:name'), "DependentColumnFilter('f', 'name')"],
  [
    filters.dependentColumn('f:name', { dropColumn: true, op: '=', value: 'n1' }),
    "DependentColumnFilter('f', 'name', true, =, 'binary:n1')",
  ],
  [
    filters.all(filters.prefix('a'), filters.qualifier('=', 'x1')),
    "PrefixFilter('a') AND QualifierFilter(=, 'binary:x1')",
  ],
  [filters.any([filters.prefix('a'), filters.prefix('c')]), "PrefixFilter('a') OR PrefixFilter('c')"],
  [filters.skip(filters.value('!=', 'n1')), "SKIP ValueFilter(!=, 'binary:n1')"],
  [filters.whileMatch(filters.row('<', 'b2')), "WHILE RowFilter(<, 'binary:b2')"],
];

for (const [typed, text] of SAME) {
  test(text, () => assert.deepEqual(shown(typed), shown(text)));
}

/** [name, value, the expected rows] */
const ROWS = [
  ['fuzzyRow: any first byte, the second fixed', filters.fuzzyRow(['?1', Buffer.from([1, 0])]), ['a1', 'b1', 'c1']],
  ['multiRowRange', filters.multiRowRange({ start: 'a2', stop: 'b2' }, { start: 'c' }), ['a2', 'b1', 'c1']],
  ['randomRow: never', filters.randomRow(0), []],
  ['randomRow: always', filters.randomRow(2), ['a1', 'a2', 'b1', 'b2', 'c1']],
  ['columnValue', filters.columnValue('f:name', '=', 'n3'), ['b2']],
  ['firstKeyValueMatchingQualifiers', filters.firstKeyValueMatchingQualifiers('name'), ['a1', 'a2', 'b1', 'b2', 'c1']],
  ['binaryComponent', filters.row('=', compare.binaryComponent('2', 1)), ['a2', 'b2']],
  ['bit', filters.row('=', compare.bit('a1', 'xor')), ['a2', 'b1', 'b2', 'c1']],
  [
    'columnPagination from a qualifier',
    filters.all(filters.columnPagination(1, 'other'), filters.prefix('a1')),
    ['a1'],
  ],
  ['regex with flags', filters.value('=', compare.regex('SAME', 'i')), ['a1', 'a2', 'b1', 'b2', 'c1']],
  ['null', filters.value('=', compare.null()), []],
];

for (const [what, typed, rows] of ROWS) {
  test(what, () => assert.deepEqual([...new Set(shown(typed).map((line) => line.split(' ')[0]))], rows));
}

test('a long compares numbers', () => {
  const { long } = require('../lib/index.js');
  db.createTableSync('n', ['f']);
  for (const n of [-5, 0, 7]) db.table('n').putSync(`r${n}`, { 'f:n': long(n) });
  const rows = db
    .table('n')
    .scanSync({ filter: filters.value('>', compare.long(-1)) })
    .toArray();
  assert.deepEqual(
    rows.map((row) => row.long('f:n')),
    [0, 7],
  );
});

test('filters work in gets, and as serialised bytes', async () => {
  const only = await table.row('a1', { filter: filters.qualifier('=', 'x1') });
  assert.deepEqual(only.columns, ['f:x1']);
  assert.deepEqual(shown(filters.prefix('a').encoded), shown("PrefixFilter('a')"));
});

test('invalid filters are rejected with the reason', () => {
  assert.throws(() => shown("PrefixFilter('a'"), { name: 'RequestError' });
  assert.throws(() => shown(Buffer.from([1, 2, 3])), { code: 'FILTER_MALFORMED' });
  assert.throws(() => filters.row('~', 'x'), /operator cannot be "~"/);
  assert.throws(() => filters.all('a'), /made by filters/);
  assert.throws(() => filters.singleColumnValue('f', '=', 'x'), /single column/);
  assert.throws(() => shown(filters.page(-1)), { code: 'INVALID_ARGUMENT' });
  assert.throws(() => compare.regex('a', 'g'), /flag "g"/);
});
