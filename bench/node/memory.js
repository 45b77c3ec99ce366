'use strict';
/** Resident memory that open scans take, and that slow readers of an HTTP server take who read a table each. */

const { fork } = require('node:child_process');
const { once } = require('node:events');
const http = require('node:http');
const net = require('node:net');
const { pipeline } = require('node:stream/promises');
const { fill, hjallPeer } = require('./peers.js');

const SCANS = [50, 500];
const READERS = Number(process.env.READERS ?? 200);
/** Some 5 MB as JSON. */
const ROWS = 20_000;

const resident = () => {
  global.gc?.();
  return process.memoryUsage().rss / 2 ** 20;
};

async function openScans(table) {
  for (const count of SCANS) {
    const before = resident();
    const scans = Array.from({ length: count }, () => table.scan());
    for (const scan of scans) await scan.next();
    const more = resident() - before;
    console.log(`  ${count} open scans, of which the first row was read: ${more.toFixed(1)} MiB, ${((more * 1024) / count).toFixed(0)} KiB each`);
    for (const scan of scans) scan.close();
  }
}

/** Serves the table as JSON lines. */
function serve(table) {
  const lines = async function* (rows) {
    for await (const row of rows) yield `${JSON.stringify(row)}\n`;
  };
  const server = http.createServer((_, response) => pipeline(table.createReadStream(), lines, response).catch(() => {}));
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)));
}

/** In another process: requests that are answered, but not read after the first bytes. */
function readSlowly(port) {
  let begun = 0;
  for (let i = 0; i < READERS; i += 1) {
    const socket = net.connect(port, '127.0.0.1', () => socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n'));
    socket.once('data', () => {
      socket.pause();
      begun += 1;
      if (begun === READERS) process.send('begun');
    });
    socket.on('error', () => {});
  }
}

async function slowReaders(table) {
  const server = await serve(table);
  const before = resident();
  const readers = fork(__filename, ['read', String(server.address().port)]);
  await once(readers, 'message');
  // Until the buffers of sockets and streams are full.
  let last = 0;
  for (let now = resident(); now > last + 1; now = resident()) {
    last = now;
    await new Promise((resolve) => setTimeout(resolve, 1000));
  }
  const more = resident() - before;
  console.log(`  ${READERS} slow HTTP readers of a table each: ${more.toFixed(0)} MiB, ${((more * 1024) / READERS).toFixed(0)} KiB each`);
  readers.kill();
  server.closeAllConnections();
  server.close();
}

async function main() {
  const peer = await hjallPeer();
  await fill(peer, ROWS);
  await peer.settle();
  // Fills the cache, which is not memory of a scan.
  await peer.scan();
  console.log(`resident memory; ${ROWS.toLocaleString('en')} rows of 5 cells`);
  await openScans(peer.table);
  await slowReaders(peer.table);
  await peer.close();
}

if (process.argv[2] === 'read') readSlowly(Number(process.argv[3]));
else main();
