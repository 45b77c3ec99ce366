'use strict';
/**
 * Batches of gets or mutations.
 *
 * The gateway answers a batch as a whole: of a partial failure it reports how many actions failed, but not which.
 * Gets are then repeated one by one. Mutations are never sent twice: if the table's descriptor explains which of them
 * failed, those are reported, otherwise all mutations of the call, with a message that says so.
 */
const { HjallError, ILLEGAL_ARGUMENT, make } = require('../errors.js');
const { tableNameOf } = require('./descriptor.js');
const { INTERNAL, isUnread } = require('./failure.js');
const { deletesOf, getOf, putOf } = require('./request.js');
const { foundRowsOf, rowOrUndefined } = require('./result.js');

/** The text of HBase's NoSuchColumnFamilyException. */
const NO_FAMILY = /Column family (.+?) does not exist/;

/** Limits of one call, in actions and bytes: HBase's framed gateway accepts 2 MiB. */
const COUNT_MAX = 1000;
const BYTES_MAX = 1 << 20;

async function getMany(client, { table, gets }, signal, reading) {
  const answers = [];
  for (let from = 0; from < gets.length; from += COUNT_MAX)
    answers.push(...(await someGets(client, table, gets.slice(from, from + COUNT_MAX), signal, reading)));
  return answers;
}

async function someGets(client, table, gets, signal, reading) {
  try {
    const results = await client.call(
      'getMultiple',
      { table: Buffer.from(table), tgets: gets.map(getOf) },
      { signal, table },
    );
    if (results.length !== gets.length)
      throw make('Protocol', `the server answers ${gets.length} gets with ${results.length} rows`);
    return await foundRowsOf(results, reading);
  } catch (error) {
    if (gets.length === 1 || !isAnswer(error)) throw error;
  }
  const answers = [];
  for (const get of gets)
    answers.push(
      await settled(async () =>
        rowOrUndefined(
          await client.call('get', { table: Buffer.from(table), tget: getOf(get) }, { signal, table }),
          reading,
        ),
      ),
    );
  return answers;
}

/** Whether the server answered the call, as opposed to being unreachable or busy. */
function isAnswer(error) {
  return error instanceof HjallError && !['CONNECTION', 'TIMEOUT', 'PROTOCOL', 'CLOSED', 'BUSY'].includes(error.code);
}

/** The result of `work`, or the server's error as a value. */
async function settled(work) {
  try {
    return await work();
  } catch (error) {
    if (isAnswer(error)) return error;
    throw error;
  }
}

/** Sends one call after the other, since mutations must be applied in order. */
async function mutateMany(client, { table, mutations }, signal) {
  const answers = new Array(mutations.length).fill(undefined);
  let broken;
  for (const run of runsOf(mutations, answers)) {
    if (broken === undefined) broken = await write(client, table, run, answers, signal);
    else
      for (const { index } of run.entries)
        answers[index] = make(
          'Connection',
          `not sent, because an earlier part of the batch failed: ${broken.message}`,
          broken,
        );
  }
  return answers;
}

/**
 * Splits mutations into runs that fit into one call: consecutive puts or deletes of bounded size. Each run is converted
 * when it is asked for. Malformed mutations fail here.
 */
function* runsOf(mutations, answers) {
  let run;
  for (const [index, mutation] of mutations.entries()) {
    let sent;
    try {
      sent = mutation.kind === 'put' ? [putOf(mutation)] : deletesOf(mutation);
    } catch (error) {
      if (!(error instanceof HjallError)) throw error;
      answers[index] = error;
      continue;
    }
    // A delete that needs several TDeletes is atomic only as a mutateRow.
    const kind = sent.length > 1 ? 'row' : mutation.kind;
    const bytes = sizeOf(mutation);
    const fits =
      run !== undefined &&
      run.kind === kind &&
      kind !== 'row' &&
      run.sent.length < COUNT_MAX &&
      run.bytes + bytes <= BYTES_MAX;
    if (!fits) {
      if (run !== undefined) yield run;
      run = { kind, sent: [], entries: [], bytes: 0 };
    }
    run.sent.push(...sent);
    run.entries.push({ index, mutation });
    run.bytes += bytes;
  }
  if (run !== undefined) yield run;
}

function sizeOf({ kind, row, cells, markers }) {
  let bytes = row.length + 32;
  if (kind === 'put')
    for (const { family, qualifier, value } of cells) bytes += family.length + qualifier.length + value.length + 32;
  else for (const { family, qualifier } of markers) bytes += family.length + qualifier.length + 32;
  return bytes;
}

/** A server accepts cells up to this size unless its limit was lowered. */
const CELL_BYTES_ACCEPTED = 1 << 20;

/** Whether a gateway rejected the arguments of a call without a reason. */
function isWithoutReason({ code, cause }) {
  const rejected = code === 'INVALID_ARGUMENT' && cause !== undefined ? INTERNAL.exec(cause.message) : null;
  return rejected !== null && rejected[1] === undefined;
}

/**
 * Adds the probable reason to a put's error without one: HBase's gateway does not report that a cell is too large, and
 * other invalid puts are not sent.
 */
function explained(error, { cells }) {
  const largest = cells.reduce((most, { value }) => Math.max(most, value.length), 0);
  if (!isWithoutReason(error) || largest < CELL_BYTES_ACCEPTED) return error;
  return make(
    'CellTooLarge',
    `KeyValue size too large, probably: a value has ${largest} bytes, and the default limit is 10 MiB (hbase.client.keyvalue.maxsize)`,
    error,
  );
}

/** Sends a run. Returns the error if the server did not answer, after which the remaining runs are not sent. */
async function write(client, table, { kind, sent, entries }, answers, signal) {
  const about = { signal, table };
  const name = Buffer.from(table);
  try {
    if (kind === 'row')
      await client.call(
        'mutateRow',
        { table: name, trowMutations: { row: sent[0].row, mutations: sent.map((deleteSingle) => ({ deleteSingle })) } },
        about,
      );
    else if (sent.length === 1)
      await (kind === 'put'
        ? client.call('put', { table: name, tput: sent[0] }, about)
        : client.call('deleteSingle', { table: name, tdelete: sent[0] }, about));
    else if (kind === 'put') await client.call('putMultiple', { table: name, tputs: sent }, about);
    else await client.call('deleteMultiple', { table: name, tdeletes: sent }, about);
  } catch (error) {
    if (!(error instanceof HjallError)) throw error;
    if (entries.length === 1 || !isAnswer(error)) {
      for (const { index, mutation } of entries)
        answers[index] = kind === 'put' && entries.length === 1 ? explained(error, mutation) : error;
      return isAnswer(error) ? undefined : error;
    }
    // Nothing was written: the gateway validates all mutations before it applies any, and has not read a message that
    // is too long.
    if (error.code === 'INVALID_ARGUMENT' || error.cause?.name === ILLEGAL_ARGUMENT || isUnread(error)) {
      for (const [at, entry] of entries.entries())
        await write(client, table, { kind, sent: [sent[at]], entries: [entry] }, answers, signal);
      return undefined;
    }
    await attribute(client, table, entries, error, answers, signal);
  }
  return undefined;
}

const familyOf = ({ family }) => Buffer.from(family).toString('latin1');

/** The entries with a column of a family for which `isMissing`, if they are as many as have failed. */
function namedBy(entries, failed, isMissing) {
  const named = entries.filter(({ mutation }) =>
    (mutation.cells ?? mutation.markers).some((column) => isMissing(familyOf(column))),
  );
  return named.length === failed ? named : undefined;
}

/**
 * The entries that failed because the table lacks a family; undefined if that cannot be determined. The server's text
 * names one such family. If other families are missing too, the descriptor tells, which only some users may read. Its
 * failure must not hide the error of the writes.
 */
async function withMissingFamily(client, table, entries, failed, error, signal) {
  const family = NO_FAMILY.exec(error.cause?.message ?? '')?.[1];
  const named = namedBy(entries, failed, (name) => name === family);
  if (named !== undefined) return named;
  let columns;
  try {
    ({ columns = [] } = await client.call('getTableDescriptor', { table: tableNameOf(table) }, { signal, table }));
  } catch {
    return undefined;
  }
  const known = new Set(columns.map(({ name }) => name.toString('latin1')));
  return namedBy(entries, failed, (name) => !known.has(name));
}

/** Determines which mutations of a run failed with this error. */
async function attribute(client, table, entries, error, answers, signal) {
  const failed = error.failedActions ?? entries.length;
  let suspects = entries;
  if (failed < entries.length && error.code === 'FAMILY_NOT_FOUND') {
    const missing = await withMissingFamily(client, table, entries, failed, error, signal);
    if (missing !== undefined) suspects = missing;
  }
  const doubt =
    suspects.length === failed
      ? undefined
      : make(
          'Io',
          `${failed} of ${entries.length} rows of this call were not written, and the protocol does not tell which; the first error: ${error.message}`,
          error,
        );
  for (const { index } of suspects) answers[index] = doubt ?? error;
}

module.exports = { explained, getMany, mutateMany };
