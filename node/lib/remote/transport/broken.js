'use strict';
/** How an exchange over the network fails, and what is known then of the call. */

class Broken extends Error {
  /**
   * @param {'Connection' | 'Timeout' | 'Protocol'} kind
   * @param {string} message
   * @param {{ sent: boolean, cause?: unknown }} what `sent`: the server may have seen (some of) the call, and may have carried it out
   */
  constructor(kind, message, { sent, cause }) {
    super(message, cause === undefined ? undefined : { cause });
    this.kind = kind;
    this.sent = sent;
  }
}

module.exports = { Broken };
