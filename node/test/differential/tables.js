'use strict';
/** The life cycle of a table, with every possible mistake, on two databases. */
const { Program } = require('./program.js');
const { outcome } = require('./shown.js');

const b = Buffer.from;
const put = { 'f:a': b('x') };

/** Steps [what, (db, name) => promise]. */
const STEPS = [
  ['create', (db, t) => db.createTable(t, Program.families, { splits: [b('b'), b('k')] })],
  ['create what exists', (db, t) => db.createTable(t, ['f'])],
  [
    'create with fewer versions than must be kept',
    (db, t) => db.createTable(`${t}_bad`, { f: { minVersions: 5, versions: 2 } }),
  ],
  ['create in no namespace', (db, t) => db.createTable(`${t}_none:t`, ['f'])],
  ['create under a bad name', (db) => db.createTable('ba d', ['f'])],
  ['create without families', (db, t) => db.createTable(`${t}_bad`, [])],
  [
    'create with a number that is none',
    (db, t) => db.createTable(`${t}_bad`, { f: { attributes: { VERSIONS: 'many' } } }),
  ],
  ['split at nothing', (db, t) => db.createTable(`${t}_bad`, ['f'], { splits: [b('')] })],
  ['split twice at one key', (db, t) => db.createTable(`${t}_bad`, ['f'], { splits: [b('a'), b('a')] })],
  ['describe', (db, t) => db.describeTable(t)],
  ['describe nothing', (db, t) => db.describeTable(`${t}_none`)],
  ['regions', async (db, t) => (await db.regions(t)).map(({ start, end }) => [start, end])],
  ['regions of nothing', (db, t) => db.regions(`${t}_none`)],
  ['drop while enabled', (db, t) => db.dropTable(t)],
  ['drop nothing', (db, t) => db.dropTable(`${t}_none`)],
  ['enable what is enabled', (db, t) => db.enableTable(t)],
  [
    'alter a family',
    (db, t) =>
      db.alterFamily(t, 'f', {
        versions: 4,
        ttl: 86400,
        blockSize: 8192,
        compression: 'NONE',
        bloomFilter: 'ROWCOL',
        configuration: { own: 'value' },
      }),
  ],
  ['alter a family that is missing', (db, t) => db.alterFamily(t, 'zz', {})],
  ['add a family that is there', (db, t) => db.addFamily(t, 'f', {})],
  ['drop a family that is missing', (db, t) => db.dropFamily(t, 'zz')],
  ['add a family', (db, t) => db.addFamily(t, 'h', { keepDeletedCells: true })],
  ['describe it', (db, t) => db.describeTable(t)],
  ['drop the family', (db, t) => db.dropFamily(t, 'h')],
  ['alter the table', (db, t) => db.alterTable(t, { f: { versions: 2 }, g: {} }, { attributes: { owner: 'ann' } })],
  ['describe that', (db, t) => db.describeTable(t)],
  ['create a namespace that is there', (db) => db.createNamespace('default')],
  ['drop a reserved namespace', (db) => db.dropNamespace('default')],
  ['create a namespace', (db, t) => db.createNamespace(t, { owner: 'ann' })],
  ['describe the namespace', (db, t) => db.describeNamespace(t)],
  ['describe no namespace', (db, t) => db.describeNamespace(`${t}_none`)],
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
  ['disable what is disabled', (db, t) => db.disableTable(t)],
  ['is it enabled', (db, t) => db.isTableEnabled(t)],
  ['row of a disabled table', (db, t) => db.table(t).row(b('r'))],
  ['rows', (db, t) => db.table(t).rows([b('r'), b('s')])],
  ['put', (db, t) => db.table(t).put(b('r'), put)],
  ['mutate', (db, t) => db.table(t).mutateRow(b('r'), [{ put }])],
  ['check', (db, t) => db.table(t).checkAndPut(b('r'), 'f:a', null, put)],
  ['batch', (db, t) => db.table(t).batch().put(b('r'), put).put(b('s'), put).write()],
  ['scan', (db, t) => db.table(t).scan().toArray()],
  ['enable', (db, t) => db.enableTable(t)],
  ['the row is there', (db, t) => db.table(t).row(b('r'))],
  ['disable again', (db, t) => db.disableTable(t)],
  ['truncate', (db, t) => db.truncateTable(t, { preserveSplits: true })],
  ['is it enabled', (db, t) => db.isTableEnabled(t)],
  ['the row is gone', (db, t) => db.table(t).row(b('r'))],
  ['the regions are there', async (db, t) => (await db.regions(t)).map(({ start, end }) => [start, end])],
  ['does it exist', (db, t) => db.tableExists(t)],
  ['does another', (db, t) => db.tableExists(`${t}_none`)],
  ['is another enabled', (db, t) => db.isTableEnabled(`${t}_none`)],
  ['disable at last', (db, t) => db.disableTable(t)],
  ['drop', (db, t) => db.dropTable(t)],
  ['what is left', async (db, t) => (await db.tables()).filter((name) => name.startsWith(t))],
];

/** The first difference, or undefined. */
async function lives([one, other], name) {
  for (const [what, step] of STEPS) {
    const [a, c] = [await outcome(() => step(one, name)), await outcome(() => step(other, name))];
    if (a !== c) return `${what}:\n  ${a}\n  ${c}`;
  }
  return undefined;
}

module.exports = { lives };
