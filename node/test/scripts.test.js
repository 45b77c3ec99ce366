'use strict';
/** The behaviour scripts on embedded databases, in both forms of methods; in a folder if a scene needs files. */

const assert = require('node:assert/strict');
const { mkdtempSync, rmSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join } = require('node:path');
const { test } = require('node:test');
const hjall = require('../lib/index.js');
const { play, scripts } = require('./script/scripts.js');

const NOW = 1_700_000_000_000;

/** A database in a folder that can be opened again. */
async function inFolder(folder, clock) {
  const db = await hjall.open(folder, { clock });
  const reopen = async () => {
    await db.close();
    return inFolder(folder, clock);
  };
  return { db, clock, reopen };
}

const inMemory = (clock) => ({ db: hjall.memory({ clock }), clock });
const needsFiles = (scene) => scene.steps.some(({ line }) => /^(reopen|flush|compact)\b/.test(line));

for (const script of scripts()) {
  test(`${script.name}, promises`, async () => {
    for (const scene of script.scenes) {
      const clock = new hjall.ManualClock(NOW);
      const folder = needsFiles(scene) ? mkdtempSync(join(tmpdir(), 'hjall-script-')) : undefined;
      const target = folder === undefined ? inMemory(clock) : await inFolder(folder, clock);
      assert.equal(await play(scene, target, 'promise', NOW), '', scene.title);
      if (folder !== undefined) rmSync(folder, { recursive: true });
    }
  });

  test(`${script.name}, Sync`, async () => {
    for (const scene of script.scenes) {
      if (scene.steps.some(({ line }) => line === 'reopen')) continue;
      assert.equal(await play(scene, inMemory(new hjall.ManualClock(NOW)), 'sync', NOW), '', scene.title);
    }
  });
}
