'use strict';
/**
 * Packs the npm packages: one per platform with its native module, and `hjall`, which has them as optional
 * dependencies.
 *
 *   node tools/pack.js [--licences FILE] OUT [PLATFORM=MODULE …]     for example: node tools/pack.js target/npm linux-x64-gnu=target/release/libhjall_node.so
 *
 * Writes a tarball of each to OUT, or with --folders as the first argument, the folders to be packed. No package has
 * an install script: npm selects the platform's package by `os`, `cpu` and `libc`. `hjall` lists the platforms packed
 * in the same call, so a release must pack all of them together.
 */

const { execFileSync } = require('node:child_process');
const { copyFileSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join, resolve } = require('node:path');

const ROOT = join(__dirname, '..');
const manifest = require('../package.json');

function write(folder, content) {
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(content, undefined, 2)}\n`);
}

/** Packs a folder and returns the tarball's name. */
function pack(folder, out) {
  return execFileSync('npm', ['pack', '--silent', '--pack-destination', out], {
    cwd: folder,
    encoding: 'utf8',
    shell: process.platform === 'win32',
  }).trim();
}

/** Makes the folder of a platform's package. */
function platformPackage(work, platform, module, licences) {
  const [os, cpu, libc] = platform.split('-');
  const folder = join(work, platform);
  mkdirSync(folder);
  const file = `hjall.${platform}.node`;
  copyFileSync(resolve(module), join(folder, file));
  copyFileSync(join(ROOT, '..', 'LICENSE'), join(folder, 'LICENSE'));
  const texts = ['LICENSE'];
  if (licences !== undefined) {
    copyFileSync(resolve(licences), join(folder, 'THIRD-PARTY-LICENSES'));
    texts.push('THIRD-PARTY-LICENSES');
  }
  const { version, license, repository, engines } = manifest;
  write(folder, {
    name: `${manifest.name}-${platform}`,
    version,
    description: `hjall's native module for ${platform}`,
    license,
    repository,
    main: file,
    files: [file, ...texts],
    os: [os],
    cpu: [cpu],
    ...(os === 'linux' ? { libc: [libc === 'gnu' ? 'glibc' : libc] } : {}),
    engines,
  });
  return folder;
}

/** The address of a file that README.md links. */
function absolute(path) {
  return new URL(path, 'https://github.com/hjall/hjall/blob/main/node/').href;
}

/** Makes the folder of `hjall`. */
function mainPackage(work, platforms) {
  const folder = join(work, 'hjall');
  mkdirSync(folder);
  const { devDependencies, napi, scripts, ...rest } = manifest;
  const parts = ['lib', 'types', 'index.d.ts', 'index.d.mts', 'testing.d.ts', 'testing.d.mts', 'README.md'];
  for (const pattern of parts.filter((part) => existsSync(join(ROOT, part)))) {
    cpSync(join(ROOT, pattern), join(folder, pattern), { recursive: true });
  }
  copyFileSync(join(ROOT, '..', 'LICENSE'), join(folder, 'LICENSE'));
  // A package's page shows its README outside of the repository.
  const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');
  writeFileSync(join(folder, 'README.md'), readme.replaceAll(/\]\((?!https?:|#)([^)\s]+)\)/g, (_, path) => `](${absolute(path)})`));
  const optional = platforms.map((platform) => [`${manifest.name}-${platform}`, manifest.version]);
  write(folder, { ...rest, optionalDependencies: Object.fromEntries(optional) });
  return folder;
}

function main(words) {
  const folders = words[0] === '--folders';
  let rest = folders ? words.slice(1) : words;
  let licences;
  if (rest[0] === '--licences') [, licences, ...rest] = rest;
  const [out, ...modules] = rest;
  if (out === undefined || modules.some((text) => !text.includes('='))) {
    console.error('usage: node tools/pack.js [--folders] [--licences FILE] OUT [PLATFORM=MODULE …]');
    process.exit(2);
  }
  mkdirSync(out, { recursive: true });
  const work = mkdtempSync(join(tmpdir(), 'hjall-pack-'));
  try {
    const given = modules.map((text) => text.split(/=(.*)/s));
    const made = given.map(([platform, module]) => platformPackage(work, platform, module, licences));
    made.push(
      mainPackage(
        work,
        given.map(([platform]) => platform),
      ),
    );
    if (folders) cpSync(work, out, { recursive: true });
    else for (const folder of made) console.log(pack(folder, resolve(out)));
  } finally {
    rmSync(work, { recursive: true });
  }
}

main(process.argv.slice(2));
