/**
 * Messages of the channels of `node:diagnostics_channel`. Calls are published on `tracingChannel('hjall:call')`, and
 * remote databases publish events on `hjall:connect`, `hjall:disconnect` and `hjall:retry`.
 */
import type { HjallError } from './error';

/** A call, on the channels of `tracingChannel('hjall:call')`. A block of a scan is a call of `scan`. */
export interface CallMessage {
  /** The name of the method, such as `put` or `putSync`. */
  readonly method: string;
  /** The table, if the call has one. */
  readonly table?: string | undefined;
  /** What the call returned, once it has ended. */
  readonly result?: unknown;
  /** Why it failed. */
  readonly error?: unknown;
}

/** A connection has been opened: `hjall:connect`. */
export interface ConnectMessage {
  /** `host:port` of the server. */
  readonly address: string;
}

/** A connection has been closed: `hjall:disconnect`. */
export interface DisconnectMessage {
  /** `host:port` of the server. */
  readonly address: string;
  /** Why; undefined if this program closed it, for example because it was idle. */
  readonly error?: HjallError | undefined;
}

/** A call to a server has failed and is repeated, after a pause: `hjall:retry`. */
export interface RetryMessage {
  /** `host:port` of the server. */
  readonly address: string;
  /** The method of Thrift2, or `scan` if a scan goes on with a new scanner. */
  readonly method: string;
  /** The table, if the call has one. */
  readonly table?: string | undefined;
  /** The number of the attempt that failed, from 1. */
  readonly attempt: number;
  /** Why it failed. */
  readonly error: HjallError;
}
