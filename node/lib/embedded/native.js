'use strict';
/**
 * Loads the native module: the one that `make build-node` put into this folder's package, or the one of this
 * platform's npm package.
 *
 * Bundlers and file tracers find the package of each platform because `required` names it in full.
 */

const { existsSync, readFileSync } = require('node:fs');
const { join } = require('node:path');

/** The C library of this Linux: 'gnu' or 'musl'. */
function libc() {
  const report = process.report?.getReport?.();
  if (report?.header?.glibcVersionRuntime) return 'gnu';
  try {
    return readFileSync('/usr/bin/ldd', 'latin1').includes('musl') ? 'musl' : 'gnu';
  } catch {
    return 'gnu';
  }
}

/** The name of this platform in file names, such as `linux-x64-gnu`, `darwin-arm64` or `win32-x64-msvc`. */
function platform() {
  const { platform: system, arch } = process;
  if (system === 'linux') return `linux-${arch}-${libc()}`;
  return system === 'win32' ? `win32-${arch}-msvc` : `${system}-${arch}`;
}

/** The module of a platform's package. Bundlers accept that a package is missing because of the `try`. */
function required(name) {
  try {
    switch (name) {
      case 'linux-x64-gnu':
        return require('hjall-linux-x64-gnu');
      case 'linux-x64-musl':
        return require('hjall-linux-x64-musl');
      case 'linux-arm64-gnu':
        return require('hjall-linux-arm64-gnu');
      case 'darwin-x64':
        return require('hjall-darwin-x64');
      case 'darwin-arm64':
        return require('hjall-darwin-arm64');
      case 'win32-x64-msvc':
        return require('hjall-win32-x64-msvc');
    }
  } catch (error) {
    throw failed(name, error);
  }
  throw failed(name, undefined);
}

/** The error of loading the module of a platform, with its cause in the message. */
function failed(name, cause) {
  const message =
    cause === undefined
      ? `hjall has no native module for ${name}: use connect(), which needs none, or build it with \`make build-node\` in a clone of the repository`
      : cause.code === 'MODULE_NOT_FOUND' && cause.message.includes(`hjall-${name}`)
        ? `there is no native module for ${name}: install the package without --no-optional, on the platform that runs the program, or run \`make build-node\` in a clone of the repository (${firstLine(cause.message)})`
        : `the native module for ${name} cannot be loaded: ${firstLine(cause.message)}`;
  return new Error(message, { cause });
}

const firstLine = (text) => text.split('\n')[0];

let loaded;

/**
 * The file of the module that is not in a platform's package: the one that the environment names, or that was built in
 * this folder's package. Undefined if there is none.
 */
function localFile(name) {
  if (process.env.HJALL_NODE_ADDON !== undefined) return process.env.HJALL_NODE_ADDON;
  // A bundle that is an ES module has no __dirname, and no package around it.
  if (typeof __dirname !== 'string') return undefined;
  const built = join(__dirname, '..', '..', `hjall.${name}.node`);
  return existsSync(built) ? built : undefined;
}

/** The native module. It is loaded on first use, since a program that only connects to servers does not need it. */
function native() {
  if (loaded !== undefined) return loaded;
  const name = platform();
  const local = localFile(name);
  if (local === undefined) {
    loaded = required(name);
    return loaded;
  }
  try {
    loaded = require(local);
  } catch (error) {
    throw failed(name, error);
  }
  return loaded;
}

module.exports = { native, platform };
