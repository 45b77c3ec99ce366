'use strict';
/** The names of columns in results: every column has its own, and changing their bytes changes no other result. */

const assert = require('node:assert/strict');
const { test } = require('node:test');
const hjall = require('../lib/index.js');

async function databases(t, options) {
  const local = hjall.memory(options);
  t.after(() => local.close());
  await local.createTable('t', ['f']);
  const { port } = await local.serve({ port: 0 });
  const remote = await hjall.connect({ port, ...options });
  t.after(() => remote.close());
  return { embedded: local.table('t'), remote: remote.table('t') };
}

/** Qualifiers, and the text of their columns. */
const NAMES = [
  [Buffer.from([0xff]), 'f:\\xFF'],
  [Buffer.from('\\xFF'), 'f:\\x5CxFF'],
  [Buffer.from('\\x5CxFF'), 'f:\\x5Cx5CxFF'],
  [Buffer.from([0xff, 0x5c, 0x78, 0x46, 0x46]), 'f:\\xFF\\x5CxFF'],
  [Buffer.from('\\\\xFF'), 'f:\\\\x5CxFF'],
  [Buffer.from('\\xff'), 'f:\\xff'],
  [Buffer.from('\\xF'), 'f:\\xF'],
  [Buffer.from('C:\\x'), 'f:C:\\x'],
  [Buffer.from('\\'), 'f:\\'],
  [Buffer.from('naïve'), 'f:naïve'],
  [Buffer.from('a'), 'f:a'],
  [Buffer.from([0]), 'f:\0'],
];

test('every column has its own text, under which its value is found', async (t) => {
  for (const [where, table] of Object.entries(await databases(t, { encoding: 'utf8' }))) {
    await table.put('r', NAMES.map(([qualifier, text]) => ({ family: 'f', qualifier, value: text })));
    const row = await table.row('r');
    const all = Object.fromEntries(NAMES.map(([, text]) => [text, text]));
    assert.deepEqual({ ...row.values }, all, where);
    assert.deepEqual(row.decoded(), all, where);
    assert.deepEqual(row.toJSON().values, all, where);
    assert.deepEqual(row.cells.map(({ column, qualifier }) => [qualifier, column]).sort(), [...NAMES].sort(), where);
    for (const [qualifier, text] of NAMES)
      for (const column of [{ family: 'f', qualifier }, Buffer.concat([Buffer.from('f:'), qualifier])]) {
        assert.equal(row.get(column), text, where);
        assert.equal(row.decode(column, hjall.codecs.string), text, where);
        assert.deepEqual(row.versions(column).map(({ value }) => value), [text], where);
      }
  }
});

test('a text is the column of that name, as in writes, or else the column that is listed as the text', async (t) => {
  const literal = { 'f:\\xFF': 'literal' };
  for (const [where, table] of Object.entries(await databases(t, { encoding: 'utf8' }))) {
    const bytes = [{ family: 'f', qualifier: Buffer.from([0xff]), value: 'bytes' }];
    await table.put('literal', literal);
    await table.put('bytes', bytes);
    await table.put('both', literal);
    await table.put('both', bytes);
    for (const [key, found] of [
      ['literal', 'literal'],
      ['bytes', 'bytes'],
      ['both', 'literal'],
    ]) {
      const row = await table.row(key);
      assert.equal(row.get('f:\\xFF'), found, `${where}: ${key}`);
      assert.ok(row.has('f:\\xFF'));
      assert.deepEqual(row.versions('f:\\xFF').map(({ value }) => value), [found]);
      const codec = { decode: (value) => `decoded ${value}` };
      assert.ok(Object.values(row.decoded({ 'f:\\xFF': codec })).includes(`decoded ${found}`), `${where}: ${key}`);
      assert.equal(row.get('f:\\x5CxFF'), key === 'bytes' ? undefined : 'literal', `${where}: ${key}`);
    }
  }
});

test('names that a program changes are its own', async (t) => {
  const key = Buffer.from('r');
  for (const [where, table] of Object.entries(await databases(t, {}))) {
    await table.put(key, { 'f:a': Buffer.from('1'), 'f:b': Buffer.from('1') });
    await table.put(Buffer.from('s'), { 'f:a': Buffer.from('1'), 'f:b': Buffer.from('1') });
    const reads = {
      row: async () => (await table.row(key)).cells,
      rows: async () => (await table.rows([key]))[0].cells,
      'a scan': async () => (await table.scan().toArray())[0].cells,
      'the second row of a scan': async () => (await table.scan().toArray())[1].cells,
      cells: async () => [...(await table.cells(key, 'f:a')), ...(await table.cells(key, 'f:b'))],
      versions: async () => {
        const row = await table.row(key);
        return [...row.versions('f:a'), ...row.versions('f:b')];
      },
      ...(where === 'embedded' ? { rowSync: () => table.rowSync(key).cells, scanSync: () => [...table.scanSync()][0].cells } : {}),
    };
    for (const [what, read] of Object.entries(reads)) {
      const held = await read();
      for (const cell of await read()) {
        cell.family.fill(0x78);
        cell.qualifier.fill(0x79);
      }
      for (const [when, cells] of Object.entries({ before: held, after: await read() }))
        assert.deepEqual(
          cells.map(({ column, family, qualifier }) => [column, `${family}:${qualifier}`]),
          [['f:a', 'f:a'], ['f:b', 'f:b']],
          `${where}: ${what}, ${when}`,
        );
    }
    const wide = Array.from({ length: 2500 }, (_, i) => ({ column: `f:w${i}`, value: key }));
    await table.put(Buffer.from('wide'), wide);
    (await table.row(Buffer.from('wide'))).cells.forEach(({ qualifier }) => qualifier.fill(0x78));
    const again = (await table.row(Buffer.from('wide'))).cells;
    assert.ok(again.every(({ column, qualifier }) => column === `f:${qualifier}`), where);
    await table.delete(Buffer.from('wide'));
  }
});

test('a row that is copied to another table has its columns, whatever was changed before', async () => {
  const db = hjall.memory({ encoding: 'utf8' });
  for (const name of ['from', 'to']) db.createTableSync(name, ['f']);
  db.table('from').putSync('r', { 'f:a': 'x' });
  for (const cell of db.table('from').rowSync('r').cells) cell.qualifier.fill(0x78);
  const stream = db.table('to').createWriteStream();
  await new Promise((resolve, reject) => {
    stream.once('error', reject).end(db.table('from').rowSync('r'), (error) => (error ? reject(error) : resolve()));
  });
  assert.deepEqual(db.table('to').rowSync('r').columns, ['f:a']);
  db.closeSync();
});
