'use strict';
/** A test of a program that uses a database while fake timers are installed. The runner's own functions are passed. */

module.exports = ({ test, expect, fake, real }) => {
  const { connect, memory } = require('hjall');
  const { databasePerTest } = require('hjall/testing');

  async function used(db) {
    await db.createTable('t', ['f'], { ifNotExists: true });
    const table = db.table('t');
    await table.put('r', { 'f:a': 'x' });
    const rows = [];
    for await (const row of table.scan()) rows.push(row.string('f:a'));
    expect(rows).toEqual(['x']);
  }

  test('fake timers', async () => {
    fake();
    const db = memory({ encoding: 'utf8' });
    await used(db);
    real();
    await used(db);
    await db.close();
  });

  test('fake timers and a remote database', async () => {
    fake();
    const local = memory();
    const { port } = await local.serve({ port: 0 });
    for (const transport of ['buffered', 'http']) {
      const db = await connect({ port, transport, encoding: 'utf8' });
      await used(db);
      await db.close();
    }
    const db = await connect({ port, encoding: 'utf8' });
    real();
    await used(db);
    await db.close();
    await local.close();
  });

  test('rows that differ are not equal', async () => {
    const db = memory({ encoding: 'utf8' });
    await used(db);
    const table = db.table('t');
    const one = await table.row('r');
    expect(await table.row('r')).toEqual(one);
    await table.put('r', { 'f:a': 'y' });
    expect(await table.row('r')).not.toEqual(one);
    expect(await table.row('r')).toMatchObject({ cells: [{ column: 'f:a', value: 'y' }] });
    await db.close();
  });

  const fresh = databasePerTest({ encoding: 'utf8', tables: { t: ['f'] } });
  test('hooks', async () => {
    fake();
    await used(fresh.db);
    real();
  });
};
