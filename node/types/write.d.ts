/** What can be asked of puts, deletes, counters, checks, batches and streams into a table. */
import type { Writable } from 'node:stream';
import type { Abortable, AnyColumns, Column, ColumnName, ColumnOf, ColumnOrFamily, Input, Int64 } from './column';
import type { Row } from './row';

/** When a write counts as done. */
export type Durability = 'USE_DEFAULT' | 'SKIP_WAL' | 'ASYNC_WAL' | 'SYNC_WAL' | 'FSYNC_WAL';

/** `expected op stored`: the given value stands on the left. */
export type CompareOp = 'LESS' | 'LESS_OR_EQUAL' | 'EQUAL' | 'NOT_EQUAL' | 'GREATER_OR_EQUAL' | 'GREATER' | 'NO_OP';

export interface WriteOptions extends Abortable {
  /** How long its cells live, in milliseconds. */
  ttl?: Int64 | undefined;
  durability?: Durability | undefined;
}

export interface PutOptions extends WriteOptions {
  /** The time of cells that have none of their own; by default the database's. */
  timestamp?: Int64 | undefined;
}

export interface DeleteOptions extends WriteOptions {
  /** Deletes what is not newer than this; by default everything up to now. */
  timestamp?: Int64 | undefined;
  /** Deletes only the version of exactly `timestamp`; without one, the newest. */
  exact?: boolean | undefined;
}

/** Cells to write: by column, or one by one with times of their own. */
export type PutData<Columns, In extends Input> =
  | { readonly [Name in keyof Columns]?: In }
  | ReadonlyMap<Column<Columns>, In>
  | readonly PutCell<Columns, In>[];

export type PutCell<Columns, In extends Input> = CellColumn<Columns> & { readonly value: In; readonly timestamp?: Int64 | undefined };

type CellColumn<Columns, Name = ColumnName<Columns>> =
  | { readonly column: Column<Columns, Name> }
  | { readonly family: string | Uint8Array; readonly qualifier: string | Uint8Array };

/** Amounts to add, by column. */
export type IncrementData<Columns> =
  | { readonly [Name in ColumnOf<Columns, number | bigint>]?: Int64 }
  | ReadonlyMap<Column<Columns, ColumnOf<Columns, number | bigint>>, Int64>
  | readonly (CellColumn<Columns, ColumnOf<Columns, number | bigint>> & { readonly amount: Int64 })[];

/** Values to append, by column. */
export type AppendData<Columns, In extends Input> =
  | { readonly [Name in keyof Columns]?: In }
  | ReadonlyMap<Column<Columns>, In>
  | readonly (CellColumn<Columns> & { readonly value: In })[];

/** What a delete covers: a column, a family, or either with a time of its own. */
export type Deleted<Columns> = ColumnOrFamily<Columns> | { readonly column: ColumnOrFamily<Columns>; readonly timestamp?: Int64 | undefined };

/** One change of a row. */
export type Mutation<Columns, In extends Input> =
  | (Omit<PutOptions, 'signal'> & { readonly put: PutData<Columns, In> })
  | (Omit<DeleteOptions, 'signal'> & { readonly delete: true | Deleted<Columns> | readonly Deleted<Columns>[] });

/** What a column has to be for a mutation to be carried out; `value: null`: that there is no such cell. */
export interface Condition<Columns, In extends Input> {
  readonly column: Column<Columns>;
  readonly value: In | null;
  readonly op?: CompareOp | undefined;
}

export interface BatchOptions {
  durability?: Durability | undefined;
  ttl?: Int64 | undefined;
  timestamp?: Int64 | undefined;
}

/** Puts and deletes of any rows, written together. Each row is written whole or not at all, by itself; nothing is written before `write`. */
export declare class Batch<Columns extends object = AnyColumns, In extends Input = Uint8Array> {
  private constructor();
  /** How many puts and deletes wait. */
  readonly size: number;
  put(key: In, data: PutData<Columns, In>, options?: PutOptions): this;
  delete(key: In, columns?: Deleted<Columns> | readonly Deleted<Columns>[], options?: DeleteOptions): this;
  /** Forgets what waits. */
  clear(): this;
  /** Writes what was collected and empties the batch. Throws a BatchError if a row failed. */
  write(options?: Abortable): Promise<void>;
  writeSync(options?: Abortable): void;
}

export interface WriteStreamOptions extends BatchOptions, Abortable {
  /** Rows written at once (1000). */
  batchRows?: number | undefined;
  /** Bytes written at once, if they are reached first (4 MiB). */
  batchBytes?: number | undefined;
  /** Rows that may wait before `write()` says that there is no room; by default `batchRows`. */
  highWaterMark?: number | undefined;
}

/** What is written into a stream: a Row as scans return it (its cells keep their times), a pair, or a mutation with its key. */
export type StreamedRow<Columns, In extends Input> =
  | Row<Columns & object>
  | readonly [key: In, data: PutData<Columns, In>]
  | (Mutation<Columns, In> & { readonly key: In });

/** A stream into a table. It fails with the first batch of which rows failed: a BatchError, whose indexes count the rows of the stream. */
export interface RowWriteStream<Columns = AnyColumns, In extends Input = Uint8Array> extends Writable {
  /** How many rows have been written. */
  readonly rowsWritten: number;
  write(row: StreamedRow<Columns, In>, callback?: (error: Error | null | undefined) => void): boolean;
  write(row: StreamedRow<Columns, In>, encoding: BufferEncoding, callback?: (error: Error | null | undefined) => void): boolean;
}
