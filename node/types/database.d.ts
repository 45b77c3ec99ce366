/** Databases, embedded or remote, and servers. */
import type { Abortable, AnyColumns, Input } from './column';
import type { Reads, ReadsOf } from './reading';
import type {
  CreateTableOptions,
  Families,
  FamilyOptions,
  NamespaceDescriptor,
  Region,
  TableDescriptor,
  TableOptions,
} from './schema';
import type { CopyProgress, Statistics, TableStatistics } from './statistics';
import type { Table } from './table';

/** A database. Every method returns a promise, and for embedded databases has a synchronous form, `nameSync`. */
export declare class Database<In extends Input = Uint8Array, Out extends Reads = ReadsOf<In>>
  implements AsyncDisposable, Disposable
{
  private constructor();

  /** A table by name, `users` or `namespace:users`. Its columns can be declared: `db.table<Users>('users')`. */
  table<Columns extends object = AnyColumns>(name: string): Table<Columns, In, Out>;

  /** The names of all tables, or of those in one namespace, sorted. */
  tables(options?: Abortable & { namespace?: string | undefined }): Promise<string[]>;
  /** `tables` on the calling thread. */
  tablesSync(options?: Abortable & { namespace?: string | undefined }): string[];
  /**
   * Creates a table. `splits`, or `splitAlgo` and `regions`, pre-split it. With `ifNotExists`, an existing table is
   * left as it is, even if its families differ.
   */
  createTable(name: string, families: Families, options?: CreateTableOptions<In>): Promise<void>;
  /** `createTable` on the calling thread. */
  createTableSync(name: string, families: Families, options?: CreateTableOptions<In>): void;
  /**
   * Replaces a table's descriptor. Families that are not listed are removed with their data; `alterFamily` changes a
   * single one.
   */
  alterTable(name: string, families: Families, options?: TableOptions & Abortable): Promise<void>;
  /** `alterTable` on the calling thread. */
  alterTableSync(name: string, families: Families, options?: TableOptions & Abortable): void;
  /** Drops a disabled table. */
  dropTable(name: string, options?: Abortable): Promise<void>;
  /** `dropTable` on the calling thread. */
  dropTableSync(name: string, options?: Abortable): void;
  /** Deletes all rows of a disabled table and enables it. Its regions are kept only with `preserveSplits`. */
  truncateTable(name: string, options?: Abortable & { preserveSplits?: boolean | undefined }): Promise<void>;
  /** `truncateTable` on the calling thread. */
  truncateTableSync(name: string, options?: Abortable & { preserveSplits?: boolean | undefined }): void;
  /** Enables a disabled table. */
  enableTable(name: string, options?: Abortable): Promise<void>;
  /** `enableTable` on the calling thread. */
  enableTableSync(name: string, options?: Abortable): void;
  /** Disables a table, which is required before it is dropped or truncated. */
  disableTable(name: string, options?: Abortable): Promise<void>;
  /** `disableTable` on the calling thread. */
  disableTableSync(name: string, options?: Abortable): void;
  /** Whether a table is enabled. */
  isTableEnabled(name: string, options?: Abortable): Promise<boolean>;
  /** `isTableEnabled` on the calling thread. */
  isTableEnabledSync(name: string, options?: Abortable): boolean;
  /** Whether a table exists. */
  tableExists(name: string, options?: Abortable): Promise<boolean>;
  /** `tableExists` on the calling thread. */
  tableExistsSync(name: string, options?: Abortable): boolean;
  /** A table's descriptor, in the form that `createTable` accepts. */
  describeTable(name: string, options?: Abortable): Promise<TableDescriptor>;
  /** `describeTable` on the calling thread. */
  describeTableSync(name: string, options?: Abortable): TableDescriptor;
  /** A table's regions, ordered by start key. */
  regions(name: string, options?: Abortable): Promise<Region<Out>[]>;
  /** `regions` on the calling thread. */
  regionsSync(name: string, options?: Abortable): Region<Out>[];

  /** Adds a family to a table. */
  addFamily(table: string, family: string | Uint8Array, options?: FamilyOptions, call?: Abortable): Promise<void>;
  /** `addFamily` on the calling thread. */
  addFamilySync(table: string, family: string | Uint8Array, options?: FamilyOptions, call?: Abortable): void;
  /** Replaces a family's descriptor. */
  alterFamily(table: string, family: string | Uint8Array, options?: FamilyOptions, call?: Abortable): Promise<void>;
  /** `alterFamily` on the calling thread. */
  alterFamilySync(table: string, family: string | Uint8Array, options?: FamilyOptions, call?: Abortable): void;
  /** Removes a family and its data. */
  dropFamily(table: string, family: string | Uint8Array, options?: Abortable): Promise<void>;
  /** `dropFamily` on the calling thread. */
  dropFamilySync(table: string, family: string | Uint8Array, options?: Abortable): void;

  /**
   * Writes a table's memory buffers to files. As in HBase, drops values that are deleted, expired or beyond VERSIONS,
   * if they were written since the table was last altered, disabled or flushed. Remote databases do not support this
   * (UNSUPPORTED).
   */
  flush(name: string, options?: Abortable): Promise<void>;
  /** `flush` on the calling thread. */
  flushSync(name: string, options?: Abortable): void;
  /**
   * Compacts a table's files; with `major`, also drops everything that reads can no longer see. Aborting `signal` ends
   * the compaction. Remote databases do not support this (UNSUPPORTED).
   */
  compact(
    name: string,
    options?: Abortable & {
      major?: boolean | undefined;
      /**
       * Called about 20 times per second with the bytes of keys and values that have been read, before compression;
       * `tableStatistics` has the size of the files. An exception from it ends the compaction and rejects the promise.
       */
      onProgress?: ((progress: { bytes: number }) => void) | undefined;
    },
  ): Promise<void>;
  /** `compact` on the calling thread. */
  compactSync(name: string, options?: Abortable & { major?: boolean | undefined }): void;

  /**
   * Copies the database, as of one moment during the call, to a folder that does not exist or is empty. Reads and
   * writes continue. `open` opens the copy, and `restore` copies it again. Remote databases do not support this
   * (UNSUPPORTED).
   *
   * With `incremental`, files that have not changed are shared by hard links: with the database, if the folder is on
   * its file system, or else with an earlier incremental backup of this database in the folder, which is replaced
   * unless it has been opened for writing since. Damage to a shared file on the disk is damage to the backup, too.
   *
   * Aborting `signal`, and an exception from `onProgress`, end the backup: what has been copied is removed, an earlier
   * backup in the folder remains, and then the promise rejects. A backup that was complete by the time of the abort
   * remains, and the promise resolves. It remains, too, if the last call of `onProgress` throws, and the promise
   * rejects.
   */
  backup(
    path: string | URL,
    options?: Abortable & {
      incremental?: boolean | undefined;
      onProgress?: ((progress: CopyProgress) => void) | undefined;
    },
  ): Promise<void>;
  /** `backup` on the calling thread. */
  backupSync(path: string | URL, options?: Abortable & { incremental?: boolean | undefined }): void;

  /**
   * Figures of a table. Data that are still in memory are not in files; reads and writes count since the database was
   * opened. Remote databases do not support this (UNSUPPORTED).
   */
  tableStatistics(name: string, options?: Abortable): Promise<TableStatistics>;
  /** `tableStatistics` on the calling thread. */
  tableStatisticsSync(name: string, options?: Abortable): TableStatistics;
  /** Figures of the database. Remote databases do not support this (UNSUPPORTED). */
  statistics(options?: Abortable): Promise<Statistics>;
  /** `statistics` on the calling thread. */
  statisticsSync(options?: Abortable): Statistics;

  /** Creates a namespace. */
  createNamespace(name: string, configuration?: Readonly<Record<string, string>>, options?: Abortable): Promise<void>;
  /** `createNamespace` on the calling thread. */
  createNamespaceSync(name: string, configuration?: Readonly<Record<string, string>>, options?: Abortable): void;
  /** Replaces a namespace's configuration. */
  alterNamespace(name: string, configuration?: Readonly<Record<string, string>>, options?: Abortable): Promise<void>;
  /** `alterNamespace` on the calling thread. */
  alterNamespaceSync(name: string, configuration?: Readonly<Record<string, string>>, options?: Abortable): void;
  /** Drops an empty namespace. */
  dropNamespace(name: string, options?: Abortable): Promise<void>;
  /** `dropNamespace` on the calling thread. */
  dropNamespaceSync(name: string, options?: Abortable): void;
  /** A namespace's configuration. */
  describeNamespace(name: string, options?: Abortable): Promise<NamespaceDescriptor>;
  /** `describeNamespace` on the calling thread. */
  describeNamespaceSync(name: string, options?: Abortable): NamespaceDescriptor;
  /** The names of all namespaces, sorted. */
  namespaces(options?: Abortable): Promise<string[]>;
  /** `namespaces` on the calling thread. */
  namespacesSync(options?: Abortable): string[];

  /**
   * Serves the database to Thrift clients while it is open. Port 0 picks a free one. The process stays alive until the
   * server or the database is closed, unless `unref` of the server was called. Remote databases do not support this
   * (UNSUPPORTED).
   */
  serve(options?: Abortable & { host?: string | undefined; port?: number | undefined }): Promise<Server>;
  /** `serve` on the calling thread. */
  serveSync(options?: Abortable & { host?: string | undefined; port?: number | undefined }): Server;
  /**
   * The current time of the database's clock, in milliseconds since the Unix epoch. Remote databases do not support
   * this (UNSUPPORTED).
   */
  now(options?: Abortable): Promise<Out['long']>;
  /** `now` on the calling thread. */
  nowSync(options?: Abortable): Out['long'];
  /** The database's UUID. */
  clusterId(options?: Abortable): Promise<string>;
  /** `clusterId` on the calling thread. */
  clusterIdSync(options?: Abortable): string;

  /**
   * Completes pending calls, then closes the database. Idempotent; later calls fail with code CLOSED.
   *
   * Pending calls include `count`, `deleteRows`, `toArray` and calls with long lists, which take several steps. Not
   * waited for is what the program continues: after its current step, a `for await` loop over a scan, a stream and a
   * `bulkLoad` fail with code CLOSED.
   */
  close(): Promise<void>;
  /**
   * Closes the database on the calling thread. Calls of several steps fail with code CLOSED if they have not ended. A
   * remote database does not wait for pending calls.
   */
  closeSync(): void;
  /** Closes it at the end of `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
  /** Closes it at the end of `using`. */
  [Symbol.dispose](): void;
}

/**
 * A server for a database in this process. Closing the database also stops it. As Node's servers do, it keeps the
 * process alive while it listens, unless `unref` was called.
 */
export declare class Server implements AsyncDisposable, Disposable {
  private constructor();
  /** The address on which it listens. */
  readonly host: string;
  /** The port on which it listens. */
  readonly port: number;
  /** `host:port`. */
  readonly address: string;
  /** Keeps the process alive while the server listens. This is the default. */
  ref(): this;
  /** Lets the process end while the server listens, once nothing else keeps it alive. */
  unref(): this;
  /** Stops the server after its current calls. Idempotent. */
  close(): Promise<void>;
  /** `close` on the calling thread. */
  closeSync(): void;
  /** Closes it at the end of `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
  /** Closes it at the end of `using`. */
  [Symbol.dispose](): void;
}
