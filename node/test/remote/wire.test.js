'use strict';
/** Thrift's two protocols: encoding as Thrift specifies, decoding, and finding the end of an answer in any chunks. */
const assert = require('node:assert/strict');
const { describe, it } = require('node:test');
const { PROTOCOLS, decodeAnswer, encodeCall, measurer } = require('../../lib/remote/wire/message.js');
const { writeStruct } = require('../../lib/remote/wire/struct.js');
const { MESSAGE, WireError, methods } = require('../../lib/remote/wire/types.js');
const { Chance } = require('../chance.js');

const LONGEST = 1 << 24;
const hex = (text) => Buffer.from(text.replaceAll(' ', ''), 'hex');

/** Answers of every kind: void, booleans, numbers, strings, nested structs, long lists, maps. */
function answers(chance) {
  const long = () =>
    chance.pick([0, 1, -1, 2 ** 31, -(2 ** 31), 2 ** 53 - 1, -(2 ** 53) + 1, 2n ** 53n, -(2n ** 63n), 2n ** 63n - 1n]);
  const cell = () => ({
    family: chance.bytes(4),
    qualifier: chance.bytes(20),
    value: chance.bytes(300),
    timestamp: long(),
    type: chance.pick([4, 8, -1]),
  });
  const row = () => ({
    row: chance.bytes(10),
    columnValues: chance.list(20, cell),
    stale: false,
    partial: chance.flag(),
  });
  return {
    put: {},
    exists: { success: chance.flag() },
    existsAll: { success: chance.list(40, () => chance.flag()) },
    get: { success: row() },
    getScannerRows: { success: chance.list(40, row) },
    openScanner: { success: chance.pick([0, -1, 2 ** 31 - 1, -(2 ** 31)]) },
    getClusterId: { success: 'ä'.repeat(chance.below(200)) },
    getNamespaceDescriptor: {
      success: { name: 'n', configuration: chance.list(20, () => [`k${chance.below(9)}`, 'v']) },
    },
    increment: { io: { message: 'failed', canRetry: chance.flag() } },
  };
}

function encodeAnswer(protocol, method, result, sequence) {
  const writer = new PROTOCOLS[protocol].Writer();
  writer.messageBegin(method, MESSAGE.REPLY, sequence);
  writeStruct(writer, methods.get(method).result, result);
  return Buffer.from(writer.written());
}

describe('calls are encoded as Thrift specifies', () => {
  const args = {
    table: Buffer.from('t'),
    tget: { row: Buffer.from('r'), maxVersions: 3, timeRange: { minStamp: 0, maxStamp: 300 }, cacheBlocks: true },
  };
  it('binary', () => {
    const expected =
      '80010001 00000003 676574 00000007  0b0001 00000001 74  0c0002 0b0001 00000001 72 0c0004 0a0001 0000000000000000 0a0002 000000000000012c 00 080005 00000003 02000b01 00 00';
    assert.deepEqual(encodeCall('binary', 'get', args, 7), hex(expected));
  });
  it('compact', () => {
    assert.deepEqual(
      encodeCall('compact', 'get', args, 7),
      hex('82 21 07 03 676574  18 01 74  1c 18 01 72 3c 16 00 16 d804 00 15 06 61 00 00'),
    );
  });
});

for (const protocol of ['binary', 'compact']) {
  describe(protocol, () => {
    it('decodes what was encoded, in chunks of any size', () => {
      const chance = new Chance(1);
      for (let round = 0; round < 30; round += 1) {
        for (const [method, result] of Object.entries(answers(chance))) {
          const bytes = encodeAnswer(protocol, method, result, 5);
          const found = measurer(protocol, LONGEST);
          let end = 0;
          while (end < bytes.length) {
            assert.equal(found.feed(bytes, end), undefined, 'an incomplete answer is not taken for a complete one');
            end = Math.min(bytes.length, end + 1 + chance.below(chance.pick([1, 10, 500])));
          }
          assert.equal(found.feed(bytes, end), bytes.length);
          assert.deepEqual(decodeAnswer(protocol, method, bytes, 5).result, result);
        }
      }
    });

    it('rejects damaged answers only with a WireError', () => {
      const chance = new Chance(2);
      for (let round = 0; round < 300; round += 1) {
        for (const [method, result] of Object.entries(answers(chance))) {
          const bytes = encodeAnswer(protocol, method, result, 5);
          for (let i = 0; i < 3; i += 1) bytes[chance.below(bytes.length)] = chance.below(256);
          for (const work of [
            () => measurer(protocol, LONGEST).feed(bytes, bytes.length),
            () => decodeAnswer(protocol, method, bytes, 5),
          ]) {
            try {
              work();
            } catch (error) {
              assert.ok(error instanceof WireError, `not ${error.stack}`);
            }
          }
        }
      }
    });

    it('does not round numbers', () => {
      for (const [given, problem] of [
        [2 ** 53, /bigint/],
        [1.5, /integer/],
        [2n ** 63n, /64 bits/],
      ]) {
        assert.throws(
          () =>
            encodeCall(
              protocol,
              'put',
              { table: Buffer.alloc(1), tput: { row: Buffer.alloc(1), columnValues: [], timestamp: given } },
              1,
            ),
          problem,
        );
      }
    });

    it('skips fields that a newer server sends', () => {
      const writer = new PROTOCOLS[protocol].Writer();
      const unknown = {
        name: 'newer',
        fields: [
          { id: 0, name: 'success', type: { kind: 'bool' } },
          {
            id: 30,
            name: 'list',
            type: { kind: 'list', element: { kind: 'map', key: { kind: 'i32' }, value: { kind: 'bool' } } },
          },
          { id: 31, name: 'flag', type: { kind: 'bool' } },
        ],
      };
      writer.messageBegin('exists', MESSAGE.REPLY, 1);
      writeStruct(writer, unknown, {
        success: true,
        list: [
          [
            [1, true],
            [2, false],
          ],
          [],
        ],
        flag: false,
      });
      const bytes = Buffer.from(writer.written());
      assert.equal(measurer(protocol, LONGEST).feed(bytes, bytes.length), bytes.length);
      assert.deepEqual(decodeAnswer(protocol, 'exists', bytes, 1), { result: { success: true } });
    });

    it('limits nesting', () => {
      const nested = (depth) => {
        let type = { kind: 'i32' };
        let value = 1;
        for (let i = 0; i < depth; i += 1) [type, value] = [{ kind: 'list', element: type }, [value]];
        const writer = new PROTOCOLS[protocol].Writer();
        writer.messageBegin('exists', MESSAGE.REPLY, 1);
        writeStruct(writer, { name: 'deep', fields: [{ id: 9, name: 'deep', type }] }, { deep: value });
        return Buffer.from(writer.written());
      };
      const bytes = nested(500);
      assert.throws(() => measurer(protocol, LONGEST).feed(bytes, bytes.length), WireError);
      assert.throws(() => decodeAnswer(protocol, 'exists', bytes, 1), WireError);
    });
  });
}
