'use strict';
/**
 * Converts a server's exceptions to the errors that the embedded engine raises.
 *
 * Thrift2 transmits the text of a Java exception. Exceptions from a region server or the master begin with their
 * class; those of the HBase client library inside the gateway can be recognised only by their text. A batch has a
 * single summary of all its failures.
 */
const { exactKind, hbaseException, make, plainText, withRemedy } = require('../errors.js');

/** The error kinds of HBase's exceptions, by simple class name. */
const CLASSES = {
  AccessDeniedException: 'AccessDenied',
  CallQueueTooBigException: 'Busy',
  ClassCastException: 'FilterRejected',
  ClassNotFoundException: 'FilterRejected',
  ConstraintException: 'Constraint',
  DeserializationException: 'FilterRejected',
  DoNotRetryIOException: 'Refused',
  FailedSanityCheckException: 'Refused',
  IllegalArgumentException: 'InvalidArgument',
  InvalidFamilyOperationException: 'FamilyOperation',
  InvalidProtocolBufferException: 'FilterMalformed',
  InvocationTargetException: 'FilterRejected',
  NamespaceExistException: 'NamespaceExists',
  NamespaceNotFoundException: 'NamespaceNotFound',
  NoSuchColumnFamilyException: 'FamilyNotFound',
  NoSuchMethodException: 'FilterRejected',
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

/** The part before a text's first colon. All patterns here match in linear time, since a server may send any text. */
const HEAD = /^([\w$.]+)(?::\s*|$)/;
/** A stack trace. */
const FRAMES = /\n[ \t]*at [\s\S]*$/;
/** The line that hjall's server adds to HBase's text: the thing, the reason or the remedy. */
const REMEDY_LINE = '\nhjall: ';

/** The logins that this client has: unlike others, it has no SASL. */
const LOGINS =
  "give the option `headers`, such as { authorization: 'Basic …' }, with a URL that begins with https:// or http://, or a client certificate as the options `tls.cert` and `tls.key`";
/** What hjall's server advises clients in general to do, and what programs that use this client do for it. */
const ADVICE = [
  [/[,;](?: or)? log in with SASL PLAIN.*/, `; to log in, ${LOGINS}`],
  [/enable TLS in the client/, 'give the option `tls`, or use a URL with thrifts:// or https://'],
];

/** A server's text with the advice for programs that use this client. */
function advised(text) {
  return ADVICE.reduce((advice, [pattern, ours]) => advice.replace(pattern, ours), text);
}

/** Splits a message into `[HBase's text, the remedy of hjall's server or undefined]`, both without a stack trace. */
function parts(message) {
  const at = message.indexOf(REMEDY_LINE);
  if (at < 0) return [message.replace(FRAMES, ''), undefined];
  return [message.slice(0, at), message.slice(at + REMEDY_LINE.length).replace(FRAMES, '')];
}
/** `Failed 2 actions: CAUSE: 1 time, CAUSE: 1 time, servers with issues: …`. */
const BATCH = /^Failed (\d+) actions?: ([\s\S]*?),? servers with issues:/;
const TIMES = /: (\d+) times?(?:, |$)/;

/** Texts without a class, or with one that is less specific. The first match applies. */
const TEXTS = [
  [/Field is not a long/, 'NotALong'],
  [/region is read only|in Read-only mode/, 'ReadOnly'],
  [/exceeds limit of \d+ bytes|KeyValue size too large/, 'CellTooLarge'],
  [/ doesn't match the original one /, 'RowMismatch'],
  [/ is disabled\.?$/, 'TableDisabled'],
  [/state=ENABLED|^Not DISABLED/, 'TableNotDisabled'],
  [/state=DISABLED|^Not ENABLED/, 'TableDisabled'],
  [/^Can't get the location/, 'NotServing'],
  [/^Can't modify catalog tables/, 'SystemTable'],
  [/^a serialised filter is malformed|[Pp]rotocol message\b|^Message missing required fields/, 'FilterMalformed'],
];

/** The classes of exceptions that the gateway's client library transmits without one, by kind. */
const WITHOUT_CLASS = {
  RowMismatch: 'org.apache.hadoop.hbase.client.WrongRowIOException',
  TableDisabled: 'org.apache.hadoop.hbase.TableNotEnabledException',
  TableNotDisabled: 'org.apache.hadoop.hbase.TableNotDisabledException',
  TableNotFound: 'org.apache.hadoop.hbase.TableNotFoundException',
};
const RETRIES_EXHAUSTED = 'org.apache.hadoop.hbase.client.RetriesExhaustedException';

/** Methods whose DoNotRetryIOException concerns the descriptor in their arguments. */
const SENDS_DESCRIPTOR = new Set(['createTable', 'modifyTable', 'addColumnFamily', 'modifyColumnFamily']);

/** Kinds of exceptions whose text is only a name. */
const NAME_ONLY = new Set(['TableNotFound', 'TableExists', 'NamespaceNotFound']);

/**
 * The gateway's client gave up after several attempts, one of which may have been executed. The last cause follows
 * the last class name.
 */
const GAVE_UP = /^Failed after attempts=[\s\S]*?\n/;
/** Temporary conditions: if the gateway gave up because of one of these, it is reported as the reason. */
const TEMPORARY = new Set(['NotServing', 'Busy', 'TableDisabled', 'TableNotFound']);

/**
 * Classifies an exception's text as `{ kind, text, cause }`: the readable message, and HBase's exception. `canRetry` is
 * the server's. `whole` is the text that the cause keeps.
 */
function classify(message, canRetry, { method, table }, whole = message) {
  const [said, remedy] = parts(message);
  return classifyParts(said, remedy, canRetry, { method, table }, whole);
}

function classifyParts(message, remedy, canRetry, { method, table }, whole) {
  const head = HEAD.exec(message);
  const name = head === null ? undefined : classOf(head[1]);
  const text = (name === undefined ? message : message.slice(head[0].length)).trim();
  if (GAVE_UP.test(text)) return gaveUp(text, remedy, whole);
  const kind = kindOf(name, text, canRetry, method, table);
  const cause = hbaseException(name === undefined ? WITHOUT_CLASS[kind] : head[1], text, whole);
  if (NAME_ONLY.has(kind)) return { kind, text: text.includes(' ') ? text : plainText(kind, text || table), cause };
  const reason = advised(text || name || 'the server gave no reason');
  return { kind, text: plainText(kind, reason, withRemedy(kind, reason, remedy)), cause };
}

/** The simple name of a Java class, given with its package or (in batches) without; undefined for other words. */
function classOf(word) {
  const name = word.slice(word.lastIndexOf('.') + 1);
  const known = name.endsWith('Exception') || (name !== word && /^[a-z]/.test(word));
  return known && /^[A-Z]/.test(name) ? name : undefined;
}

function gaveUp(text, remedy, message) {
  let name;
  let end = text.indexOf('\n') + 1;
  let at = 0;
  for (const part of text.split(': ')) {
    at += part.length + 2;
    const found = classOf(part.slice(Math.max(part.lastIndexOf(' '), part.lastIndexOf('\n')) + 1));
    if (found?.endsWith('Exception')) [name, end] = [found, at];
  }
  const reason = text.slice(end).trim();
  return {
    kind: TEMPORARY.has(CLASSES[name]) ? CLASSES[name] : 'Unprocessable',
    text: withRemedy('Unprocessable', reason, remedy) ?? reason,
    cause: hbaseException(RETRIES_EXHAUSTED, reason, message),
    gaveUp: true,
  };
}

function kindOf(name, text, canRetry, method, table) {
  const byClass = CLASSES[name];
  if (byClass !== undefined && byClass !== 'Refused') return exactKind(byClass, text);
  const byText = TEXTS.find(([pattern]) => pattern.test(text))?.[1];
  if (byText !== undefined) return byText;
  if (name === undefined && !canRetry && text === table) return 'TableNotFound';
  if (byClass === 'Refused' && SENDS_DESCRIPTOR.has(method)) return 'InvalidDescriptor';
  return byClass ?? (canRetry ? 'Io' : 'Refused');
}

/** The number of failures in a batch and their first cause. */
function batchOf(message) {
  const found = BATCH.exec(message);
  if (found === null) return undefined;
  return { failed: Number(found[1]), cause: found[2].replace(FRAMES, '').split(TIMES)[0] };
}

/** HBase reports the causes in a batch on which it gave up by this class alone. */
const UNSPECIFIC = 'IOException';

/** Converts a TIOError. `failed` is the number of failed actions of a batch. */
function ofIoError({ message = '', canRetry = false }, call) {
  const batch = batchOf(message);
  const [, remedy] = parts(message);
  if (batch?.cause === UNSPECIFIC) {
    const text = remedy ?? 'the server gave up without a reason (IOException); the log of the region server may have it';
    const error = make('Unprocessable', text, hbaseException('java.io.IOException', '', message));
    return { error, canRetry, failed: batch.failed, gaveUp: false };
  }
  const [said] = parts(batch?.cause ?? message);
  const found = classifyParts(said, remedy, canRetry && batch === undefined, call, message);
  const error = make(found.kind, found.text, found.cause);
  return { error, canRetry, failed: batch?.failed, gaveUp: found.gaveUp === true };
}

/** Types of TApplicationException. */
const UNKNOWN_METHOD = 1;
const INTERNAL_ERROR = 6;
const PROTOCOL_ERROR = 7;

/** `Internal error processing METHOD: CLASS: REASON`. HBase sends the part before the first colon. */
const INTERNAL = /^Internal error processing \w+(?:: ([\s\S]*))?$/;

/** hjall's answers to a message that is longer than its limits. It reads nothing that follows on the connection. */
const LONGER_THAN_MESSAGE = / \(limits\.message\)/;
const LONGER_THAN_FRAME = /^Frame size \((\d+)\) larger than max length \((\d+)\)/;

/** Why a server did not read a message to its end, or undefined. */
function tooLong({ message = '', type }) {
  if (type !== PROTOCOL_ERROR) return undefined;
  const frame = LONGER_THAN_FRAME.exec(message);
  if (frame !== null)
    return `the message has ${frame[1]} bytes, more than the ${frame[2]} that are allowed (limits.frame): send less at once, or raise the limit`;
  return LONGER_THAN_MESSAGE.test(message) ? message : undefined;
}

/** hjall's answer to a message that found no memory. The server may have read it to its end, or not. */
const NO_MEMORY = /limits\.bytes_in_flight/;

/** What becomes of a connection after an answer. */
const AFTER = Object.freeze({
  /** It goes on. */
  KEPT: 0,
  /** The server may close it. */
  DOUBTFUL: 1,
  /** The server closes it, and has read nothing after the call. */
  ENDED: 2,
});

/** What becomes of a connection after `{ failure }` or `{ result }`. */
function afterAnswer({ failure, result }) {
  if (failure !== undefined && failure.type === PROTOCOL_ERROR) return tooLong(failure) === undefined ? AFTER.DOUBTFUL : AFTER.ENDED;
  return result?.io !== undefined && NO_MEMORY.test(result.io.message) ? AFTER.DOUBTFUL : AFTER.KEPT;
}

/** Errors of calls of which the server has executed nothing, since it did not read them. */
const unread = new WeakSet();

/** Notes that a call was not read, and returns its error. */
function notRead(error) {
  unread.add(error);
  return error;
}

const isUnread = (error) => unread.has(error);

/** Converts a TApplicationException: the call was not executed. */
function ofApplicationError({ message = '', type }, call) {
  const { method, address } = call;
  const cause = new Error(message);
  if (type === UNKNOWN_METHOD)
    return make(
      'Unsupported',
      `${address} has no method ${method}: is it a Thrift2 gateway, and recent enough?`,
      cause,
    );
  if (type === INTERNAL_ERROR) {
    const reason = INTERNAL.exec(message)?.[1];
    if (reason !== undefined) return ofReason(reason, call);
    return make(
      'InvalidArgument',
      `${address} rejected the arguments of ${method} without a reason ("${message}"): check them, or see the server's log`,
      cause,
    );
  }
  const limit = tooLong({ message, type });
  if (limit !== undefined) return notRead(make('Refused', `${address} refused ${method}: ${limit}`, cause));
  if (type === PROTOCOL_ERROR)
    return make('InvalidArgument', `${address} cannot read the arguments of ${method}: ${message}`, cause);
  return make('Protocol', `${address} cannot serve ${method}: ${message} (type ${type})`, cause);
}

/** The error for a rejected request with its reason. A class that says nothing of the kind is an invalid argument. */
function ofReason(reason, call) {
  const { kind, text, cause } = classify(reason, false, call);
  return make(kind === 'Refused' ? exactKind('InvalidArgument', text) : kind, text, cause);
}

/** The error of a synchronous call, which names the method to call instead, and how. */
function noSyncCalls(method, how = ', and await it') {
  return make('Unsupported', `remote databases have no synchronous calls: use ${method}()${how}`);
}

module.exports = { AFTER, INTERNAL, LOGINS, afterAnswer, isUnread, noSyncCalls, notRead, ofApplicationError, ofIoError };
