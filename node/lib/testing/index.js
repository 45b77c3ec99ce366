'use strict';
/**
 * `hjall/testing`: a fresh, empty database for each test, in memory, with a clock that the test moves.
 *
 * Works with every runner that has hooks: `freshDatabase(t)` inside a test of node:test or vitest, `databasePerTest()` once in a file of any.
 */

const { ManualClock, memory } = require('../embedded/open.js');
const { checked, flag, shown } = require('../options.js');
const { connect } = require('../remote/connect.js');

/** When the clock stands still at the beginning: far from 0, so that times before it can be written. 2020-01-01T00:00:00Z. */
const NOW_MS = 1_577_836_800_000;

const OPTIONS = new Set(['encoding', 'clock', 'tables', 'serve', 'remote']);

/** A database of one test, and all that belongs to it. */
class TestDatabase {
  /** The database: in memory, or with `remote` a connection to it. */
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

  /** The clock that it tells the time by. */
  get clock() {
    if (this.#clock === undefined) throw new Error("hjall/testing: this database goes by the system's clock: leave out `clock: 'system'` to move it");
    return this.#clock;
  }

  /** Where it is served: { host, port, address }. */
  get server() {
    if (this.#server === undefined) throw new Error('hjall/testing: this database is not served: ask for it with `serve: true`');
    return this.#server;
  }

  /** The address for a Thrift client, `host:port`. */
  get address() {
    return this.server.address;
  }

  /** Closes all of it. Called by the runner. */
  async dispose() {
    if (this.db !== this.#local) await this.db.close();
    await this.#local.close();
  }
}
if (Symbol.asyncDispose) TestDatabase.prototype[Symbol.asyncDispose] = TestDatabase.prototype.dispose;

function clockOf(clock) {
  if (clock === 'system') return undefined;
  if (clock === undefined) return new ManualClock(NOW_MS);
  if (clock instanceof ManualClock) return clock;
  if (typeof clock === 'number') return new ManualClock(clock);
  throw new TypeError(`hjall/testing: option \`clock\` must be milliseconds since 1970, a ManualClock, or 'system', not ${shown(clock)}`);
}

/** What ends with a test: the context that runners hand to it. */
function endOf(context) {
  if (context === undefined) return undefined;
  // node:test has `after`, vitest `onTestFinished`.
  const register = context?.after ?? context?.onTestFinished;
  if (typeof register === 'function') return (done) => register.call(context, done);
  throw new TypeError(`freshDatabase: the first argument must be what your runner hands to a test (node:test, vitest), not ${shown(context)}; jest hands nothing: write \`databasePerTest()\` in the file`);
}

/**
 * A database for the test at hand. Given the test's context it is closed when the test ends; else dispose of it (`await using`, or `dispose()`).
 * @param {object} [context] the argument of a test of node:test or vitest
 * @param {{ encoding?: 'utf8', clock?: number | ManualClock | 'system', tables?: object, serve?: boolean, remote?: boolean | object }} [options]
 * @returns {Promise<TestDatabase>}
 */
async function freshDatabase(context, options) {
  const isOptions = options === undefined && context !== null && typeof context === 'object' && !('after' in context) && !('onTestFinished' in context);
  const [test, asked] = isOptions ? [undefined, context] : [context, options];
  const whenDone = endOf(test);
  const { encoding, clock: clockAsked, tables = {}, serve, remote } = checked(asked, OPTIONS, 'freshDatabase');
  const clock = clockOf(clockAsked);
  const local = memory({ encoding, clock });
  let made = new TestDatabase(local, local, clock, undefined);
  try {
    if (flag(serve, 'freshDatabase: option `serve`') || (remote !== undefined && remote !== false)) {
      const server = await local.serve({ port: 0 });
      made = new TestDatabase(local, local, clock, server);
      if (remote) made = new TestDatabase(await connect({ encoding, ...(remote === true ? {} : remote), host: server.host, port: server.port }), local, clock, server);
    }
    for (const [name, families] of Object.entries(tables)) await local.createTable(name, families);
  } catch (error) {
    await made.dispose();
    throw error;
  }
  whenDone?.(() => made.dispose());
  return made;
}

/**
 * For a file of tests: makes a database before each and closes it after. `db`, `clock`, `server` and `address` are those of the test that runs.
 * @param {object} [options] those of `freshDatabase`
 * @param {{ beforeEach: Function, afterEach: Function }} [hooks] the runner's; needed where they are not global (node:test, vitest without `globals`)
 */
function databasePerTest(options, hooks = globalThis) {
  checked(options, OPTIONS, 'databasePerTest');
  if (typeof hooks.beforeEach !== 'function' || typeof hooks.afterEach !== 'function') {
    throw new TypeError("databasePerTest: this runner's hooks are not global; hand them over: databasePerTest(options, { beforeEach, afterEach })");
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
    if (current === undefined) throw new Error(`databasePerTest: there is a ${field} only while a test runs`);
    return current[field];
  };
  return Object.defineProperties({}, Object.fromEntries(['db', 'clock', 'server', 'address'].map((field) => [field, { get: of(field), enumerable: true }])));
}

module.exports = { TestDatabase, databasePerTest, freshDatabase };
