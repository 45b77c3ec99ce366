/** The package in CommonJS. */
import hjall = require('hjall');
import testing = require('hjall/testing');

async function program(): Promise<void> {
  const db = hjall.openSync('/tmp/db', { encoding: 'utf8' });
  const row: hjall.Row | undefined = db.table('t').rowSync('r');
  for (const one of db.table('t').scanSync({ limit: 5 })) console.log(one.key, one.values['f:q'], one.long('f:n'));
  const counter: number | bigint = hjall.fromLong(hjall.long(5));
  const column: string | Buffer | undefined = row?.get('f:q');
  const { db: fresh, clock } = await testing.freshDatabase({ after: (done: () => unknown) => done() }, { serve: true });
  clock.set(5);
  console.log(counter, column, await fresh.tables());
  // @ts-expect-error the method is named close()
  await db.end();
}

program().catch((error: unknown) => console.log(error instanceof hjall.HjallError ? error.code : error));
