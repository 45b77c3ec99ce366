'use strict';
/**
 * Writes the plain data of `backend.js` as requests. The order of fields is that of the native module's `convert.rs`.
 */

const { OPERATIONS } = require('../backend.js');
const { CompareOp, Durability, FilterForm, MarkerKind, MutationKind, NAMED, Operation } = require('../vocabulary.js');

const i64 = (out, value) => out.i64(value);
const bytes = (out, value) => out.bytes(value);
const ALL_TIME = Object.freeze({ from: 0, to: 0x7fffffffffffffffn });

function table(out, { table: name }, numbers) {
  const number = numbers.of(name);
  if (number >= 0) return out.u32(number);
  out.u32(NAMED);
  return out.text(name);
}

function column(out, { family, qualifier }) {
  out.bytes(family);
  out.maybe(qualifier, bytes);
}

function timeRange(out, { from, to }) {
  out.i64(from);
  out.i64(to);
}

function filter(out, given) {
  if (given === undefined) return out.u8(FilterForm.none);
  out.u8(given.text !== undefined ? FilterForm.text : FilterForm.serialized);
  return out.bytes(given.text ?? given.bytes);
}

function get(out, given) {
  out.bytes(given.row);
  const plain =
    given.columns === undefined &&
    given.versions === 1 &&
    given.timeRange === undefined &&
    given.filter === undefined &&
    given.storeLimit < 0 &&
    given.storeOffset < 0 &&
    !given.raw;
  out.flag(!plain);
  if (plain) return;
  out.list(given.columns ?? [], column);
  out.maybe(given.timeRange, timeRange);
  out.i32(given.versions);
  out.i32(given.storeLimit);
  out.i32(given.storeOffset);
  filter(out, given.filter);
  out.flag(given.raw);
}

function scan(out, given) {
  out.bytes(given.start);
  out.bytes(given.stop);
  out.list(given.columns ?? [], column);
  out.maybe(given.timeRange, timeRange);
  out.list(given.familyTimeRanges, (to, one) => {
    to.bytes(one.family);
    timeRange(to, { ...ALL_TIME, ...one });
  });
  out.i32(given.versions);
  out.i32(given.batch);
  out.i32(given.limit);
  out.i32(given.caching);
  out.flag(given.reversed);
  filter(out, given.filter);
  out.flag(given.raw);
}

/** The common beginning of puts, deletes, increments and appends. */
function writeHead(out, { row, ttl, durability }) {
  out.bytes(row);
  out.maybe(ttl, i64);
  out.u8(Durability[durability]);
}

function mutation(out, given) {
  mutationAfter(out, given, NO_CELLS);
}

/**
 * Mutations. Rows of a table mostly have the same columns: a column that the put before has at the same place is not
 * written again.
 */
function mutations(out, given) {
  let before = NO_CELLS;
  out.list(given, (to, one) => {
    mutationAfter(to, one, before);
    before = one.cells ?? NO_CELLS;
  });
}

/** The cells before the first put of a list. */
const NO_CELLS = Object.freeze([]);

function mutationAfter(out, given, before) {
  out.u8(MutationKind[given.kind]);
  if (given.kind === 'put') {
    writeHead(out, given);
    let index = 0;
    out.list(given.cells, (to, cell) => {
      const other = before[index];
      index += 1;
      // Columns that are given as equal strings are the same objects.
      if (other !== undefined && other.qualifier === cell.qualifier && other.family === cell.family) {
        to.u8(1);
      } else {
        to.u8(0);
        to.bytes(cell.family);
        to.bytes(cell.qualifier);
      }
      to.i64(cell.timestamp);
      to.bytes(cell.value);
    });
    return;
  }
  writeHead(out, given);
  out.i64(given.timestamp);
  out.list(given.markers, (to, marker) => {
    to.u8(MarkerKind[marker.kind]);
    to.bytes(marker.family);
    to.bytes(marker.qualifier);
    to.i64(marker.timestamp);
  });
}

/** An increment (field `amount`, i64) or an append (field `value`, bytes). */
function counting(out, given, field, write) {
  writeHead(out, given);
  out.list(given.columns, (to, one) => {
    to.bytes(one.family);
    to.bytes(one.qualifier);
    write(to, one[field]);
  });
}

function check(out, given) {
  out.bytes(given.row);
  out.bytes(given.family);
  out.bytes(given.qualifier);
  out.u8(CompareOp[given.op]);
  out.maybe(given.value, bytes);
}

function pair(out, [key, value]) {
  out.bytes(key);
  out.bytes(value);
}

function family(out, given) {
  out.bytes(given.name);
  out.list(given.attributes, pair);
  out.list(given.configuration, pair);
}

function descriptor(out, given) {
  out.text(given.name);
  out.list(given.families, family);
  out.list(given.attributes, pair);
}

function namespace(out, given) {
  out.text(given.name);
  out.list(Object.entries(given.configuration), (to, [key, value]) => {
    to.text(key);
    to.text(value);
  });
}

/** The sizes of caches and buffers when a database is opened, and when its writes are synced. */
function sizes(out, { cacheBytes, rowCacheBytes, writeBufferBytes, catalogBytes, fsync, syncInterval }) {
  out.maybe(cacheBytes, i64);
  out.maybe(rowCacheBytes, i64);
  out.maybe(writeBufferBytes, i64);
  out.maybe(catalogBytes, i64);
  out.flag(fsync);
  out.maybe(syncInterval, i64);
}

const named = (out, { table: name }) => out.text(name);
const none = () => {};

/** Operation → the function that writes its request, called with the writer, the request and the numbers of tables. */
const REQUESTS = {
  [OPERATIONS.get]: (out, r, t) => (table(out, r, t), get(out, r.get)),
  [OPERATIONS.exists]: (out, r, t) => (table(out, r, t), get(out, r.get)),
  [OPERATIONS.getMany]: (out, r, t) => (table(out, r, t), out.list(r.gets, get)),
  [OPERATIONS.mutate]: (out, r, t) => (table(out, r, t), mutation(out, r.mutation)),
  [OPERATIONS.mutateMany]: (out, r, t) => (table(out, r, t), mutations(out, r.mutations)),
  [OPERATIONS.mutateRow]: (out, r, t) => (table(out, r, t), out.bytes(r.row), mutations(out, r.mutations)),
  [OPERATIONS.checkAndMutate]: (out, r, t) => (table(out, r, t), check(out, r.check), mutations(out, r.mutations)),
  [OPERATIONS.increment]: (out, r, t) => (table(out, r, t), counting(out, r.increment, 'amount', i64)),
  [OPERATIONS.append]: (out, r, t) => (table(out, r, t), counting(out, r.append, 'value', bytes)),
  [OPERATIONS.nextBlock]: (out, r, t) => (
    out.u32(r.number),
    out.flag(r.begin !== undefined),
    r.begin && (table(out, r.begin, t), scan(out, r.begin.scan))
  ),
  [OPERATIONS.beginLoad]: (out, r, t) => (table(out, r, t), out.u32(r.number)),
  [OPERATIONS.addToLoad]: (out, r) => (out.u32(r.number), mutations(out, r.mutations)),
  [OPERATIONS.finishLoad]: (out, r) => out.u32(r.number),
  [OPERATIONS.discardLoad]: (out, r) => out.u32(r.number),
  [OPERATIONS.createTable]: (out, r) => (descriptor(out, r.descriptor), out.list(r.splits, bytes)),
  [OPERATIONS.modifyTable]: (out, r) => descriptor(out, r.descriptor),
  [OPERATIONS.deleteTable]: named,
  [OPERATIONS.truncateTable]: (out, r) => (named(out, r), out.flag(r.preserveSplits)),
  [OPERATIONS.enableTable]: named,
  [OPERATIONS.disableTable]: named,
  [OPERATIONS.isTableEnabled]: named,
  [OPERATIONS.tableExists]: named,
  [OPERATIONS.describeTable]: named,
  [OPERATIONS.tables]: none,
  [OPERATIONS.regions]: named,
  [OPERATIONS.addFamily]: (out, r) => (named(out, r), family(out, r.family)),
  [OPERATIONS.modifyFamily]: (out, r) => (named(out, r), family(out, r.family)),
  [OPERATIONS.deleteFamily]: (out, r) => (named(out, r), out.bytes(r.family)),
  [OPERATIONS.flush]: named,
  [OPERATIONS.compact]: (out, r) => (named(out, r), out.flag(r.major), out.u32(r.number)),
  [OPERATIONS.backup]: (out, r) => (out.text(r.path), out.flag(r.incremental), out.u32(r.number)),
  [OPERATIONS.tableStatistics]: named,
  [OPERATIONS.statistics]: none,
  [OPERATIONS.restore]: (out, r) => (out.text(r.backup), out.text(r.path), out.u32(r.number)),
  [OPERATIONS.createNamespace]: (out, r) => namespace(out, r.namespace),
  [OPERATIONS.modifyNamespace]: (out, r) => namespace(out, r.namespace),
  [OPERATIONS.deleteNamespace]: (out, r) => out.text(r.name),
  [OPERATIONS.describeNamespace]: (out, r) => out.text(r.name),
  [OPERATIONS.namespaces]: none,
  [OPERATIONS.now]: none,
  [OPERATIONS.clusterId]: none,
  [OPERATIONS.open]: (out, r) => (out.text(r.path), sizes(out, r), out.flag(r.readOnly)),
  [OPERATIONS.openMemory]: (out, r) => sizes(out, r),
  [OPERATIONS.close]: none,
  [OPERATIONS.serve]: (out, r) => (out.u32(r.number), out.text(r.host), out.u32(r.port)),
  [OPERATIONS.stopServing]: (out, r) => out.u32(r.number),
};

/** Appends a request to what the writer has. */
function encode(out, operation, request, numbers) {
  out.u8(Operation[operation]);
  REQUESTS[operation](out, request, numbers);
}

module.exports = { NO_CELLS, encode, mutationAfter };
