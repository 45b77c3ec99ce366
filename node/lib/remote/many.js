'use strict';
/**
 * Many gets or mutations in few calls.
 *
 * The gateway answers a batch as one: when some of it failed it says how many, not which. Gets are then asked one by one. Mutations are not sent twice:
 * which of them failed is found out by looking at the table where that can tell, and otherwise all of the call are reported, with words that say so.
 */
const { HjallError, make } = require('../errors.js');
const { tableNameOf } = require('./descriptor.js');
const { deletesOf, getOf, putOf } = require('./request.js');
const { found } = require('./result.js');

/** Gets or mutations in one call at most, and bytes of values: HBase's framed gateway takes 2 MiB. */
const COUNT_MAX = 1000;
const BYTES_MAX = 1 << 20;

async function getMany(client, { table, gets }, signal) {
  const answers = [];
  for (let from = 0; from < gets.length; from += COUNT_MAX) answers.push(...(await someGets(client, table, gets.slice(from, from + COUNT_MAX), signal)));
  return answers;
}

async function someGets(client, table, gets, signal) {
  try {
    const results = await client.call('getMultiple', { table: Buffer.from(table), tgets: gets.map(getOf) }, { signal, table });
    if (results.length !== gets.length) throw make('Protocol', `the server answers ${gets.length} gets with ${results.length} rows`);
    return results.map(found);
  } catch (error) {
    if (gets.length === 1 || !isAnswer(error)) throw error;
  }
  const answers = [];
  for (const get of gets) answers.push(await settled(async () => found(await client.call('get', { table: Buffer.from(table), tget: getOf(get) }, { signal, table }))));
  return answers;
}

/** Whether the server answered, so that asking in another way makes sense. */
function isAnswer(error) {
  return error instanceof HjallError && !['CONNECTION', 'TIMEOUT', 'PROTOCOL', 'CLOSED', 'BUSY'].includes(error.code);
}

/** The value, or the HjallError as a value. */
async function settled(work) {
  try {
    return await work();
  } catch (error) {
    if (isAnswer(error)) return error;
    throw error;
  }
}

/** One call after the other, since the order of mutations counts. */
async function mutateMany(client, { table, mutations }, signal) {
  const answers = new Array(mutations.length).fill(undefined);
  let broken;
  for (const run of runsOf(mutations, answers)) {
    if (broken === undefined) broken = await write(client, table, run, answers, signal);
    else for (const { index } of run.places) answers[index] = make('Connection', `not sent, since an earlier part of the batch found no server: ${broken.message}`, broken);
  }
  return answers;
}

/** What can go into one call: puts or deletes that follow each other, of bounded size. What is wrong in form has its answer at once. */
function runsOf(mutations, answers) {
  const runs = [];
  let run;
  mutations.forEach((mutation, index) => {
    let sent;
    try {
      sent = mutation.kind === 'put' ? [putOf(mutation)] : deletesOf(mutation);
    } catch (error) {
      if (!(error instanceof HjallError)) throw error;
      answers[index] = error;
      return;
    }
    // A delete that takes several TDeletes is atomic only as a mutation of its row.
    const kind = sent.length > 1 ? 'row' : mutation.kind;
    const bytes = sizeOf(mutation);
    if (run === undefined || run.kind !== kind || kind === 'row' || run.sent.length >= COUNT_MAX || run.bytes + bytes > BYTES_MAX) {
      run = { kind, sent: [], places: [], bytes: 0 };
      runs.push(run);
    }
    run.sent.push(...sent);
    run.places.push({ index, mutation });
    run.bytes += bytes;
  });
  return runs;
}

function sizeOf({ kind, row, cells, markers }) {
  let bytes = row.length + 32;
  if (kind === 'put') for (const { family, qualifier, value } of cells) bytes += family.length + qualifier.length + value.length + 32;
  else for (const { family, qualifier } of markers) bytes += family.length + qualifier.length + 32;
  return bytes;
}

/** Writes one call's worth. Returns the error of a server that did not answer, after which there is no use in going on. */
async function write(client, table, { kind, sent, places }, answers, signal) {
  const about = { signal, table };
  const name = Buffer.from(table);
  try {
    if (kind === 'row') await client.call('mutateRow', { table: name, trowMutations: { row: sent[0].row, mutations: sent.map((deleteSingle) => ({ deleteSingle })) } }, about);
    else if (sent.length === 1) await (kind === 'put' ? client.call('put', { table: name, tput: sent[0] }, about) : client.call('deleteSingle', { table: name, tdelete: sent[0] }, about));
    else if (kind === 'put') await client.call('putMultiple', { table: name, tputs: sent }, about);
    else await client.call('deleteMultiple', { table: name, tdeletes: sent }, about);
  } catch (error) {
    if (!(error instanceof HjallError)) throw error;
    if (places.length === 1 || !isAnswer(error)) {
      for (const { index } of places) answers[index] = error;
      return isAnswer(error) ? undefined : error;
    }
    // The gateway looks at the form of all before it sends any: nothing was written.
    if (error.code === 'INVALID_ARGUMENT') {
      for (const [at, place] of places.entries()) await write(client, table, { kind, sent: [sent[at]], places: [place] }, answers, signal);
      return undefined;
    }
    await blame(client, table, places, error, answers, signal);
  }
  return undefined;
}

/** Tells which of a batch failed with this error. */
async function blame(client, table, places, error, answers, signal) {
  const failed = error.failedActions ?? places.length;
  let guilty = places;
  if (failed < places.length && error.code === 'FAMILY_NOT_FOUND') {
    const { columns = [] } = await client.call('getTableDescriptor', { table: tableNameOf(table) }, { signal, table });
    const known = new Set(columns.map(({ name }) => name.toString('latin1')));
    const missing = places.filter(({ mutation }) => (mutation.cells ?? mutation.markers).some(({ family }) => !known.has(Buffer.from(family).toString('latin1'))));
    if (missing.length === failed) guilty = missing;
  }
  const doubt = guilty.length === failed ? undefined : make('Io', `${failed} of ${places.length} rows of this call were not written, and the protocol does not tell which; the first: ${error.message}`, error);
  for (const { index } of guilty) answers[index] = doubt ?? error;
}

module.exports = { getMany, mutateMany };
