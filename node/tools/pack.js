'use strict';
/**
 * Makes what is published: the package without anything native, and beside it the package of this platform with the module that was built.
 *
 *     node tools/pack.js FOLDER      writes FOLDER/hjall-VERSION.tgz and FOLDER/hjall-PLATFORM-VERSION.tgz, and prints their paths
 *
 * The package names the packages of all platforms as optional: npm installs the one that fits, and runs nothing for it. They are named only here, since
 * a clone builds its own module. Each platform's package is made on that platform, from a release build (`cargo build --release -p hjall-node`).
 */
const { execFileSync } = require('node:child_process');
const { copyFileSync, cpSync, existsSync, mkdirSync, rmSync, writeFileSync } = require('node:fs');
const { join, resolve } = require('node:path');
const { platform } = require('../lib/embedded/native.js');
const own = require('../package.json');

const HERE = join(__dirname, '..');
/** Rust's names of systems, and how Node, and so npm, names them. */
const SYSTEMS = { linux: 'linux', apple: 'darwin', pc: 'win32' };
const ARCHITECTURES = { x86_64: 'x64', aarch64: 'arm64' };

/** { name, os, cpu, libc } of a target such as `x86_64-unknown-linux-gnu`. */
function platformOf(target) {
  const [architecture, vendor, system, environment] = target.split('-');
  const os = SYSTEMS[system] ?? SYSTEMS[vendor];
  const cpu = ARCHITECTURES[architecture];
  const libc = { gnu: 'glibc', musl: 'musl' }[os === 'linux' ? environment : ''];
  return { name: [os, cpu, environment].filter(Boolean).join('-'), os, cpu, libc };
}

const PLATFORMS = own.napi.targets.map(platformOf);

function write(folder, manifest) {
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
}

function packed(folder, into) {
  const [{ filename }] = JSON.parse(execFileSync('npm', ['pack', '--json', '--loglevel=error', '--pack-destination', into], { cwd: folder, encoding: 'utf8' }));
  return join(into, filename);
}

/** The package itself. */
function packageOf(staging) {
  const folder = join(staging, 'hjall');
  mkdirSync(folder, { recursive: true });
  for (const name of ['lib', 'types', 'index.d.ts', 'index.d.mts', 'testing.d.ts', 'testing.d.mts', 'README.md']) cpSync(join(HERE, name), join(folder, name), { recursive: true });
  copyFileSync(join(HERE, '..', 'LICENSE'), join(folder, 'LICENSE'));
  const { devDependencies: _, napi: __, ...manifest } = own;
  write(folder, { ...manifest, optionalDependencies: Object.fromEntries(PLATFORMS.map(({ name }) => [`hjall-${name}`, own.version])) });
  return folder;
}

/** The package of this platform. */
function moduleOf(staging) {
  const found = PLATFORMS.find(({ name }) => name === platform());
  if (found === undefined) throw new Error(`pack: ${platform()} is not among the targets in package.json`);
  const { name, os, cpu, libc } = found;
  const file = `hjall.${name}.node`;
  if (!existsSync(join(HERE, file))) throw new Error(`pack: node/${file} is missing: \`make build-node\` makes it`);
  const folder = join(staging, `hjall-${name}`);
  mkdirSync(folder, { recursive: true });
  copyFileSync(join(HERE, file), join(folder, file));
  copyFileSync(join(HERE, '..', 'LICENSE'), join(folder, 'LICENSE'));
  const description = `hjall's native module for ${name}; install hjall instead, which brings it`;
  write(folder, { name: `hjall-${name}`, version: own.version, description, license: own.license, engines: own.engines, os: [os], cpu: [cpu], ...(libc ? { libc: [libc] } : {}), main: file, files: [file, 'LICENSE'] });
  return folder;
}

/** Packs both; returns the paths of the tarballs. */
function pack(into) {
  mkdirSync(into, { recursive: true });
  const staging = join(into, 'staging');
  try {
    return [packageOf(staging), moduleOf(staging)].map((folder) => packed(folder, resolve(into)));
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}

module.exports = { pack };

if (require.main === module) {
  if (process.argv.length !== 3) {
    console.error('usage: node tools/pack.js FOLDER');
    process.exitCode = 2;
  } else for (const path of pack(process.argv[2])) console.log(path);
}
