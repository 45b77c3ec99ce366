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

/** Why Node refuses a server's certificate: the certificate of the CA that issued it is not known. */
const UNKNOWN_CA = new Set([
  'CERT_UNTRUSTED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);
/** The alerts of a server that refuses the client's certificate, or has none. */
const CERTIFICATE_REFUSED = /_ALERT_(?:.*CERTIFICATE|UNKNOWN_CA)/;

/** What to do about an error of TLS, for messages. */
function tlsRemedy({ cert, pfx }, { code }) {
  if (UNKNOWN_CA.has(code))
    return 'if you trust the server, give its certificate, or that of the CA that issued it, as the option `tls.ca`';
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return "connect to a name of the certificate, or give that name as the option `tls.servername`";
  if (code === 'CERT_HAS_EXPIRED') return 'the server needs a new certificate';
  if (CERTIFICATE_REFUSED.test(code))
    return cert === undefined && pfx === undefined
      ? 'the server requires a certificate: give one as the options `tls.cert` and `tls.key`'
      : 'the server refuses the certificate of the option `tls.cert`, and its log has the reason';
  return undefined;
}

/** The message of an error of the network. OpenSSL's messages end with a line break. */
const textOf = (error) => (error.message || error.code || 'no reason is known').trim();

/** The message for an attempt to connect that failed. */
function cannotConnect({ address, tls }, error) {
  const reason = `cannot connect to ${address}: ${textOf(error)}`;
  if (UNREACHABLE.has(error.code)) return `${reason}; is a Thrift2 server running there? (options \`host\` and \`port\`, or the URL)`;
  if (!tls) return reason;
  return `${reason}; ${tlsRemedy(tls, error) ?? 'does the server use TLS, and does the option `tls` fit its settings?'}`;
}

/** The message for a connection that broke. With TLS 1.3, a server refuses a certificate after it has been opened. */
function broke({ address, tls }, error) {
  const remedy = tls ? tlsRemedy(tls, error) : undefined;
  return `the connection to ${address} broke: ${textOf(error)}${remedy === undefined ? '' : `; ${remedy}`}`;
}

module.exports = { TransportError, broke, cannotConnect };
