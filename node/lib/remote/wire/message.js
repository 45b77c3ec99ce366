'use strict';
/** Encodes calls and decodes answers. */
const { BinaryWriter, BinaryReader } = require('./binary');
const { CompactWriter, CompactReader } = require('./compact');
const { BinaryMeasurer, CompactMeasurer } = require('./measure');
const { readStruct, readStructInSlices, writeStructInSlices } = require('./struct');
const { MESSAGE, methods, applicationError, WireError } = require('./types');

const PROTOCOLS = {
  binary: { Writer: BinaryWriter, Reader: BinaryReader, Measurer: BinaryMeasurer },
  compact: { Writer: CompactWriter, Reader: CompactReader, Measurer: CompactMeasurer },
};

/** The bytes of a call. Yields before each slice of a long list in it. */
function* encodeCallInSlices(protocol, method, args, sequence) {
  const { Writer } = PROTOCOLS[protocol];
  const writer = new Writer();
  writer.messageBegin(method, MESSAGE.CALL, sequence);
  const pieces = yield* writeStructInSlices(Writer, writer, methods.get(method).args, args);
  return pieces.length === 1 ? pieces[0] : Buffer.concat(pieces);
}

/** The bytes of a call. */
function encodeCall(protocol, method, args, sequence) {
  const steps = encodeCallInSlices(protocol, method, args, sequence);
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/**
 * Decodes an answer: `{ result }`, whose fields are `success` or a declared exception, or `{ failure: { message, type
 * } }`, a TApplicationException. Throws a WireError if the bytes are not an answer to this call.
 */
function decodeAnswer(protocol, method, bytes, sequence) {
  const { reader, failure } = answerBegun(protocol, method, bytes, sequence);
  return failure === undefined ? { result: readStruct(reader, methods.get(method).result) } : { failure };
}

/** `decodeAnswer` for long answers. Yields after each slice of the elements of lists. */
function* decodeAnswerInSlices(protocol, method, bytes, sequence) {
  const { reader, failure } = answerBegun(protocol, method, bytes, sequence);
  return failure === undefined ? { result: yield* readStructInSlices(reader, methods.get(method).result) } : { failure };
}

/** Reads the beginning of an answer. Returns the reader of its result, or the failure that it reports. */
function answerBegun(protocol, method, bytes, sequence) {
  const reader = new PROTOCOLS[protocol].Reader(bytes);
  const head = reader.messageBegin();
  if (head.name !== method || head.sequence !== sequence) {
    throw new WireError(
      `the answer is to call ${head.sequence} of ${head.name.slice(0, 100)}, not to call ${sequence} of ${method}`,
    );
  }
  if (head.type === MESSAGE.EXCEPTION) return { reader, failure: readStruct(reader, applicationError) };
  if (head.type !== MESSAGE.REPLY) throw new WireError(`the answer is a message of type ${head.type}`);
  return { reader, failure: undefined };
}

/** Finds the end of an answer while its bytes arrive. */
function measurer(protocol, bytesMax) {
  return new PROTOCOLS[protocol].Measurer(bytesMax);
}

module.exports = { PROTOCOLS, decodeAnswer, decodeAnswerInSlices, encodeCall, encodeCallInSlices, measurer };
