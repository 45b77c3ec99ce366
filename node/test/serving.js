'use strict';
/** Starts the built server as a child process, on a free port and with a temporary folder. */
const { spawn } = require('node:child_process');
const { existsSync, mkdtempSync, rmSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join } = require('node:path');
const { once } = require('node:events');
const { createInterface } = require('node:readline');

const LINES_MAX = 100;

/** The binary: HJALL_BIN, or the one that `make build` builds. */
function binary() {
  const path = process.env.HJALL_BIN ?? join(__dirname, '..', '..', 'target', 'debug', 'hjall');
  if (!existsSync(path)) throw new Error(`${path} is missing: run \`make build\`, or set HJALL_BIN to another binary`);
  return path;
}

/**
 * @param {string[]} [options] additional options of `hjall serve`
 * @returns {Promise<{ port: number, stop: () => Promise<void> }>} `stop` stops the server and removes its folder
 */
async function serving(options = []) {
  const folder = mkdtempSync(join(tmpdir(), 'hjall-test-'));
  const child = spawn(binary(), ['serve', '--data', folder, '--listen', '127.0.0.1:0', ...options], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(child, 'exit');
  const stop = async () => {
    child.kill();
    await ended;
    rmSync(folder, { recursive: true, force: true });
  };
  const output = [];
  // The log is shown only if the server does not start, but the pipe must be read in any case.
  child.stderr.setEncoding('utf8').on('data', (text) => output.length < LINES_MAX && output.push(text.trimEnd()));
  for await (const line of createInterface({ input: child.stdout })) {
    output.push(line);
    const found = /listening on 127\.0\.0\.1:(\d+)/.exec(line);
    if (found) {
      // Keep reading, or the server would block on a full pipe.
      child.stdout.resume();
      return { port: Number(found[1]), stop };
    }
  }
  throw new Error(`hjall exited before it was ready:\n${output.join('\n')}`);
}

module.exports = { binary, serving };
