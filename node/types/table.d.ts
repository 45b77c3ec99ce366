/** A table. Every method has a promise form, and a `Sync` twin for databases in this process. */
import type { Readable } from 'node:stream';
import type { Abortable, AnyColumns, Column, ColumnOf, Input, Int64 } from './column';
import type { GetOptions, Scan, ScanOptions, SyncScan } from './read';
import type { Cell, Row } from './row';
import type {
  AppendData, Batch, BatchOptions, CompareOp, Condition, Deleted, DeleteOptions, IncrementData, Mutation, PutData, PutOptions, RowWriteStream, WriteOptions,
  WriteStreamOptions,
} from './write';

/** A stream of rows. */
export interface RowReadStream<Columns extends object = AnyColumns> extends Readable {
  read(): Row<Columns> | null;
  [Symbol.asyncIterator](): NodeJS.AsyncIterator<Row<Columns>>;
}

/** The rows of one table. Made by `db.table(name)`; whether there is such a table shows when it is used. */
export declare class Table<Columns extends object = AnyColumns, In extends Input = Uint8Array> {
  private constructor();
  /** `qualifier` or `namespace:qualifier`. */
  readonly name: string;

  /** One row, or undefined if there is none. */
  row(key: In, options?: GetOptions<Columns>): Promise<Row<Columns> | undefined>;
  rowSync(key: In, options?: GetOptions<Columns>): Row<Columns> | undefined;
  /** Several rows in the order asked for; undefined where there is none. */
  rows(keys: Iterable<In>, options?: GetOptions<Columns>): Promise<(Row<Columns> | undefined)[]>;
  rowsSync(keys: Iterable<In>, options?: GetOptions<Columns>): (Row<Columns> | undefined)[];
  /** The versions of one column, newest first: all that are kept, or as many as `versions` says. */
  cells(key: In, column: Column<Columns>, options?: GetOptions<Columns>): Promise<Cell<Columns>[]>;
  cellsSync(key: In, column: Column<Columns>, options?: GetOptions<Columns>): Cell<Columns>[];
  /** Whether the same read would find a cell. */
  exists(key: In, options?: GetOptions<Columns>): Promise<boolean>;
  existsSync(key: In, options?: GetOptions<Columns>): boolean;

  /** Rows in order, for `for await`. Nothing is read before the first is asked for; leaving the loop closes the scan. */
  scan(options?: ScanOptions<Columns, In>): Scan<Columns>;
  /** The same, for `for`. */
  scanSync(options?: ScanOptions<Columns, In>): SyncScan<Columns>;
  /** The rows of a scan as a Readable; destroying it closes the scan. */
  createReadStream(options?: ScanOptions<Columns, In> & { highWaterMark?: number | undefined }): RowReadStream<Columns>;
  /** A Writable for bulk loads. */
  createWriteStream(options?: WriteStreamOptions): RowWriteStream<Columns, In>;

  /** Writes cells of one row, all at once. */
  put(key: In, data: PutData<Columns, In>, options?: PutOptions): Promise<void>;
  putSync(key: In, data: PutData<Columns, In>, options?: PutOptions): void;
  /** Deletes columns or families of one row, all at once; without columns the whole row. */
  delete(key: In, columns?: Deleted<Columns> | readonly Deleted<Columns>[], options?: DeleteOptions): Promise<void>;
  deleteSync(key: In, columns?: Deleted<Columns> | readonly Deleted<Columns>[], options?: DeleteOptions): void;
  /** Collects puts and deletes of any rows, to write them together. */
  batch(options?: BatchOptions): Batch<Columns, In>;

  /** Adds to one counter (1); returns its new value: a number where one can hold it exactly, else a bigint. */
  increment(key: In, column: Column<Columns, ColumnOf<Columns, number | bigint>>, amount?: Int64, options?: WriteOptions): Promise<number | bigint>;
  incrementSync(key: In, column: Column<Columns, ColumnOf<Columns, number | bigint>>, amount?: Int64, options?: WriteOptions): number | bigint;
  /** Adds to counters of one row, all at once; returns the new cells. */
  incrementRow(key: In, data: IncrementData<Columns>, options?: WriteOptions): Promise<Row<Columns>>;
  incrementRowSync(key: In, data: IncrementData<Columns>, options?: WriteOptions): Row<Columns>;
  /** Appends to one value; returns the new one. */
  append(key: In, column: Column<Columns>, value: In, options?: WriteOptions): Promise<Buffer>;
  appendSync(key: In, column: Column<Columns>, value: In, options?: WriteOptions): Buffer;
  /** Appends to values of one row, all at once; returns the new cells. */
  appendRow(key: In, data: AppendData<Columns, In>, options?: WriteOptions): Promise<Row<Columns>>;
  appendRowSync(key: In, data: AppendData<Columns, In>, options?: WriteOptions): Row<Columns>;

  /** Puts if a column has a value (null: if there is no such cell); tells whether it did. */
  checkAndPut(key: In, column: Column<Columns>, expected: In | null, data: PutData<Columns, In>, options?: PutOptions & { op?: CompareOp }): Promise<boolean>;
  checkAndPutSync(key: In, column: Column<Columns>, expected: In | null, data: PutData<Columns, In>, options?: PutOptions & { op?: CompareOp }): boolean;
  /** Deletes if a column has a value (null: if there is no such cell); tells whether it did. */
  checkAndDelete(
    key: In, column: Column<Columns>, expected: In | null, columns?: Deleted<Columns> | readonly Deleted<Columns>[], options?: DeleteOptions & { op?: CompareOp },
  ): Promise<boolean>;
  checkAndDeleteSync(
    key: In, column: Column<Columns>, expected: In | null, columns?: Deleted<Columns> | readonly Deleted<Columns>[], options?: DeleteOptions & { op?: CompareOp },
  ): boolean;
  /** Mutates if a condition holds; tells whether it did. */
  checkAndMutate(key: In, condition: Condition<Columns, In>, mutations: readonly Mutation<Columns, In>[], options?: Abortable): Promise<boolean>;
  checkAndMutateSync(key: In, condition: Condition<Columns, In>, mutations: readonly Mutation<Columns, In>[], options?: Abortable): boolean;
  /** Puts and deletes of one row, all at once. */
  mutateRow(key: In, mutations: readonly Mutation<Columns, In>[], options?: Abortable): Promise<void>;
  mutateRowSync(key: In, mutations: readonly Mutation<Columns, In>[], options?: Abortable): void;
}
