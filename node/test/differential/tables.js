'use strict';
/** The life cycle of a table, with every possible mistake, on two databases. */
const { Program } = require('./program.js');
const { outcome } = require('./shown.js');

const b = Buffer.from;
const put = { 'f:a': b('x') };

/** Steps [what, (db, name) => promise]. */
const STEPS = [
  ['create', (db, t) => db.createTable(t, Program.families, { splits: [b('b'), b('k')] })],
  ['create an existing table', (db, t) => db.createTable(t, ['f'])],
  [
    'create with fewer versions than must be kept',
    (db, t) => db.createTable(`${t}_bad`, { f: { minVersions: 5, versions: 2 } }),
  ],
  ['create in a missing namespace', (db, t) => db.createTable(`${t}_none:t`, ['f'])],
  ['create under a bad name', (db) => db.createTable('ba d', ['f'])],
  ['create without families', (db, t) => db.createTable(`${t}_bad`, [])],
  [
    'create with an invalid number',
    (db, t) => db.createTable(`${t}_bad`, { f: { attributes: { VERSIONS: 'many' } } }),
  ],
  ['split at an empty key', (db, t) => db.createTable(`${t}_bad`, ['f'], { splits: [b('')] })],
  ['split twice at one key', (db, t) => db.createTable(`${t}_bad`, ['f'], { splits: [b('a'), b('a')] })],
  ['describe', (db, t) => db.describeTable(t)],
  ['describe a missing table', (db, t) => db.describeTable(`${t}_none`)],
  ['regions', async (db, t) => (await db.regions(t)).map(({ start, end }) => [start, end])],
  ['regions of a missing table', (db, t) => db.regions(`${t}_none`)],
  ['drop while enabled', (db, t) => db.dropTable(t)],
  ['drop a missing table', (db, t) => db.dropTable(`${t}_none`)],
  ['enable an enabled table', (db, t) => db.enableTable(t)],
  [
    'alter a family',
    (db, t) =>
      db.alterFamily(t, 'f', {
        versions: 4,
        ttlSeconds: 86400,
        blockSize: 8192,
        compression: 'NONE',
        bloomFilter: 'ROWCOL',
        configuration: { own: 'value' },
      }),
  ],
  ['alter a missing family', (db, t) => db.alterFamily(t, 'zz', {})],
  ['add an existing family', (db, t) => db.addFamily(t, 'f', {})],
  ['drop a missing family', (db, t) => db.dropFamily(t, 'zz')],
  ['add a family', (db, t) => db.addFamily(t, 'h', { keepDeletedCells: true })],
  ['describe it', (db, t) => db.describeTable(t)],
  ['drop the family', (db, t) => db.dropFamily(t, 'h')],
  ['alter the table', (db, t) => db.alterTable(t, { f: { versions: 2 }, g: {} }, { attributes: { owner: 'ann' } })],
  ['describe that', (db, t) => db.describeTable(t)],
  ['create an existing namespace', (db) => db.createNamespace('default')],
  ['drop a reserved namespace', (db) => db.dropNamespace('default')],
  ['create a namespace', (db, t) => db.createNamespace(t, { owner: 'ann' })],
  ['describe the namespace', (db, t) => db.describeNamespace(t)],
  ['describe a missing namespace', (db, t) => db.describeNamespace(`${t}_none`)],
  ['create a table in it', (db, t) => db.createTable(`${t}:t`, ['f'])],
  ['tables of the namespace', (db, t) => db.tables({ namespace: t })],
  ['drop the namespace while it is used', (db, t) => db.dropNamespace(t)],
  ['disable its table', (db, t) => db.disableTable(`${t}:t`)],
  ['drop its table', (db, t) => db.dropTable(`${t}:t`)],
  ['alter the namespace', (db, t) => db.alterNamespace(t, { owner: 'bob' })],
  ['describe it again', (db, t) => db.describeNamespace(t)],
  ['drop the namespace', (db, t) => db.dropNamespace(t)],
  ['put', (db, t) => db.table(t).put(b('r'), put, { timestamp: 5 })],
  ['disable', (db, t) => db.disableTable(t)],
  ['disable a disabled table', (db, t) => db.disableTable(t)],
  ['is it enabled', (db, t) => db.isTableEnabled(t)],
  ['row of a disabled table', (db, t) => db.table(t).row(b('r'))],
  ['rows', (db, t) => db.table(t).rows([b('r'), b('s')])],
  ['put', (db, t) => db.table(t).put(b('r'), put)],
  ['mutate', (db, t) => db.table(t).mutateRow(b('r'), [{ put }])],
  ['check', (db, t) => db.table(t).checkAndPut(b('r'), 'f:a', null, put)],
  ['batch', (db, t) => db.table(t).batch().put(b('r'), put).put(b('s'), put).write()],
  ['scan', (db, t) => db.table(t).scan().toArray()],
  ['enable', (db, t) => db.enableTable(t)],
  ['the row exists', (db, t) => db.table(t).row(b('r'))],
  ['disable again', (db, t) => db.disableTable(t)],
  ['truncate', (db, t) => db.truncateTable(t, { preserveSplits: true })],
  ['is it enabled', (db, t) => db.isTableEnabled(t)],
  ['the row no longer exists', (db, t) => db.table(t).row(b('r'))],
  ['the regions exist', async (db, t) => (await db.regions(t)).map(({ start, end }) => [start, end])],
  ['does it exist', (db, t) => db.tableExists(t)],
  ['does another table exist', (db, t) => db.tableExists(`${t}_none`)],
  ['is a missing table enabled', (db, t) => db.isTableEnabled(`${t}_none`)],
  ['disable for the last time', (db, t) => db.disableTable(t)],
  ['drop', (db, t) => db.dropTable(t)],
  ['the remaining tables', async (db, t) => (await db.tables()).filter((name) => name.startsWith(t))],
];

/** The first difference, or undefined. */
async function lifeCycle([one, other], name) {
  for (const [what, step] of STEPS) {
    const [a, c] = [await outcome(() => step(one, name)), await outcome(() => step(other, name))];
    if (a !== c) return `${what}:\n  ${a}\n  ${c}`;
  }
  return undefined;
}

module.exports = { lifeCycle };
