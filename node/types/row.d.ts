/** The results of reads. */
import type { Decoder } from './codec';
import type { AnyColumns, Column, ColumnName, ColumnOf, TypeOf } from './column';
import type { DecodedOf, FromRow, Reads, ValueOf, ValuesOf } from './reading';

/** A cell. */
export interface Cell<Columns = AnyColumns, Out extends Reads = Reads> {
  /**
   * `family:qualifier` as text. In names that are not UTF-8, unprintable bytes and backslashes are written as `\xHH`.
   * In others, only the backslash of a literal `\xHH` is, so that no two columns have the same text.
   */
  readonly column: ColumnName<Columns>;
  /** The family as bytes. */
  readonly family: Buffer;
  /** The qualifier as bytes. */
  readonly qualifier: Buffer;
  /** Milliseconds since the Unix epoch. */
  readonly timestamp: Out['long'];
  /** `Put`; in raw reads also the kinds of delete markers. */
  readonly type: 'Put' | 'Delete' | 'DeleteFamilyVersion' | 'DeleteColumn' | 'DeleteFamily';
  /** The value; with `encoding: 'utf8'`, as text if it is valid UTF-8. */
  readonly value: Out['value'];
}

/**
 * A row, or in a scan with `batch`, a part of one. `key`, `cells` and `partial` are its own enumerable properties, so
 * that comparisons, copies and clones see them.
 */
export declare class Row<Columns extends object = AnyColumns, Out extends Reads = Reads> {
  private constructor();
  /** The row key; with `encoding: 'utf8'`, as text if it is valid UTF-8. */
  readonly key: Out['value'];
  /** All cells, in HBase's order: by family and qualifier, newest first. */
  readonly cells: readonly Cell<Columns, Out>[];
  /** The newest value of each column; with `encoding: 'utf8'`, as text if it is valid UTF-8. */
  readonly values: ValuesOf<Columns, Out>;
  /** The names of the columns that have a value. */
  readonly columns: ColumnName<Columns>[];
  /**
   * Whether the next result may continue this row (scans with `batch`). As in HBase, it may be true although the row
   * has no more cells: the next result is another row then, or there is none.
   */
  readonly partial: boolean;
  /**
   * The newest value of a column; with `encoding: 'utf8'`, as text if it is valid UTF-8. A string is the name of the
   * column, as in writes, or if the row has no such column, the text under which it is listed.
   */
  get<Name extends ColumnName<Columns>>(column: Name): ValueOf<TypeOf<Columns, Name>, Out> | undefined;
  get(column: Exclude<Column<Columns>, string>): Out['value'] | undefined;
  /** Whether a column has a value. */
  has(column: Column<Columns>): boolean;
  /** The newest value of a column, as UTF-8 text. */
  string<Name extends ColumnOf<Columns, string>>(
    column: Name,
  ): (TypeOf<Columns, Name> extends string ? TypeOf<Columns, Name> : string) | undefined;
  string(column: Exclude<Column<Columns>, string>): string | undefined;
  /**
   * The newest value of a column, as the 64-bit integer in its eight bytes: a number if that is exact, otherwise a
   * bigint; with `readBigInts`, always a bigint.
   */
  long(column: Column<Columns, ColumnOf<Columns, number | bigint>>): Out['long'] | undefined;
  /** The newest value of a column, as the 64-bit integer in its eight bytes, always as a bigint. */
  bigint(column: Column<Columns, ColumnOf<Columns, number | bigint>>): bigint | undefined;
  /** The newest value of a column, as the floating-point number in its eight bytes (HBase's Bytes.toDouble). */
  double(column: Column<Columns, ColumnOf<Columns, number>>): number | undefined;
  /** The newest value of a column, parsed as JSON. */
  json<Name extends ColumnName<Columns>>(column: Name): Columns[Name] | undefined;
  json(column: Exclude<Column<Columns>, string>): unknown;
  /** The newest value of a column, decoded by one of `codecs`. */
  decode<Value>(column: Column<Columns>, codec: Decoder<Value>): DecodedOf<Value, Out> | undefined;
  /**
   * The row as a plain object: values by column, decoded by the codecs given for their columns, others as UTF-8 text.
   */
  decoded<Codecs extends { readonly [column: string]: Decoder<unknown> } = Record<never, never>>(
    codecs?: Codecs,
  ): { [Name in keyof Codecs]?: Codecs[Name] extends Decoder<infer Value> ? DecodedOf<Value, Out> : never } & {
    [Name in Exclude<ColumnName<Columns>, keyof Codecs>]?: string;
  } & FromRow;
  /** The timestamp of the newest value of a column, in milliseconds since the Unix epoch. */
  timestamp(column: Column<Columns>): Out['long'] | undefined;
  /** The cells of a column that the read returned, newest first. */
  versions(column: Column<Columns>): Cell<Columns, Out>[];
  /** The key and values as UTF-8 text. */
  toJSON(): { key: string; values: Record<string, string> };
}
