/** What can be asked of gets and scans. */
import type { Abortable, AnyColumns, ColumnOrFamily, Input, Int64 } from './column';
import type { Filter } from './filter';
import type { Row } from './row';

/** From `from` up to, not including, `to`, in milliseconds since 1970; either may be left out. */
export type TimeRange = readonly [from?: Int64, to?: Int64] | { readonly from?: Int64 | undefined; readonly to?: Int64 | undefined };

export interface ReadOptions<Columns = AnyColumns> extends Abortable {
  /** Only these columns and families; by default all. */
  columns?: ColumnOrFamily<Columns> | readonly ColumnOrFamily<Columns>[] | undefined;
  /** Versions of a column at most, newest first (1). The family's `versions` bound it. */
  versions?: number | undefined;
  /** Only cells of exactly this time. */
  timestamp?: Int64 | undefined;
  /** Only cells of these times. */
  timeRange?: TimeRange | undefined;
  /** HBase's filter language as text, a value of `filters`, or a filter as HBase serialises it. */
  filter?: string | Filter | Uint8Array | undefined;
  /** Shows delete markers and hidden cells too. */
  raw?: boolean | undefined;
}

export interface GetOptions<Columns = AnyColumns> extends ReadOptions<Columns> {
  /** Cells of a family at most. */
  storeLimit?: number | undefined;
  /** Cells of a family passed over first. */
  storeOffset?: number | undefined;
}

export interface ScanOptions<Columns = AnyColumns, In extends Input = Uint8Array> extends ReadOptions<Columns> {
  /** The first row, included; with `reverse` the highest. */
  start?: In | undefined;
  /** The row at which the scan ends, itself excluded. */
  stop?: In | undefined;
  /** Only rows that begin so; stands for `start` and `stop`. */
  prefix?: In | undefined;
  /** Time ranges that replace `timeRange` for single families. */
  familyTimeRanges?: Readonly<Record<string, TimeRange>> | ReadonlyMap<string, TimeRange> | undefined;
  /** Rows at most. */
  limit?: number | undefined;
  /** Cells in one result at most: wide rows come in pieces, `partial` but for the last. */
  batch?: number | undefined;
  /** Rows brought in at once; by default as many as suit their size. */
  caching?: number | undefined;
  /** From the highest row down. */
  reverse?: boolean | undefined;
}

/** A scan under way, for `for await`. While the program handles a block of rows the next is brought in, and no more. */
export declare class Scan<Columns extends object = AnyColumns> implements AsyncIterableIterator<Row<Columns>>, AsyncDisposable {
  private constructor();
  next(): Promise<IteratorResult<Row<Columns>, undefined>>;
  return(value?: undefined): Promise<IteratorResult<Row<Columns>, undefined>>;
  throw(error?: unknown): Promise<IteratorResult<Row<Columns>, undefined>>;
  /** What is left of the block at hand, or the next block; an empty array at the end. For reading faster than row by row. */
  nextBlock(): Promise<Row<Columns>[]>;
  /** All rows that are left. */
  toArray(): Promise<Row<Columns>[]>;
  /** Ends the scan and lets go of what it holds; idempotent. */
  close(): void;
  [Symbol.asyncIterator](): this;
  [Symbol.asyncDispose](): Promise<void>;
}

/** A scan for `for`, on the calling thread. */
export declare class SyncScan<Columns extends object = AnyColumns> implements IterableIterator<Row<Columns>>, Disposable {
  private constructor();
  next(): IteratorResult<Row<Columns>, undefined>;
  return(value?: undefined): IteratorResult<Row<Columns>, undefined>;
  /** What is left of the block at hand, or the next block; an empty array at the end. */
  nextBlock(): Row<Columns>[];
  /** All rows that are left. */
  toArray(): Row<Columns>[];
  /** Ends the scan; idempotent. */
  close(): void;
  [Symbol.iterator](): this;
  [Symbol.dispose](): void;
}
