'use strict';
/**
 * Every program in README.md runs unchanged, except for its port, and prints what its comments say. Those whose data
 * remain run twice.
 */
const assert = require('node:assert/strict');
const { execFile } = require('node:child_process');
const { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join } = require('node:path');
const { after, before, describe, it } = require('node:test');
const { promisify } = require('node:util');
const { memory } = require('../lib/index.js');
const { servingUsers } = require('./certificates.js');

const ROOT = join(__dirname, '..');
const TEXT = readFileSync(join(ROOT, 'README.md'), 'utf8');
const TIMEOUT_MS = 60_000;
const run = promisify(execFile);

/** The code blocks: { heading, language, code }. */
function blocks() {
  const found = [];
  let heading = 'introduction';
  for (const [, title, language, code] of TEXT.matchAll(/^## (.*)$|^```(\w+)\n([\s\S]*?)^```$/gm)) {
    if (title !== undefined) heading = title;
    else found.push({ heading, language, code });
  }
  return found;
}

/** The output that comments after calls of console.log announce. */
const expectedOutput = (code) => [...code.matchAll(/console\.log\(.*\);.*?\/\/ (.*)$/gm)].map(([, said]) => said);

describe('README.md', () => {
  let folder;
  let served;
  let port;
  let secured;
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'hjall-readme-'));
    mkdirSync(join(folder, 'node_modules'));
    symlinkSync(ROOT, join(folder, 'node_modules', 'hjall'));
    served = memory();
    ({ port } = await served.serve({ port: 0 }));
    secured = await servingUsers(join(folder, 'secured'));
  });
  after(async () => {
    await secured?.stop();
    await served.close();
    rmSync(folder, { recursive: true });
  });

  for (const [number, { heading, language, code }] of blocks().entries()) {
    if (language === 'js') {
      it(`${heading} (${number})`, async () => {
        const own = join(folder, `example${number}`);
        mkdirSync(own);
        const program = join(own, 'program.mjs');
        const logsIn = code.includes('server.pem');
        writeFileSync(program, code.replaceAll('9090', String(logsIn ? secured.port : port)));
        if (logsIn) cpSync(join(folder, 'secured'), own, { recursive: true });
        const runs = () =>
          run(process.execPath, ['--preserve-symlinks', program], {
            cwd: own,
            timeout: TIMEOUT_MS,
            env: { ...process.env, NODE_TEST_CONTEXT: undefined },
          });
        const { stdout } = await runs();
        let from = 0;
        for (const expected of expectedOutput(code)) {
          const at = stdout.indexOf(expected, from);
          assert.ok(at >= 0, `"${expected}" is not in the output:\n${stdout}`);
          from = at + expected.length;
        }
        // Programs whose data remain must also run when their tables exist.
        if (/\b(open|connect)\(/.test(code)) await runs();
      });
    } else if (language === 'ts') {
      // `make check-node` compiles it as a sample in test/types.
      it(`${heading} (${number}) is a compiled sample`, () => {
        assert.equal(readFileSync(join(__dirname, 'types', 'readme.mts'), 'utf8').replace(/^\/\*\*.*\*\/\n/, ''), code);
      });
    }
  }

  it('names every error code', () => {
    const { CODES } = require('../lib/errors.js');
    for (const code of Object.values(CODES)) assert.ok(TEXT.includes(`\`${code}\``), code);
  });

  for (const [method, types] of [['connect', ['ConnectOptions']], ['open', ['FormOptions', 'MemoryOptions', 'OpenOptions']]]) {
    it(`names every option of ${method} in a table`, () => {
      const declarations = readFileSync(join(ROOT, 'types', 'open.d.ts'), 'utf8');
      const rows = TEXT.split('\n').filter((line) => line.startsWith('| `')).map((line) => line.split(' | ')[0]).join();
      for (const type of types) {
        const options = new RegExp(`interface ${type}[\\s\\S]*?^}`, 'm').exec(declarations)[0].replace(/@deprecated.*\n.*/g, '');
        for (const [, option] of options.matchAll(/^ {2}(\w+)\?/gm))
          assert.ok(rows.includes(`\`${option}\``) || ['path', 'headers', 'signal'].includes(option), option);
      }
    });
  }
});
