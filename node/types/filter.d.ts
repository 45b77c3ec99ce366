/** HBase's filters as values. Their arguments may always be strings. */
import type { ExactColumn, Int64 } from './column';
import type { CompareOp } from './write';

type Text = string | Uint8Array;
type Operator = CompareOp;
type OneColumn = `${string}:${string}` | ExactColumn;
type Compared = Text | Comparator;

/** A filter. Made by the functions in `filters`. */
export declare class Filter {
  private constructor();
  /** HBase's serialised form. */
  readonly encoded: Buffer;
}

/** The right-hand side of a filter's comparison. Made by the functions in `compare`. */
export declare class Comparator {
  private constructor();
  /** HBase's serialised form. */
  readonly encoded: Buffer;
}

interface MissingOptions {
  /** Whether to drop rows that do not have the column. Default: false. */
  filterIfMissing?: boolean | undefined;
  /** Whether to test only the newest version. Default: true. */
  latestVersionOnly?: boolean | undefined;
}

/**
 * The filters, under HBase's names without "Filter". The stored part is the left operand: `filters.value('>', '5')`.
 */
export declare const filters: {
  /** Passes what all members pass. */
  readonly all: (...members: (Filter | readonly Filter[])[]) => Filter;
  /** Passes what any member passes. */
  readonly any: (...members: (Filter | readonly Filter[])[]) => Filter;
  /** Skips a row if the inner filter rejects any of its cells. */
  readonly skip: (inner: Filter) => Filter;
  /** Ends the scan when the inner filter rejects anything. */
  readonly whileMatch: (inner: Filter) => Filter;
  /** Selects rows by their key. */
  readonly row: (op: Operator, value: Compared) => Filter;
  /** Selects cells by their family. */
  readonly family: (op: Operator, value: Compared) => Filter;
  /** Selects cells by their qualifier. */
  readonly qualifier: (op: Operator, value: Compared) => Filter;
  /** Selects cells by their value. */
  readonly value: (op: Operator, value: Compared) => Filter;
  /** Selects rows by the value of one column. */
  readonly singleColumnValue: (column: OneColumn, op: Operator, value: Compared, options?: MissingOptions) => Filter;
  /** Like `singleColumnValue`, but leaves that column out of the result. */
  readonly singleColumnValueExclude: (
    column: OneColumn,
    op: Operator,
    value: Compared,
    options?: MissingOptions,
  ) => Filter;
  /** Selects the cells of one column by their value, and no other cells. */
  readonly columnValue: (column: OneColumn, op: Operator, value: Compared) => Filter;
  /** Selects cells that have the timestamp of a cell in a reference column. */
  readonly dependentColumn: (
    column: OneColumn,
    options?: { dropColumn?: boolean | undefined; op?: Operator | undefined; value?: Compared | undefined },
  ) => Filter;
  /** Selects rows whose key begins with a prefix. */
  readonly prefix: (prefix: Text) => Filter;
  /** Selects columns whose qualifier begins with a prefix. */
  readonly columnPrefix: (prefix: Text) => Filter;
  /** Selects columns whose qualifier begins with one of several prefixes. */
  readonly multipleColumnPrefix: (...prefixes: (Text | readonly Text[])[]) => Filter;
  /** Selects columns between two qualifiers. */
  readonly columnRange: (options: {
    min?: Text | undefined;
    minInclusive?: boolean | undefined;
    max?: Text | undefined;
    maxInclusive?: boolean | undefined;
  }) => Filter;
  /** Selects the first `limit` columns of a row. */
  readonly columnCountGet: (limit: number) => Filter;
  /** Selects `limit` columns of each row, after the first `offset` (a number) or from a qualifier on. */
  readonly columnPagination: (limit: number, offset?: number | Text) => Filter;
  /** Ends the scan after `size` rows, counted in each region. */
  readonly page: (size: Int64) => Filter;
  /** Ends the scan after a row. */
  readonly inclusiveStop: (row: Text) => Filter;
  /** Selects cells with one of several timestamps. */
  readonly timestamps: (...times: (Int64 | readonly Int64[])[]) => Filter;
  /** Removes the values, or replaces them by their length (4 bytes, big-endian). */
  readonly keyOnly: (lengthAsValue?: boolean) => Filter;
  /** Selects the first cell of each row. */
  readonly firstKeyOnly: () => Filter;
  /** Selects the cells of a row up to the first one with one of these qualifiers. */
  readonly firstKeyValueMatchingQualifiers: (...qualifiers: (Text | readonly Text[])[]) => Filter;
  /** Selects each row with a probability from 0 to 1. */
  readonly randomRow: (chance: number) => Filter;
  /** Selects rows by patterns: a mask byte is 0 if the key's byte must match and 1 if any byte does. */
  readonly fuzzyRow: (...pairs: (readonly [key: Text, mask: Text])[]) => Filter;
  /** Selects rows in ranges. */
  readonly multiRowRange: (...ranges: (RowRange | readonly RowRange[])[]) => Filter;
};

interface RowRange {
  /** The first row; without it, the first of the table. */
  readonly start?: Text | undefined;
  /** Whether `start` belongs to the range. Default: true. */
  readonly startInclusive?: boolean | undefined;
  /** The last row; without it, the last of the table. */
  readonly stop?: Text | undefined;
  /** Whether `stop` belongs to the range. Default: false. */
  readonly stopInclusive?: boolean | undefined;
}

/** The comparators, under HBase's names without "Comparator". */
export declare const compare: {
  /** Compares the whole value, as unsigned bytes. */
  readonly binary: (value: Text) => Comparator;
  /** Compares the first bytes, as many as are given. */
  readonly binaryPrefix: (value: Text) => Comparator;
  /** Compares the bytes from an offset on. */
  readonly binaryComponent: (value: Text, offset?: number) => Comparator;
  /** Combines the bits, and matches if the result is not zero. */
  readonly bit: (value: Text, operation?: 'AND' | 'OR' | 'XOR' | 'and' | 'or' | 'xor') => Comparator;
  /** Compares eight bytes as a signed number. */
  readonly long: (value: Int64) => Comparator;
  /** Searches for a regular expression in Java's syntax, with flags as in JavaScript (i, m, s, x, u). */
  readonly regex: (pattern: string, flags?: string) => Comparator;
  /** Searches for a substring, ignoring case. */
  readonly substring: (text: string) => Comparator;
  /** Matches a missing value. */
  readonly null: () => Comparator;
};
