/**
 * Page views: counters by page and hour, and the visits themselves, newest first. One program, in process or on a server.
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

/** A place to keep data, as the command line names it. */
async function database(place) {
  const options = { encoding: 'utf8' };
  if (place === undefined) return memory(options);
  const address = /^([\w.-]+):(\d+)$/.exec(place);
  return address ? connect({ ...options, host: address[1], port: Number(address[2]) }) : open(place, options);
}

const day = (time) => new Date(time).toISOString().slice(0, 10).replaceAll('-', '');
const hour = (time) => new Date(time).toISOString().slice(11, 13);

/** Domains are reversed, so that a site's pages lie together; a day is a row of at most 24 counters. */
const dayKey = (page, time) => `${page}|${day(time)}`;
/** What was last comes first: the time counts down. */
const visitKey = (page, time) => `${page}|${String(LONG_MAX - BigInt(time)).padStart(19, '0')}`;

/** A thousand visits, the same every time. */
function* visits() {
  for (let i = 0; i < 1000; i += 1) yield { page: PAGES[i % 7 % 3], time: BEGIN + i * 200_000, user: `user${i % 13}` };
}

async function main(place) {
  const db = await database(place);
  for (const name of ['views', 'visits']) {
    if (!(await db.tableExists(name))) continue;
    await db.disableTable(name);
    await db.dropTable(name);
  }
  await db.createTable('views', { h: {} }, { splits: ['com.m', 'org'] });
  await db.createTable('visits', { v: {} });
  const [views, log] = [db.table('views'), db.table('visits')];

  // Counting: every visit by itself, as servers would do it, many at once.
  await Promise.all(Array.from(visits(), ({ page, time }) => views.increment(dayKey(page, time), `h:${hour(time)}`)));
  // Loading: the log in batches.
  const load = log.createWriteStream({ batchRows: 250 });
  await pipeline(Readable.from(visits()), async function* rows(source) {
    for await (const { page, time, user } of source) yield { key: visitKey(page, time), put: { 'v:user': user, 'v:page': page }, timestamp: time };
  }, load);
  assert.equal(load.rowsWritten, 1000);

  // All of a site: one range of rows.
  let total = 0;
  for await (const row of views.scan({ prefix: 'com.example/' })) {
    const [, page, date] = DAY_ROW.exec(row.key.toString());
    const sum = row.columns.reduce((so, column) => so + row.long(column), 0);
    total += sum;
    console.log(`${page.padEnd(20)} ${date} ${sum} views in ${row.columns.length} hours`);
  }
  const expected = [...visits()].filter(({ page }) => page.startsWith('com.example/')).length;
  assert.equal(total, expected);

  // One morning of one page: a part of a row.
  const morning = await views.row(dayKey('com.example/', BEGIN), { filter: filters.columnRange({ min: '06', max: '12' }) });
  assert.deepEqual(morning.columns, ['h:06', 'h:07', 'h:08', 'h:09', 'h:10', 'h:11']);

  // The last three visits of a page: the first three rows.
  const last = await log.scan({ prefix: 'com.example/about|', limit: 3 }).toArray();
  console.log('last:', last.map((row) => `${row.string('v:user')} at ${new Date(Number(row.timestamp('v:user'))).toISOString()}`).join(', '));
  assert.ok(last[0].timestamp('v:user') > last[1].timestamp('v:user'));

  // Who came in the first hour: by time, wherever they were.
  const early = await log.scan({ columns: 'v:user', timeRange: [BEGIN, BEGIN + HOUR_MS] }).toArray();
  assert.equal(early.length, 18);

  for (const name of ['views', 'visits']) {
    await db.disableTable(name);
    await db.dropTable(name);
  }
  await db.close();
}

await main(process.argv[2]);
