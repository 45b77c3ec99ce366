/** A database, in this process or far away, and what serves it. */
import type { Abortable, AnyColumns, Input } from './column';
import type { CreateTableOptions, Families, FamilyOptions, NamespaceDescriptor, Region, TableDescriptor, TableOptions } from './schema';
import type { Table } from './table';

/** A database. Every method has a promise form, and a `Sync` twin for databases in this process. */
export declare class Database<In extends Input = Uint8Array> implements AsyncDisposable, Disposable {
  private constructor();

  /** A table by name, `users` or `namespace:users`; its columns can be declared: `db.table<Users>('users')`. */
  table<Columns extends object = AnyColumns>(name: string): Table<Columns, In>;

  /** Names of tables, sorted; of one namespace if given. */
  tables(options?: Abortable & { namespace?: string }): Promise<string[]>;
  tablesSync(options?: Abortable & { namespace?: string }): string[];
  /** Makes a table; pre-split by `splits`, or by `splitAlgo` and `regions`. */
  createTable(name: string, families: Families, options?: CreateTableOptions<In>): Promise<void>;
  createTableSync(name: string, families: Families, options?: CreateTableOptions<In>): void;
  /** Replaces a table's descriptor: families not named are removed with their data. For one family see `alterFamily`. */
  alterTable(name: string, families: Families, options?: TableOptions & Abortable): Promise<void>;
  alterTableSync(name: string, families: Families, options?: TableOptions & Abortable): void;
  /** Drops a disabled table. */
  dropTable(name: string, options?: Abortable): Promise<void>;
  dropTableSync(name: string, options?: Abortable): void;
  /** Empties a disabled table and enables it; its regions stay only with `preserveSplits`. */
  truncateTable(name: string, options?: Abortable & { preserveSplits?: boolean }): Promise<void>;
  truncateTableSync(name: string, options?: Abortable & { preserveSplits?: boolean }): void;
  enableTable(name: string, options?: Abortable): Promise<void>;
  enableTableSync(name: string, options?: Abortable): void;
  disableTable(name: string, options?: Abortable): Promise<void>;
  disableTableSync(name: string, options?: Abortable): void;
  isTableEnabled(name: string, options?: Abortable): Promise<boolean>;
  isTableEnabledSync(name: string, options?: Abortable): boolean;
  tableExists(name: string, options?: Abortable): Promise<boolean>;
  tableExistsSync(name: string, options?: Abortable): boolean;
  describeTable(name: string, options?: Abortable): Promise<TableDescriptor>;
  describeTableSync(name: string, options?: Abortable): TableDescriptor;
  /** A table's regions by start key. */
  regions(name: string, options?: Abortable): Promise<Region[]>;
  regionsSync(name: string, options?: Abortable): Region[];

  addFamily(table: string, family: string | Uint8Array, options?: FamilyOptions, call?: Abortable): Promise<void>;
  addFamilySync(table: string, family: string | Uint8Array, options?: FamilyOptions, call?: Abortable): void;
  /** Replaces a family's descriptor. */
  alterFamily(table: string, family: string | Uint8Array, options?: FamilyOptions, call?: Abortable): Promise<void>;
  alterFamilySync(table: string, family: string | Uint8Array, options?: FamilyOptions, call?: Abortable): void;
  /** Removes a family and its data. */
  dropFamily(table: string, family: string | Uint8Array, options?: Abortable): Promise<void>;
  dropFamilySync(table: string, family: string | Uint8Array, options?: Abortable): void;

  /** Writes a table's memory to files. Not over the network (UNSUPPORTED). */
  flush(name: string, options?: Abortable): Promise<void>;
  flushSync(name: string, options?: Abortable): void;
  /** Compacts a table's files; with `major` forgets all that can be forgotten. Not over the network (UNSUPPORTED). */
  compact(name: string, options?: Abortable & { major?: boolean }): Promise<void>;
  compactSync(name: string, options?: Abortable & { major?: boolean }): void;

  createNamespace(name: string, configuration?: Readonly<Record<string, string>>, options?: Abortable): Promise<void>;
  createNamespaceSync(name: string, configuration?: Readonly<Record<string, string>>, options?: Abortable): void;
  /** Replaces a namespace's configuration. */
  alterNamespace(name: string, configuration?: Readonly<Record<string, string>>, options?: Abortable): Promise<void>;
  alterNamespaceSync(name: string, configuration?: Readonly<Record<string, string>>, options?: Abortable): void;
  /** Drops an empty namespace. */
  dropNamespace(name: string, options?: Abortable): Promise<void>;
  dropNamespaceSync(name: string, options?: Abortable): void;
  describeNamespace(name: string, options?: Abortable): Promise<NamespaceDescriptor>;
  describeNamespaceSync(name: string, options?: Abortable): NamespaceDescriptor;
  /** Names of namespaces, sorted. */
  namespaces(options?: Abortable): Promise<string[]>;
  namespacesSync(options?: Abortable): string[];

  /** Serves the database to Thrift clients while it is open; port 0 is any free one. Not of a remote database (UNSUPPORTED). */
  serve(options?: Abortable & { host?: string; port?: number }): Promise<Server>;
  serveSync(options?: Abortable & { host?: string; port?: number }): Server;
  /** The time as writes see it, in milliseconds since 1970. Not over the network (UNSUPPORTED). */
  now(options?: Abortable): Promise<number | bigint>;
  nowSync(options?: Abortable): number | bigint;
  /** A UUID made with the database. */
  clusterId(options?: Abortable): Promise<string>;
  clusterIdSync(options?: Abortable): string;

  /** Lets calls under way end, then closes. Idempotent; later calls fail with code CLOSED. */
  close(): Promise<void>;
  /** The same on the calling thread; a remote database takes no more calls and does not wait for those under way. */
  closeSync(): void;
  [Symbol.asyncDispose](): Promise<void>;
  [Symbol.dispose](): void;
}

/** A database being served. Closing the database stops it too. */
export declare class Server implements AsyncDisposable, Disposable {
  private constructor();
  readonly host: string;
  readonly port: number;
  /** `host:port`. */
  readonly address: string;
  /** Stops once the calls that run are done. Idempotent. */
  close(): Promise<void>;
  closeSync(): void;
  [Symbol.asyncDispose](): Promise<void>;
  [Symbol.dispose](): void;
}
