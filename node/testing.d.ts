/** `hjall/testing`: a new database in memory for each test, with a clock that the test sets. */
/// <reference types="node" />
import type { ConnectOptions, Families, FormOptions, ManualClock, Opened, Server } from './index';

/** A database for one test, with its clock and server. */
export declare class TestDatabase<E extends 'utf8' | undefined = undefined, B extends boolean | undefined = undefined> implements AsyncDisposable {
  private constructor();
  /** The database in memory; with `remote`, a connection to it. */
  readonly db: Opened<E, B>;
  /** The database's clock. Throws with `clock: 'system'`. */
  readonly clock: ManualClock;
  /** The database's server. Throws without `serve` or `remote`. */
  readonly server: Server;
  /** The address for Thrift clients, `host:port`. Throws without `serve` or `remote`. */
  readonly address: string;
  /** Closes everything. A test's context or hooks call this automatically. */
  dispose(): Promise<void>;
  /** `dispose` at the end of `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** The options of a test's database. */
export interface TestOptions extends FormOptions {
  /** The clock: its initial time, a ManualClock, or the system's. Default: a ManualClock at 2020-01-01T00:00:00Z. */
  clock?: number | ManualClock | 'system' | undefined;
  /** Tables to create: `{ users: { info: { versions: 3 } } }`. */
  tables?: Readonly<Record<string, Families>> | undefined;
  /** Whether to serve the database to Thrift clients. The server is unreferenced (`unref`). Default: false. */
  serve?: boolean | undefined;
  /** Whether `db` is a connection to the served database, or options of `connect` for it. Default: false. */
  remote?: boolean | Omit<ConnectOptions, 'host' | 'port' | 'encoding' | 'readBigInts'> | undefined;
}

/** The context that node:test or vitest passes to a test. */
export type TestContext = { after(done: () => unknown): unknown } | { onTestFinished(done: () => unknown): unknown };

/** Makes a database for one test. With the test's context it is closed when the test ends; otherwise dispose of it. */
export declare function freshDatabase<E extends 'utf8' | undefined = undefined, B extends boolean | undefined = undefined>(
  test: TestContext,
  options?: TestOptions & FormOptions<E, B>,
): Promise<TestDatabase<E, B>>;
export declare function freshDatabase<E extends 'utf8' | undefined = undefined, B extends boolean | undefined = undefined>(
  options?: TestOptions & FormOptions<E, B>,
): Promise<TestDatabase<E, B>>;

/** The hooks of a test runner. */
export interface Hooks {
  /** Runs `work` before each test. */
  beforeEach(work: () => Promise<void>): unknown;
  /** Runs `work` after each test. */
  afterEach(work: () => Promise<void>): unknown;
}

/**
 * Makes a database before each test of a file and closes it afterwards. The result's properties are those of the
 * current test's database.
 */
export declare function databasePerTest<E extends 'utf8' | undefined = undefined, B extends boolean | undefined = undefined>(
  options?: TestOptions & FormOptions<E, B>,
  hooks?: Hooks,
): PerTest<E, B>;

/** The properties of a TestDatabase. */
export type PerTest<E extends 'utf8' | undefined = undefined, B extends boolean | undefined = undefined> = Readonly<
  Pick<TestDatabase<E, B>, 'db' | 'clock' | 'server' | 'address'>
>;
