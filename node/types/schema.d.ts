/** Descriptors of tables and families. */
import type { Abortable, Input } from './column';
import type { Durability } from './write';

type Named = Readonly<Record<string, string | Uint8Array>> | ReadonlyMap<string | Uint8Array, string | Uint8Array>;

export interface FamilyOptions {
  /** Versions of a column that are kept (1). */
  versions?: number | undefined;
  /** Versions kept although they have expired (0). */
  minVersions?: number | undefined;
  /** Seconds that cells live ('FOREVER'). */
  ttl?: number | 'FOREVER' | undefined;
  /** Whether deleted cells can still be read in the past. */
  keepDeletedCells?: boolean | 'TTL' | undefined;
  /** Counts versions in the order in which they were written, deletes included. */
  newVersionBehavior?: boolean | undefined;
  compression?: 'NONE' | 'LZO' | 'GZ' | 'SNAPPY' | 'LZ4' | 'BZIP2' | 'ZSTD' | undefined;
  bloomFilter?: 'NONE' | 'ROW' | 'ROWCOL' | 'ROWPREFIX_FIXED_LENGTH' | undefined;
  dataBlockEncoding?: 'NONE' | 'PREFIX' | 'DIFF' | 'FAST_DIFF' | 'ROW_INDEX_V1' | undefined;
  blockSize?: number | undefined;
  blockCache?: boolean | undefined;
  inMemory?: boolean | undefined;
  replicationScope?: number | undefined;
  dfsReplication?: number | undefined;
  cacheBloomsOnWrite?: boolean | undefined;
  cacheDataOnWrite?: boolean | undefined;
  cacheIndexesOnWrite?: boolean | undefined;
  compressTags?: boolean | undefined;
  evictBlocksOnClose?: boolean | undefined;
  /** Attributes under HBase's own names. */
  attributes?: Named | undefined;
  configuration?: Named | undefined;
}

/** Families: `{ info: { versions: 3 } }`, a Map, or names. */
export type Families = Readonly<Record<string, FamilyOptions>> | ReadonlyMap<string | Uint8Array, FamilyOptions> | readonly (string | Uint8Array)[];

export interface TableOptions {
  durability?: Durability | undefined;
  readOnly?: boolean | undefined;
  regionReplication?: number | undefined;
  /** Attributes under HBase's own names. */
  attributes?: Named | undefined;
}

/** Where regions of a new table begin: given, or computed as HBase's tools compute them. */
export type Splits<In extends Input> =
  | { splits?: readonly In[] | undefined; splitAlgo?: undefined; regions?: undefined }
  | { splitAlgo: 'HexStringSplit' | 'DecimalStringSplit' | 'UniformSplit'; regions: number; splits?: undefined };

export type CreateTableOptions<In extends Input = Uint8Array> = TableOptions & Abortable & Splits<In>;

/** What `describeTable` tells; `families` and `options` are as `createTable` takes them. */
export interface TableDescriptor {
  name: string;
  families: Record<string, FamilyOptions>;
  options: TableOptions;
}

export interface NamespaceDescriptor {
  name: string;
  configuration: Record<string, string>;
}

export interface Region {
  /** A number; 0 where the server does not tell. */
  id: number | bigint;
  /** The first key; empty: from the beginning. */
  start: Buffer;
  /** The first key behind; empty: to the end. */
  end: Buffer;
}
