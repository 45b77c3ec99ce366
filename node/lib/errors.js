'use strict';
/** What can go wrong: subclasses of HjallError by who has to act, each with a `code` that names the case. */

/** The root of every error that hjall reports. Misuse of a function is a TypeError or RangeError instead. */
class HjallError extends Error {
  /** @param {string} message @param {{ code?: string, cause?: unknown }} [options] */
  constructor(message, { code = 'UNKNOWN', cause } = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
  }

  get name() {
    return this.constructor.name;
  }
}

/** The request cannot be carried out as it is: change it. */
class RequestError extends HjallError {}
/** What the request names is not there: create it, or name another. */
class NotFoundError extends HjallError {}
/** What the request would make is there already. */
class ExistsError extends HjallError {}
/** The table, family or namespace is not in a state for that. */
class StateError extends HjallError {}
/** Try again later. */
class RetryError extends HjallError {}
/** The operator has to act: disk, folder, versions. */
class StorageError extends HjallError {}
/** The database (or connection) has been closed. */
class ClosedError extends HjallError {}
/** This backend cannot do that; the message says what can. */
class UnsupportedError extends HjallError {}
/** The server cannot be reached, or the connection broke. */
class ConnectionError extends HjallError {}
/** The server answered with something that is no answer. */
class ProtocolError extends HjallError {}

/** Every kind of failure: the engine's name for it → its class. The code is the same name in capitals. */
const KINDS = {
  InvalidArgument: RequestError,
  Unprocessable: RequestError,
  Refused: RequestError,
  NotALong: RequestError,
  CellTooLarge: RequestError,
  RowTooLarge: RequestError,
  ReadOnly: StateError,
  RowMismatch: RequestError,
  InvalidDescriptor: RequestError,
  ClassNotFound: RequestError,
  SystemTable: RequestError,
  FilterMalformed: RequestError,
  FilterRejected: RequestError,
  TableNotFound: NotFoundError,
  TableExists: ExistsError,
  TableDisabled: StateError,
  TableNotDisabled: StateError,
  NamespaceNotFound: NotFoundError,
  NamespaceExists: ExistsError,
  Constraint: StateError,
  FamilyNotFound: NotFoundError,
  FamilyOperation: StateError,
  NotServing: RetryError,
  Busy: RetryError,
  Stale: RetryError,
  Cancelled: RetryError,
  Locked: StorageError,
  NewerFormat: StorageError,
  DiskFull: StorageError,
  Corrupt: StorageError,
  Io: StorageError,
  Closed: ClosedError,
  // -- not the engine's
  Unsupported: UnsupportedError,
  Connection: ConnectionError,
  Timeout: ConnectionError,
  Protocol: ProtocolError,
};

/** `TableNotFound` → `TABLE_NOT_FOUND`. */
const codeOf = (kind) => kind.replace(/(?<=[a-z])(?=[A-Z])|(?<=A)(?=L)/g, '_').toUpperCase();

/** kind → code, for every kind. */
const CODES = Object.freeze(Object.fromEntries(Object.keys(KINDS).map((kind) => [kind, codeOf(kind)])));

/**
 * The error of a kind.
 * @param {string} kind a name of KINDS
 * @param {string} message names the thing and what is allowed
 * @param {unknown} [cause] what lay beneath it
 */
function make(kind, message, cause) {
  const Class = KINDS[kind] ?? HjallError;
  return new Class(message, { code: CODES[kind] ?? codeOf(kind), cause });
}

module.exports = {
  CODES,
  ClosedError,
  ConnectionError,
  ExistsError,
  HjallError,
  KINDS,
  NotFoundError,
  ProtocolError,
  RequestError,
  RetryError,
  StateError,
  StorageError,
  UnsupportedError,
  make,
};
