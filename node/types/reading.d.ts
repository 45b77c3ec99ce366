/** The types of what reads return, which the options `encoding` and `readBigInts` choose. */
import type { AnyColumns, Input, TypeOf } from './column';

/** The types of what reads return. A row of any database is one of these. */
export interface Reads {
  /**
   * Row keys and values. With `encoding: 'utf8'`, strings; bytes that are not valid UTF-8 remain a Buffer, so that
   * nothing is lost. Without it, Buffers.
   */
  value: string | Buffer;
  /**
   * Counters and timestamps: numbers where they are exact, otherwise bigints. With `readBigInts`, always bigints.
   */
  long: number | bigint;
}

/** The types of what a database returns that accepts `In` as keys and values. */
export interface ReadsOf<In extends Input, Long extends number | bigint = number | bigint> extends Reads {
  /** Keys and values. */
  value: string extends In ? string | Buffer : Buffer;
  /** 64-bit integers. */
  long: Long;
}

/** The type of a column's value: if the column is declared as a string, that one. */
export type ValueOf<Type, Out extends Reads> = string extends Out['value']
  ? unknown extends Type
    ? Out['value']
    : Type extends string
      ? Type
      : Out['value']
  : Out['value'];

declare const FROM_ROW: unique symbol;

/** Only in types: marks values that were read. None of them is undefined, and they can be put into another row. */
export interface FromRow {
  /** No property at run time. */
  readonly [FROM_ROW]: true;
}

/** The values of columns, by name. */
export type ValuesOf<Columns = AnyColumns, Out extends Reads = Reads> = {
  readonly [Name in keyof Columns]?: ValueOf<TypeOf<Columns, Name>, Out>;
} & FromRow;

/** The type that a decoder's value has in a row: 64-bit integers are returned as the database does. */
export type DecodedOf<Value, Out extends Reads> = unknown extends Value
  ? Value
  : number | bigint extends Value
    ? Out['long']
    : Value;
