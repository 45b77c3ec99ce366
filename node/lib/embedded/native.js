'use strict';
/** Finds the native module: beside the package's sources (as `make build-node` puts it there), or in the package of this platform. */

const { existsSync, readFileSync } = require('node:fs');
const { join } = require('node:path');

/** glibc or musl: which of the two this Linux has. */
function libc() {
  const report = process.report?.getReport?.();
  if (report?.header?.glibcVersionRuntime) return 'gnu';
  try {
    return readFileSync('/usr/bin/ldd', 'latin1').includes('musl') ? 'musl' : 'gnu';
  } catch {
    return 'gnu';
  }
}

/** The name that this platform has in file names: `linux-x64-gnu`, `darwin-arm64`, `win32-x64-msvc`. */
function platform() {
  const { platform: system, arch } = process;
  if (system === 'linux') return `linux-${arch}-${libc()}`;
  return system === 'win32' ? `win32-${arch}-msvc` : `${system}-${arch}`;
}

let loaded;

/** The native module, loaded when it is first needed: a program that only connects to servers needs none. */
function native() {
  if (loaded !== undefined) return loaded;
  const named = process.env.HJALL_NODE_ADDON;
  const beside = join(__dirname, '..', '..', `hjall.${platform()}.node`);
  try {
    loaded = named ? require(named) : existsSync(beside) ? require(beside) : require(`hjall-${platform()}`);
  } catch (error) {
    throw new Error(
      `hjall has no native module for ${platform()} here: install the package without --no-optional, or in a clone run \`make build-node\``,
      { cause: error },
    );
  }
  return loaded;
}

module.exports = { native, platform };
