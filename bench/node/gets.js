'use strict';
/** Reads rows from memory, as many times as its argument says. bench/instructions.py counts the instructions. */

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const hjall = require('../../node/lib/index.js');

const ROWS = 100;

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'hjall-gets-'));
const db = hjall.openSync(folder);
db.createTableSync('t', ['f']);
const table = db.table('t');
const keys = Array.from({ length: ROWS }, (_, n) => Buffer.from(`row${String(n).padStart(8, '0')}`));
for (const key of keys) table.putSync(key, { 'f:q': Buffer.alloc(100, 'v') });
for (let n = 0; n < Number(process.argv[2]); n += 1) {
  if (table.rowSync(keys[n % ROWS]) === null) throw new Error('a row is missing');
}
db.closeSync();
fs.rmSync(folder, { recursive: true });
