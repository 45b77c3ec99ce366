'use strict';
/** Scans of remote tables: reading ahead, closing scanners, and scanners that the server no longer knows. */
const assert = require('node:assert/strict');
const { it } = require('node:test');
const { setFlagsFromString } = require('node:v8');
const { runInNewContext } = require('node:vm');
const { filters } = require('../../lib/filter.js');
const { connect } = require('../../lib/remote/connect.js');
const { scripted } = require('./scripted.js');

/** A server with a table of `count` rows that answers scanner calls. */
async function served(test, count, { answers, descending = false, ...options } = {}) {
  const scanners = new Map();
  let ids = 0;
  const rows = Array.from({ length: count }, (_, i) => Buffer.from(String(i).padStart(6, '0')));
  if (descending) rows.reverse();
  const isReached = (row, start) => start.length === 0 || Buffer.compare(row, start) * (descending ? -1 : 1) >= 0;
  const result = (row) => ({
    row,
    columnValues: [{ family: Buffer.from('f'), qualifier: Buffer.from('q'), value: row, timestamp: 1 }],
  });
  const asked = [];
  const server = await scripted(test, {
    openScanner({ args: { tscan } }) {
      ids += 1;
      const left = rows.filter((row) => isReached(row, tscan.startRow));
      scanners.set(ids, tscan.limit === undefined ? left : left.slice(0, tscan.limit));
      return { success: ids };
    },
    getScannerRows({ args: { scannerId, numRows } }) {
      asked.push(numRows);
      const left = scanners.get(scannerId);
      if (left === undefined) return { ia: { message: 'Invalid scanner Id' } };
      return { success: left.splice(0, numRows).map(result) };
    },
    closeScanner({ args: { scannerId } }) {
      scanners.delete(scannerId);
      return {};
    },
    getScannerResults: ({ args: { tscan, numRows } }) => ({
      success: rows.filter((row) => isReached(row, tscan.startRow)).slice(0, numRows).map(result),
    }),
    ...answers?.(scanners),
  });
  const db = await connect({ port: server.port, encoding: 'utf8', pauseMs: 0, ...options });
  test.after(() => db.close());
  return { db, table: db.table('t'), scanners, asked, calls: server.calls };
}

it('reads to the end and closes the scanner', async (t) => {
  const { db, table, scanners } = await served(t, 1000);
  const seen = [];
  for await (const row of table.scan()) seen.push(row.key.toString());
  assert.equal(seen.length, 1000);
  assert.deepEqual(seen, [...seen].sort());
  await db.close();
  assert.equal(scanners.size, 0);
});

it('stays at most one block ahead of the program', async (t) => {
  const { table, asked } = await served(t, 1000, {});
  const scan = table.scan({ caching: 10 });
  await scan.next();
  // By now every block that will be requested has been: one being read, and one ahead.
  await table.scan({ limit: 1 }).next();
  assert.ok(asked.length <= 2, `${asked.length} blocks were requested`);
  scan.close();
});

it('leaving the loop closes the scanner', async (t) => {
  const { db, table, scanners } = await served(t, 1000);
  for await (const row of table.scan({ caching: 10 })) {
    assert.equal(row.key.toString(), '000000');
    break;
  }
  await db.close();
  assert.equal(scanners.size, 0);
});

it('a small limit takes one call', async (t) => {
  const { table, calls } = await served(t, 1000);
  assert.equal((await table.scan({ limit: 5 }).toArray()).length, 5);
  assert.deepEqual(
    calls.filter((c) => /scan/i.test(c)),
    ['getScannerResults'],
  );
});

/** Reads some rows of a scan, lets its lease run out, and returns the keys of all rows. */
async function throughLostLease({ table, scanners }, options) {
  const scan = table.scan(options);
  const rows = [(await scan.next()).value, ...(await scan.nextBlock())];
  scanners.clear();
  rows.push(...(await scan.toArray()));
  return rows.map((row) => row.key.toString());
}

it('continues after the last row received when the lease of its scanner has run out', async (t) => {
  const server = await served(t, 1000);
  for (const options of [
    { caching: 10 },
    { caching: 10, limit: 700 },
    { caching: 10, limit: 20 },
    { caching: 10, filter: "PrefixFilter('0')" },
  ]) {
    const keys = await throughLostLease(server, options);
    const expected = Array.from({ length: options.limit ?? 1000 }, (_, i) => String(i).padStart(6, '0'));
    assert.deepEqual(keys, expected, JSON.stringify(options));
  }
});

it('continues a descending scan before the last row received', async (t) => {
  const server = await served(t, 1000, { descending: true });
  const expected = Array.from({ length: 1000 }, (_, i) => String(999 - i).padStart(6, '0'));
  assert.deepEqual(await throughLostLease(server, { caching: 10, reverse: true }), expected);
  assert.deepEqual(await throughLostLease(server, { caching: 10, reverse: true, limit: 300 }), expected.slice(0, 300));
});

it('reports a lost lease if continuing could change the result', async (t) => {
  const server = await served(t, 1000);
  for (const options of [{ filter: 'PageFilter(500)' }, { filter: filters.page(500) }, { batch: 1 }]) {
    await assert.rejects(throughLostLease(server, { caching: 10, ...options }), {
      code: 'STALE',
      message: /table "t".*scanner.*caching/s,
    });
  }
});

it('does not continue forever if no server knows its scanners', async (t) => {
  const { table } = await served(t, 100, {
    answers: () => ({ getScannerRows: () => ({ ia: { message: 'Invalid scanner Id' } }) }),
  });
  await assert.rejects(table.scan().toArray(), { code: 'STALE' });
});

it('continues after the last row received when the connection breaks', async (t) => {
  let breaks = 2;
  const { table } = await served(t, 500, {
    answers: (scanners) => ({
      getScannerRows({ args: { scannerId, numRows } }, socket) {
        if (scanners.get(scannerId).length < 300 && breaks > 0) {
          breaks -= 1;
          return void socket.destroy();
        }
        const rows = scanners.get(scannerId).splice(0, numRows);
        return { success: rows.map((row) => ({ row, columnValues: [] })) };
      },
    }),
  });
  const keys = (await table.scan({ caching: 40, limit: 450 }).toArray()).map((row) => row.key.toString());
  assert.equal(keys.length, 450);
  assert.equal(new Set(keys).size, 450);
  assert.equal(breaks, 0);
});

it('an AbortSignal ends a scan that has begun', async (t) => {
  const { db, table, scanners } = await served(t, 1000);
  const controller = new AbortController();
  const scan = table.scan({ caching: 10, signal: controller.signal });
  await scan.next();
  controller.abort();
  await assert.rejects(scan.toArray(), { name: 'AbortError' });
  await db.close();
  assert.equal(scanners.size, 0);
});

it('has no synchronous form, and its error names the alternative', async (t) => {
  const { table } = await served(t, 1);
  assert.throws(() => [...table.scanSync()], { code: 'UNSUPPORTED', message: /for await/ });
});

it('a block that is too long fails the scan, which names the limit', async (t) => {
  const { table } = await served(t, 1000, { responseBytesMax: 2048 });
  await assert.rejects(table.scan({ caching: 100 }).toArray(), (error) => {
    assert.equal(error.code, 'REFUSED');
    assert.match(error.message, /responseBytesMax/);
    assert.doesNotMatch(error.message, /may or may not/, 'a scan changes nothing');
    return true;
  });
  assert.equal((await table.scan({ caching: 10 }).toArray()).length, 1000);
});

it('keeps no block after the program has taken it', async (t) => {
  setFlagsFromString('--expose-gc');
  const gc = runInNewContext('gc');
  const { table } = await served(t, 1000);
  const scan = table.scan({ caching: 10 });
  const blocks = [];
  for (let n = 0; n < 20; n += 1) blocks.push(new WeakRef(await scan.nextBlock()));
  // Garbage is collected in later turns only.
  for (let turn = 0; turn < 100 && blocks.filter((block) => block.deref()).length > 2; turn += 1) {
    await new Promise(setImmediate);
    gc();
  }
  const kept = blocks.filter((block) => block.deref()).length;
  assert.ok(kept <= 2, `${kept} blocks are kept`);
  scan.close();
});

it('a block that is awaited while the scan is closed is empty', async (t) => {
  const { scan, blocks } = await new Promise((resolve) => {
    // The server does not answer.
    const answers = () => ({ getScannerRows: () => resolve(begun) });
    let begun;
    served(t, 10, { answers }).then(({ table }) => {
      const scan = table.scan();
      begun = { scan, blocks: [scan.nextBlock(), scan.nextBlock()] };
    });
  });
  scan.close();
  assert.deepEqual(await Promise.all(blocks), [[], []]);
});
