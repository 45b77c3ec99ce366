'use strict';
/**
 * The packages as npm installs them, from a tarball and without a registry. Detects missing files and a wrong exports
 * map.
 */

const assert = require('node:assert/strict');
const { execFileSync, execSync } = require('node:child_process');
const { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { delimiter, join } = require('node:path');
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

/** A program for bundlers, which must not depend on its folder. */
const BUNDLED = `const { memory } = require('hjall'); (async () => { ${BODY} })();`;

test('a bundle made by esbuild contains the native module', () => {
  const { buildSync } = require('esbuild');
  writeFileSync(join(folder, 'entry.cjs'), BUNDLED);
  const out = mkdtempSync(join(tmpdir(), 'hjall-esbuild-'));
  try {
    const { warnings } = buildSync({
      absWorkingDir: folder,
      entryPoints: ['entry.cjs'],
      bundle: true,
      platform: 'node',
      outfile: join(out, 'bundle.cjs'),
      loader: { '.node': 'copy' },
      logLevel: 'silent',
    });
    assert.deepEqual(warnings, []);
    assert.equal(execFileSync(process.execPath, ['bundle.cjs'], { cwd: out, encoding: 'utf8', env: environment }).trim(), 'x');
  } finally {
    rmSync(out, { recursive: true });
  }
});

test('the recipes for esbuild in README.md, in a folder as README.md prescribes it and elsewhere', () => {
  const text = readFileSync(join(here, 'README.md'), 'utf8');
  const recipes = [...text.matchAll(/^ *\$ (esbuild .*)\n *\$ (node .*)$/gm)].map(([, ...lines]) => lines);
  assert.equal(recipes.length, 2);
  const own = join(folder, 'own');
  const path = `${join(here, 'node_modules', '.bin')}${delimiter}${process.env.PATH}`;
  const inFolder = (command, cwd) => execSync(command, { cwd, encoding: 'utf8', env: { ...environment, PATH: path } }).trim();
  const programs = [`import { memory } from 'hjall'; ${BODY}`, BUNDLED];
  for (const [at, [bundle, start]] of recipes.entries()) {
    mkdirSync(own);
    const elsewhere = mkdtempSync(join(tmpdir(), 'hjall-esbuild-'));
    try {
      writeFileSync(join(own, 'package.json'), JSON.stringify({ type: 'module' }));
      writeFileSync(join(own, 'app.js'), programs[at]);
      inFolder(`${bundle} --log-level=warning`, own);
      assert.equal(inFolder(start, own), 'x', start);
      cpSync(join(own, 'dist'), join(elsewhere, 'dist'), { recursive: true });
      assert.equal(inFolder(start, elsewhere), 'x', start);
    } finally {
      rmSync(elsewhere, { recursive: true });
      rmSync(own, { recursive: true });
    }
  }
});

test('a file tracer finds the native module', async () => {
  const { nodeFileTrace } = require('@vercel/nft');
  writeFileSync(join(folder, 'traced.cjs'), BUNDLED);
  const { fileList, warnings } = await nodeFileTrace([join(folder, 'traced.cjs')], { base: folder });
  const own = [...warnings].filter(({ message }) => !/Cannot find module 'hjall-/.test(message));
  assert.deepEqual(own, []);
  const out = mkdtempSync(join(tmpdir(), 'hjall-traced-'));
  try {
    for (const file of fileList) cpSync(join(folder, file), join(out, file));
    assert.equal(execFileSync(process.execPath, ['traced.cjs'], { cwd: out, encoding: 'utf8', env: environment }).trim(), 'x');
  } finally {
    rmSync(out, { recursive: true });
  }
});

test('the loader names the package of every platform that is published', () => {
  const { targets } = require('../package.json').napi;
  const names = targets.map((target) => {
    const [arch, , system, libc] = target.split('-');
    const cpu = { x86_64: 'x64', aarch64: 'arm64' }[arch];
    return system === 'darwin' ? `darwin-${cpu}` : `${system === 'windows' ? 'win32' : system}-${cpu}-${libc}`;
  });
  const text = readFileSync(join(here, 'lib', 'embedded', 'native.js'), 'utf8');
  const found = [...text.matchAll(/require\('hjall-(.*)'\)/g)].map(([, name]) => name);
  assert.deepEqual(found.sort(), names.sort());
});

test('attw and publint have no complaint', () => {
  const tool = (name, ...words) =>
    execFileSync(join(here, 'node_modules', '.bin', name), words, { cwd: join(folder, 'packed', 'hjall'), encoding: 'utf8' });
  tool('publint', '--strict', '.');
  tool('attw', '--no-emoji', '--no-color', run('npm', 'pack', '--silent', './packed/hjall', '--pack-destination', folder).replace(/^/, `${folder}/`));
});

test('a native module that cannot be loaded is named with the reason', () => {
  const broken = join(folder, 'broken.node');
  writeFileSync(broken, 'not a module');
  const text = `try { require('hjall').memory(); } catch (error) { console.log(error.message); }`;
  writeFileSync(join(folder, 'd.cjs'), text);
  const printed = execFileSync(process.execPath, ['d.cjs'], {
    cwd: folder,
    encoding: 'utf8',
    env: { ...environment, HJALL_NODE_ADDON: broken },
  });
  assert.match(printed, /^the native module for .* cannot be loaded: .*broken\.node/);
});

test('the error for a missing platform package names the remedy', () => {
  rmSync(join(folder, 'node_modules', `hjall-${platform()}`), { recursive: true });
  const text = `const hjall = require('hjall'); try { hjall.memory(); } catch (error) { console.log(error.message); }`;
  assert.match(program('c.cjs', text), /no native module for .*--no-optional.*Cannot find module/);
});
