'use strict';
/**
 * The packages as npm installs them, from a tarball and without a registry. Detects missing files and a wrong exports
 * map.
 */

const assert = require('node:assert/strict');
const { execFileSync } = require('node:child_process');
const { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join } = require('node:path');
const { after, before, test } = require('node:test');
const { platform } = require('../lib/embedded/native.js');

const folder = mkdtempSync(join(tmpdir(), 'hjall-packaging-'));
const here = join(__dirname, '..');
const run = (command, ...args) =>
  execFileSync(command, args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }).trim();

before(() => {
  const module = process.env.HJALL_NODE_ADDON ?? join(here, `hjall.${platform()}.node`);
  run(process.execPath, join(here, 'tools', 'pack.js'), '--folders', 'packed', `${platform()}=${module}`);
  const tarball = run('npm', 'pack', '--silent', './packed/hjall');
  // The platform's package would come from the registry; here the program overrides its location.
  const name = `hjall-${platform()}`;
  const dependencies = { hjall: `file:${tarball}`, [name]: `file:packed/${platform()}` };
  writeFileSync(
    join(folder, 'package.json'),
    JSON.stringify({ name: 'program', private: true, dependencies, overrides: { [name]: `$${name}` } }),
  );
  run('npm', 'install', '--offline', '--no-audit', '--no-fund', '--ignore-scripts', '--silent');
});
after(() => rmSync(folder, { recursive: true, force: true }));

const BODY = `const db = memory({ encoding: 'utf8' }); await db.createTable('t', ['f']); await db.table('t').put('r', { 'f:a': 'x' });
  console.log((await db.table('t').row('r')).string('f:a')); await db.close();`;
const environment = { ...process.env };
delete environment.HJALL_NODE_ADDON;

/** Runs a program in that folder and returns what it prints. */
function program(name, text) {
  writeFileSync(join(folder, name), text);
  return execFileSync(process.execPath, [name], { cwd: folder, encoding: 'utf8', env: environment }).trim();
}

test('as an ES module', () => {
  assert.equal(
    program(
      'a.mjs',
      `import hjall, { memory, connect, filters } from 'hjall'; if (hjall.memory !== memory) throw 0; ${BODY}`,
    ),
    'x',
  );
});

test('as CommonJS', () => {
  assert.equal(program('a.cjs', `const { memory } = require('hjall'); (async () => { ${BODY} })();`), 'x');
});

test('the first program in README.md', () => {
  assert.match(
    program('first.mjs', /^```js\n([\s\S]*?)^```/m.exec(readFileSync(join(here, 'README.md'), 'utf8'))[1]),
    /^Ann 1\n/,
  );
});

test('the testing module, and the declarations', () => {
  const text =
    "const { freshDatabase } = require('hjall/testing'); freshDatabase().then(async (fresh) => (console.log(await fresh.db.tables()), fresh.dispose()))";
  assert.equal(program('testing.cjs', text), '[]');
  for (const file of ['index.d.ts', 'index.d.mts', 'testing.d.ts', 'testing.d.mts', 'types/table.d.ts'])
    assert.ok(existsSync(join(folder, 'node_modules', 'hjall', file)), file);
});

test('ES modules and CommonJS get the same objects', () => {
  const text = `import { createRequire } from 'node:module'; import * as esm from 'hjall'; const cjs = createRequire(import.meta.url)('hjall');
    console.log(Object.keys(cjs).filter((name) => esm[name] !== cjs[name]).join());`;
  assert.equal(program('b.mjs', text), '');
});

test('the packages have no install scripts', () => {
  const manifests = ['hjall', `hjall-${platform()}`].map((name) =>
    require(join(folder, 'node_modules', name, 'package.json')),
  );
  for (const { scripts = {} } of manifests)
    assert.deepEqual(
      Object.keys(scripts).filter((name) => /install|prepare/.test(name)),
      [],
    );
  assert.deepEqual(Object.keys(manifests[0].optionalDependencies), [`hjall-${platform()}`]);
});

test('the error for a missing platform package names the remedy', () => {
  rmSync(join(folder, 'node_modules', `hjall-${platform()}`), { recursive: true });
  const text = `const hjall = require('hjall'); try { hjall.memory(); } catch (error) { console.log(error.message); }`;
  assert.match(program('c.cjs', text), /no native module for .*--no-optional/);
});
