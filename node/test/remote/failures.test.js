'use strict';
/** The exceptions of HBase's gateway are converted to the kinds of errors that the embedded engine raises. */
const assert = require('node:assert/strict');
const { it } = require('node:test');
const { ofApplicationError, ofIoError } = require('../../lib/remote/failure.js');

const CALL = { method: 'put', table: 'ns:t', address: 'h:1' };
const RETRIES = `Failed after attempts=2, exceptions:
2026-11-21T07:46:37.497Z, RpcRetryingCaller{globalStartTime=2026-11-21T07:46:35.909Z, pause=100, maxAttempts=2}, org.apache.hadoop.hbase.PleaseHoldException: org.apache.hadoop.hbase.PleaseHoldException: Master is initializing
\tat org.apache.hadoop.hbase.master.HMaster.checkInitialized(HMaster.java:3288)

2026-11-21T07:46:37.603Z, RpcRetryingCaller{globalStartTime=2026-11-21T07:46:35.909Z, pause=100, maxAttempts=2}, org.apache.hadoop.hbase.PleaseHoldException: org.apache.hadoop.hbase.PleaseHoldException: Master is initializing
\tat org.apache.hadoop.hbase.master.HMaster.checkInitialized(HMaster.java:3288)
`;

/** Text, canRetry, call → code, message, the name of the cause if it is not `Error`. */
const ANSWERS = [
  ['ns:t', false, {}, 'TABLE_NOT_FOUND', 'table "ns:t" does not exist: create it with createTable, or list the tables with tables()', 'org.apache.hadoop.hbase.TableNotFoundException'],
  ['ns:t is disabled.', false, {}, 'TABLE_DISABLED', 'the table is disabled (ns:t is disabled.): enable it with enableTable', 'org.apache.hadoop.hbase.TableNotEnabledException'],
  [
    'org.apache.hadoop.hbase.TableExistsException: ns:t\n\tat x.Y.z(Y.java:1)\n',
    false,
    { method: 'createTable' },
    'TABLE_EXISTS',
    'table "ns:t" already exists: choose another name, or pass `ifNotExists`',
    'org.apache.hadoop.hbase.TableExistsException',
  ],
  [
    'org.apache.hadoop.hbase.NamespaceNotFoundException: none\n\tat x',
    false,
    {},
    'NAMESPACE_NOT_FOUND',
    'namespace "none" does not exist: create it with createNamespace',
    'org.apache.hadoop.hbase.NamespaceNotFoundException',
  ],
  [
    'org.apache.hadoop.hbase.regionserver.NoSuchColumnFamilyException: Column family zz does not exist in region r\n\tat x',
    false,
    {},
    'FAMILY_NOT_FOUND',
    'Column family zz does not exist in region r',
    'org.apache.hadoop.hbase.regionserver.NoSuchColumnFamilyException',
  ],
  [
    "org.apache.hadoop.hbase.DoNotRetryIOException: Field is not a long, it's 3 bytes wide\n\tat x",
    false,
    {},
    'NOT_A_LONG',
    "Field is not a long, it's 3 bytes wide: a counter is a value of exactly 8 bytes, as long() encodes it",
    'org.apache.hadoop.hbase.DoNotRetryIOException',
  ],
  [
    'org.apache.hadoop.hbase.DoNotRetryIOException: Table should have at least one column family.',
    false,
    { method: 'createTable' },
    'INVALID_DESCRIPTOR',
    'Table should have at least one column family.',
    'org.apache.hadoop.hbase.DoNotRetryIOException',
  ],
  ['org.apache.hadoop.hbase.DoNotRetryIOException: no', false, {}, 'REFUSED', 'no', 'org.apache.hadoop.hbase.DoNotRetryIOException'],
  ...['Protocol message tag had invalid wire type.', 'While parsing a protocol message, the input ended unexpectedly.', 'Message missing required fields: name'].map(
    (text) => [text, true, { method: 'openScanner' }, 'FILTER_MALFORMED', text],
  ),
  [
    'java.lang.ClassNotFoundException: no.Filter',
    false,
    { method: 'openScanner' },
    'FILTER_REJECTED',
    'no.Filter',
    'java.lang.ClassNotFoundException',
  ],
  ['Thrift Server is in Read-only mode.', false, {}, 'READ_ONLY', 'Thrift Server is in Read-only mode.'],
  [
    'Thrift Server is in Read-only mode.\nhjall: the server is in read-only mode: ask its operator',
    false,
    {},
    'READ_ONLY',
    'the server is in read-only mode: ask its operator',
  ],
  [
    'ns:t\nhjall: table ns:t does not exist: create it, or choose another name',
    false,
    {},
    'TABLE_NOT_FOUND',
    'table "ns:t" does not exist: create it with createTable, or list the tables with tables()',
    'org.apache.hadoop.hbase.TableNotFoundException',
  ],
  [
    "org.apache.hadoop.hbase.regionserver.NoSuchColumnFamilyException: Column family zz does not exist in region r\nhjall: table ns:t has no column family zz: name f\n\tat x",
    false,
    {},
    'FAMILY_NOT_FOUND',
    'table ns:t has no column family zz: name f',
    'org.apache.hadoop.hbase.regionserver.NoSuchColumnFamilyException',
  ],
  [
    'org.apache.hadoop.hbase.DoNotRetryIOException: no.\nhjall: say yes\n\tat x',
    false,
    {},
    'REFUSED',
    'no: say yes',
    'org.apache.hadoop.hbase.DoNotRetryIOException',
  ],
  [
    'Failed 2 actions: IOException: 2 times, servers with issues: h,1,2\nhjall: a family has no name: send one',
    true,
    {},
    'UNPROCESSABLE',
    'a family has no name: send one',
    'java.io.IOException',
  ],
  [
    'Failed after attempts=1, exceptions:\njava.io.IOException: Timestamp cannot be negative. ts=-1\nhjall: send milliseconds',
    true,
    {},
    'UNPROCESSABLE',
    'Timestamp cannot be negative. ts=-1: send milliseconds',
    'org.apache.hadoop.hbase.client.RetriesExhaustedException',
  ],
  [
    'tableName=ns:t, state=ENABLED',
    false,
    { method: 'enableTable' },
    'TABLE_NOT_DISABLED',
    'the table is enabled already (tableName=ns:t, state=ENABLED)',
    'org.apache.hadoop.hbase.TableNotDisabledException',
  ],
  [
    'org.apache.hadoop.hbase.CallQueueTooBigException: Call queue is full on h,1,2',
    true,
    {},
    'BUSY',
    'Call queue is full on h,1,2',
    'org.apache.hadoop.hbase.CallQueueTooBigException',
  ],
  [
    'Failed 1 action: NotServingRegionException: 1 time, servers with issues: h,1,2',
    true,
    {},
    'NOT_SERVING',
    'NotServingRegionException',
    'NotServingRegionException',
  ],
  [
    'Failed 3 actions: org.apache.hadoop.hbase.regionserver.NoSuchColumnFamilyException: Column family zz does not exist\n\tat x\n: 2 times, IOException: 1 time, servers with issues: h,1,2',
    true,
    {},
    'FAMILY_NOT_FOUND',
    'Column family zz does not exist',
    'org.apache.hadoop.hbase.regionserver.NoSuchColumnFamilyException',
  ],
  [
    'Failed 1 action: IOException: 1 time, servers with issues: h,1,2',
    true,
    {},
    'UNPROCESSABLE',
    'the server gave up without a reason (IOException); the log of the region server may have it',
    'java.io.IOException',
  ],
  [
    'Failed after attempts=1, exceptions:\njava.io.IOException: Timestamp cannot be negative. ts=-1',
    true,
    {},
    'UNPROCESSABLE',
    'Timestamp cannot be negative. ts=-1',
    'org.apache.hadoop.hbase.client.RetriesExhaustedException',
  ],
  [RETRIES, true, {}, 'NOT_SERVING', 'Master is initializing', 'org.apache.hadoop.hbase.client.RetriesExhaustedException'],
  ...['createTable', 'deleteTable', 'put', 'createNamespace'].map((method) => [
    'org.apache.hadoop.hbase.security.AccessDeniedException: Insufficient permissions (user=bob)\n\tat x',
    false,
    { method },
    'ACCESS_DENIED',
    'Insufficient permissions (user=bob)',
    'org.apache.hadoop.hbase.security.AccessDeniedException',
  ]),
  [
    "java.io.IOException: Can't modify catalog tables",
    false,
    { method: 'disableTable', table: 'hbase:meta' },
    'SYSTEM_TABLE',
    "Can't modify catalog tables",
    'java.io.IOException',
  ],
  ['connection reset', true, {}, 'IO', 'connection reset'],
  ['', true, {}, 'IO', 'the server gave no reason'],
];

for (const [message, canRetry, call, code, text, javaClass] of ANSWERS) {
  it(`${code}: ${message.split('\n')[0].slice(0, 80)}`, () => {
    const { error } = ofIoError({ message, canRetry }, { ...CALL, ...call });
    assert.deepEqual([error.code, error.message], [code, text]);
    const kept = javaClass === undefined ? error.cause.message : error.cause.stack;
    assert.ok([kept, error.cause.stack].includes(message), "the server's text is kept");
    assert.equal(error.cause.name, javaClass ?? 'Error');
  });
}

/** The text among the answers that begins so. */
const textOf = (begin) => ANSWERS.find(([message]) => message.startsWith(begin))[0];

it('a call on which the gateway gave up is told from one that it never began', () => {
  assert.equal(ofIoError({ message: RETRIES, canRetry: true }, CALL).gaveUp, true);
  assert.equal(ofIoError({ message: textOf('org.apache.hadoop.hbase.CallQueueTooBig'), canRetry: true }, CALL).gaveUp, false);
});

it('a batch reports how many actions failed', () => {
  assert.equal(ofIoError({ message: textOf('Failed 3 actions'), canRetry: true }, CALL).failed, 3);
});

it('no text makes classification hang or throw', () => {
  for (const part of ['a.', 'A', ': ', '\n\tat ', 'Failed 1 action: ', 'Failed after attempts=', 'Exception: ']) {
    const { error } = ofIoError({ message: part.repeat(20_000), canRetry: true }, CALL);
    assert.equal(typeof error.code, 'string');
  }
});

it('calls that were not executed report the reason as far as it is known', () => {
  const codes = [1, 6, 7, 99].map((type) => ofApplicationError({ message: 'because', type }, CALL).code);
  assert.deepEqual(codes, ['UNSUPPORTED', 'INVALID_ARGUMENT', 'INVALID_ARGUMENT', 'PROTOCOL']);
});

it('a rejected request keeps the class and the reason that the server sent', () => {
  const reason = (text) =>
    ofApplicationError({ message: `Internal error processing get: ${text}`, type: 6 }, { ...CALL, method: 'get' });
  const filter = reason('java.lang.IllegalArgumentException: Incorrect Filter String (at byte 0: expected a filter)');
  assert.deepEqual(
    [filter.code, filter.message, filter.cause.name, filter.cause.message],
    [
      'INVALID_ARGUMENT',
      'Incorrect Filter String (at byte 0: expected a filter)',
      'java.lang.IllegalArgumentException',
      'Incorrect Filter String (at byte 0: expected a filter)',
    ],
  );
  const rejected = reason('org.apache.hadoop.hbase.exceptions.DeserializationException: truncated');
  assert.deepEqual([rejected.code, rejected.message], ['FILTER_REJECTED', 'truncated']);
  const without = ofApplicationError({ message: 'Internal error processing get', type: 6 }, { ...CALL, method: 'get' });
  assert.match(without.message, /^h:1 rejected the arguments of get without a reason/);
});
