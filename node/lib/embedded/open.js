'use strict';
/** Opening databases in this process. */

const { fileURLToPath } = require('node:url');
const { Database } = require('../database.js');
const { checked, oneOf, shown, whole } = require('../options.js');
const { EmbeddedBackend } = require('./backend.js');
const { ManualClock } = require('./clock.js');
const { native } = require('./native.js');

const OPTIONS = new Set(['encoding', 'clock', 'cacheBytes', 'writeBufferBytes']);

function pathOf(path, where) {
  if (path instanceof URL) return fileURLToPath(path);
  if (typeof path === 'string' && path !== '') return path;
  throw new TypeError(`${where}: the path must be a folder's name or a file: URL, not ${shown(path)}`);
}

/** A backend that is not open yet, and the request that opens it. */
function prepared(options, where) {
  const { encoding, clock, cacheBytes, writeBufferBytes } = checked(options, OPTIONS, where);
  const backend = new EmbeddedBackend(native().NativeDatabase, oneOf(encoding, ['UTF8'], `${where}: option \`encoding\``)?.toLowerCase());
  if (clock !== undefined) {
    if (!(clock instanceof ManualClock)) throw new TypeError(`${where}: option \`clock\` must be a ManualClock, not ${shown(clock)}`);
    backend.setClock(ManualClock.native(clock));
  }
  const size = (value, name) => whole(value, `${where}: option \`${name}\``, 0, Number.MAX_SAFE_INTEGER);
  return { backend, request: { cacheBytes: size(cacheBytes, 'cacheBytes'), writeBufferBytes: size(writeBufferBytes, 'writeBufferBytes') } };
}

/**
 * Opens the database in a folder, making it if need be. All that opened the same folder in this process, in whatever worker, share one engine.
 * @param {string | URL} path
 * @param {{ encoding?: 'utf8', clock?: ManualClock, cacheBytes?: number, writeBufferBytes?: number }} [options]
 * @returns {Promise<Database>}
 */
async function open(path, options) {
  const folder = pathOf(path, 'open');
  const { backend, request } = prepared(options, 'open');
  await backend.run('open', { path: folder, ...request });
  return new Database(backend);
}

/** The same on the calling thread. */
function openSync(path, options) {
  const folder = pathOf(path, 'openSync');
  const { backend, request } = prepared(options, 'openSync');
  backend.runSync('open', { path: folder, ...request });
  return new Database(backend);
}

/** A database without a disk, empty. Nothing waits for that, so it is returned at once. */
function memory(options) {
  const { backend, request } = prepared(options, 'memory');
  backend.runSync('memory', request);
  return new Database(backend);
}

module.exports = { ManualClock, memory, open, openSync };
