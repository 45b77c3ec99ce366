/** The sample in README.md. */
import { type TextDatabase, type TextTable, open } from 'hjall';

interface Users {
  'info:name': string;
  'info:role': 'admin' | 'guest';
  'stats:visits': bigint;
}

async function visit(users: TextTable<Users>, name: string): Promise<number | bigint> {
  const role: 'admin' | 'guest' | undefined = (await users.row(name))?.string('info:role');
  return role === 'admin' ? 0 : await users.increment(name, 'stats:visits', 1);
}

async function report(db: TextDatabase): Promise<void> {
  const users = db.table<Users>('users');
  const visits: number | bigint = await visit(users, 'ann');
  const stored: number | bigint | undefined = (await users.row('ann'))?.long('stats:visits');
  console.log(visits, stored);
}

await report(await open('./data', { encoding: 'utf8' }));
