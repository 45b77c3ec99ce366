'use strict';
/** Shared by the generators of committed files: writing a file, or with `--check` comparing it. */
const { existsSync, readFileSync, writeFileSync } = require('node:fs');
const { relative } = require('node:path');

/**
 * Writes `content` to `file`; with `--check` on the command line fails if the file differs instead.
 * @param {string} file
 * @param {string} content
 * @param {string} source what the content is generated from, for the message
 */
function writeOrCheck(file, content, source) {
  const [name, from] = [file, source].map((path) => relative(process.cwd(), path));
  if (!process.argv.includes('--check')) {
    writeFileSync(file, content);
  } else if (existsSync(file) && readFileSync(file, 'utf8') === content) {
    console.log(`${name}: up to date`);
  } else {
    console.error(`${name} does not match ${from}: run \`node ${relative(process.cwd(), process.argv[1])}\``);
    process.exitCode = 1;
  }
}

module.exports = { writeOrCheck };
