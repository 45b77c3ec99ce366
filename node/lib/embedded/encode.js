'use strict';
/** From the seam's plain data to requests, in the order of fields in which the native module's `convert.rs` reads them. */

const { COMPARE, DURABILITY, OPERATIONS } = require('../backend.js');

/** In place of a table's number: its name follows. */
const NAMED = 0xffffffff;

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
  if (given === undefined) return out.u8(0);
  out.u8(given.text !== undefined ? 1 : 2);
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

const MARKERS = { version: 0, column: 1, family: 2, familyVersion: 3 };

/** What puts, deletes, increments and appends begin with. */
function writing(out, { row, ttl, durability }) {
  out.bytes(row);
  out.maybe(ttl, i64);
  out.u8(DURABILITY.indexOf(durability));
}

function mutation(out, given) {
  if (given.kind === 'put') {
    out.u8(0);
    writing(out, given);
    out.list(given.cells, (to, cell) => {
      to.bytes(cell.family);
      to.bytes(cell.qualifier);
      to.i64(cell.timestamp);
      to.bytes(cell.value);
    });
    return;
  }
  out.u8(1);
  writing(out, given);
  out.i64(given.timestamp);
  out.list(given.markers, (to, marker) => {
    to.u8(MARKERS[marker.kind]);
    to.bytes(marker.family);
    to.bytes(marker.qualifier);
    to.i64(marker.timestamp);
  });
}

/** An increment (`amount`, i64) or append (`value`, bytes). */
function counting(out, given, field, write) {
  writing(out, given);
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
  out.u8(COMPARE.indexOf(given.op));
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

const named = (out, { table: name }) => out.text(name);
const none = () => {};

/** Operation → its number and how its request is written. The last two parameters: the writer, and the numbers of tables. */
const REQUESTS = {
  [OPERATIONS.get]: [1, (out, r, t) => (table(out, r, t), get(out, r.get))],
  [OPERATIONS.exists]: [2, (out, r, t) => (table(out, r, t), get(out, r.get))],
  [OPERATIONS.getMany]: [3, (out, r, t) => (table(out, r, t), out.list(r.gets, get))],
  [OPERATIONS.mutate]: [4, (out, r, t) => (table(out, r, t), mutation(out, r.mutation))],
  [OPERATIONS.mutateMany]: [5, (out, r, t) => (table(out, r, t), out.list(r.mutations, mutation))],
  [OPERATIONS.mutateRow]: [6, (out, r, t) => (table(out, r, t), out.bytes(r.row), out.list(r.mutations, mutation))],
  [OPERATIONS.checkAndMutate]: [7, (out, r, t) => (table(out, r, t), check(out, r.check), out.list(r.mutations, mutation))],
  [OPERATIONS.increment]: [8, (out, r, t) => (table(out, r, t), counting(out, r.increment, 'amount', i64))],
  [OPERATIONS.append]: [9, (out, r, t) => (table(out, r, t), counting(out, r.append, 'value', bytes))],
  /** { number, begin: { table, scan } | undefined }: the next block of a scan, which the first request begins. */
  nextBlock: [10, (out, r, t) => (out.u32(r.number), out.flag(r.begin !== undefined), r.begin && (table(out, r.begin, t), scan(out, r.begin.scan)))],
  [OPERATIONS.createTable]: [20, (out, r) => (descriptor(out, r.descriptor), out.list(r.splits, bytes))],
  [OPERATIONS.modifyTable]: [21, (out, r) => descriptor(out, r.descriptor)],
  [OPERATIONS.deleteTable]: [22, named],
  [OPERATIONS.truncateTable]: [23, (out, r) => (named(out, r), out.flag(r.preserveSplits))],
  [OPERATIONS.enableTable]: [24, named],
  [OPERATIONS.disableTable]: [25, named],
  [OPERATIONS.isTableEnabled]: [26, named],
  [OPERATIONS.tableExists]: [27, named],
  [OPERATIONS.describeTable]: [28, named],
  [OPERATIONS.tables]: [29, none],
  [OPERATIONS.regions]: [30, named],
  [OPERATIONS.addFamily]: [31, (out, r) => (named(out, r), family(out, r.family))],
  [OPERATIONS.modifyFamily]: [32, (out, r) => (named(out, r), family(out, r.family))],
  [OPERATIONS.deleteFamily]: [33, (out, r) => (named(out, r), out.bytes(r.family))],
  [OPERATIONS.flush]: [34, (out, r) => (named(out, r), out.u8(0))],
  [OPERATIONS.compact]: [34, (out, r) => (named(out, r), out.u8(r.major ? 2 : 1))],
  [OPERATIONS.createNamespace]: [40, (out, r) => namespace(out, r.namespace)],
  [OPERATIONS.modifyNamespace]: [41, (out, r) => namespace(out, r.namespace)],
  [OPERATIONS.deleteNamespace]: [42, (out, r) => out.text(r.name)],
  [OPERATIONS.describeNamespace]: [43, (out, r) => out.text(r.name)],
  [OPERATIONS.namespaces]: [44, none],
  [OPERATIONS.now]: [50, none],
  [OPERATIONS.clusterId]: [51, none],
  /** { path, cacheBytes, writeBufferBytes } */
  open: [60, (out, r) => (out.text(r.path), out.maybe(r.cacheBytes, i64), out.maybe(r.writeBufferBytes, i64))],
  memory: [61, (out, r) => (out.maybe(r.cacheBytes, i64), out.maybe(r.writeBufferBytes, i64))],
  close: [62, none],
  [OPERATIONS.serve]: [70, (out, r) => (out.u32(r.number), out.text(r.host), out.u32(r.port))],
  [OPERATIONS.stopServing]: [71, (out, r) => out.u32(r.number)],
};

/** Writes a request behind what the writer has. */
function encode(out, operation, request, numbers) {
  const [number, write] = REQUESTS[operation];
  out.u8(number);
  write(out, request, numbers);
}

module.exports = { encode };
