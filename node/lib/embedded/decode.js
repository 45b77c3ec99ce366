'use strict';
/** Reads the answer to each operation as the plain data of `backend.js`. */

const { OPERATIONS } = require('../backend.js');
const { Outcome, RowOutcome } = require('../vocabulary.js');

const none = () => undefined;
const boolean = (from) => from.u8() !== 0;
const row = (from) => from.row();
const maybeRow = (from) => (from.u8() === RowOutcome.missing ? undefined : from.row());
const pair = (from) => [from.bytes(), from.bytes()];

function rowOrError(from) {
  const outcome = from.u8();
  if (outcome === RowOutcome.failed) return from.error();
  return outcome === RowOutcome.missing ? undefined : from.row();
}

function descriptor(from) {
  return {
    name: from.text(),
    families: from.list(() => ({ name: from.bytes(), attributes: from.list(pair), configuration: from.list(pair) })),
    attributes: from.list(pair),
  };
}

function namespace(from) {
  return { name: from.text(), configuration: Object.fromEntries(from.list(() => [from.text(), from.text()])) };
}

const figures = (from) => Object.fromEntries(from.list(() => [from.text(), from.i64()]));

/** Operation → the function that reads its answer; the answers of others are empty. */
const ANSWERS = {
  [OPERATIONS.get]: maybeRow,
  [OPERATIONS.exists]: boolean,
  [OPERATIONS.getMany]: (from) => from.list(rowOrError),
  [OPERATIONS.mutateMany]: (from) => from.list(() => (from.u8() === Outcome.done ? undefined : from.error())),
  [OPERATIONS.checkAndMutate]: boolean,
  [OPERATIONS.increment]: row,
  [OPERATIONS.append]: row,
  [OPERATIONS.nextBlock]: (from) => from.list(row),
  [OPERATIONS.finishLoad]: (from) => from.i64(),
  [OPERATIONS.isTableEnabled]: boolean,
  [OPERATIONS.tableExists]: boolean,
  [OPERATIONS.describeTable]: descriptor,
  [OPERATIONS.tables]: (from) =>
    from.list(() => {
      const { name } = descriptor(from);
      boolean(from); // whether it is enabled
      return name;
    }),
  [OPERATIONS.regions]: (from) => from.list(() => ({ id: from.i64(), start: from.bytes(), end: from.bytes() })),
  [OPERATIONS.describeNamespace]: namespace,
  [OPERATIONS.namespaces]: (from) => from.list(() => namespace(from).name),
  [OPERATIONS.tableStatistics]: figures,
  [OPERATIONS.statistics]: figures,
  [OPERATIONS.now]: (from) => from.i64(),
  [OPERATIONS.clusterId]: (from) => from.text(),
  [OPERATIONS.serve]: (from) => ({ host: from.text(), port: from.u32() }),
};

function* maybeRowInSlices(from, reading) {
  return from.u8() === RowOutcome.missing ? undefined : yield* from.rowInSlices(reading);
}

function* rowsOrErrorsInSlices(from, reading) {
  const out = new Array(from.u32());
  for (let i = 0; i < out.length; i += 1) {
    const outcome = from.u8();
    if (outcome === RowOutcome.failed) out[i] = from.error();
    else out[i] = outcome === RowOutcome.missing ? undefined : yield* from.rowInSlices(reading);
  }
  return out;
}

function* rowsInSlices(from, reading) {
  const out = new Array(from.u32());
  for (let i = 0; i < out.length; i += 1) out[i] = yield* from.rowInSlices(reading);
  return out;
}

const rowInSlices = (from, reading) => from.rowInSlices(reading);

/** Operation → the generator that reads a long answer, of those whose answers can be long. */
const SLICED = {
  [OPERATIONS.get]: maybeRowInSlices,
  [OPERATIONS.getMany]: rowsOrErrorsInSlices,
  [OPERATIONS.increment]: rowInSlices,
  [OPERATIONS.append]: rowInSlices,
  [OPERATIONS.nextBlock]: rowsInSlices,
};

/** The function that reads the answer to an operation. */
function reader(operation) {
  return ANSWERS[operation] ?? none;
}

/** The generator that reads a long answer to an operation; undefined if its answers are never long. */
function slicedReader(operation) {
  return SLICED[operation];
}

module.exports = { reader, slicedReader };
