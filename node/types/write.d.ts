/** Arguments and options of writes, batches and write streams. */
import type { Writable } from 'node:stream';
import type {
  Abortable,
  AnyColumns,
  Column,
  ColumnName,
  ColumnOf,
  ColumnOrFamily,
  Input,
  Int64,
  TypeOf,
} from './column';
import type { FromRow } from './reading';
import type { Row } from './row';

/** The durability of a write when the call returns. */
export type Durability = 'USE_DEFAULT' | 'SKIP_WAL' | 'ASYNC_WAL' | 'SYNC_WAL' | 'FSYNC_WAL';

/**
 * A comparison operator, as a sign or by HBase's name. In every call the stored value is the left operand: `'<'` holds
 * if the stored value is less than the given one.
 */
export type CompareOp =
  | '<'
  | '<='
  | '='
  | '!='
  | '>='
  | '>'
  | 'LESS'
  | 'LESS_OR_EQUAL'
  | 'EQUAL'
  | 'NOT_EQUAL'
  | 'GREATER_OR_EQUAL'
  | 'GREATER'
  | 'NO_OP';

/** The common options of writes. */
export interface WriteOptions extends Abortable {
  /** The lifetime of the cells, in milliseconds; at least 1. */
  ttlMs?: Int64 | undefined;
  /** Default: the table's. */
  durability?: Durability | undefined;
}

/** The options of `put`. */
export interface PutOptions extends WriteOptions {
  /** The timestamp of cells without one. Default: the database's current time. */
  timestamp?: Int64 | undefined;
}

/** The options of `delete`. */
export interface DeleteOptions extends WriteOptions {
  /** Deletes cells up to this timestamp. Default: up to now. */
  timestamp?: Int64 | undefined;
  /** Whether to delete only the version with exactly `timestamp`, or without one, the newest. Default: false. */
  exact?: boolean | undefined;
}

/** What a column accepts: if it is declared as certain strings, those or bytes. */
export type ValueIn<Type, In extends Input> = [Type] extends [string]
  ? string extends Type
    ? In
    : string extends In
      ? Type | Exclude<In, string>
      : In
  : In;

/**
 * Values or amounts by column, where those that are left out are not written, and undefined ones are an error. Columns
 * that are declared by name may be left out. Others are described by a pattern, whose columns cannot be optional:
 * optional ones could also be undefined. The pattern of tables without declared columns is `family:qualifier`.
 */
type ByColumn<Values> = {
  readonly [Name in keyof Values as {} extends Record<Name, unknown> ? never : Name]?: Values[Name];
} & {
  readonly [Name in keyof Values as {} extends Record<Name, unknown> ? PatternOf<Name> : never]: Values[Name];
};

type PatternOf<Name> = string extends Name ? `${string}:${string}` : Name;

type PutValues<Columns, In extends Input> = {
  readonly [Name in keyof Columns]-?: ValueIn<TypeOf<Columns, Name>, In>;
};

/**
 * Cells to write: values by column, the values of a row that was read, or a list of cells that may have their own
 * timestamps.
 */
export type PutData<Columns, In extends Input> =
  | ByColumn<PutValues<Columns, In>>
  | (FromRow & { readonly [Name in keyof Columns as PatternOf<Name>]?: PutValues<Columns, In>[Name] })
  | ReadonlyMap<Column<Columns>, In>
  | readonly PutCell<Columns, In>[];

/** A cell to put. */
export type PutCell<Columns, In extends Input> = CellColumn<Columns> & {
  /** The value. */
  readonly value: In;
  /** The timestamp, in milliseconds since the Unix epoch. Default: that of the put. */
  readonly timestamp?: Int64 | undefined;
};

type CellColumn<Columns, Name = ColumnName<Columns>> =
  | { readonly column: Column<Columns, Name> }
  | { readonly family: string | Uint8Array; readonly qualifier: string | Uint8Array };

/** Amounts to add, by column. */
export type IncrementData<Columns> =
  | ByColumn<Record<ColumnOf<Columns, number | bigint>, Int64>>
  | ReadonlyMap<Column<Columns, ColumnOf<Columns, number | bigint>>, Int64>
  | readonly (CellColumn<Columns, ColumnOf<Columns, number | bigint>> & { readonly amount: Int64 })[];

/** Values to append, by column. */
export type AppendData<Columns, In extends Input> =
  | ByColumn<Record<ColumnName<Columns>, In>>
  | ReadonlyMap<Column<Columns>, In>
  | readonly (CellColumn<Columns> & { readonly value: In })[];

/** The scope of a delete: a column or a family, which may have its own timestamp. */
export type Deleted<Columns> =
  ColumnOrFamily<Columns> | { readonly column: ColumnOrFamily<Columns>; readonly timestamp?: Int64 | undefined };

/** A put or a delete of a row. A delete also deletes what is put in the same list: see `mutateRow`. */
export type Mutation<Columns, In extends Input> =
  | (Omit<PutOptions, 'signal'> & { readonly put: PutData<Columns, In> })
  | (Omit<DeleteOptions, 'signal'> & { readonly delete: true | Deleted<Columns> | readonly Deleted<Columns>[] });

/** A condition on a column. */
export interface Condition<Columns, In extends Input> {
  /** The column that is compared. */
  readonly column: Column<Columns>;
  /** The expected value. Null: no such cell, or an empty value, which HBase does not tell apart. */
  readonly value: In | null;
  /** How the stored value is compared with `value`. Default: `EQUAL`. */
  readonly op?: CompareOp | undefined;
}

/** Defaults for the puts and deletes of a batch. */
export interface BatchOptions {
  /** See `WriteOptions`. */
  durability?: Durability | undefined;
  /** The lifetime of the cells, in milliseconds; at least 1. */
  ttlMs?: Int64 | undefined;
  /** The timestamp of cells without one. Default: the database's current time. */
  timestamp?: Int64 | undefined;
}

/**
 * Puts and deletes of any rows, which `write` applies in order. Each of them is atomic, but the batch is not. What is
 * passed is copied.
 */
export declare class Batch<Columns extends object = AnyColumns, In extends Input = Uint8Array> {
  private constructor();
  /** The number of puts and deletes collected. */
  readonly size: number;
  /** Adds a put. */
  put(key: In, data: PutData<Columns, In>, options?: PutOptions): this;
  /** Adds a delete of columns or families; without `columns`, of the whole row. */
  delete(key: In, columns?: Deleted<Columns> | readonly Deleted<Columns>[], options?: DeleteOptions): this;
  /** Discards what has been collected. */
  clear(): this;
  /** Writes what has been collected and empties the batch. Fails with a BatchError if a put or delete failed. */
  write(options?: Abortable): Promise<void>;
  /** `write` on the calling thread. */
  writeSync(options?: Abortable): void;
}

/** The options of `createWriteStream`. */
export interface WriteStreamOptions extends BatchOptions, Abortable {
  /** The number of rows per batch. Default: 1000. */
  batchRows?: number | undefined;
  /** The size at which a batch is written even if it has fewer rows. Default: 4 MiB. */
  batchBytes?: number | undefined;
  /** The number of buffered rows from which `write()` returns false. Default: `batchRows`. */
  highWaterMark?: number | undefined;
}

/**
 * An element of a write stream, which is copied: a Row from a scan (its cells keep their timestamps), a pair, or a
 * mutation with its key.
 */
export type StreamedRow<Columns, In extends Input> =
  | Row<Columns & object>
  | readonly [key: In, data: PutData<Columns, In>]
  | (Mutation<Columns, In> & { readonly key: In });

/** The options of `bulkLoad`. */
export interface BulkLoadOptions extends Abortable {
  /** The timestamp of cells without one, in milliseconds. Default: the time at which the load begins. */
  timestamp?: Int64 | undefined;
  /** The lifetime of the cells, in milliseconds; at least 1. */
  ttlMs?: Int64 | undefined;
  /** The number of rows that are handed to the engine at once. Default: 1000. */
  batchRows?: number | undefined;
  /** Called with the number of rows read so far. An exception from it ends the load. */
  onProgress?: ((rows: number) => void) | undefined;
}

/**
 * An element of a bulk load, which is copied: a Row from a scan (its cells keep their timestamps), a pair, or a put
 * with its key.
 */
export type LoadedRow<Columns, In extends Input> =
  | Row<Columns & object>
  | readonly [key: In, data: PutData<Columns, In>]
  | (Extract<Mutation<Columns, In>, { readonly put: unknown }> & { readonly key: In });

/**
 * A stream that writes to a table. It fails with a BatchError at the first batch that has failures; `index` counts
 * the rows of the stream.
 */
export interface RowWriteStream<Columns = AnyColumns, In extends Input = Uint8Array> extends Writable {
  /** The number of rows that have been written. */
  readonly rowsWritten: number;
  /** Writes a row, which is copied. Returns false if the program should wait for `drain`. */
  write(row: StreamedRow<Columns, In>, callback?: (error: Error | null | undefined) => void): boolean;
  write(
    row: StreamedRow<Columns, In>,
    encoding: BufferEncoding,
    callback?: (error: Error | null | undefined) => void,
  ): boolean;
}
