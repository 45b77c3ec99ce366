/** Errors. Misuse of a function is a TypeError or RangeError with the likely remedy; all else is a HjallError with a `code`. */

/** What went wrong. */
export type ErrorCode =
  | RequestCode
  | NotFoundCode
  | ExistsCode
  | StateCode
  | RetryCode
  | StorageCode
  | 'CLOSED'
  | 'UNSUPPORTED'
  | 'CONNECTION'
  | 'TIMEOUT'
  | 'PROTOCOL';

export type RequestCode =
  | 'INVALID_ARGUMENT'
  | 'UNPROCESSABLE'
  | 'REFUSED'
  | 'NOT_A_LONG'
  | 'CELL_TOO_LARGE'
  | 'ROW_TOO_LARGE'
  | 'ROW_MISMATCH'
  | 'INVALID_DESCRIPTOR'
  | 'CLASS_NOT_FOUND'
  | 'SYSTEM_TABLE'
  | 'FILTER_MALFORMED'
  | 'FILTER_REJECTED';
export type NotFoundCode = 'TABLE_NOT_FOUND' | 'FAMILY_NOT_FOUND' | 'NAMESPACE_NOT_FOUND';
export type ExistsCode = 'TABLE_EXISTS' | 'NAMESPACE_EXISTS';
export type StateCode = 'READ_ONLY' | 'TABLE_DISABLED' | 'TABLE_NOT_DISABLED' | 'CONSTRAINT' | 'FAMILY_OPERATION';
export type RetryCode = 'NOT_SERVING' | 'BUSY' | 'STALE' | 'CANCELLED';
export type StorageCode = 'LOCKED' | 'NEWER_FORMAT' | 'DISK_FULL' | 'CORRUPT' | 'IO';

/** The root of every error that hjall reports. */
export declare class HjallError extends Error {
  constructor(message: string, options?: { code?: string; cause?: unknown });
  /** What went wrong, for programs. */
  readonly code: ErrorCode;
  /** What lay beneath it: of a remote error the server's own words. */
  readonly cause?: unknown;
}

/** The request cannot be carried out as it is: change it. */
export declare class RequestError extends HjallError {
  readonly code: RequestCode;
}
/** What the request names is not there: create it, or name another. */
export declare class NotFoundError extends HjallError {
  readonly code: NotFoundCode;
}
/** What the request would make is there already. */
export declare class ExistsError extends HjallError {
  readonly code: ExistsCode;
}
/** The table, family or namespace is not in a state for that. */
export declare class StateError extends HjallError {
  readonly code: StateCode;
}
/** Try again later. */
export declare class RetryError extends HjallError {
  readonly code: RetryCode;
}
/** The operator has to act: disk, folder, versions. */
export declare class StorageError extends HjallError {
  readonly code: StorageCode;
}
/** The database (or connection) has been closed. */
export declare class ClosedError extends HjallError {
  readonly code: 'CLOSED';
}
/** This database cannot do that; the message says what can. */
export declare class UnsupportedError extends HjallError {
  readonly code: 'UNSUPPORTED';
}
/** The server cannot be reached, or the connection broke. The message of a write says when it may have been carried out all the same. */
export declare class ConnectionError extends HjallError {
  readonly code: 'CONNECTION' | 'TIMEOUT';
}
/** The server answered with something that is no answer. */
export declare class ProtocolError extends HjallError {
  readonly code: 'PROTOCOL';
}

/** Some rows of a batch were not written; the others were. Its `code` is that of the first failure. */
export declare class BatchError extends HjallError {
  constructor(failures: readonly BatchFailure[], size: number);
  readonly failures: readonly BatchFailure[];
}

export interface BatchFailure {
  /** Which put or delete, counted from 0 in the batch, or in the stream. */
  readonly index: number;
  /** Its row key. */
  readonly row: Uint8Array;
  readonly error: HjallError;
}
