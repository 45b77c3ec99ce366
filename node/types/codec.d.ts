/** Codecs: conversions between values and the bytes of cells, in the formats of HBase's `Bytes` class. */
import type { Int64 } from './column';

/**
 * Reads the bytes of a cell. `what` names the value in error messages; `readBigInts` is the option of the database that
 * the row was read from.
 */
export interface Decoder<Out> {
  /** Reads a value. `what` names the bytes in error messages; with `readBigInts`, 64-bit integers are bigints. */
  decode(bytes: Uint8Array, what?: string, readBigInts?: boolean): Out;
}

/** Makes the bytes of a cell from a value, and reads them. */
export interface Codec<In, Out = In> extends Decoder<Out> {
  /** Makes the bytes of a value. */
  encode(value: In): Buffer;
}

/** The codecs. They raise a RangeError for bytes that have another form. */
export declare const codecs: {
  /** Text as UTF-8. */
  readonly string: Codec<string>;
  /** Values as JSON. */
  readonly json: Codec<unknown, any>;
  /** Signed integers in four bytes, big-endian. */
  readonly int32: Codec<number>;
  /**
   * Signed integers in eight bytes, big-endian, as counters: numbers if exact, otherwise bigints. Rows of a database
   * with `readBigInts` return bigints.
   */
  readonly int64: Codec<Int64, number | bigint>;
  /** Floating-point numbers in four bytes. */
  readonly float: Codec<number>;
  /** Floating-point numbers in eight bytes. */
  readonly double: Codec<number>;
};
