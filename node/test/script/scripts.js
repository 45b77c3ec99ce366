'use strict';
/** The scripts of `tests/scripts`: scenes of steps with their expected answers, and running them on a database. */

const { readFileSync, readdirSync } = require('node:fs');
const { join } = require('node:path');
const { Runner } = require('./runner.js');

const FOLDER = join(__dirname, '..', '..', '..', 'tests', 'scripts');

/** The scenes of one script: { title, steps: { place, line, answer }[] }. */
function scenes(text) {
  const all = [];
  text.split('\n').forEach((raw, index) => {
    const line = raw.trimEnd();
    if (line.trim() === '' || line.startsWith('#')) return;
    if (line.startsWith('== ')) all.push({ title: line.slice(3), steps: [] });
    else if (line.startsWith('  ')) all.at(-1).steps.at(-1).answer.push(line.trimStart());
    else all.at(-1).steps.push({ place: index + 1, line, answer: [] });
  });
  return all;
}

/** Every script: { name, scenes }. */
function scripts() {
  const names = readdirSync(FOLDER).filter((name) => name.endsWith('.txt'));
  return names.sort().map((name) => ({ name, scenes: scenes(readFileSync(join(FOLDER, name), 'utf8')) }));
}

/** Times in scripts are relative: `@now`, `@now+5`, `..now`, `=now`. */
function withTimes(line, now) {
  return line.replace(/(@|=|\.\.)now([+-]\d+)?/g, (_, mark, offset) => `${mark}${BigInt(now) + BigInt(offset ?? 0)}`);
}

/** An expected error may leave the message out, or be a part of it. */
function agrees(expected, got) {
  if (!expected.startsWith('! ') || !got.startsWith('! ')) return expected === got;
  const [, kind, words = ''] = expected.match(/^! (\w+)(?:: (.*))?$/s);
  const [, gotKind, gotWords] = got.match(/^! (\w+): ?(.*)$/s);
  return kind === gotKind && gotWords.includes(words);
}

/** Runs a scene on a fresh database; returns what differs, as text. */
async function play(scene, place, form, now) {
  const runner = new Runner(place, form);
  const wrong = [];
  for (const { place: at, line, answer } of scene.steps) {
    const got = await runner.run(withTimes(line, now));
    const want = answer.map((text) => withTimes(text, now));
    if (want.length !== got.length || !want.every((text, i) => agrees(text, got[i]))) {
      wrong.push(`line ${at}: ${line}\n  expected ${JSON.stringify(want)}\n  got      ${JSON.stringify(got)}`);
    }
  }
  await runner.place.db.close();
  return wrong.join('\n');
}

module.exports = { play, scripts };
