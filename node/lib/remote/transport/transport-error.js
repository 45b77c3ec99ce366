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

module.exports = { TransportError };
