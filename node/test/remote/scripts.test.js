'use strict';
/** The behaviour scripts on a remote database with a manual clock, over each transport and protocol. */

const assert = require('node:assert/strict');
const { mkdtempSync, rmSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join } = require('node:path');
const { test } = require('node:test');
const { ManualClock, connect, memory, open } = require('../../lib/index.js');
const { play, scripts } = require('../script/scripts.js');

const NOW = 1_700_000_000_000;
const WIRES = [
  ['buffered', 'binary'],
  ['framed', 'compact'],
  ['http', 'binary'],
];

/** A served database and a connection to it. Calls that Thrift2 does not have go to the database directly. */
async function target(make, clock, [transport, protocol]) {
  const local = await make();
  const { port } = await local.serve({ port: 0 });
  const remote = await connect({ port, transport, protocol, pauseMs: 0 });
  const db = Object.assign(Object.create(remote), {
    flush: (...given) => local.flush(...given),
    compact: (...given) => local.compact(...given),
  });
  const close = async () => {
    await remote.close();
    await local.close();
  };
  const reopen = async () => {
    await close();
    return target(make, clock, [transport, protocol]);
  };
  return { db, clock, reopen, close };
}

for (const [at, script] of scripts().entries()) {
  const wire = WIRES[at % WIRES.length];
  test(`${script.name}, remote, ${wire.join(', ')}`, async () => {
    for (const scene of script.scenes) {
      const clock = new ManualClock(NOW);
      const folder = scene.steps.some(({ line }) => line === 'reopen')
        ? mkdtempSync(join(tmpdir(), 'hjall-script-'))
        : undefined;
      let there = await target(() => (folder === undefined ? memory({ clock }) : open(folder, { clock })), clock, wire);
      const { reopen } = there;
      there.reopen = async () => (there = await reopen());
      assert.equal(await play(scene, there, 'promise', NOW), '', scene.title);
      await there.close();
      if (folder !== undefined) rmSync(folder, { recursive: true });
    }
  });
}
