/** HBase's filters as values. What they name may always be strings. */
import type { ExactColumn, Int64 } from './column';
import type { CompareOp } from './write';

type Text = string | Uint8Array;
type Operator = '<' | '<=' | '=' | '!=' | '>=' | '>' | CompareOp;
type OneColumn = `${string}:${string}` | ExactColumn;
type Compared = Text | Comparator;

/** A filter. Made by the functions of `filters`. */
export declare class Filter {
  private constructor();
  /** HBase's serialised form. */
  readonly encoded: Buffer;
}

/** What a filter compares with. Made by the functions of `compare`. */
export declare class Comparator {
  private constructor();
  /** HBase's serialised form. */
  readonly encoded: Buffer;
}

interface MissingOptions {
  /** Drops rows that do not have the column (false). */
  filterIfMissing?: boolean | undefined;
  /** Looks at the newest version only (true). */
  latestVersionOnly?: boolean | undefined;
}

/** The filters, by HBase's names without the ending. Operators have the stored part on the left: `filters.value('>', '5')`. */
export declare const filters: {
  /** All must pass. */
  readonly all: (...members: (Filter | readonly Filter[])[]) => Filter;
  /** One must pass. */
  readonly any: (...members: (Filter | readonly Filter[])[]) => Filter;
  /** Drops a row as soon as the filter refuses a cell of it. */
  readonly skip: (inner: Filter) => Filter;
  /** Ends the scan as soon as the filter refuses something. */
  readonly whileMatch: (inner: Filter) => Filter;
  readonly row: (op: Operator, value: Compared) => Filter;
  readonly family: (op: Operator, value: Compared) => Filter;
  readonly qualifier: (op: Operator, value: Compared) => Filter;
  readonly value: (op: Operator, value: Compared) => Filter;
  /** Rows by the value of one column. */
  readonly singleColumnValue: (column: OneColumn, op: Operator, value: Compared, options?: MissingOptions) => Filter;
  /** The same, without that column in the result. */
  readonly singleColumnValueExclude: (column: OneColumn, op: Operator, value: Compared, options?: MissingOptions) => Filter;
  /** The cells of one column that pass, and nothing else. */
  readonly columnValue: (column: OneColumn, op: Operator, value: Compared) => Filter;
  /** Cells that share a timestamp with one of a reference column. */
  readonly dependentColumn: (column: OneColumn, options?: { dropColumn?: boolean; op?: Operator; value?: Compared }) => Filter;
  readonly prefix: (prefix: Text) => Filter;
  readonly columnPrefix: (prefix: Text) => Filter;
  readonly multipleColumnPrefix: (...prefixes: (Text | readonly Text[])[]) => Filter;
  /** Columns between two qualifiers. */
  readonly columnRange: (options: { min?: Text; minInclusive?: boolean; max?: Text; maxInclusive?: boolean }) => Filter;
  readonly columnCountGet: (limit: number) => Filter;
  /** Some columns of each row: how many, and how many before them, or which qualifier to begin at. */
  readonly columnPagination: (limit: number, offset?: number | Text) => Filter;
  readonly page: (size: Int64) => Filter;
  readonly inclusiveStop: (row: Text) => Filter;
  readonly timestamps: (...times: (Int64 | readonly Int64[])[]) => Filter;
  readonly keyOnly: (lengthAsValue?: boolean) => Filter;
  readonly firstKeyOnly: () => Filter;
  readonly firstKeyValueMatchingQualifiers: (...qualifiers: (Text | readonly Text[])[]) => Filter;
  /** Each row with this chance, from 0 to 1. */
  readonly randomRow: (chance: number) => Filter;
  /** Rows that agree with patterns: mask bytes are 0 where the key's byte must match and 1 where any will do. */
  readonly fuzzyRow: (...pairs: (readonly [key: Text, mask: Text])[]) => Filter;
  /** Rows inside ranges. */
  readonly multiRowRange: (...ranges: (RowRange | readonly RowRange[])[]) => Filter;
};

interface RowRange {
  readonly start?: Text;
  readonly startInclusive?: boolean;
  readonly stop?: Text;
  readonly stopInclusive?: boolean;
}

/** The comparators, by HBase's names without the ending. */
export declare const compare: {
  /** Whole byte strings, unsigned. */
  readonly binary: (value: Text) => Comparator;
  /** As many first bytes as given. */
  readonly binaryPrefix: (value: Text) => Comparator;
  /** Bytes from an offset on. */
  readonly binaryComponent: (value: Text, offset?: number) => Comparator;
  /** Bits combined: matches if one is left. */
  readonly bit: (value: Text, operation?: 'AND' | 'OR' | 'XOR' | 'and' | 'or' | 'xor') => Comparator;
  /** Eight bytes as a number. */
  readonly long: (value: Int64) => Comparator;
  /** A regular expression of Java's kind, found anywhere in the text; flags as JavaScript writes them (i, m, s, x, u). */
  readonly regex: (pattern: string, flags?: string) => Comparator;
  /** A text that is contained, regardless of case. */
  readonly substring: (text: string) => Comparator;
  /** What is not there. */
  readonly null: () => Comparator;
};
