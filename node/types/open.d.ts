/** Ways to a database: a folder, the memory, an address. */
import type { TlsOptions } from 'node:tls';
import type { Abortable } from './column';
import type { Database } from './database';

/** With `encoding: 'utf8'` strings are taken for keys and values; without, only bytes. */
interface Utf8 {
  encoding: 'utf8';
}

export interface MemoryOptions {
  encoding?: 'utf8' | undefined;
  /** Tells the database the time; for tests. */
  clock?: ManualClock | undefined;
  /** Bytes of the cache of blocks that were read. */
  cacheBytes?: number | undefined;
  /** Bytes that wait in memory to be written to files. */
  writeBufferBytes?: number | undefined;
}

export interface OpenOptions extends MemoryOptions {}

/** Opens the database in a folder, making it if need be. All that open the same folder in this process, in whatever worker, share one engine. */
export declare function open(path: string | URL, options: OpenOptions & Utf8): Promise<Database<string | Uint8Array>>;
export declare function open(path: string | URL, options?: OpenOptions & { encoding?: undefined }): Promise<Database>;
export declare function openSync(path: string | URL, options: OpenOptions & Utf8): Database<string | Uint8Array>;
export declare function openSync(path: string | URL, options?: OpenOptions & { encoding?: undefined }): Database;

/** A database without a disk, empty. */
export declare function memory(options: MemoryOptions & Utf8): Database<string | Uint8Array>;
export declare function memory(options?: MemoryOptions & { encoding?: undefined }): Database;

/** A clock that a program moves. Times are milliseconds since 1970. */
export declare class ManualClock {
  constructor(ms: number);
  advance(ms: number): this;
  /** Sets it, also backwards. */
  set(ms: number): this;
  now(): number;
}

export interface ConnectOptions extends Abortable {
  /** '127.0.0.1'. */
  host?: string | undefined;
  /** 9090. */
  port?: number | undefined;
  /** true, or options of Node's `tls.connect`: `ca`, `cert`, `key`, `servername`, … */
  tls?: boolean | (Pick<TlsOptions, 'cert' | 'key' | 'passphrase' | 'pfx' | 'ciphers' | 'minVersion' | 'maxVersion' | 'rejectUnauthorized'> & TlsPeer) | undefined;
  /** How messages are parted; hjall understands all on one port, HBase what it was started with ('buffered'). */
  transport?: 'buffered' | 'framed' | 'http' | undefined;
  /** 'binary'. */
  protocol?: 'binary' | 'compact' | undefined;
  /** Of `http`: the path ('/') and further headers. */
  path?: string | undefined;
  headers?: Readonly<Record<string, string>> | undefined;
  encoding?: 'utf8' | undefined;
  /** 10 000. */
  connectTimeoutMs?: number | undefined;
  /** How long one attempt of a call may take (60 000). */
  callTimeoutMs?: number | undefined;
  /** Connections at most (8); each carries one call at a time. */
  connectionsMax?: number | undefined;
  /** Calls that may wait for a connection (100 000); more fail with BUSY. */
  waitingMax?: number | undefined;
  /** How long an idle connection is kept (30 000). */
  idleMs?: number | undefined;
  /** How often a call is tried again (5): whatever the server had no room for, and reads whose connection broke. */
  retries?: number | undefined;
  /** The first pause before trying again (100); later ones are longer, as those of HBase's client. */
  pauseMs?: number | undefined;
  /** Tries writes again too whose connection broke: they may then be carried out twice (false). */
  retryWrites?: boolean | undefined;
  /** The longest answer taken (128 MiB). */
  responseBytesMax?: number | undefined;
}

interface TlsPeer {
  ca?: TlsOptions['ca'];
  servername?: string;
  checkServerIdentity?: (host: string, certificate: import('node:tls').PeerCertificate) => Error | undefined;
}

/** Connects to the Thrift2 gateway of hjall or HBase. Rejects if nothing answers there, or not in this protocol. */
export declare function connect(options: ConnectOptions & Utf8): Promise<Database<string | Uint8Array>>;
export declare function connect(options?: ConnectOptions & { encoding?: undefined }): Promise<Database>;
