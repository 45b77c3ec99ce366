/** A table. Every method returns a promise, and in embedded databases has a synchronous form, `nameSync`. */
import type { Readable } from 'node:stream';
import type { Abortable, AnyColumns, Column, ColumnOf, Input, Int64 } from './column';
import type { CountOptions, DeleteRowsOptions, GetOptions, Scan, ScanOptions, SyncScan } from './read';
import type { Reads, ReadsOf } from './reading';
import type { Cell, Row } from './row';
import type {
  AppendData,
  Batch,
  BatchOptions,
  BulkLoadOptions,
  CompareOp,
  Condition,
  Deleted,
  DeleteOptions,
  IncrementData,
  LoadedRow,
  Mutation,
  PutData,
  PutOptions,
  RowWriteStream,
  WriteOptions,
  WriteStreamOptions,
} from './write';

/** A stream of rows. */
export interface RowReadStream<Columns extends object = AnyColumns, Out extends Reads = Reads> extends Readable {
  /** The next row; null if none has been read yet. */
  read(): Row<Columns, Out> | null;
  /** Lets `for await` read it. */
  [Symbol.asyncIterator](): NodeJS.AsyncIterator<Row<Columns, Out>>;
}

/** A table, made by `db.table(name)`. Whether it exists is not checked before it is used. */
export declare class Table<
  Columns extends object = AnyColumns,
  In extends Input = Uint8Array,
  Out extends Reads = ReadsOf<In>,
> {
  private constructor();
  /** `qualifier` or `namespace:qualifier`. */
  readonly name: string;

  /** Reads a row; undefined if it does not exist. */
  row(key: In, options?: GetOptions<Columns>): Promise<Row<Columns, Out> | undefined>;
  /** `row` on the calling thread. */
  rowSync(key: In, options?: GetOptions<Columns>): Row<Columns, Out> | undefined;
  /** Reads several rows, in the order of `keys`; undefined for each that does not exist. */
  rows(keys: Iterable<In>, options?: GetOptions<Columns>): Promise<(Row<Columns, Out> | undefined)[]>;
  /** `rows` on the calling thread. */
  rowsSync(keys: Iterable<In>, options?: GetOptions<Columns>): (Row<Columns, Out> | undefined)[];
  /** Reads the versions of a column, newest first: all, or at most `versions`. */
  cells(key: In, column: Column<Columns>, options?: GetOptions<Columns>): Promise<Cell<Columns, Out>[]>;
  /** `cells` on the calling thread. */
  cellsSync(key: In, column: Column<Columns>, options?: GetOptions<Columns>): Cell<Columns, Out>[];
  /** Whether `row` with the same arguments would find a cell. */
  exists(key: In, options?: GetOptions<Columns>): Promise<boolean>;
  /** `exists` on the calling thread. */
  existsSync(key: In, options?: GetOptions<Columns>): boolean;

  /**
   * Iterates over rows in order, with `for await`. Nothing is read before the first row is requested; leaving the
   * loop closes the scan.
   */
  scan(options?: ScanOptions<Columns, In>): Scan<Columns, Out>;
  /** Iterates over rows in order on the calling thread, with `for`. */
  scanSync(options?: ScanOptions<Columns, In>): SyncScan<Columns, Out>;
  /** The rows of a scan as a Readable. Destroying it closes the scan. */
  createReadStream(options?: ScanOptions<Columns, In> & { highWaterMark?: number | undefined }): RowReadStream<Columns, Out>;
  /** A Writable for bulk loads. */
  createWriteStream(options?: WriteStreamOptions): RowWriteStream<Columns, In>;
  /**
   * Loads the rows of an iterable or an async iterable, which must be in ascending order of the bytes of their keys,
   * and returns their number. They are written to files directly, without the write-ahead log, which is several times
   * faster than puts. All rows become visible at once and are durable when the promise resolves; if it rejects, nothing
   * is stored. Only for embedded databases.
   */
  bulkLoad(
    rows: Iterable<LoadedRow<Columns, In>> | AsyncIterable<LoadedRow<Columns, In>>,
    options?: BulkLoadOptions,
  ): Promise<number>;
  /** `bulkLoad` of an iterable on the calling thread. */
  bulkLoadSync(rows: Iterable<LoadedRow<Columns, In>>, options?: BulkLoadOptions): number;

  /** Writes cells of a row, atomically. */
  put(key: In, data: PutData<Columns, In>, options?: PutOptions): Promise<void>;
  /** `put` on the calling thread. */
  putSync(key: In, data: PutData<Columns, In>, options?: PutOptions): void;
  /** Deletes columns or families of a row, atomically; without `columns`, the whole row. */
  delete(key: In, columns?: Deleted<Columns> | readonly Deleted<Columns>[], options?: DeleteOptions): Promise<void>;
  /** `delete` on the calling thread. */
  deleteSync(key: In, columns?: Deleted<Columns> | readonly Deleted<Columns>[], options?: DeleteOptions): void;
  /**
   * Counts rows: all, or those of a range (`start`, `stop`, `prefix`), with a filter or in some columns.
   */
  count(options?: CountOptions<Columns, In>): Promise<number>;
  /** `count` on the calling thread. */
  countSync(options?: CountOptions<Columns, In>): number;
  /**
   * Deletes the rows of a range (`start`, `stop`, `prefix`); with a filter, only some of them. Returns their
   * number. Each row is deleted atomically, but not the range: a row that is written meanwhile may remain.
   */
  deleteRows(options: DeleteRowsOptions<In>): Promise<number>;
  /** `deleteRows` on the calling thread. */
  deleteRowsSync(options: DeleteRowsOptions<In>): number;
  /** Collects puts and deletes of any rows to write them together. What is passed is copied. */
  batch(options?: BatchOptions): Batch<Columns, In>;

  /**
   * Adds to a counter (default: 1). Returns its new value: a number if that is exact, otherwise (or with
   * `readBigInts`) a bigint.
   */
  increment(
    key: In,
    column: Column<Columns, ColumnOf<Columns, number | bigint>>,
    amount?: Int64,
    options?: WriteOptions,
  ): Promise<Out['long']>;
  /** `increment` on the calling thread. */
  incrementSync(
    key: In,
    column: Column<Columns, ColumnOf<Columns, number | bigint>>,
    amount?: Int64,
    options?: WriteOptions,
  ): Out['long'];
  /** Adds to counters of a row, atomically. Returns the new cells. */
  incrementRow(key: In, data: IncrementData<Columns>, options?: WriteOptions): Promise<Row<Columns, Out>>;
  /** `incrementRow` on the calling thread. */
  incrementRowSync(key: In, data: IncrementData<Columns>, options?: WriteOptions): Row<Columns, Out>;
  /** Appends to a value. Returns the new value. */
  append(key: In, column: Column<Columns>, value: In, options?: WriteOptions): Promise<Out['value']>;
  /** `append` on the calling thread. */
  appendSync(key: In, column: Column<Columns>, value: In, options?: WriteOptions): Out['value'];
  /** Appends to values of a row, atomically. Returns the new cells. */
  appendRow(key: In, data: AppendData<Columns, In>, options?: WriteOptions): Promise<Row<Columns, Out>>;
  /** `appendRow` on the calling thread. */
  appendRowSync(key: In, data: AppendData<Columns, In>, options?: WriteOptions): Row<Columns, Out>;

  /**
   * Puts if a column has an expected value, or if another comparison holds: `op` compares `stored op expected`. Null
   * expects that there is no such cell, or that its value is empty: HBase does not tell these apart. Returns whether it
   * did.
   */
  checkAndPut(
    key: In,
    column: Column<Columns>,
    expected: In | null,
    data: PutData<Columns, In>,
    options?: PutOptions & { op?: CompareOp | undefined },
  ): Promise<boolean>;
  /** `checkAndPut` on the calling thread. */
  checkAndPutSync(
    key: In,
    column: Column<Columns>,
    expected: In | null,
    data: PutData<Columns, In>,
    options?: PutOptions & { op?: CompareOp | undefined },
  ): boolean;
  /** Deletes if a column has an expected value (null: no such cell, or an empty value). Returns whether it did. */
  checkAndDelete(
    key: In,
    column: Column<Columns>,
    expected: In | null,
    columns?: Deleted<Columns> | readonly Deleted<Columns>[],
    options?: DeleteOptions & { op?: CompareOp | undefined },
  ): Promise<boolean>;
  /** `checkAndDelete` on the calling thread. */
  checkAndDeleteSync(
    key: In,
    column: Column<Columns>,
    expected: In | null,
    columns?: Deleted<Columns> | readonly Deleted<Columns>[],
    options?: DeleteOptions & { op?: CompareOp | undefined },
  ): boolean;
  /**
   * Applies mutations if a condition holds, atomically. Returns whether it did. All have the same time: see
   * `mutateRow`.
   */
  checkAndMutate(
    key: In,
    condition: Condition<Columns, In>,
    mutations: readonly Mutation<Columns, In>[],
    options?: Abortable,
  ): Promise<boolean>;
  /** `checkAndMutate` on the calling thread. */
  checkAndMutateSync(
    key: In,
    condition: Condition<Columns, In>,
    mutations: readonly Mutation<Columns, In>[],
    options?: Abortable,
  ): boolean;
  /**
   * Applies puts and deletes of a row, atomically. As in HBase, all have the same time, and a delete covers what is put
   * at its time: a column that is both deleted and put is deleted, in either order. To replace a value, put it without
   * a delete. To replace a whole row, use a `batch`, which is not atomic, or give the delete the newest `timestamp` of
   * the row's cells and the put a later one.
   */
  mutateRow(key: In, mutations: readonly Mutation<Columns, In>[], options?: Abortable): Promise<void>;
  /** `mutateRow` on the calling thread. */
  mutateRowSync(key: In, mutations: readonly Mutation<Columns, In>[], options?: Abortable): void;
}
