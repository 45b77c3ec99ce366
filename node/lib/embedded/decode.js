'use strict';
/** From answers to the seam's plain data: how the answer of each operation is read. */

const { OPERATIONS } = require('../backend.js');

const none = () => undefined;
const truth = (from) => from.u8() !== 0;
const row = (from) => from.row();
const maybeRow = (from) => (from.u8() === 0 ? undefined : from.row());
const pair = (from) => [from.bytes(), from.bytes()];

function rowOrError(from) {
  const what = from.u8();
  if (what === 2) return from.error();
  return what === 0 ? undefined : from.row();
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

/** Operation → how its answer is read; others answer nothing. */
const ANSWERS = {
  [OPERATIONS.get]: maybeRow,
  [OPERATIONS.exists]: truth,
  [OPERATIONS.getMany]: (from) => from.list(rowOrError),
  [OPERATIONS.mutateMany]: (from) => from.list(() => (from.u8() === 0 ? undefined : from.error())),
  [OPERATIONS.checkAndMutate]: truth,
  [OPERATIONS.increment]: row,
  [OPERATIONS.append]: row,
  nextBlock: (from) => from.list(row),
  [OPERATIONS.isTableEnabled]: truth,
  [OPERATIONS.tableExists]: truth,
  [OPERATIONS.describeTable]: descriptor,
  [OPERATIONS.tables]: (from) => from.list(() => ({ descriptor: descriptor(from), enabled: truth(from) })),
  [OPERATIONS.regions]: (from) => from.list(() => ({ id: from.i64(), start: from.bytes(), end: from.bytes() })),
  [OPERATIONS.describeNamespace]: namespace,
  [OPERATIONS.namespaces]: (from) => from.list(namespace),
  [OPERATIONS.now]: (from) => from.i64(),
  [OPERATIONS.clusterId]: (from) => from.text(),
  [OPERATIONS.serve]: (from) => ({ host: from.text(), port: from.u32() }),
};

/** How the answer of an operation is read. */
function reader(operation) {
  return ANSWERS[operation] ?? none;
}

module.exports = { reader };
