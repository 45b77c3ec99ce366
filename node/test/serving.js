'use strict';
/** The built hjall as a child process, on a free port over a temporary folder. */
const { spawn } = require('node:child_process');
const { existsSync, mkdtempSync, rmSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join } = require('node:path');
const { once } = require('node:events');
const { createInterface } = require('node:readline');

const LINES_MAX = 100;

/** HJALL_BIN, or what `make build` makes. */
function binary() {
  const path = process.env.HJALL_BIN ?? join(__dirname, '..', '..', 'target', 'debug', 'hjall');
  if (!existsSync(path)) throw new Error(`${path} is missing: \`make build\` makes it, HJALL_BIN names another one`);
  return path;
}

/**
 * @param {string[]} [options] further ones of `hjall serve`
 * @returns {Promise<{ port: number, stop: () => Promise<void> }>} `stop` ends it and removes its folder
 */
async function serving(options = []) {
  const folder = mkdtempSync(join(tmpdir(), 'hjall-test-'));
  const child = spawn(binary(), ['serve', '--data', folder, '--listen', '127.0.0.1:0', ...options], { stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = once(child, 'exit');
  const stop = async () => {
    child.kill();
    await ended;
    rmSync(folder, { recursive: true, force: true });
  };
  const said = [];
  // Its log is of interest only if it does not start; the pipe has to be emptied anyway.
  child.stderr.setEncoding('utf8').on('data', (text) => said.length < LINES_MAX && said.push(text.trimEnd()));
  for await (const line of createInterface({ input: child.stdout })) {
    said.push(line);
    const found = /listening on 127\.0\.0\.1:(\d+)/.exec(line);
    if (found) {
      // The pipe is read to its end, or the server would stop at a full one.
      child.stdout.resume();
      return { port: Number(found[1]), stop };
    }
  }
  throw new Error(`hjall ended before it served:\n${said.join('\n')}`);
}

module.exports = { serving };
