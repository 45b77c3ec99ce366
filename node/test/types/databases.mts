/** Databases in an ES module: where strings are accepted, the names of options, the codes of errors. */
import hjall, { type AnyColumns, BatchError, ConnectionError, type Database, type GetOptions, HjallError, ManualClock, NotFoundError, type Opened, type ScanOptions, type Table, type TextDatabase, type TextTable, codecs, connect, filters, open } from 'hjall';
import testing, { databasePerTest, freshDatabase } from 'hjall/testing';

const bytes: Database = await open('/tmp/db');
await bytes.table('t').put(Buffer.from('r'), { 'f:q': new Uint8Array([1]) }, { ttlMs: 5, durability: 'SKIP_WAL' });
// @ts-expect-error without `encoding`, keys are bytes
await bytes.table('t').row('r');
// @ts-expect-error without `encoding`, values are bytes
await bytes.table('t').put(Buffer.from('r'), { 'f:q': 'x' });
// Columns that were not declared may be any string.
const column: string = ['f', 'q'].join(':');
await bytes.table('t').put(Buffer.from('r'), { [column]: Buffer.from('x') });
const text: string | undefined = (await bytes.table('t').row(Buffer.from('r'), { columns: [column] }))?.string(column);
// With exactOptionalPropertyTypes, options may still be undefined.
const none = undefined;
const reads = bytes.table('t');
filters.columnRange({ min: none, minInclusive: none, max: 'z', maxInclusive: none });
filters.dependentColumn('f:q', { dropColumn: none, op: none, value: none });
filters.multiRowRange({ start: none, startInclusive: none, stop: none, stopInclusive: none });
filters.singleColumnValue('f:q', '=', 'x', { filterIfMissing: none, latestVersionOnly: none });
reads.scan({ start: none, stop: none, prefix: none, filter: none, limit: none, reverse: none, signal: none });
await reads.put(Buffer.from('r'), [{ column: 'f:q', value: Buffer.from('x'), timestamp: none }], { ttlMs: none, durability: none });
new HjallError('for a test', { code: none, cause: none });
await open('/tmp/db', { encoding: none, readBigInts: none, cacheBytes: none, syncIntervalMs: none, syncInterval: none, readOnly: none });
await connect({ host: none, port: none, tls: { ca: none }, encoding: none, signal: none });
await bytes.createTable('t', { f: { versions: none, attributes: none } }, { durability: none, splits: none, ifNotExists: none });
// @ts-expect-error the value of a column cannot be undefined: the put is refused
await bytes.table<{ 'f:q': string }>('t').put(Buffer.from('r'), { 'f:q': none });
const optional: { limit?: number; namespace?: string | undefined } = { namespace: undefined };
await bytes.tables(optional);
const counted: number = await bytes.table('t').count({ prefix: Buffer.from('r'), onProgress: (rows: number) => rows });
await bytes.compact('t', { major: true, onProgress: ({ bytes: read }: { bytes: number }) => read });
const deleted: number = await bytes.table('t').deleteRows({ start: Buffer.from('r') });
// @ts-expect-error a range is needed
await bytes.table('t').deleteRows();

import { type CallMessage, type DisconnectMessage, type RetryMessage } from 'hjall';
import { subscribe, tracingChannel } from 'node:diagnostics_channel';
tracingChannel<'hjall:call', CallMessage>('hjall:call');
subscribe('hjall:retry', (message) => {
  const { method, attempt, error } = message as RetryMessage;
  const code: string = error.code;
  console.log(method, attempt.toFixed(), code, (message as DisconnectMessage).error?.message);
});

const clock = new ManualClock(0);
const texts = await open(new URL('file:///tmp/db'), { encoding: 'utf8', clock, cacheBytes: 1 << 20, rowCacheBytes: 0 });
const found = texts.table('t').rowSync('r')?.string('f:q');
console.log(found?.length);
// @ts-expect-error the option is named cacheBytes
await open('/tmp/db', { cacheSize: 1 });

const remote = await connect({ host: 'db.example', tls: { ca: 'pem' }, transport: 'framed', protocol: 'compact', encoding: 'utf8', signal: AbortSignal.timeout(5) });
const either: Database<string | Uint8Array>[] = [texts, remote];
await remote.createTable('t', { f: { attributes: { NOTE: 'x' }, metadata: new Map([['TLL', 'x']]) } }, { metadata: { a: 'b' } });
// @ts-expect-error no such transport
await connect({ transport: 'pigeon' });
console.log(either.length);

await remote.createTable('t', { f: { versions: 3, ttlSeconds: 'FOREVER', compression: 'LZ4' } }, { splitAlgo: 'HexStringSplit', regions: 4 });
await remote.createTable('t', ['f'], { splits: ['g', 'm'], readOnly: true });
// @ts-expect-error regions need splitAlgo
await remote.createTable('t', ['f'], { regions: 4 });
// @ts-expect-error the option is named versions
await remote.createTable('t', { f: { maxVersions: 3 } });
const described = await remote.describeTable('t');
await remote.createTable('copy', described.families, described.options);
const regions: (string | Buffer)[] = (await remote.regions('t')).map((region) => region.start);
console.log(regions);

try {
  await remote.table('t').batch().put('r', { 'f:q': 'x' }).delete('s').write();
} catch (error) {
  if (error instanceof BatchError) console.log(error.failures.map(({ index, row, error: one }) => [index, row.length, one.code]));
  else if (error instanceof ConnectionError) {
    const code: 'CONNECTION' | 'TIMEOUT' = error.code;
    console.log(code);
  } else if (error instanceof NotFoundError && error.code === 'TABLE_NOT_FOUND') console.log(error.message);
  // @ts-expect-error no such code
  else if (error instanceof HjallError && error.code === 'TABLE_MISSING') console.log(error.cause);
}

{
  await using scoped = await hjall.connect();
  using served = await hjall.memory().serve({ port: 0 });
  console.log(await scoped.clusterId(), served.port);
}

const fresh = databasePerTest({ encoding: 'utf8', tables: { users: ['info'] } });
fresh.clock.advance(5);
await fresh.db.table('users').row('ann');
await using test = await freshDatabase({ remote: { protocol: 'compact' } });
// @ts-expect-error without `encoding`, keys are bytes
await test.db.table('users').row('ann');
console.log(testing.TestDatabase);

// What reads return.
const plain: Buffer | undefined = (await bytes.table('t').row(Buffer.from('r')))?.key;
const key: string | Buffer | undefined = (await texts.table('t').row('r'))?.key;
// @ts-expect-error a key may not be valid UTF-8
const certain: string | undefined = (await texts.table('t').row('r'))?.key;
const appended: string | Buffer = await texts.table('t').append('r', 'f:q', 'x');
const exact = await open('/tmp/db', { encoding: 'utf8', readBigInts: true });
const counter: bigint = await exact.table('t').increment('r', 'f:n');
const row = await exact.table('t').row('r');
const parts: [bigint | undefined, bigint | undefined, bigint | undefined] = [row?.long('f:n'), row?.timestamp('f:n'), row?.decode('f:n', codecs.int64)];
const small: number | undefined = row?.decode('f:n', codecs.int32);
const decoded: bigint | undefined = row?.decoded({ 'f:n': codecs.int64 })['f:n'];
// @ts-expect-error without `readBigInts`, a counter may be a number
const unsure: bigint = await texts.table('t').increment('r', 'f:n');
const now: bigint = await hjall.memory({ readBigInts: true }).now();
for await (const found of exact.table('t').scan()) exact.table('t').putSync(found.key, { 'f:q': found.cells[0]!.value });
console.log(plain, key, certain, appended, counter, parts, small, decoded, unsure, now);

// In tables whose columns were not declared, too, a value cannot be undefined and a column has a colon.
const any = texts.table('t');
const city = (person: { city?: string }): string | undefined => person.city;
// @ts-expect-error the city may be undefined
await any.put('r', { 'f:city': city({}) });
// @ts-expect-error a cell has no null
await any.put('r', { 'f:city': null });
// @ts-expect-error the amount may be undefined
await any.incrementRow('r', { 'f:n': optional.limit });
// @ts-expect-error the value may be undefined
await any.appendRow('r', { 'f:city': city({}) });
// @ts-expect-error the value may be undefined
any.batch().put('r', { 'f:city': city({}) });
// @ts-expect-error the value may be undefined
await any.mutateRow('r', [{ put: { 'f:city': city({}) } }]);
// @ts-expect-error the value may be undefined
any.createWriteStream().write(['r', { 'f:city': city({}) }]);
// @ts-expect-error a column is 'family:qualifier'
await any.put('r', { city: 'Oslo' });
// @ts-expect-error a column is 'family:qualifier'
await any.incrementRow('r', { visits: 1 });
// Columns that are computed may be any strings.
const named: Record<string, string> = { [column]: 'x' };
await any.put('r', named);
await any.put('r', { [column]: 'x', 'f:q': 'y', ...named });
await any.put('r', Object.fromEntries(['a', 'b'].map((name) => [`f:${name}`, 'x'])));
await any.put('r', new Map([[column, 'x']]));
const some: Partial<Record<'f:a' | 'f:b', string>> = { 'f:a': 'x' };
await any.put('r', some);
await any.incrementRow('r', Object.fromEntries([['f:n', 1]]));
await any.appendRow('r', named);

// A part of a prefix.
any.scan({ prefix: 'a', start: 'ab' });
await any.count({ prefix: 'a', stop: 'ab' });
await any.deleteRows({ prefix: 'a', start: 'ab' });

// Options that exclude each other.
// @ts-expect-error a timestamp, or a range of times
await any.row('r', { timestamp: 5, timeRange: [0, 5] });
// @ts-expect-error without a range, all rows would be deleted
await any.deleteRows({});
// @ts-expect-error without a range, all rows would be deleted
await any.deleteRows({ filter: 'KeyOnlyFilter()' });
// @ts-expect-error the prefix may be undefined
await any.deleteRows({ prefix: city({}) });
await any.deleteRows({ prefix: 'a', durability: 'SKIP_WAL' });
await any.deleteRows({ stop: 'b', filter: 'KeyOnlyFilter()' });
await any.deleteRows({ start: 'a', stop: 'b' });
const wanted: ScanOptions<AnyColumns, string | Uint8Array> = { limit: 5 };
if (some['f:a'] !== undefined) wanted.prefix = some['f:a'];
wanted.timeRange = [0];
any.scan(wanted);
any.scan({ ...wanted, reverse: true });
any.createReadStream({ ...wanted, highWaterMark: 5 });
any.scan({ prefix: city({}), limit: 1 });
const reading: GetOptions = { versions: 3 };
reading.timestamp = 5n;
await any.row('r', reading);
await any.rows(['r'], { ...reading, storeLimit: 1 });

// The types of databases as the parameters of functions.
const ofText = async (db: TextDatabase): Promise<string | Buffer | undefined> => (await db.table('t').row('r'))?.key;
const ofBytes = async (db: Database): Promise<Buffer | undefined> => (await db.table('t').row(Buffer.from('r')))?.key;
interface Named { 'f:name': string }
const ofTable = async (table: TextTable<Named>): Promise<string | undefined> => (await table.row('r'))?.string('f:name');
await ofText(texts);
await ofText(remote);
await ofText(fresh.db);
await ofText(await connect('thrift://db.example', { encoding: 'utf8', readBigInts: false }));
await ofTable(texts.table<Named>('t'));
await ofTable(texts.table('t'));
const anyTable: TextTable = texts.table('t');
const byteTable: Table<Named> = bytes.table<Named>('t');
await ofBytes(bytes);
const exactly: Opened<'utf8', true> = exact;
const sum = async (db: Opened<undefined, true>): Promise<bigint> => db.now();
await sum(hjall.memory({ readBigInts: true }));
const unions: Database<string | Uint8Array> = texts;
// @ts-expect-error its keys may be strings
await ofBytes(texts);
// @ts-expect-error it does not accept strings
await ofText(bytes);
// @ts-expect-error it does not accept strings
await ofTable(bytes.table<Named>('t'));
// @ts-expect-error no such column
await ofTable(texts.table<{ 'f:other': string }>('t'));
console.log(anyTable, byteTable, exactly, unions);

// Values that were read can be put again.
for await (const found of any.scan()) {
  await any.put(found.key, found.values);
  await any.put(found.key, { ...found.values, 'f:copied': 'yes' });
  await any.put(found.key, found.decoded());
}
