/**
 * Declared columns: misspelt columns and wrong accessors are compile-time errors. `tsc` checks each @ts-expect-error.
 */
import { type Row, type Table, filters, long, memory } from 'hjall';

interface Users {
  'info:name': string;
  'info:role': 'admin' | 'guest';
  'stats:visits': bigint;
  'stats:score': number;
  [preference: `prefs:${string}`]: { theme: string };
}

const db = memory({ encoding: 'utf8' });
const users: Table<Users, string | Uint8Array> = db.table<Users>('users');

await users.put('ann', { 'info:name': 'Ann', 'stats:visits': long(1n), 'prefs:web': '{}' });
// @ts-expect-error no such column
await users.put('ann', { 'info:nmae': 'Ann' });
await users.put('ann', { 'info:role': Buffer.from('admin') });
// @ts-expect-error not one of the values that the column is declared with
await users.put('ann', { 'info:role': 'boss' });
// @ts-expect-error values are bytes (or strings), not numbers
await users.put('ann', { 'stats:visits': 1 });

const row = await users.row('ann', { columns: ['info', 'stats:visits'], versions: 2 });
// @ts-expect-error no such family
await users.row('ann', { columns: ['inof'] });
// @ts-expect-error the option is named `versions`
await users.row('ann', { maxVersions: 2 });
// @ts-expect-error the row may not exist
row.string('info:name');

if (row) {
  const name: string | undefined = row.string('info:name');
  const role: 'admin' | 'guest' | undefined = row.string('info:role');
  const visits: bigint | undefined = row.bigint('stats:visits');
  const either: number | bigint | undefined = row.long('stats:visits');
  const score: number | undefined = row.double('stats:score');
  const theme: string | undefined = row.json('prefs:web')?.theme;
  const bytes: string | undefined = row.get('info:name');
  const value: 'admin' | 'guest' | undefined = row.values['info:role'];
  const counter: string | Buffer | undefined = row.values['stats:visits'];
  console.log(counter);
  const time: number | bigint | undefined = row.timestamp({ family: 'info', qualifier: Buffer.from([255]) });
  console.log(name, role, visits, either, score, theme, bytes, value, time);
  // @ts-expect-error a number is not a string
  row.string('stats:visits');
  // @ts-expect-error a string is not a number
  row.long('info:name');
  // @ts-expect-error a bigint may not fit into a number
  const number: number | undefined = row.long('stats:visits');
  // @ts-expect-error no such column
  row.get('stats:visit');
  console.log(number);
}

const total: number | bigint = await users.increment('ann', 'stats:visits', 2n ** 60n);
// @ts-expect-error a string is not a counter
await users.increment('ann', 'info:name', 1);
// @ts-expect-error a family is not a column
await users.increment('ann', 'stats', 1);
console.log(total);

for await (const found of users.scan({ prefix: 'a', limit: 10, reverse: true, filter: filters.columnValue('info:name', '=', 'Ann') })) {
  const typed: Row<Users> = found;
  console.log(typed.columns.includes('info:name'));
}
for await (const found of users.createReadStream({ limit: 3 })) console.log(found.string('info:name'));
const stream = users.createWriteStream({ batchRows: 10 });
stream.write(['ann', { 'info:name': 'Ann' }]);
stream.write({ key: 'ann', delete: ['info:name'], timestamp: 5n });
// @ts-expect-error no such column
stream.write(['ann', { 'info:nmae': 'Ann' }]);

await users.mutateRow('ann', [{ put: { 'info:name': 'Ann' } }, { delete: 'stats' }, { delete: true }]);
// @ts-expect-error neither put nor delete
await users.mutateRow('ann', [{ remove: 'stats' }]);
await users.checkAndPut('ann', 'info:name', null, { 'info:role': 'admin' }, { op: 'EQUAL' });
await users.checkAndMutate('ann', { column: 'info:name', value: 'Ann', op: 'LESS' }, [{ put: { 'info:name': 'B' } }]);

// Columns that a row need not have, and interfaces of programs with null for them.
interface Profile {
  'info:name': string;
  'info:nick'?: string;
  'info:city': string | null;
  'info:role'?: 'admin' | 'guest';
  'stats:visits'?: bigint;
  'stats:score'?: number | undefined;
  [preference: `prefs:${string}`]: { theme: string } | undefined;
}
const profiles = db.table<Profile>('profiles');
await profiles.put('ann', { 'info:nick': 'A', 'info:city': 'Oslo', 'info:role': 'admin', 'stats:visits': long(1), 'prefs:web': '{}' });
// @ts-expect-error not one of the values that the column is declared with
await profiles.put('ann', { 'info:role': 'nonsense' });
// @ts-expect-error a cell has no null: leave the column out, or delete it
await profiles.put('ann', { 'info:city': null });
// @ts-expect-error a value cannot be undefined
await profiles.put('ann', { 'prefs:web': undefined });
await profiles.increment('ann', 'stats:visits');
await profiles.incrementRow('ann', { 'stats:visits': 1, 'stats:score': 2n });
// @ts-expect-error a string is not a counter
await profiles.increment('ann', 'info:nick');
await profiles.append('ann', 'info:nick', 'n');
await profiles.checkAndPut('ann', 'info:role', 'guest', { 'info:role': 'admin' });
const profile = await profiles.row('ann', { columns: ['info:nick', 'stats'] });
if (profile) {
  const nick: string | undefined = profile.string('info:nick');
  const city: string | undefined = profile.string('info:city');
  const role: 'admin' | 'guest' | undefined = profile.string('info:role');
  const got: 'admin' | 'guest' | undefined = profile.get('info:role');
  const listed: 'admin' | 'guest' | undefined = profile.values['info:role'];
  const visits: number | bigint | undefined = profile.long('stats:visits');
  const exact: bigint | undefined = profile.bigint('stats:visits');
  const score: number | undefined = profile.double('stats:score');
  const theme: string | undefined = profile.json('prefs:web')?.theme;
  console.log(nick, city, role, got, listed, visits, exact, score, theme);
  await profiles.put('bob', profile.values);
  await profiles.put('bob', { ...profile.values, 'info:name': 'Bob' });
  // @ts-expect-error a string is not a number
  profile.long('info:nick');
  // @ts-expect-error a bigint is not a string
  profile.string('stats:visits');
}
