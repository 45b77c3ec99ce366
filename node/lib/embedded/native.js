'use strict';
/**
 * Loads the native module: the one that `make build-node` put into this folder's package, or the one of this
 * platform's npm package.
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

let loaded;

/** The native module. It is loaded on first use, since a program that only connects to servers does not need it. */
function native() {
  if (loaded !== undefined) return loaded;
  const override = process.env.HJALL_NODE_ADDON;
  const local = join(__dirname, '..', '..', `hjall.${platform()}.node`);
  try {
    loaded = override ? require(override) : existsSync(local) ? require(local) : require(`hjall-${platform()}`);
  } catch (error) {
    throw new Error(
      `no native module for ${platform()}: install the package without --no-optional, or run \`make build-node\` in a clone of the repository`,
      { cause: error },
    );
  }
  return loaded;
}

module.exports = { native, platform };
