'use strict';
/** Every example runs in memory, in a folder and on a server, passes its assertions, and leaves no table behind. */
const assert = require('node:assert/strict');
const { execFile } = require('node:child_process');
const { mkdtempSync, readFileSync, readdirSync, rmSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join } = require('node:path');
const { after, before, it } = require('node:test');
const { promisify } = require('node:util');
const { connect, open } = require('../lib/index.js');
const { serving } = require('./serving.js');

const HERE = join(__dirname, '..', 'examples');
const PROGRAMS = readdirSync(HERE).filter((name) => name.endsWith('.mjs'));
const TIMEOUT_MS = 60_000;
const run = promisify(execFile);

let server;
let folder;
before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'hjall-example-'));
  server = await serving();
});
after(async () => {
  await server.stop();
  rmSync(folder, { recursive: true });
});

for (const program of PROGRAMS) {
  const example = (...args) => run(process.execPath, [join(HERE, program), ...args], { timeout: TIMEOUT_MS });

  it(`${program} prints the same everywhere`, async () => {
    const inMemory = await example();
    const inFolder = await example(folder);
    const remote = await example(`127.0.0.1:${server.port}`);
    assert.notEqual(inMemory.stdout, '');
    assert.equal(inFolder.stdout, inMemory.stdout);
    assert.equal(remote.stdout, inMemory.stdout);
    const local = await open(folder);
    assert.deepEqual(await local.tables(), []);
    await local.close();
    const db = await connect({ port: server.port });
    assert.deepEqual(await db.tables(), []);
    await db.close();
  });

  it(`${program} is listed in examples/README.md`, () => {
    const text = readFileSync(join(__dirname, '..', '..', 'examples', 'README.md'), 'utf8');
    assert.ok(text.includes(`(../node/examples/${program})`));
  });
}
