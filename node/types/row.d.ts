/** The results of reads. */
import type { Decoder } from './codec';
import type { AnyColumns, Column, ColumnName, ColumnOf } from './column';

/** A cell. */
export interface Cell<Columns = AnyColumns> {
  /** `family:qualifier` as text. In names that are not UTF-8, unprintable bytes are written as `\xHH`. */
  readonly column: ColumnName<Columns>;
  readonly family: Buffer;
  readonly qualifier: Buffer;
  /** Milliseconds since the Unix epoch; a bigint only if a number cannot represent it. */
  readonly timestamp: number | bigint;
  /** `Put`; in raw reads also the kinds of delete markers. */
  readonly type: 'Put' | 'Delete' | 'DeleteFamilyVersion' | 'DeleteColumn' | 'DeleteFamily';
  readonly value: Buffer;
}

/**
 * A row, or in a scan with `batch`, a part of one. `key`, `cells` and `partial` are its own enumerable properties, so
 * that comparisons, copies and clones see them.
 */
export declare class Row<Columns extends object = AnyColumns> {
  private constructor();
  /** The row key. */
  readonly key: Buffer;
  /** All cells, in HBase's order: by family and qualifier, newest first. */
  readonly cells: readonly Cell<Columns>[];
  /** The newest value of each column. */
  readonly values: { readonly [Name in keyof Columns]?: Buffer };
  /** The names of the columns that have a value. */
  readonly columns: ColumnName<Columns>[];
  /** Whether the next result continues this row (scans with `batch`). */
  readonly partial: boolean;
  /** The newest value of a column. */
  get(column: Column<Columns>): Buffer | undefined;
  /** Whether a column has a value. */
  has(column: Column<Columns>): boolean;
  /** The newest value of a column, as UTF-8 text. */
  string<Name extends ColumnOf<Columns, string>>(
    column: Name,
  ): (Columns[Name] extends string ? Columns[Name] : string) | undefined;
  string(column: Exclude<Column<Columns>, string>): string | undefined;
  /**
   * The newest value of a column, as the 64-bit integer in its eight bytes: a number if that is exact, otherwise a
   * bigint.
   */
  long(column: Column<Columns, ColumnOf<Columns, number | bigint>>): number | bigint | undefined;
  /** The newest value of a column, as the 64-bit integer in its eight bytes, always as a bigint. */
  bigint(column: Column<Columns, ColumnOf<Columns, number | bigint>>): bigint | undefined;
  /** The newest value of a column, as the floating-point number in its eight bytes (HBase's Bytes.toDouble). */
  double(column: Column<Columns, ColumnOf<Columns, number>>): number | undefined;
  /** The newest value of a column, parsed as JSON. */
  json<Name extends ColumnName<Columns>>(column: Name): Columns[Name] | undefined;
  json(column: Exclude<Column<Columns>, string>): unknown;
  /** The newest value of a column, decoded by one of `codecs`. */
  decode<Value>(column: Column<Columns>, codec: Decoder<Value>): Value | undefined;
  /**
   * The row as a plain object: values by column, decoded by the codecs given for their columns, others as UTF-8 text.
   */
  decoded<Codecs extends { readonly [column: string]: Decoder<unknown> } = Record<never, never>>(
    codecs?: Codecs,
  ): { [Name in keyof Codecs]?: Codecs[Name] extends Decoder<infer Value> ? Value : never } & {
    [Name in Exclude<ColumnName<Columns>, keyof Codecs>]?: string;
  };
  /** The timestamp of the newest value of a column, in milliseconds since the Unix epoch. */
  timestamp(column: Column<Columns>): number | bigint | undefined;
  /** The cells of a column that the read returned, newest first. */
  versions(column: Column<Columns>): Cell<Columns>[];
  /** The key and values as UTF-8 text. */
  toJSON(): { key: string; values: Record<string, string> };
}
