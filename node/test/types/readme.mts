/** The sample in README.md. */
import { open } from 'hjall';

interface Users {
  'info:name': string;
  'info:role': 'admin' | 'guest';
  'stats:visits': bigint;
}

const db = await open('./data', { encoding: 'utf8' });
const users = db.table<Users>('users');
const role: 'admin' | 'guest' | undefined = (await users.row('ann'))?.string('info:role');
const visits: number | bigint = await users.increment('ann', 'stats:visits', 1);
const stored: number | bigint | undefined = (await users.row('ann'))?.long('stats:visits');
