/** Descriptors of tables, families, namespaces and regions. */
import type { Abortable, Input } from './column';
import type { Reads } from './reading';
import type { Durability } from './write';

type Named = Readonly<Record<string, string | Uint8Array>> | ReadonlyMap<string | Uint8Array, string | Uint8Array>;

/** The options of a family. */
export interface FamilyOptions {
  /** The number of versions kept per column. Default: 1. */
  versions?: number | undefined;
  /** The number of versions kept even if they have expired. Default: 0. */
  minVersions?: number | undefined;
  /** The lifetime of cells, in seconds. Default: 'FOREVER'. */
  ttlSeconds?: number | 'FOREVER' | undefined;
  /** Whether reads of an earlier time range still return cells that were deleted later. Default: false. */
  keepDeletedCells?: boolean | 'TTL' | undefined;
  /** Whether versions and deletes apply in the order in which they were written. Default: false. */
  newVersionBehavior?: boolean | undefined;
  /** The compression of files: none, or with any other name LZ4. Default: 'NONE'. */
  compression?: 'NONE' | 'LZO' | 'GZ' | 'SNAPPY' | 'LZ4' | 'BZIP2' | 'ZSTD' | undefined;
  /** Bloom filters of files: none, or with any other name over whole keys. Default: 'ROW'. */
  bloomFilter?: 'NONE' | 'ROW' | 'ROWCOL' | 'ROWPREFIX_FIXED_LENGTH' | undefined;
  /** HBase's encoding of blocks. Stored and returned. Default: 'NONE'. */
  dataBlockEncoding?: 'NONE' | 'PREFIX' | 'DIFF' | 'FAST_DIFF' | 'ROW_INDEX_V1' | undefined;
  /** The size of blocks in files, in bytes. Default: 65536. */
  blockSize?: number | undefined;
  /** Whether reads keep blocks in the cache. Default: true. */
  blockCache?: boolean | undefined;
  /** HBase's preference for the cache. Stored and returned. Default: false. */
  inMemory?: boolean | undefined;
  /** HBase's replication scope. Stored and returned. Default: 0. */
  replicationScope?: number | undefined;
  /** HBase's number of replicas of files. Stored and returned. Default: 0. */
  dfsReplication?: number | undefined;
  /** Stored and returned. Default: false. */
  cacheBloomsOnWrite?: boolean | undefined;
  /** Stored and returned. Default: false. */
  cacheDataOnWrite?: boolean | undefined;
  /** Stored and returned. Default: false. */
  cacheIndexesOnWrite?: boolean | undefined;
  /** Stored and returned. Default: true. */
  compressTags?: boolean | undefined;
  /** Stored and returned. Default: false. */
  evictBlocksOnClose?: boolean | undefined;
  /**
   * Attributes under HBase's names, and others, which are stored, too. A name that resembles one of HBase's is refused,
   * since it is probably misspelt.
   */
  attributes?: Named | undefined;
  /** Further attributes, of any names. */
  metadata?: Named | undefined;
  /** Settings that override HBase's configuration for this family. */
  configuration?: Named | undefined;
}

/** Families: `{ info: { versions: 3 } }`, a Map, or an array of names. */
export type Families =
  | Readonly<Record<string, FamilyOptions>>
  | ReadonlyMap<string | Uint8Array, FamilyOptions>
  | readonly (string | Uint8Array)[];

/** The options of a table. */
export interface TableOptions {
  /** The durability of writes that do not choose their own. Default: 'SYNC_WAL'. */
  durability?: Durability | undefined;
  /** Whether writes are refused. Default: false. */
  readOnly?: boolean | undefined;
  /** HBase's number of replicas of regions. Stored and returned. Default: 1. */
  regionReplication?: number | undefined;
  /**
   * Attributes under HBase's names, and others, which are stored, too. A name that resembles one of HBase's is refused,
   * since it is probably misspelt.
   */
  attributes?: Named | undefined;
  /** Further attributes, of any names. */
  metadata?: Named | undefined;
}

/** The split keys of a new table: given, or computed by HBase's algorithms. */
export type Splits<In extends Input> =
  | { splits?: readonly In[] | undefined; splitAlgo?: undefined; regions?: undefined }
  | { splitAlgo: 'HexStringSplit' | 'DecimalStringSplit' | 'UniformSplit'; regions: number; splits?: undefined };

/** The options of `createTable`. */
export type CreateTableOptions<In extends Input = Uint8Array> = TableOptions &
  Abortable &
  Splits<In> & {
    /** Whether to leave an existing table as it is, even if its families differ. Default: false. */
    ifNotExists?: boolean | undefined;
  };

/** The result of `describeTable`. `createTable` accepts its `families` and `options`. */
export interface TableDescriptor {
  /** The name. */
  name: string;
  /** The families and their options. */
  families: Record<string, FamilyOptions>;
  /** The options of the table. */
  options: TableOptions;
}

/** A namespace. */
export interface NamespaceDescriptor {
  /** The name. */
  name: string;
  /** The configuration, by name. */
  configuration: Record<string, string>;
}

/** A region: a range of the rows of a table. */
export interface Region<Out extends Reads = Reads> {
  /** The region's number; 0 if the server does not report it. */
  id: Out['long'];
  /** The first key, inclusive; empty for the first region. With `encoding: 'utf8'`, as text if it is valid UTF-8. */
  start: Out['value'];
  /** The end key, exclusive; empty for the last region. With `encoding: 'utf8'`, as text if it is valid UTF-8. */
  end: Out['value'];
}
