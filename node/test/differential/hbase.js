'use strict';
/**
 * Random programs on an embedded database and, over Thrift2, on HBase; part of `make judge`.
 *
 *     node node/test/differential/hbase.js PORT [SEED [ROUNDS]]      prints "N passed, M failed" at the end
 */
const { connect, memory } = require('../../lib/index.js');
const { compared } = require('./compared.js');
const { Program } = require('./program.js');
const { lifeCycle } = require('./tables.js');

const STEPS = 200;

/** HBase marks a part of a row as partial even if the rest of the row is not visible. */
const masked = (text) => text.replaceAll('…', '');

async function main([port, first = String(1 + Math.floor(Math.random() * 1e6)), rounds = '10']) {
  // HBase's gateways answer before its master is ready, and creating the first tables is slow.
  const hbase = await connect({ port: Number(port), callTimeoutMs: 180_000, retries: 8, pauseMs: 1000 });
  let failed = 0;
  const difference = await lifeCycle([memory(), hbase], `life${Date.now()}`);
  if (difference !== undefined) {
    failed += 1;
    console.log(difference);
  }
  for (let seed = Number(first); seed < Number(first) + Number(rounds); seed += 1) {
    const local = memory();
    const name = `node${seed}`;
    for (const db of [local, hbase]) {
      if (await db.tableExists(name)) {
        if (await db.isTableEnabled(name)) await db.disableTable(name);
        await db.dropTable(name);
      }
      await db.createTable(name, Program.families, { splits: [Buffer.from('b')] });
    }
    const mismatch = await compared(seed, STEPS, [local, hbase], { name, tables: false, masked });
    if (mismatch !== undefined) {
      failed += 1;
      console.log(mismatch);
    }
    await hbase.disableTable(name);
    await hbase.dropTable(name);
    await local.close();
  }
  await hbase.close();
  console.log(`${Number(rounds) + 1 - failed} passed, ${failed} failed`);
  process.exitCode = failed === 0 ? 0 : 1;
}

main(process.argv.slice(2));
