/** Figures of databases and tables, and the progress of copies. */

/** Figures of a table. */
export interface TableStatistics {
  /** The bytes of its files. */
  readonly fileBytes: number;
  /** The number of its files. */
  readonly files: number;
  /** The number of its regions. */
  readonly regions: number;
  /** Rows returned by gets and scans since the database was opened. */
  readonly reads: number;
  /** Puts, deletes, increments and appends since the database was opened. */
  readonly writes: number;
}

/** Figures of a database. Those named `Max` are limits. */
export interface Statistics {
  /** The bytes of all files, including journals. */
  readonly diskBytes: number;
  /** The number of data files. */
  readonly files: number;
  /** The bytes of all journals. */
  readonly journalBytes: number;
  /** The memory for data that is not yet in files, in bytes. */
  readonly writeBufferBytes: number;
  /** The limit of `writeBufferBytes`. */
  readonly writeBufferBytesMax: number;
  /** The memory of cached blocks, in bytes. */
  readonly cacheBytes: number;
  /** The limit of `cacheBytes`. */
  readonly cacheBytesMax: number;
  /** Blocks that were found in the cache. */
  readonly blockHits: number;
  /** Blocks that had to be read from files. */
  readonly blockMisses: number;
  /** The memory of filters that tell which files have a row, in bytes. */
  readonly rowFilterBytes: number;
  /** Rows in the row cache. */
  readonly rowCacheRows: number;
  /** The memory of the row cache, in bytes. */
  readonly rowCacheBytes: number;
  /** The limit of `rowCacheBytes`. */
  readonly rowCacheBytesMax: number;
  /** Gets that found their row in the row cache. */
  readonly rowCacheHits: number;
  /** Gets that did not find their row in the row cache. */
  readonly rowCacheMisses: number;
}

/** What a backup or restore has copied. */
export interface CopyProgress {
  /** The table being copied. */
  readonly table: string;
  /** Its family. */
  readonly family: string;
  /** The cells copied so far, in all tables. */
  readonly cells: number;
  /** Their bytes. */
  readonly bytes: number;
}
