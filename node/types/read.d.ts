/** Options of gets and scans, and scans. */
import type { Abortable, AnyColumns, ColumnOrFamily, Input, Int64 } from './column';
import type { Filter } from './filter';
import type { Reads } from './reading';
import type { Row } from './row';

/** From `from` (inclusive) to `to` (exclusive), in milliseconds since the Unix epoch; either may be omitted. */
export type TimeRange =
  readonly [from?: Int64, to?: Int64] | { readonly from?: Int64 | undefined; readonly to?: Int64 | undefined };

/** The versions to read: by their timestamp, or by a range of times. Default: all. */
export type Times =
  | {
      /** Reads only cells with exactly this timestamp. */
      timestamp?: Int64 | undefined;
      timeRange?: undefined;
    }
  | {
      /** Reads only cells with a timestamp in this range. */
      timeRange?: TimeRange | undefined;
      timestamp?: undefined;
    };

/** The rows to read: from `start` to `stop`, with a prefix, or both. Default: all. */
export interface RowsOf<In extends Input> {
  /** The row at which the range begins, inclusive; in a scan with `reverse`, the highest one. */
  start?: In | undefined;
  /** The row at which the range ends, exclusive. */
  stop?: In | undefined;
  /** Only rows that begin with this. */
  prefix?: In | undefined;
}

/** The common options of gets and scans. */
export type ReadOptions<Columns = AnyColumns> = Abortable &
  Times & {
    /** The columns and families to read. Default: all. */
    columns?: ColumnOrFamily<Columns> | readonly ColumnOrFamily<Columns>[] | undefined;
    /** The maximum number of versions per column, newest first; the family's `versions` also limits it. Default: 1. */
    versions?: number | undefined;
    /** A filter: text in HBase's filter language, a value made by `filters`, or bytes as HBase serialises it. */
    filter?: string | Filter | Uint8Array | undefined;
    /** Whether to return delete markers and deleted cells too. Default: false. */
    raw?: boolean | undefined;
  };

/** The options of `row`, `rows`, `cells` and `exists`. */
export type GetOptions<Columns = AnyColumns> = ReadOptions<Columns> & {
  /** The maximum number of cells per family. */
  storeLimit?: number | undefined;
  /** The number of cells to skip in each family. */
  storeOffset?: number | undefined;
};

/** The options of `scan`. */
export type ScanOptions<Columns = AnyColumns, In extends Input = Uint8Array> = ReadOptions<Columns> &
  RowsOf<In> & {
    /** Time ranges that replace `timeRange` for particular families. */
    familyTimeRanges?: Readonly<Record<string, TimeRange>> | ReadonlyMap<string, TimeRange> | undefined;
    /** The maximum number of rows; 0 returns none. */
    limit?: number | undefined;
    /**
     * The maximum number of cells per result. Wider rows are split into several results, all but the last of which are
     * `partial`.
     */
    batch?: number | undefined;
    /** The number of rows to fetch at once. Default: adapted to their size. */
    caching?: number | undefined;
    /** Scans in descending order. */
    reverse?: boolean | undefined;
  };

/** The common options of calls that concern all rows of a range. */
interface OverRange extends Abortable {
  /** A filter: text in HBase's filter language, a value made by `filters`, or bytes as HBase serialises it. */
  filter?: string | Filter | Uint8Array | undefined;
  /** Called after each block of rows, with the number of rows so far. */
  onProgress?: ((rows: number) => void) | undefined;
}

/** The options of `count`. */
export type CountOptions<Columns = AnyColumns, In extends Input = Uint8Array> = OverRange &
  RowsOf<In> & {
    /** Counts only rows that have one of these columns or families. */
    columns?: ColumnOrFamily<Columns> | readonly ColumnOrFamily<Columns>[] | undefined;
    /** Counts only rows that have a cell in this range. */
    timeRange?: TimeRange | undefined;
  };

/** The options of `deleteRows`: at least one of `prefix`, `start` and `stop`, which must not all be empty. */
export type DeleteRowsOptions<In extends Input = Uint8Array> = OverRange &
  RowsOf<In> &
  ({ prefix: In } | { start: In } | { stop: In }) & {
    /** The durability of the deletes. Default: the table's. */
    durability?: 'USE_DEFAULT' | 'SKIP_WAL' | 'ASYNC_WAL' | 'SYNC_WAL' | 'FSYNC_WAL' | undefined;
  };

/**
 * An asynchronous iterator over the rows of a scan, for `for await`. It fetches at most one block ahead of the
 * program.
 */
export declare class Scan<Columns extends object = AnyColumns, Out extends Reads = Reads>
  implements AsyncIterableIterator<Row<Columns, Out>>, AsyncDisposable
{
  private constructor();
  /** The next row. */
  next(): Promise<IteratorResult<Row<Columns, Out>, undefined>>;
  /** Closes the scan; `break` in a `for await` loop calls this. */
  return(value?: undefined): Promise<IteratorResult<Row<Columns, Out>, undefined>>;
  /** Closes the scan and rejects. */
  throw(error?: unknown): Promise<IteratorResult<Row<Columns, Out>, undefined>>;
  /** The rest of the current block, or the next block; empty at the end. Faster than reading row by row. */
  nextBlock(): Promise<Row<Columns, Out>[]>;
  /** All remaining rows. Rejects with a TypeError if they have been read, or if it was closed. */
  toArray(): Promise<Row<Columns, Out>[]>;
  /** Ends the scan and releases its resources. Idempotent. */
  close(): void;
  /** Lets `for await` read it. Throws a TypeError if its rows have been read, or if it was closed. */
  [Symbol.asyncIterator](): this;
  /** Closes it at the end of `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** An iterator over the rows of a scan on the calling thread, for `for`. */
export declare class SyncScan<Columns extends object = AnyColumns, Out extends Reads = Reads>
  implements IterableIterator<Row<Columns, Out>>, Disposable
{
  private constructor();
  /** The next row. */
  next(): IteratorResult<Row<Columns, Out>, undefined>;
  /** Closes the scan; `break` in a `for` loop calls this. */
  return(value?: undefined): IteratorResult<Row<Columns, Out>, undefined>;
  /** The rest of the current block, or the next block; empty at the end. */
  nextBlock(): Row<Columns, Out>[];
  /** All remaining rows. Throws a TypeError if they have been read, or if it was closed. */
  toArray(): Row<Columns, Out>[];
  /** Ends the scan and releases its resources. Idempotent. */
  close(): void;
  /** Lets `for` read it. Throws a TypeError if its rows have been read, or if it was closed. */
  [Symbol.iterator](): this;
  /** Closes it at the end of `using`. */
  [Symbol.dispose](): void;
}
