/**
 * Errors. Invalid arguments raise a TypeError or RangeError that names a remedy; all other failures are HjallErrors
 * with a `code`.
 */

/** The code of an error. */
export type ErrorCode =
  | RequestCode
  | NotFoundCode
  | ExistsCode
  | StateCode
  | RetryCode
  | StorageCode
  | 'ACCESS_DENIED'
  | 'CLOSED'
  | 'UNSUPPORTED'
  | 'CONNECTION'
  | 'TIMEOUT'
  | 'PROTOCOL';

/** The codes of RequestError. */
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
/** The codes of NotFoundError. */
export type NotFoundCode = 'TABLE_NOT_FOUND' | 'FAMILY_NOT_FOUND' | 'NAMESPACE_NOT_FOUND';
/** The codes of ExistsError. */
export type ExistsCode = 'TABLE_EXISTS' | 'NAMESPACE_EXISTS';
/** The codes of StateError. */
export type StateCode = 'READ_ONLY' | 'TABLE_DISABLED' | 'TABLE_NOT_DISABLED' | 'CONSTRAINT' | 'FAMILY_OPERATION';
/** The codes of RetryError. */
export type RetryCode = 'NOT_SERVING' | 'BUSY' | 'STALE' | 'CANCELLED';
/** The codes of StorageError. */
export type StorageCode = 'LOCKED' | 'NEWER_FORMAT' | 'DISK_FULL' | 'CORRUPT' | 'IO';

/** The base class of all errors that hjall reports. */
export declare class HjallError extends Error {
  /** Makes an error, as programs may do in tests. */
  constructor(message: string, options?: { code?: string | undefined; cause?: unknown });
  /** Identifies the case, for programs. */
  readonly code: ErrorCode;
  /**
   * The underlying error. For errors of the database it is HBase's exception, with its Java class as `name` and its
   * text as `message`; from a server, `stack` is the whole text that the server sent. If the server did not send the
   * class, `name` is `Error`.
   */
  readonly cause?: unknown;
}

/** The request is invalid and must be changed. */
export declare class RequestError extends HjallError {
  /** What happened. */
  readonly code: RequestCode;
}
/** The user is not logged in, or has no permission for the call. Only remote databases have users. */
export declare class AccessError extends HjallError {
  /** What happened. */
  readonly code: 'ACCESS_DENIED';
}
/** A table, family or namespace that the request names does not exist. */
export declare class NotFoundError extends HjallError {
  /** What happened. */
  readonly code: NotFoundCode;
}
/** A table or namespace that the request would create already exists. */
export declare class ExistsError extends HjallError {
  /** What happened. */
  readonly code: ExistsCode;
}
/** The state of the table, family or namespace does not allow the request. */
export declare class StateError extends HjallError {
  /** What happened. */
  readonly code: StateCode;
}
/** A temporary failure: try again later. */
export declare class RetryError extends HjallError {
  /** What happened. */
  readonly code: RetryCode;
}
/** A failure of the disk or folder, which the operator must resolve. */
export declare class StorageError extends HjallError {
  /** What happened. */
  readonly code: StorageCode;
}
/** The database or connection has been closed. */
export declare class ClosedError extends HjallError {
  /** What happened. */
  readonly code: 'CLOSED';
}
/** The database does not support the call; the message names an alternative. */
export declare class UnsupportedError extends HjallError {
  /** What happened. */
  readonly code: 'UNSUPPORTED';
}
/**
 * The server cannot be reached, the connection broke, or the call timed out. If a write may have been executed, the
 * message says so.
 */
export declare class ConnectionError extends HjallError {
  /** What happened. */
  readonly code: 'CONNECTION' | 'TIMEOUT';
}
/** The server's answer is not valid. */
export declare class ProtocolError extends HjallError {
  /** What happened. */
  readonly code: 'PROTOCOL';
}

/** Some puts or deletes of a batch failed; the others were applied. Its `code` is that of the first failure. */
export declare class BatchError extends HjallError {
  /** Makes an error, as programs may do in tests. */
  constructor(failures: readonly BatchFailure[], size: number);
  /** The puts and deletes that failed, in their order. */
  readonly failures: readonly BatchFailure[];
}

/** A put or delete that failed. */
export interface BatchFailure {
  /** The position of the put or delete in the batch or stream, from 0. */
  readonly index: number;
  /** The row key; with `encoding: 'utf8'`, as text if it is valid UTF-8. */
  readonly row: string | Buffer;
  /** Why it failed. */
  readonly error: HjallError;
}
