'use strict';
/** Calls that concern all rows of a range: `count` and `deleteRows`. Both scan the range block by block. */

const { LATEST, OPERATIONS } = require('./backend.js');
const { BatchError, failuresOf } = require('./batch.js');
const { filters } = require('./filter.js');
const { locate } = require('./location.js');
const { durabilityOf } = require('./mutation.js');
const { checked, shown } = require('./options.js');
const { scanOf } = require('./read.js');
const { Scan, SyncScan } = require('./scan.js');

const COUNT_OPTIONS = new Set(['start', 'stop', 'prefix', 'columns', 'timeRange', 'filter', 'onProgress', 'signal']);
const DELETE_OPTIONS = new Set(['start', 'stop', 'prefix', 'filter', 'durability', 'onProgress', 'signal']);
const NAMES_ONLY = filters.all(filters.firstKeyOnly(), filters.keyOnly());

/** A scan that reads as little of each row as its options permit, and the function to report progress to. */
function prepared(options, where, encoding) {
  const { onProgress, signal, durability: _, ...scan } = options;
  if (onProgress !== undefined && typeof onProgress !== 'function')
    throw new TypeError(`${where}: option \`onProgress\` must be a function, not ${shown(onProgress)}`);
  // A filter of the program may have to see all cells and values of a row.
  const filter = scan.filter ?? NAMES_ONLY;
  return { scan: scanOf({ ...scan, filter }, where, encoding), signal, report: onProgress ?? (() => {}) };
}

/** Counts the rows of a range. */
async function count(backend, table, options) {
  const { scan, signal, report } = prepared(checked(options, COUNT_OPTIONS, 'count'), 'count', backend.encoding);
  const rows = new Scan(backend, table, scan, signal, 'count');
  return await rows._whole(async () => {
    let counted = 0;
    for (let block = await rows.nextBlock(); block.length > 0; block = await rows.nextBlock()) {
      counted += block.length;
      report(counted);
    }
    return counted;
  });
}

function countSync(backend, table, options) {
  const { scan, signal, report } = prepared(checked(options, COUNT_OPTIONS, 'countSync'), 'countSync', backend.encoding);
  const rows = new SyncScan(backend, table, scan, signal, 'countSync');
  let counted = 0;
  for (let block = rows.nextBlock(); block.length > 0; block = rows.nextBlock()) {
    counted += block.length;
    report(counted);
  }
  return counted;
}

function deletion(options, where, encoding) {
  const given = checked(options, DELETE_OPTIONS, where);
  const deletion = { ...prepared(given, where, encoding), durability: durabilityOf(given, where) };
  // An empty bound is none. It often comes from a variable that was not set.
  const { start, stop } = deletion.scan;
  if (start.length > 0 || stop.length > 0) return deletion;
  const search = given.filter === undefined ? '' : '; to search all rows, give `start` as the smallest key, a zero byte';
  throw new TypeError(
    `${where}: give \`prefix\`, \`start\` or \`stop\`, not empty: without them, all rows would be deleted, which \`truncateTable\` does${search}`,
  );
}

/** The deletes of a block of rows. */
function deletesOf(block, durability) {
  return block.map(({ key }) => ({
    kind: 'delete',
    row: key,
    markers: [],
    timestamp: LATEST,
    ttl: undefined,
    durability,
  }));
}

/** The number of rows deleted by a block's answers; throws the BatchError of those that failed. */
function deleted(mutations, answers, reading, before) {
  const failures = failuresOf((at) => mutations[at].row, answers, reading, before);
  if (failures.length > 0) throw new BatchError(failures, mutations.length);
  return mutations.length;
}

/** Deletes the rows of a range. Returns their number. */
async function deleteRows(backend, table, options) {
  const { scan, signal, report, durability } = deletion(options, 'deleteRows', backend.encoding);
  const rows = new Scan(backend, table, scan, signal, 'deleteRows');
  let count = 0;
  try {
    await rows._whole(async () => {
      for (let block = await rows.nextBlock(); block.length > 0; block = await rows.nextBlock()) {
        const mutations = deletesOf(block, durability);
        const answers = await backend.run(OPERATIONS.mutateMany, { table, mutations }, signal);
        count += deleted(mutations, answers, backend.reading, count);
        report(count);
      }
    });
  } catch (error) {
    throw locate(error, 'deleteRows', { table }, deleteRows);
  } finally {
    rows.close();
  }
  return count;
}

function deleteRowsSync(backend, table, options) {
  const { scan, signal, report, durability } = deletion(options, 'deleteRowsSync', backend.encoding);
  const rows = new SyncScan(backend, table, scan, signal, 'deleteRowsSync');
  let count = 0;
  try {
    for (let block = rows.nextBlock(); block.length > 0; block = rows.nextBlock()) {
      const mutations = deletesOf(block, durability);
      count += deleted(mutations, backend.runSync(OPERATIONS.mutateMany, { table, mutations }), backend.reading, count);
      report(count);
    }
  } catch (error) {
    throw locate(error, 'deleteRowsSync', { table }, deleteRowsSync);
  } finally {
    rows.close();
  }
  return count;
}

module.exports = { count, countSync, deleteRows, deleteRowsSync };
