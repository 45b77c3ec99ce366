'use strict';
/** What is published installs into an empty folder, without a network and without running anything, and works there for both kinds of modules. */
const assert = require('node:assert/strict');
const { execFileSync } = require('node:child_process');
const { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join } = require('node:path');
const { after, before, describe, it } = require('node:test');
const { pack } = require('../../tools/pack.js');

const README = readFileSync(join(__dirname, '..', '..', 'README.md'), 'utf8');

describe('the packages', () => {
  let folder;
  const node = (...args) => execFileSync(process.execPath, args, { cwd: join(folder, 'program'), encoding: 'utf8' });
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'hjall-pack-'));
    const tarballs = pack(join(folder, 'packed'));
    mkdirSync(join(folder, 'program'));
    writeFileSync(join(folder, 'program', 'package.json'), '{ "private": true }');
    execFileSync('npm', ['install', '--offline', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error', ...tarballs], { cwd: join(folder, 'program') });
  });
  after(() => rmSync(folder, { recursive: true }));

  it('run the first screen of README.md', () => {
    writeFileSync(join(folder, 'program', 'first.mjs'), /^```js\n([\s\S]*?)^```/m.exec(README)[1]);
    assert.match(node('first.mjs'), /^Ann 1\n/);
  });

  it('serve CommonJS, and the testing module', () => {
    const program = "const { memory } = require('hjall'); const { freshDatabase } = require('hjall/testing'); freshDatabase().then(async (f) => (console.log(await f.db.tables(), memory().tablesSync()), f.dispose()))";
    assert.equal(node('-e', program), '[] []\n');
  });

  it('connect without a native module', () => {
    const program = "const { connect } = require('hjall'); connect({ port: 1, retries: 0 }).catch((e) => console.log(e.code, Object.keys(require.cache).some((k) => k.endsWith('.node'))))";
    assert.equal(node('-e', program), 'CONNECTION false\n');
  });

  it('hold what is needed and nothing else', () => {
    const installed = join(folder, 'program', 'node_modules', 'hjall');
    const manifest = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
    assert.equal(manifest.scripts, undefined, 'no install script');
    assert.equal(manifest.dependencies, undefined);
    for (const file of ['README.md', 'LICENSE', 'index.d.ts', 'types/table.d.ts', 'testing.d.mts']) assert.ok(existsSync(join(installed, file)), file);
    for (const file of ['test', 'tools', 'eslint.config.js', 'node_modules']) assert.ok(!existsSync(join(installed, file)), file);
  });
});
