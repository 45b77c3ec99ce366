/**
 * Columns and what is kept in them.
 *
 * A table's columns can be declared, so that a misspelt column or the wrong accessor is an error of compilation:
 *
 *     interface Users {
 *       'info:name': string;
 *       'info:role': 'admin' | 'guest';
 *       'stats:visits': bigint;
 *       [preference: `prefs:${string}`]: unknown;
 *     }
 *     const users = db.table<Users>('users');
 *
 * The types say how values are meant; on the way to the database and back they are bytes.
 */

/** Any columns, all of any type: what a table has that was not declared. */
export interface AnyColumns {
  [column: `${string}:${string}`]: unknown;
}

/** The names of declared columns, `family:qualifier`. */
export type ColumnName<Columns> = Extract<keyof Columns, string>;

/** The families of declared columns. */
export type FamilyName<Columns> = FamilyOf<ColumnName<Columns>>;
type FamilyOf<Name> = Name extends `${infer Family}:${string}` ? Family : never;

/** The names of those columns that were declared with this type (or with none). */
export type ColumnOf<Columns, Type> = {
  [Name in keyof Columns]: unknown extends Columns[Name] ? Name : Columns[Name] extends Type ? Name : never;
}[keyof Columns] &
  string;

/** A column that no string can name: `family:qualifier` as bytes, or its two parts. */
export type ExactColumn = Uint8Array | { readonly family: string | Uint8Array; readonly qualifier: string | Uint8Array };

/** One column. */
export type Column<Columns, Name = ColumnName<Columns>> = Name | ExactColumn;

/** One column, or (`'info'`) all of a family. */
export type ColumnOrFamily<Columns> = Column<Columns> | FamilyName<Columns> | { readonly family: string | Uint8Array };

/** What keys and values may be given as: bytes; with `encoding: 'utf8'` strings too. */
export type Input = string | Uint8Array;

/** A whole number of 64 bits. Numbers beyond 2^53 are refused, since they may have been rounded: write a bigint. */
export type Int64 = number | bigint;

/** What every call takes that can be given up. */
export interface Abortable {
  /** Gives the call up: its promise rejects with the signal's reason. A call over the network closes its connection. */
  signal?: AbortSignal | undefined;
}

/** The eight bytes, big-endian, of a 64-bit number: what counters are stored as. */
export declare function long(value: Int64): Buffer;

/** The number in eight bytes: a number where one can hold it exactly, else a bigint. */
export declare function fromLong(value: Uint8Array): number | bigint;
