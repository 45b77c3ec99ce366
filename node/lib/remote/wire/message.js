'use strict';
/** Encodes calls and decodes answers. */
const { BinaryWriter, BinaryReader } = require('./binary');
const { CompactWriter, CompactReader } = require('./compact');
const { BinaryMeasurer, CompactMeasurer } = require('./measure');
const { writeStruct, readStruct } = require('./struct');
const { MESSAGE, methods, applicationError, WireError } = require('./types');

const PROTOCOLS = {
  binary: { Writer: BinaryWriter, Reader: BinaryReader, Measurer: BinaryMeasurer },
  compact: { Writer: CompactWriter, Reader: CompactReader, Measurer: CompactMeasurer },
};

/** The bytes of a call. */
function encodeCall(protocol, method, args, sequence) {
  const writer = new PROTOCOLS[protocol].Writer();
  writer.messageBegin(method, MESSAGE.CALL, sequence);
  writeStruct(writer, methods.get(method).args, args);
  return writer.written();
}

/**
 * Decodes an answer: `{ result }`, whose fields are `success` or a declared exception, or `{ failure: { message, type
 * } }`, a TApplicationException. Throws a WireError if the bytes are not an answer to this call.
 */
function decodeAnswer(protocol, method, bytes, sequence) {
  const reader = new PROTOCOLS[protocol].Reader(bytes);
  const head = reader.messageBegin();
  if (head.name !== method || head.sequence !== sequence) {
    throw new WireError(
      `the answer is to call ${head.sequence} of ${head.name.slice(0, 100)}, not to call ${sequence} of ${method}`,
    );
  }
  if (head.type === MESSAGE.EXCEPTION) return { failure: readStruct(reader, applicationError) };
  if (head.type !== MESSAGE.REPLY) throw new WireError(`the answer is a message of type ${head.type}`);
  return { result: readStruct(reader, methods.get(method).result) };
}

/** Finds the end of an answer while its bytes arrive. */
function measurer(protocol, bytesMax) {
  return new PROTOCOLS[protocol].Measurer(bytesMax);
}

module.exports = { PROTOCOLS, encodeCall, decodeAnswer, measurer };
