'use strict';
/**
 * Random programs on an embedded database and, over Thrift2, on the built server: all answers are equal, including
 * types and errors.
 */
const assert = require('node:assert/strict');
const { after, before, describe, it } = require('node:test');
const { connect, memory } = require('../../lib/index.js');
const { serving } = require('../serving.js');
const { compared } = require('./compared.js');
const { Program } = require('./program.js');
const { lifeCycle } = require('./tables.js');

/** To run other or more programs: DIFFERENTIAL_SEED=100 DIFFERENTIAL_ROUNDS=500 make test-node. */
const SEED = Number(process.env.DIFFERENTIAL_SEED ?? 1);
const ROUNDS = Number(process.env.DIFFERENTIAL_ROUNDS ?? 12);
const STEPS = 150;

describe('embedded and remote databases give the same answers', () => {
  let server;
  before(async () => {
    server = await serving();
  });
  after(() => server.stop());

  it('for the life cycle of a table', async () => {
    const remote = await connect({ port: server.port, pauseMs: 0 });
    const local = memory();
    assert.equal(await lifeCycle([local, remote], 'life'), undefined);
    await remote.close();
    await local.close();
  });

  for (const [at, wire] of [
    ['buffered', 'binary'],
    ['framed', 'compact'],
    ['http', 'binary'],
  ].entries()) {
    it(`${wire.join(', ')}`, async () => {
      const [transport, protocol] = wire;
      const remote = await connect({ port: server.port, transport, protocol, pauseMs: 0 });
      for (let round = at; round < ROUNDS; round += 3) {
        const local = memory();
        const name = `t${round}`;
        for (const db of [local, remote]) await db.createTable(name, Program.families, { splits: [Buffer.from('b')] });
        assert.equal(await compared(SEED + round, STEPS, [local, remote], { name }), undefined);
        if (await remote.isTableEnabled(name)) await remote.disableTable(name);
        await remote.dropTable(name);
        await local.close();
      }
      await remote.close();
    });
  }
});
