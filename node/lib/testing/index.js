'use strict';
/**
 * `hjall/testing`: a new database in memory for each test, with a clock that the test sets.
 *
 * Works with every test runner that has hooks: `freshDatabase(t)` in a test of node:test or vitest, or
 * `databasePerTest()` once per file.
 */

const { ManualClock, memory } = require('../embedded/open.js');
const { checked, flag, shown } = require('../options.js');
const { connect } = require('../remote/connect.js');

/** The clock's initial time, 2020-01-01T00:00:00Z: far enough from 0 for cells with earlier timestamps. */
const INITIAL_MS = 1_577_836_800_000;

const OPTIONS = new Set(['encoding', 'readBigInts', 'clock', 'tables', 'serve', 'remote']);

/** A database for one test, with its clock and server. */
class TestDatabase {
  /** The database in memory; with `remote`, a connection to it. */
  db;
  #local;
  #clock;
  #server;

  constructor(db, local, clock, server) {
    this.db = db;
    this.#local = local;
    this.#clock = clock;
    this.#server = server;
  }

  /** The database's clock. */
  get clock() {
    if (this.#clock === undefined)
      throw new Error("hjall/testing: this database uses the system's clock: omit `clock: 'system'` to set the time");
    return this.#clock;
  }

  /** The database's server: { host, port, address }. */
  get server() {
    if (this.#server === undefined) throw new Error('hjall/testing: this database is not served: pass `serve: true`');
    return this.#server;
  }

  /** The address for Thrift clients, `host:port`. */
  get address() {
    return this.server.address;
  }

  /** Closes everything. A test's context or hooks call this automatically. */
  async dispose() {
    if (this.db !== this.#local) await this.db.close();
    await this.#local.close();
  }
}
if (Symbol.asyncDispose) TestDatabase.prototype[Symbol.asyncDispose] = TestDatabase.prototype.dispose;

function clockOf(clock) {
  if (clock === 'system') return undefined;
  if (clock === undefined) return new ManualClock(INITIAL_MS);
  if (clock instanceof ManualClock) return clock;
  if (typeof clock === 'number') return new ManualClock(clock);
  throw new TypeError(
    `hjall/testing: option \`clock\` must be milliseconds since the Unix epoch, a ManualClock, or 'system', not ${shown(clock)}`,
  );
}

/** The function that registers cleanup with a test's context. */
function cleanupOf(context) {
  if (context === undefined) return undefined;
  // node:test has `after`, vitest `onTestFinished`.
  const register = context?.after ?? context?.onTestFinished;
  if (typeof register === 'function') return (done) => register.call(context, done);
  throw new TypeError(
    `freshDatabase: the first argument must be the context that node:test or vitest passes to a test, not ${shown(context)}; jest passes none: use \`databasePerTest()\``,
  );
}

/**
 * Makes a database for one test. With the test's context it is closed when the test ends; otherwise dispose of it
 * (`await using` or `dispose()`).
 * @param {object} [context] the context that node:test or vitest passes to a test
 * @param {{ encoding?: 'utf8', readBigInts?: boolean, clock?: number | ManualClock | 'system', tables?: object,
 * serve?: boolean, remote?: boolean | object }} [options]
 * @returns {Promise<TestDatabase>}
 */
async function freshDatabase(context, options) {
  const isOptions =
    options === undefined &&
    context !== null &&
    typeof context === 'object' &&
    !('after' in context) &&
    !('onTestFinished' in context);
  const [test, given] = isOptions ? [undefined, context] : [context, options];
  const onCleanup = cleanupOf(test);
  const { encoding, readBigInts, clock: givenClock, tables = {}, serve, remote } = checked(given, OPTIONS, 'freshDatabase');
  const clock = clockOf(givenClock);
  const local = memory({ encoding, readBigInts, clock });
  let made = new TestDatabase(local, local, clock, undefined);
  try {
    if (flag(serve, 'freshDatabase: option `serve`') || (remote !== undefined && remote !== false)) {
      // A test that forgets to dispose of its database must not keep the runner from ending.
      const server = (await local.serve({ port: 0 })).unref();
      made = new TestDatabase(local, local, clock, server);
      if (remote)
        made = new TestDatabase(
          await connect({ encoding, readBigInts, ...(remote === true ? {} : remote), host: server.host, port: server.port }),
          local,
          clock,
          server,
        );
    }
    for (const [name, families] of Object.entries(tables)) await local.createTable(name, families);
  } catch (error) {
    await made.dispose();
    throw error;
  }
  onCleanup?.(() => made.dispose());
  return made;
}

/**
 * Makes a database before each test of a file and closes it afterwards. The result's `db`, `clock`, `server` and
 * `address` are those of the current test.
 * @param {object} [options] the options of `freshDatabase`
 * @param {{ beforeEach: Function, afterEach: Function }} [hooks] required if the runner's hooks are not global
 * (node:test; vitest without `globals`)
 */
function databasePerTest(options, hooks = globalThis) {
  checked(options, OPTIONS, 'databasePerTest');
  if (typeof hooks.beforeEach !== 'function' || typeof hooks.afterEach !== 'function') {
    throw new TypeError(
      "databasePerTest: this runner's hooks are not global: pass them, databasePerTest(options, { beforeEach, afterEach })",
    );
  }
  let current;
  hooks.beforeEach(async () => {
    current = await freshDatabase(undefined, options);
  });
  hooks.afterEach(async () => {
    const done = current;
    current = undefined;
    await done?.dispose();
  });
  const of = (field) => () => {
    if (current === undefined) throw new Error(`databasePerTest: \`${field}\` is available only while a test runs`);
    return current[field];
  };
  return Object.defineProperties(
    {},
    Object.fromEntries(
      ['db', 'clock', 'server', 'address'].map((field) => [field, { get: of(field), enumerable: true }]),
    ),
  );
}

module.exports = { TestDatabase, databasePerTest, freshDatabase };
