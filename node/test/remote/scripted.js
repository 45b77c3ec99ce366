'use strict';
/** A Thrift2 server with scripted answers: structs, or raw bytes. */
const net = require('node:net');
const { once } = require('node:events');
const { BinaryMeasurer } = require('../../lib/remote/wire/measure.js');
const { BinaryReader, BinaryWriter } = require('../../lib/remote/wire/binary.js');
const { readStruct, writeStruct } = require('../../lib/remote/wire/struct.js');
const { MESSAGE, applicationError, methods } = require('../../lib/remote/wire/types.js');

const LONGEST = 1 << 20;

/** The bytes of an answer to a call. */
function reply({ method, sequence }, result) {
  const writer = new BinaryWriter();
  writer.messageBegin(method, MESSAGE.REPLY, sequence);
  writeStruct(writer, methods.get(method).result, result);
  return Buffer.from(writer.written());
}

/** The bytes of a TApplicationException. */
function exception({ method, sequence }, message, type) {
  const writer = new BinaryWriter();
  writer.messageBegin(method, MESSAGE.EXCEPTION, sequence);
  writeStruct(writer, applicationError, { message, type });
  return Buffer.from(writer.written());
}

/** The bytes of a message with its length before them, as the transport `framed` sends it. */
function framed(message) {
  const head = Buffer.alloc(4);
  head.writeUInt32BE(message.length);
  return Buffer.concat([head, message]);
}

/** The first complete call in the bytes received: { method, sequence, args, length }. */
function callIn(bytes) {
  const length = bytes.length === 0 ? undefined : new BinaryMeasurer(LONGEST).feed(bytes, bytes.length);
  if (length === undefined) return undefined;
  const reader = new BinaryReader(bytes.subarray(0, length));
  const { name, sequence } = reader.messageBegin();
  return { method: name, sequence, args: readStruct(reader, methods.get(name).args), length };
}

/** `callIn`, for bytes that begin with the length of the call. */
function framedCallIn(bytes) {
  const call = callIn(bytes.subarray(4));
  return call === undefined ? undefined : { ...call, length: 4 + call.length };
}

/**
 * Serves until the test ends. `findCall` finds the calls in what clients send.
 *
 * `answers[method](call, socket)` returns a result struct to send, bytes to send unchanged, or undefined if it
 * handles the answer itself.
 * @returns {Promise<{ port: number, calls: string[], sockets: Set<net.Socket> }>}
 */
async function scripted(test, answers, findCall = callIn) {
  const calls = [];
  const sockets = new Set();
  const all = { listNamespaces: () => ({ success: [] }), closeScanner: () => ({}), ...answers };
  const server = net.createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => {});
    let pending = Buffer.alloc(0);
    socket.on('data', async (chunk) => {
      pending = Buffer.concat([pending, chunk]);
      for (let call = findCall(pending); call !== undefined; call = findCall(pending)) {
        pending = pending.subarray(call.length);
        calls.push(call.method);
        const answer = await all[call.method](call, socket);
        if (answer !== undefined) socket.write(Buffer.isBuffer(answer) ? answer : reply(call, answer));
      }
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  test.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { port: server.address().port, calls, sockets };
}

module.exports = { exception, framed, framedCallIn, reply, scripted };
