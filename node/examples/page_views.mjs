/**
 * Page views: counters by page and hour, and a log of visits, newest first. The program runs embedded or with a server.
 *
 *     node examples/page_views.mjs                  in memory
 *     node examples/page_views.mjs ./data           in a folder
 *     node examples/page_views.mjs 127.0.0.1:9090   on hjall, or on HBase's Thrift2 gateway
 */
import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { connect, filters, memory, open } from 'hjall';

const HOUR_MS = 3_600_000;
const LONG_MAX = 2n ** 63n - 1n;
const BEGIN = Date.UTC(2024, 4, 1);
const PAGES = ['com.example/', 'com.example/about', 'org.example.shop/cart'];
const DAY_ROW = /^(.*)\|(\d{8})$/;

/** Opens the database that the command line names. */
async function database(target) {
  const options = { encoding: 'utf8' };
  if (target === undefined) return memory(options);
  const address = /^([\w.-]+):(\d+)$/.exec(target);
  return address ? connect({ ...options, host: address[1], port: Number(address[2]) }) : open(target, options);
}

const day = (time) => new Date(time).toISOString().slice(0, 10).replaceAll('-', '');
const hour = (time) => new Date(time).toISOString().slice(11, 13);

/** Domains are reversed, so that the pages of a site are adjacent. A day is a row of at most 24 counters. */
const dayKey = (page, time) => `${page}|${day(time)}`;
/** The time is subtracted from the maximum, so that the newest visit comes first. */
const visitKey = (page, time) => `${page}|${String(LONG_MAX - BigInt(time)).padStart(19, '0')}`;

/** A thousand visits, the same in every run. */
function* visits() {
  for (let i = 0; i < 1000; i += 1)
    yield { page: PAGES[(i % 7) % 3], time: BEGIN + i * 200_000, user: `user${i % 13}` };
}

async function main(target) {
  const db = await database(target);
  for (const name of ['views', 'visits']) {
    if (!(await db.tableExists(name))) continue;
    await db.disableTable(name);
    await db.dropTable(name);
  }
  await db.createTable('views', { h: {} }, { splits: ['com.m', 'org'] });
  await db.createTable('visits', { v: {} });
  const [views, log] = [db.table('views'), db.table('visits')];

  // Count each visit with one call, many of them concurrently, as web servers would.
  await Promise.all(Array.from(visits(), ({ page, time }) => views.increment(dayKey(page, time), `h:${hour(time)}`)));
  // Load the log in batches.
  const load = log.createWriteStream({ batchRows: 250 });
  await pipeline(
    Readable.from(visits()),
    async function* rows(source) {
      for await (const { page, time, user } of source)
        yield { key: visitKey(page, time), put: { 'v:user': user, 'v:page': page }, timestamp: time };
    },
    load,
  );
  assert.equal(load.rowsWritten, 1000);

  // The pages of a site are one range of rows.
  let total = 0;
  for await (const row of views.scan({ prefix: 'com.example/' })) {
    const [, page, date] = DAY_ROW.exec(row.key.toString());
    const sum = row.columns.reduce((subtotal, column) => subtotal + row.long(column), 0);
    total += sum;
    console.log(`${page.padEnd(20)} ${date} ${sum} views in ${row.columns.length} hours`);
  }
  const expected = [...visits()].filter(({ page }) => page.startsWith('com.example/')).length;
  assert.equal(total, expected);

  // One morning of one page is a part of a row.
  const morning = await views.row(dayKey('com.example/', BEGIN), {
    filter: filters.columnRange({ min: '06', max: '12' }),
  });
  assert.deepEqual(morning.columns, ['h:06', 'h:07', 'h:08', 'h:09', 'h:10', 'h:11']);

  // The last three visits of a page are the first three rows.
  const last = await log.scan({ prefix: 'com.example/about|', limit: 3 }).toArray();
  console.log(
    'last:',
    last
      .map((row) => `${row.string('v:user')} at ${new Date(Number(row.timestamp('v:user'))).toISOString()}`)
      .join(', '),
  );
  assert.ok(last[0].timestamp('v:user') > last[1].timestamp('v:user'));

  // The users of the first hour, on all pages, by timestamp.
  const early = await log.scan({ columns: 'v:user', timeRange: [BEGIN, BEGIN + HOUR_MS] }).toArray();
  assert.equal(early.length, 18);

  for (const name of ['views', 'visits']) {
    await db.disableTable(name);
    await db.dropTable(name);
  }
  await db.close();
}

await main(process.argv[2]);
