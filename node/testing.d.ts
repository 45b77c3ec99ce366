/** `hjall/testing`: a fresh, empty database for each test, in memory, with a clock that the test moves. */
/// <reference types="node" />
import type { ConnectOptions, Database, Families, ManualClock, Server } from './index';

/** A database of one test, and all that belongs to it. */
export declare class TestDatabase<In extends string | Uint8Array = Uint8Array> implements AsyncDisposable {
  private constructor();
  /** The database: in memory, or with `remote` a connection to it. */
  readonly db: Database<In>;
  /** The clock that it tells the time by. Throws with `clock: 'system'`. */
  readonly clock: ManualClock;
  /** Where it is served. Throws without `serve` or `remote`. */
  readonly server: Server;
  /** The address for a Thrift client, `host:port`. Throws as `server` does. */
  readonly address: string;
  /** Closes all of it; a runner's context or hooks call it by themselves. */
  dispose(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

export interface TestOptions {
  encoding?: 'utf8' | undefined;
  /** When the clock stands still at the beginning (2020-01-01, UTC), a clock of your own, or the system's. */
  clock?: number | ManualClock | 'system' | undefined;
  /** Tables to make: `{ users: { info: { versions: 3 } } }`. */
  tables?: Readonly<Record<string, Families>> | undefined;
  /** Serves the database to Thrift clients. */
  serve?: boolean | undefined;
  /** Hands out a connection to the served database instead of the database itself; with further options of `connect`. */
  remote?: boolean | Omit<ConnectOptions, 'host' | 'port' | 'encoding'> | undefined;
}

interface Utf8 {
  encoding: 'utf8';
}

/** What runners hand to a test: node:test and vitest. */
export type TestContext = { after(done: () => unknown): unknown } | { onTestFinished(done: () => unknown): unknown };

/** A database for the test at hand. Given the test's context it is closed when the test ends; else dispose of it. */
export declare function freshDatabase(test: TestContext, options: TestOptions & Utf8): Promise<TestDatabase<string | Uint8Array>>;
export declare function freshDatabase(test: TestContext, options?: TestOptions & { encoding?: undefined }): Promise<TestDatabase>;
export declare function freshDatabase(options: TestOptions & Utf8): Promise<TestDatabase<string | Uint8Array>>;
export declare function freshDatabase(options?: TestOptions & { encoding?: undefined }): Promise<TestDatabase>;

/** A runner's hooks. */
export interface Hooks {
  beforeEach(work: () => Promise<void>): unknown;
  afterEach(work: () => Promise<void>): unknown;
}

/** For a file of tests: a database before each, closed after it. What it returns has the parts of the test that runs. */
export declare function databasePerTest(options: TestOptions & Utf8, hooks?: Hooks): PerTest<string | Uint8Array>;
export declare function databasePerTest(options?: TestOptions & { encoding?: undefined }, hooks?: Hooks): PerTest;

export type PerTest<In extends string | Uint8Array = Uint8Array> = Readonly<Pick<TestDatabase<In>, 'db' | 'clock' | 'server' | 'address'>>;
