/**
 * The bounds of the Node server on connections, requests and answers. Source: decision 0032.
 */
import type { BodyLimits } from "../server/bodyBudget.ts"
import { defaultBodyLimits } from "../server/bodyBudget.ts"

export interface ServerLimits extends BodyLimits {
  /** Connections in all; default 4,096. One above it is closed, and with it the ones that carry no request. */
  readonly connectionsMax: number
  /** Connections of one remote address; default no bound, because behind a proxy all come from one address. */
  readonly connectionsPerAddressMax: number
  /** How long a connection without a request is kept, as `Keep-Alive` announces; default 65 s. Rounded down to seconds. */
  readonly keepAliveMillis: number
  /** How long the head of a request may take, from the connection's or the head's first byte; default 15 s. */
  readonly headMillis: number
  /** How long an answer may make no progress before its connection is closed; default 15 s. */
  readonly stallMillis: number
  /** How long an answer may take to be read in all; default 60 s. */
  readonly answerMillis: number
  /** Bytes of all answers that are not yet written; default 16 MiB. */
  readonly answerBytesMax: number
  /** Requests that read (`GET`, `HEAD`) being answered at once, the others wait; default 8. */
  readonly readsMax: number
  /** Requests that read of one API key whose answers are not yet written; default 4. */
  readonly readsPerApiKeyMax: number
  /** How long a shutdown waits for the requests it has accepted; default 10 s. */
  readonly graceMillis: number
}

export const defaultServerLimits: ServerLimits = {
  ...defaultBodyLimits,
  connectionsMax: 4096,
  connectionsPerAddressMax: Number.POSITIVE_INFINITY,
  keepAliveMillis: 65_000,
  headMillis: 15_000,
  stallMillis: 15_000,
  answerMillis: 60_000,
  answerBytesMax: 16 * 1024 * 1024,
  readsMax: 8,
  readsPerApiKeyMax: 4,
  graceMillis: 10_000
}
