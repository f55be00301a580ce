/**
 * The limits of the Node server on connections, requests and responses. Source: decision 0032.
 */
import type { BodyLimits } from "../server/bodyBudget.ts"
import { defaultBodyLimits } from "../server/bodyBudget.ts"

/** The limits of the Node server on connections, requests and responses. Source: decision 0032. */
export interface ServerLimits extends BodyLimits {
  /** Connections in all; default 4,096. A connection above the limit is closed, and so are the connections that carry no request. */
  readonly connectionsMax: number
  /** Connections of one remote address; default no limit, because behind a proxy all connections come from one address. */
  readonly connectionsPerAddressMax: number
  /** How long a connection without a request is kept open, as `Keep-Alive` announces; default 65 s. Rounded down to seconds. */
  readonly keepAliveMillis: number
  /** How long the head of a request may take, from the first byte of the connection or of the head; default 15 s. */
  readonly headMillis: number
  /** How long a response may make no progress before its connection is closed; default 15 s. */
  readonly stallMillis: number
  /** How long the client may take to read a whole response; default 60 s. */
  readonly responseMillis: number
  /** Bytes of all responses that are not yet written; default 12 MiB. */
  readonly responseBytesMax: number
  /** Requests that read (`GET`, `HEAD`) answered at once; the others wait. Default 8. */
  readonly readsMax: number
  /** Requests that read, of one API key, whose responses are not yet written; default 4. */
  readonly readsPerApiKeyMax: number
  /**
   * Bytes per second of the responses to the reads of one API key; default 8 MiB. An API key may read the bytes of two seconds at once; then its
   * reads wait. Responses up to 16 KiB are free.
   */
  readonly readBytesPerSecond: number
  /** How long a shutdown waits for accepted requests; default 10 s. */
  readonly graceMillis: number
}

export const defaultServerLimits: ServerLimits = {
  ...defaultBodyLimits,
  connectionsMax: 4096,
  connectionsPerAddressMax: Number.POSITIVE_INFINITY,
  keepAliveMillis: 65_000,
  headMillis: 15_000,
  stallMillis: 15_000,
  responseMillis: 60_000,
  responseBytesMax: 12 * 1024 * 1024,
  readsMax: 8,
  readsPerApiKeyMax: 4,
  readBytesPerSecond: 8 * 1024 * 1024,
  graceMillis: 10_000
}
