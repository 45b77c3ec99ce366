'use strict';
/** Opens databases in this process. */

const { OPERATIONS } = require('../backend.js');
const { Database } = require('../database.js');
const { locate } = require('../location.js');
const { checked, encodingOf, flag, oneOf, pathOf, shown, whole } = require('../options.js');
const { readingOf } = require('../reading.js');
const { EmbeddedBackend } = require('./backend.js');
const { ManualClock } = require('./clock.js');
const { progressOf, watchOf } = require('./progress.js');
const { native } = require('./native.js');

const SIZES = ['cacheBytes', 'rowCacheBytes', 'writeBufferBytes', 'catalogBytes'];
const MEMORY_OPTIONS = new Set(['encoding', 'readBigInts', 'clock', ...SIZES]);
const OPTIONS = new Set([...MEMORY_OPTIONS, 'durability', 'syncIntervalMs', 'syncInterval', 'readOnly']);

/** What SYNC_WAL may mean: as fast as the operating system takes writes, or on disk. */
const DURABILITIES = ['SYNC_WAL', 'FSYNC_WAL'];

/** Makes a backend that is not open yet, and the common part of the requests that open it. */
function prepared(options, where, known = OPTIONS) {
  const given = checked(options, known, where);
  const { encoding, clock, durability, readOnly } = given;
  const backend = new EmbeddedBackend(
    native().NativeDatabase,
    encodingOf(encoding, where),
    readingOf(given, where),
  );
  if (clock !== undefined) {
    if (!(clock instanceof ManualClock))
      throw new TypeError(`${where}: option \`clock\` must be a ManualClock, not ${shown(clock)}`);
    backend.setClock(ManualClock.native(clock));
  }
  const size = (name) => whole(given[name], `${where}: option \`${name}\``, 0, Number.MAX_SAFE_INTEGER);
  if (given.syncIntervalMs !== undefined && given.syncInterval !== undefined)
    throw new TypeError(`${where}: \`syncInterval\` is the former name of \`syncIntervalMs\`: leave it out`);
  return {
    backend,
    request: {
      ...Object.fromEntries(SIZES.map((name) => [name, size(name)])),
      fsync: oneOf(durability, DURABILITIES, `${where}: option \`durability\``) === 'FSYNC_WAL',
      syncInterval: size('syncIntervalMs') ?? size('syncInterval'),
      readOnly: flag(readOnly, `${where}: option \`readOnly\``),
    },
  };
}

/** Adds to the error of a folder that another process has open how to read the database all the same. */
function advised(error, { readOnly }) {
  if (error.code === 'LOCKED' && !readOnly)
    error.message += '; to read it all the same, open it with `readOnly: true`, or use connect() if a server has it open';
  return error;
}

/**
 * Opens the database in a folder; creates it if it does not exist. Within a process, workers that open the same
 * folder share one engine.
 * @param {string | URL} path
 * @param {{ encoding?: 'utf8', readBigInts?: boolean, clock?: ManualClock, cacheBytes?: number,
 * rowCacheBytes?: number, writeBufferBytes?: number, catalogBytes?: number,
 * durability?: 'SYNC_WAL' | 'FSYNC_WAL', syncIntervalMs?: number, readOnly?: boolean }} [options]
 * @returns {Promise<Database>}
 */
async function open(path, options) {
  const folder = pathOf(path, 'open');
  const { backend, request } = prepared(options, 'open');
  try {
    await backend.run(OPERATIONS.open, { path: folder, ...request });
  } catch (error) {
    throw locate(advised(error, request), 'open', {}, open);
  }
  backend.place = { folder };
  return new Database(backend);
}

/** Opens a database on the calling thread; see `open`. */
function openSync(path, options) {
  const folder = pathOf(path, 'openSync');
  const { backend, request } = prepared(options, 'openSync');
  try {
    backend.runSync(OPERATIONS.open, { path: folder, ...request });
  } catch (error) {
    throw locate(advised(error, request), 'openSync', {}, openSync);
  }
  backend.place = { folder };
  return new Database(backend);
}

/** Creates an empty database in memory. This does no I/O, so there is no promise form. */
function memory(options) {
  if (typeof options === 'string' || options instanceof URL)
    throw new TypeError(`memory: a database in memory has no folder: use open(${shown(options)}) for one in a folder`);
  const { backend, request } = prepared(options, 'memory', MEMORY_OPTIONS);
  backend.runSync(OPERATIONS.openMemory, request);
  backend.isInMemory = true;
  backend.place = { memory: true };
  return new Database(backend);
}

/** The request of `restore`, on a backend that opens no database. */
function restoring(backup, path, where) {
  const request = { backup: pathOf(backup, where), path: pathOf(path, where) };
  return { backend: prepared(undefined, where).backend, request };
}

/**
 * Copies a backup to a folder that does not exist or is empty; `open` opens the copy. Everything is read and checked.
 * @param {string | URL} backup
 * @param {string | URL} path
 * @param {{ onProgress?: (progress: object) => void }} [options]
 * @returns {Promise<void>}
 */
async function restore(backup, path, options) {
  const report = progressOf(checked(options, new Set(['onProgress']), 'restore').onProgress, 'restore');
  const { backend, request } = restoring(backup, path, 'restore');
  const watch = watchOf(OPERATIONS.restore, report);
  try {
    const copy = backend.run(OPERATIONS.restore, { ...request, number: watch.number });
    await (report === undefined ? copy : backend.watched(watch, copy));
  } catch (error) {
    throw locate(error, 'restore', {}, restore);
  }
}

/** Copies a backup on the calling thread; see `restore`. */
function restoreSync(backup, path) {
  const { backend, request } = restoring(backup, path, 'restoreSync');
  try {
    backend.runSync(OPERATIONS.restore, { ...request, number: 0 });
  } catch (error) {
    throw locate(error, 'restoreSync', {}, restoreSync);
  }
}

module.exports = { ManualClock, memory, open, openSync, restore, restoreSync };
