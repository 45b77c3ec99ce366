/** What reads return. */
import type { AnyColumns, Column, ColumnName, ColumnOf } from './column';

/** One cell. */
export interface Cell<Columns = AnyColumns> {
  /** `family:qualifier` as text; bytes that are no UTF-8 stand as `\xHH`. */
  readonly column: ColumnName<Columns>;
  readonly family: Buffer;
  readonly qualifier: Buffer;
  /** Milliseconds since 1970: a bigint only where a number cannot hold it. */
  readonly timestamp: number | bigint;
  /** `Put`, or in raw reads a delete marker. */
  readonly type: 'Put' | 'Delete' | 'DeleteFamilyVersion' | 'DeleteColumn' | 'DeleteFamily';
  readonly value: Buffer;
}

/**
 * A row, or with a scan's `batch` a piece of one. Values of one block of results share its memory: to keep one for long, copy it (`Buffer.from(value)`).
 */
export declare class Row<Columns extends object = AnyColumns> {
  private constructor();
  readonly key: Buffer;
  /** Every cell, in HBase's order: family, qualifier, newest first. */
  readonly cells: readonly Cell<Columns>[];
  /** The newest value of each column. */
  readonly values: { readonly [Name in keyof Columns]?: Buffer };
  /** The columns that have a value. */
  readonly columns: ColumnName<Columns>[];
  /** Whether more cells of the same row follow in the next result (scans with `batch`). */
  readonly partial: boolean;
  /** The newest value of a column. */
  get(column: Column<Columns>): Buffer | undefined;
  /** Whether a column has a value. */
  has(column: Column<Columns>): boolean;
  /** The newest value as UTF-8 text. */
  string<Name extends ColumnOf<Columns, string>>(column: Name): (Columns[Name] extends string ? Columns[Name] : string) | undefined;
  string(column: Exclude<Column<Columns>, string>): string | undefined;
  /** The newest value as the number in its eight bytes: a number where one can hold it exactly, else a bigint. */
  long(column: Column<Columns, ColumnOf<Columns, number | bigint>>): number | bigint | undefined;
  /** The same, always as a bigint. */
  bigint(column: Column<Columns, ColumnOf<Columns, number | bigint>>): bigint | undefined;
  /** The newest value as the floating point number in its eight bytes (HBase's Bytes.toDouble). */
  double(column: Column<Columns, ColumnOf<Columns, number>>): number | undefined;
  /** The newest value as JSON. */
  json<Name extends ColumnName<Columns>>(column: Name): Columns[Name] | undefined;
  json(column: Exclude<Column<Columns>, string>): unknown;
  /** When the newest value of a column was written, in milliseconds since 1970. */
  timestamp(column: Column<Columns>): number | bigint | undefined;
  /** All cells of a column that the read returned, newest first. */
  versions(column: Column<Columns>): Cell<Columns>[];
  toJSON(): { key: string; values: Record<string, string> };
}
