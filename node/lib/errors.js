'use strict';
/**
 * The errors: subclasses of HjallError, grouped by the action they require, each with a `code` that identifies the
 * case.
 */

const { escaped } = require('./options.js');
const { ErrorKind } = require('./vocabulary.js');

/** The base class of all errors that hjall reports. Invalid arguments raise a TypeError or RangeError instead. */
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

/** The user is not logged in, or has no permission for the call. */
class AccessError extends HjallError {}
/** The request is invalid and must be changed. */
class RequestError extends HjallError {}
/** A table, family or namespace that the request names does not exist. */
class NotFoundError extends HjallError {}
/** A table or namespace that the request would create already exists. */
class ExistsError extends HjallError {}
/** The state of the table, family or namespace does not allow the request. */
class StateError extends HjallError {}
/** A temporary failure: try again later. */
class RetryError extends HjallError {}
/** A failure of the disk or folder, which the operator must resolve. */
class StorageError extends HjallError {}
/** The database or connection has been closed. */
class ClosedError extends HjallError {}
/** The backend does not support the call; the message names an alternative. */
class UnsupportedError extends HjallError {}
/** The server cannot be reached, the connection broke, or the call timed out. */
class ConnectionError extends HjallError {}
/** The server's answer is not valid. */
class ProtocolError extends HjallError {}

/**
 * The class of each kind of error. `ErrorKind` in `vocabulary.js` documents the engine's kinds. An error's code is
 * its kind in capitals.
 */
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
  // -- kinds that only this package has
  AccessDenied: AccessError,
  Unsupported: UnsupportedError,
  Connection: ConnectionError,
  Timeout: ConnectionError,
  Protocol: ProtocolError,
};

/** `TableNotFound` → `TABLE_NOT_FOUND`. */
const codeOf = (kind) => kind.replace(/(?<=[a-z])(?=[A-Z])|(?<=A)(?=L)/g, '_').toUpperCase();

/** The code of each kind. */
const CODES = Object.freeze(Object.fromEntries(Object.keys(KINDS).map((kind) => [kind, codeOf(kind)])));

const KIND_NAMES = new Map(Object.entries(ErrorKind).map(([name, number]) => [number, name]));

/** The kind under which the native module reports an error by number. */
function kindName(number) {
  return KIND_NAMES.get(number) ?? `Unknown${number}`;
}

const ILLEGAL_ARGUMENT = 'java.lang.IllegalArgumentException';

/**
 * The kind under which an error is reported, so that the same mistake has the same code in every call and database.
 * HBase's client refuses a put with a large cell as an illegal argument, and every other call with one as a cell that
 * is too large. An illegal argument of a filter cannot be told from others by its exception.
 */
function exactKind(kind, text, javaClass) {
  if (kind === 'InvalidArgument' && text.startsWith('KeyValue size too large')) return 'CellTooLarge';
  return kind === 'FilterRejected' && javaClass === ILLEGAL_ARGUMENT ? 'InvalidArgument' : kind;
}

/**
 * Makes an error of a kind.
 * @param {string} kind a key of KINDS
 * @param {string} message names the object, the reason and the remedy
 * @param {unknown} [cause] the underlying error
 */
function make(kind, message, cause) {
  const Class = KINDS[kind] ?? HjallError;
  return new Class(message, { code: CODES[kind] ?? codeOf(kind), cause });
}

/**
 * HBase's exception, the cause of an error.
 * @param {string | undefined} javaClass its name, with its package if known; undefined if the server did not send one
 * @param {string} text its message
 * @param {string} [stack] the whole text that a server sent, which may have Java's stack trace
 * @param {Error} [cause] Java's cause
 */
function hbaseException(javaClass, text, stack, cause) {
  const exception = new Error(text, cause === undefined ? undefined : { cause });
  if (javaClass !== undefined) exception.name = javaClass;
  if (stack !== undefined) exception.stack = stack;
  return exception;
}

/** HBase's texts if a table is in the state that enableTable and disableTable would bring about. */
const ENABLED_ALREADY = /^tableName=\S+, state=ENABLED$/;
const DISABLED_ALREADY = /^(?:\S+|tableName=\S+, state=DISABLED)$/;

/** Readable messages, with the remedy, for kinds whose text from HBase is a name or has no remedy. */
const PLAIN = {
  TableNotFound: (name) => `table "${escaped(name)}" does not exist: create it with createTable, or list the tables with tables()`,
  FamilyNotFound: (text) =>
    text.replace(
      /^Column family (.*?) does not exist in region .*? in table '(.*?)', [\s\S]*$/,
      (_, family, table) => `table "${escaped(table)}" has no column family "${escaped(family)}": describeTable() lists its families`,
    ),
  TableExists: (name) => `table "${escaped(name)}" already exists: choose another name, or pass \`ifNotExists\``,
  TableDisabled: (text) =>
    DISABLED_ALREADY.test(text) ? `the table is disabled already (${text})` : `the table is disabled (${text}): enable it with enableTable`,
  TableNotDisabled: (text) =>
    ENABLED_ALREADY.test(text)
      ? `the table is enabled already (${text})`
      : `the table is enabled (${text}): disable it first with disableTable`,
  NamespaceNotFound: (name) => `namespace "${escaped(name)}" does not exist: create it with createNamespace`,
  NotALong: (text) => `${text}: a counter is a value of exactly 8 bytes, as long() encodes it`,
};

/** Kinds whose readable message is a complete sentence that replaces HBase's text. */
const REPLACED = new Set(['FamilyNotFound', 'ReadOnly']);

/**
 * The readable message for a kind of error. `text` is HBase's; `plain` is the engine's, which names no methods of this
 * package.
 */
function plainText(kind, text, plain) {
  if (plain !== undefined && REPLACED.has(kind)) return plain;
  return PLAIN[kind]?.(text) ?? plain ?? text;
}

/** The engine's readable message, from HBase's text and the line that hjall's server may add to it. */
function withRemedy(kind, text, remedy) {
  if (remedy === undefined || REPLACED.has(kind)) return remedy;
  return `${text.replace(/[. \n]+$/, '')}: ${remedy}`;
}

module.exports = {
  AccessError,
  CODES,
  ClosedError,
  ConnectionError,
  ExistsError,
  HjallError,
  ILLEGAL_ARGUMENT,
  KINDS,
  NotFoundError,
  ProtocolError,
  RequestError,
  RetryError,
  StateError,
  StorageError,
  UnsupportedError,
  exactKind,
  hbaseException,
  kindName,
  make,
  plainText,
  withRemedy,
};
