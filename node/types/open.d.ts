/** Opening a database: in a folder, in memory, or on a server. */
import type { TlsOptions } from 'node:tls';
import type { Abortable, AnyColumns } from './column';
import type { Database } from './database';
import type { CopyProgress } from './statistics';
import type { Table } from './table';

/** The options that choose the types of arguments and results. */
export interface FormOptions<Encoding = 'utf8' | undefined, BigInts = boolean | undefined> {
  /**
   * With 'utf8', keys and values are strings: calls accept them, and reads return them. Bytes are still accepted, and
   * keys and values that are not valid UTF-8 are returned as Buffers. The bytes of a counter can be either: read it
   * with `row.long` or `codecs.int64`. Default: only bytes.
   */
  encoding?: Encoding;
  /**
   * Whether counters, timestamps and the codec `int64` are always read as bigints. Otherwise they are numbers where
   * these are exact, and bigints beyond. Default: false.
   */
  readBigInts?: BigInts;
}

/** The database that is opened with these options. */
export type Opened<Encoding, BigInts> = Database<
  [Encoding] extends ['utf8'] ? string | Uint8Array : Uint8Array,
  {
    /** Keys and values. */
    value: [Encoding] extends [undefined] ? Buffer : string | Buffer;
    /** 64-bit integers. */
    long: [BigInts] extends [true] ? bigint : number | bigint;
  }
>;

/**
 * A database that was opened with `encoding: 'utf8'`, for the parameters of functions and the fields of classes. A
 * `Database` without arguments is one without an encoding. With `readBigInts: true`, they are
 * `Opened<'utf8', true>` and `Opened<undefined, true>`.
 */
export type TextDatabase = Opened<'utf8', undefined>;

/** A table of a `TextDatabase`, whose columns can be declared: `TextTable<Users>`. */
export type TextTable<Columns extends object = AnyColumns> = Table<Columns, string | Uint8Array>;

/** The options of `memory`, and of `open`. */
export interface MemoryOptions extends FormOptions {
  /** The database's clock, for tests. Default: the system's. */
  clock?: ManualClock | undefined;
  /**
   * Maximum size of the block cache, in bytes. Default: a quarter of the memory of the machine or control group, from
   * 32 MiB to 8 GiB. A database in memory has no such cache; there, it only determines the default of `rowCacheBytes`.
   */
  cacheBytes?: number | undefined;
  /**
   * Maximum size of the row cache, in bytes; 0 switches it off. Default: an eighth of `cacheBytes`. Without that, an
   * eighth of its default, and at least 96 MiB.
   */
  rowCacheBytes?: number | undefined;
  /**
   * Size of the data in memory that has not been flushed to files, in bytes. Above it, the largest part is flushed; at
   * twice as much, writes wait. It has no effect on a database in memory. Default: 128 MiB.
   */
  writeBufferBytes?: number | undefined;
  /**
   * Maximum size of the descriptors of all tables and namespaces, in bytes. Beyond it, none can be added or extended,
   * but all that exist can be used and deleted. Default: no limit.
   */
  catalogBytes?: number | undefined;
}

/** The options of `open`. */
export interface OpenOptions extends MemoryOptions {
  /**
   * What `SYNC_WAL` means, which is the default of tables and of calls. With `SYNC_WAL`, a write resolves when the
   * operating system has it, and a power failure can lose the writes of the last `syncIntervalMs`. With `FSYNC_WAL`, it
   * resolves when it is on disk. Default: `SYNC_WAL`.
   */
  durability?: 'SYNC_WAL' | 'FSYNC_WAL' | undefined;
  /**
   * The longest time in milliseconds for which a write that does not wait for the disk stays unsynced. With 0, the
   * operating system decides. Default: 1000.
   */
  syncIntervalMs?: number | undefined;
  /** @deprecated The former name of `syncIntervalMs`. */
  syncInterval?: number | undefined;
  /**
   * Whether to open the database for reading only, as of the moment of opening. Another process may have it open and
   * write. The folder is not changed, and every change fails with `READ_ONLY`. Later writes become visible when the
   * database is closed and opened again. Default: false.
   */
  readOnly?: boolean | undefined;
}

/**
 * Opens the database in a folder; creates it if it does not exist. Within a process, workers that open the same
 * folder share one engine.
 */
export declare function open<E extends 'utf8' | undefined = undefined, B extends boolean | undefined = undefined>(
  path: string | URL,
  options?: OpenOptions & FormOptions<E, B>,
): Promise<Opened<E, B>>;
/** Opens a database on the calling thread; see `open`. */
export declare function openSync<E extends 'utf8' | undefined = undefined, B extends boolean | undefined = undefined>(
  path: string | URL,
  options?: OpenOptions & FormOptions<E, B>,
): Opened<E, B>;

/**
 * Copies a backup to a folder that does not exist or is empty; `open` opens the copy. Everything is read and checked.
 * No other process may have the backup open. An exception from `onProgress` ends the copying and rejects the promise.
 */
export declare function restore(
  backup: string | URL,
  path: string | URL,
  options?: { onProgress?: ((progress: CopyProgress) => void) | undefined },
): Promise<void>;
/** `restore` on the calling thread. */
export declare function restoreSync(backup: string | URL, path: string | URL): void;

/** Creates an empty database in memory. */
export declare function memory<E extends 'utf8' | undefined = undefined, B extends boolean | undefined = undefined>(
  options?: MemoryOptions & FormOptions<E, B>,
): Opened<E, B>;

/**
 * A clock that advances only on request. Times are milliseconds since the Unix epoch.
 *
 * A write of a row that follows a delete of it gets a timestamp that is 1 ms later, since the delete would hide it.
 * While the clock stands still, deletes and writes of one row can therefore alternate about 1,000 times. The next write
 * of the row then waits for the clock, and fails with a `RetryError` after one second. To avoid this, advance the clock
 * by 1 ms after each delete.
 */
export declare class ManualClock {
  /** Starts at a time in milliseconds since the Unix epoch. */
  constructor(ms: number);
  /** Advances the time. */
  advance(ms: number): this;
  /** Sets the time, which may be earlier than the current one. */
  set(ms: number): this;
  /** The current time. */
  now(): number;
}

/** The options of `connect`. */
export interface ConnectOptions extends Abortable, FormOptions {
  /** Default: '127.0.0.1'. */
  host?: string | undefined;
  /** Default: 9090. */
  port?: number | undefined;
  /** `true`, or options for Node's `tls.connect`: `ca`, `cert`, `key`, `servername`, … Default: no TLS. */
  tls?:
    | boolean
    | (Pick<
        TlsOptions,
        'cert' | 'key' | 'passphrase' | 'pfx' | 'ciphers' | 'minVersion' | 'maxVersion' | 'rejectUnauthorized'
      > &
        TlsPeer)
    | undefined;
  /**
   * The framing of messages. hjall accepts all of them on one port, HBase the one it was started with. Default:
   * 'buffered'.
   */
  transport?: 'buffered' | 'framed' | 'http' | undefined;
  /** The encoding of messages. Default: 'binary'. */
  protocol?: 'binary' | 'compact' | undefined;
  /** For `transport: 'http'`: the path. Default: '/'. */
  path?: string | undefined;
  /** For `transport: 'http'`: additional headers, such as `authorization`. */
  headers?: Readonly<Record<string, string>> | undefined;
  /** The time limit for connecting. Default: 10 000. */
  connectTimeoutMs?: number | undefined;
  /** The time limit for one attempt of a call. Default: 60 000. */
  callTimeoutMs?: number | undefined;
  /** The maximum number of connections. Default: 8. */
  connectionsMax?: number | undefined;
  /**
   * The maximum number of calls that await their answers on one connection. The server answers them in their order.
   * Connections are shared only once `connectionsMax` are open. 1 if a slow call must not delay others, or if a broken
   * connection must fail no more than one call. With `transport: 'http'`, always 1. Default: 8.
   */
  callsPerConnection?: number | undefined;
  /** The maximum number of calls that wait for a connection; further ones fail with BUSY. Default: 100 000. */
  waitingMax?: number | undefined;
  /** The time after which an idle connection is closed. Default: 30 000. */
  idleMs?: number | undefined;
  /**
   * The maximum number of repetitions of a call, if the server was too busy, or if it is a read and its connection
   * broke. Default: 5.
   */
  retries?: number | undefined;
  /** The pause before the first repetition; it grows as in HBase's client. Default: 100. */
  pauseMs?: number | undefined;
  /** Whether to repeat writes whose connection broke, which may execute them twice. Default: false. */
  retryWrites?: boolean | undefined;
  /** The maximum size of an answer. A call with a longer one fails with REFUSED. Default: 128 MiB. */
  responseBytesMax?: number | undefined;
}

interface TlsPeer {
  /** The certificate of the server, or of the CA that issued it. */
  ca?: TlsOptions['ca'] | undefined;
  /** The name that the server's certificate must have. Default: `host`. */
  servername?: string | undefined;
  /** Checks the server's certificate instead of Node; returns an error to refuse it. */
  checkServerIdentity?: ((host: string, certificate: import('node:tls').PeerCertificate) => Error | undefined) | undefined;
}

/**
 * Connects to the Thrift2 gateway of hjall or HBase. Rejects if no server answers, or if it does not speak this
 * protocol.
 */
export declare function connect<E extends 'utf8' | undefined = undefined, B extends boolean | undefined = undefined>(
  options?: ConnectOptions & FormOptions<E, B>,
): Promise<Opened<E, B>>;
/** Connects to a URL: `thrift://host:9090`, `thrifts://…` with TLS, or `http://…` and `https://…` with a path. */
export declare function connect<E extends 'utf8' | undefined = undefined, B extends boolean | undefined = undefined>(
  url: string | URL,
  options?: ConnectOptions & FormOptions<E, B>,
): Promise<Opened<E, B>>;
