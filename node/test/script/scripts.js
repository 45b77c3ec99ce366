'use strict';
/** Parses and runs the scripts in `tests/scripts`: scenes of steps with their expected answers. */

const { readFileSync, readdirSync } = require('node:fs');
const { join } = require('node:path');
const { Runner } = require('./runner.js');

const FOLDER = join(__dirname, '..', '..', '..', 'tests', 'scripts');

/** The scenes of a script: { title, steps: { number, line, answer }[] }. */
function scenes(text) {
  const all = [];
  text.split('\n').forEach((raw, index) => {
    const line = raw.trimEnd();
    if (line.trim() === '' || line.startsWith('#')) return;
    if (line.startsWith('== ')) all.push({ title: line.slice(3), steps: [] });
    else if (line.startsWith('  ')) all.at(-1).steps.at(-1).answer.push(line.trimStart());
    else all.at(-1).steps.push({ number: index + 1, line, answer: [] });
  });
  return all;
}

/** All scripts: { name, scenes }. */
function scripts() {
  const names = readdirSync(FOLDER).filter((name) => name.endsWith('.txt'));
  return names.sort().map((name) => ({ name, scenes: scenes(readFileSync(join(FOLDER, name), 'utf8')) }));
}

/** Replaces relative times in scripts: `@now`, `@now+5`, `..now`, `=now`. */
function withTimes(line, now) {
  return line.replace(/(@|=|\.\.)now([+-]\d+)?/g, (_, mark, offset) => `${mark}${BigInt(now) + BigInt(offset ?? 0)}`);
}

/** Whether an answer is as expected. An expected error may omit the message or give a part of it. */
function agrees(expected, got) {
  if (!expected.startsWith('! ') || !got.startsWith('! ')) return expected === got;
  const [, kind, words = ''] = expected.match(/^! (\w+)(?:: (.*))?$/s);
  const [, gotKind, gotWords] = got.match(/^! (\w+): ?(.*)$/s);
  return kind === gotKind && gotWords.includes(words);
}

/** Runs a scene on a new database and returns the differences as text. */
async function play(scene, target, form, now) {
  const runner = new Runner(target, form);
  const wrong = [];
  for (const { number, line, answer } of scene.steps) {
    const got = await runner.run(withTimes(line, now));
    const want = answer.map((text) => withTimes(text, now));
    if (want.length !== got.length || !want.every((text, i) => agrees(text, got[i]))) {
      wrong.push(`line ${number}: ${line}\n  expected ${JSON.stringify(want)}\n  got      ${JSON.stringify(got)}`);
    }
  }
  await runner.target.db.close();
  return wrong.join('\n');
}

module.exports = { play, scripts };
