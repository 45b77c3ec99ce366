/**
 * Columns and their values.
 *
 * A table's columns can be declared, so that a misspelt column or a wrong accessor is a compile-time error:
 *
 *     interface Users {
 *       'info:name': string;
 *       'info:role'?: 'admin' | 'guest';
 *       'stats:visits': bigint;
 *       [preference: `prefs:${string}`]: unknown;
 *     }
 *     const users = db.table<Users>('users');
 *
 * The types describe how values are interpreted. The database stores bytes.
 */

/** The columns of a table that were not declared: any columns, of any type. */
export interface AnyColumns {
  /** Any column, whose type is not known. */
  [column: string]: unknown;
}

/** The names of declared columns, `family:qualifier`. */
export type ColumnName<Columns> = Extract<keyof Columns, string>;

/** The families of declared columns. */
export type FamilyName<Columns> = FamilyOf<ColumnName<Columns>>;
type FamilyOf<Name> = string extends Name ? string : Name extends `${infer Family}:${string}` ? Family : never;

/** The type of a column's value. A row need not have a column: it may be declared as optional, or also as null. */
export type TypeOf<Columns, Name extends keyof Columns> = Exclude<Columns[Name], null | undefined>;

/** The names of the columns declared with a type (or as `unknown`). */
export type ColumnOf<Columns, Type> = {
  [Name in keyof Columns]-?: unknown extends Columns[Name] ? Name : TypeOf<Columns, Name> extends Type ? Name : never;
}[keyof Columns] &
  string;

/** A column as bytes (`family:qualifier`) or as its two parts, for names that are not valid strings. */
export type ExactColumn =
  Uint8Array | { readonly family: string | Uint8Array; readonly qualifier: string | Uint8Array };

/** A column. */
export type Column<Columns, Name = ColumnName<Columns>> = Name | ExactColumn;

/** A column, or a whole family (`'info'`). */
export type ColumnOrFamily<Columns> = Column<Columns> | FamilyName<Columns> | { readonly family: string | Uint8Array };

/** The type of keys and values in arguments: bytes, and with `encoding: 'utf8'` also strings. */
export type Input = string | Uint8Array;

/** A 64-bit integer. Numbers of 2^53 or more are rejected, since they may have been rounded: use a bigint. */
export type Int64 = number | bigint;

/** The options of every call that can be aborted. */
export interface Abortable {
  /**
   * Aborts the call: its promise rejects with the signal's reason. A call to a server closes its connection,
   * unless other calls await answers on it.
   */
  signal?: AbortSignal | undefined;
}

/** Encodes a 64-bit integer in eight bytes, big-endian, as counters are stored. */
export declare function long(value: Int64): Buffer;

/** Decodes eight bytes: to a number if that is exact, otherwise to a bigint. */
export declare function fromLong(value: Uint8Array): number | bigint;
