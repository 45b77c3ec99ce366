'use strict';
/** Test suites of jest and vitest that use fake timers and compare rows. */

const assert = require('node:assert/strict');
const { execFile } = require('node:child_process');
const { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join } = require('node:path');
const { after, before, test } = require('node:test');
const { promisify } = require('node:util');

const ROOT = join(__dirname, '..');
const BIN = join(ROOT, 'node_modules', '.bin');
/** A suite that hangs does not end by itself. */
const TIMEOUT_MS = 120_000;
const run = promisify(execFile);

let folder;
before(() => {
  folder = mkdtempSync(join(tmpdir(), 'hjall-runners-'));
  cpSync(join(__dirname, 'runners'), folder, { recursive: true });
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(ROOT, join(folder, 'node_modules', 'hjall'));
  symlinkSync(join(ROOT, 'node_modules', 'vitest'), join(folder, 'node_modules', 'vitest'));
  writeFileSync(join(folder, 'package.json'), '{}');
});
after(() => rmSync(folder, { recursive: true, force: true }));

const SUITES = {
  jest: ['jest', '--ci', '--config', '{"testMatch":["**/jest.sample.js"]}'],
  'jest with fake timers from the beginning': [
    'jest',
    '--ci',
    '--config',
    '{"testMatch":["**/jest.sample.js"],"fakeTimers":{"enableGlobally":true}}',
  ],
  vitest: ['vitest', 'run', '--globals', '--dir', '.', '--config', 'vitest.config.mjs'],
};

for (const [title, [command, ...words]] of Object.entries(SUITES)) {
  test(title, async () => {
    writeFileSync(join(folder, 'vitest.config.mjs'), "export default { test: { include: ['vitest.sample.mjs'] } };\n");
    const { stdout, stderr } = await run(join(BIN, command), words, {
      cwd: folder,
      timeout: TIMEOUT_MS,
      env: { ...process.env, NODE_TEST_CONTEXT: undefined, NODE_OPTIONS: '--preserve-symlinks', CI: 'true', NO_COLOR: '1' },
    }).catch((error) => assert.fail(`${error.message}\n${error.stdout}\n${error.stderr}`));
    assert.match(stdout + stderr, /4 passed/);
  });
}
