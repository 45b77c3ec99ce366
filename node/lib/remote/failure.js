'use strict';
/**
 * What a server answers when a call fails, as the same errors that the engine in this process raises.
 *
 * Thrift2 sends the text of a Java exception. It begins with the exception's class where that came from a region server or the master; exceptions of
 * HBase's own client library, inside the gateway, are told by their text alone. A batch sends one summary of all its failures.
 */
const { make } = require('../errors.js');

/** HBase's exceptions by the last part of their names. */
const CLASSES = {
  AccessDeniedException: 'Refused',
  CallQueueTooBigException: 'Busy',
  ConstraintException: 'Constraint',
  DeserializationException: 'FilterMalformed',
  DoNotRetryIOException: 'Refused',
  FailedSanityCheckException: 'Refused',
  IllegalArgumentException: 'InvalidArgument',
  InvalidFamilyOperationException: 'FamilyOperation',
  InvalidProtocolBufferException: 'FilterMalformed',
  NamespaceExistException: 'NamespaceExists',
  NamespaceNotFoundException: 'NamespaceNotFound',
  NoSuchColumnFamilyException: 'FamilyNotFound',
  NotServingRegionException: 'NotServing',
  PleaseHoldException: 'NotServing',
  RegionMovedException: 'NotServing',
  RegionOpeningException: 'NotServing',
  RegionTooBusyException: 'Busy',
  RetriesExhaustedException: 'Unprocessable',
  RowTooBigException: 'RowTooLarge',
  ScannerResetException: 'Stale',
  ServerNotRunningYetException: 'NotServing',
  TableExistsException: 'TableExists',
  TableNotDisabledException: 'TableNotDisabled',
  TableNotEnabledException: 'TableDisabled',
  TableNotFoundException: 'TableNotFound',
  UnknownScannerException: 'Stale',
  WrongRowIOException: 'RowMismatch',
};

/** What stands before a text's first colon. All patterns here are linear in a text's length: a server may send any. */
const HEAD = /^([\w$.]+)(?::\s*|$)/;
/** Stack frames that come along. */
const FRAMES = /\n[ \t]*at [\s\S]*$/;
/** `Failed 2 actions: CAUSE: 1 time, CAUSE: 1 time, servers with issues: …`. */
const BATCH = /^Failed (\d+) actions?: ([\s\S]*?),? servers with issues:/;
const TIMES = /: (\d+) times?(?:, |$)/;

/** Texts without a class, or of a class that says less than its text. The first that fits counts. */
const TEXTS = [
  [/Field is not a long/, 'NotALong'],
  [/region is read only|in Read-only mode/, 'ReadOnly'],
  [/exceeds limit of \d+ bytes|KeyValue size too large/, 'CellTooLarge'],
  [/ doesn't match the original one /, 'RowMismatch'],
  [/ is disabled\.?$/, 'TableDisabled'],
  [/state=ENABLED|^Not DISABLED/, 'TableNotDisabled'],
  [/state=DISABLED|^Not ENABLED/, 'TableDisabled'],
  [/^Can't get the location/, 'NotServing'],
];

/** Calls whose DoNotRetryIOException is about the descriptor that they send. */
const DESCRIBING = new Set(['createTable', 'modifyTable', 'addColumnFamily', 'modifyColumnFamily']);

/** Exceptions whose text is only the name of what they are about. */
const BARE = {
  TableNotFound: (name) => `table "${name}" does not exist`,
  TableExists: (name) => `table "${name}" exists already`,
  NamespaceNotFound: (name) => `namespace "${name}" does not exist`,
};

/** What the gateway's own client gave up on, after attempts of which one may have been carried out. Its last cause follows the last class. */
const GAVE_UP = /^Failed after attempts=[\s\S]*?\n/;
/** Kinds that pass with time, so that they are worth naming where the gateway waited in vain. */
const WAITING = new Set(['NotServing', 'Busy', 'TableDisabled', 'TableNotFound']);

/** `{ kind, text }` of an exception's text; `canRetry` as the server said it. */
function understood(message, canRetry, { method, table }) {
  const head = HEAD.exec(message);
  const name = head === null ? undefined : classOf(head[1]);
  const text = (name === undefined ? message : message.slice(head[0].length)).replace(FRAMES, '').trim();
  if (GAVE_UP.test(text)) return gaveUp(text);
  const kind = kindOf(name, text, canRetry, method, table);
  const bare = BARE[kind];
  if (bare !== undefined && (text === '' || !text.includes(' '))) return { kind, text: bare(text || table) };
  return { kind, text: text || name || 'the server gives no reason' };
}

/** The last part of a Java class's name, with its package before it or, as batches have it, alone; undefined for other words. */
function classOf(word) {
  const name = word.slice(word.lastIndexOf('.') + 1);
  const known = name.endsWith('Exception') || (name !== word && /^[a-z]/.test(word));
  return known && /^[A-Z]/.test(name) ? name : undefined;
}

function gaveUp(text) {
  let name;
  let end = text.indexOf('\n') + 1;
  let at = 0;
  for (const part of text.split(': ')) {
    at += part.length + 2;
    const found = classOf(part.slice(Math.max(part.lastIndexOf(' '), part.lastIndexOf('\n')) + 1));
    if (found?.endsWith('Exception')) [name, end] = [found, at];
  }
  return { kind: WAITING.has(CLASSES[name]) ? CLASSES[name] : 'Unprocessable', text: text.slice(end).trim(), gaveUp: true };
}

function kindOf(name, text, canRetry, method, table) {
  const byClass = CLASSES[name];
  if (byClass !== undefined && byClass !== 'Refused') return byClass;
  const byText = TEXTS.find(([pattern]) => pattern.test(text))?.[1];
  if (byText !== undefined) return byText;
  if (name === undefined && !canRetry && text === table) return 'TableNotFound';
  if (byClass === 'Refused' && DESCRIBING.has(method)) return 'InvalidDescriptor';
  return byClass ?? (canRetry ? 'Io' : 'Refused');
}

/** The failures of a batch: how many there are, and what the first cause is. */
function batchOf(message) {
  const found = BATCH.exec(message);
  if (found === null) return undefined;
  return { failed: Number(found[1]), cause: found[2].replace(FRAMES, '').split(TIMES)[0] };
}

/** A batch names causes that HBase gave up on by their class alone. */
const VAGUE = { kind: 'Unprocessable', text: 'the server gave up and says no more than IOException' };

/** A declared exception of the server (TIOError) as an error. `failed` on it: of a batch, how many actions failed. */
function ofIoError({ message = '', canRetry = false }, call) {
  const batch = batchOf(message);
  const { kind, text, gaveUp: spent } = batch?.cause === 'IOException' ? VAGUE : understood(batch?.cause ?? message, canRetry && batch === undefined, call);
  const error = make(kind, text, new Error(message));
  return { error, canRetry, failed: batch?.failed, gaveUp: spent === true };
}

/** TApplicationException's types. */
const UNKNOWN_METHOD = 1;
const INTERNAL_ERROR = 6;
const PROTOCOL_ERROR = 7;

/** An answer to a call that was not carried out at all. */
function ofApplicationError({ message = '', type }, { method, address }) {
  const cause = new Error(message);
  if (type === UNKNOWN_METHOD) return make('Unsupported', `${address} has no method ${method}: is it a Thrift2 gateway, and new enough?`, cause);
  if (type === INTERNAL_ERROR) return make('InvalidArgument', `${address} refuses the arguments of ${method} and says no more than "${message}"; its log tells why`, cause);
  if (type === PROTOCOL_ERROR) return make('InvalidArgument', `${address} cannot read the arguments of ${method}: ${message}`, cause);
  return make('Protocol', `${address} cannot serve ${method}: ${message} (type ${type})`, cause);
}

module.exports = { ofApplicationError, ofIoError };
