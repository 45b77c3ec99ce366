'use strict';
/** A failure of the network or the protocol, and what is known about the call then. */
const { make } = require('../../errors.js');

class TransportError extends Error {
  /**
   * @param {'Connection' | 'Timeout' | 'Protocol' | 'AccessDenied' | 'Refused'} kind
   * @param {string} message
   * @param {{ sent: boolean, cause?: unknown }} details `sent`: the server may have received the call, and may have
   * executed it
   */
  constructor(kind, message, { sent, cause }) {
    super(message, cause === undefined ? undefined : { cause });
    this.kind = kind;
    this.sent = sent;
  }

  /** The error that a program gets. `more` is added to its message. */
  toPublic(more = '') {
    return make(this.kind, `${this.message}${more}`, this.cause);
  }
}

/** Failures of the network, after which the server's address may be wrong. */
const UNREACHABLE = new Set(['EAI_AGAIN', 'ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOTFOUND', 'ETIMEDOUT']);

/** The message for an attempt to connect that failed. */
function cannotConnect({ address, tls }, error) {
  // OpenSSL's messages end with a line break.
  const reason = `cannot connect to ${address}: ${(error.message || error.code || 'no reason is known').trim()}`;
  if (UNREACHABLE.has(error.code)) return `${reason}; is a Thrift2 server running there? (options \`host\` and \`port\`, or the URL)`;
  return tls ? `${reason}; does the server use TLS, and does the option \`tls\` fit its settings?` : reason;
}

module.exports = { TransportError, cannotConnect };
