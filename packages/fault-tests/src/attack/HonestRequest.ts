/**
 * The record of one request of an honest client and its answer.
 */

export const honestKinds = ["send", "list logs", "create contact"] as const
export type HonestKind = (typeof honestKinds)[number]

/** Requests per second of each kind. The two honest projects alternate. */
export const honestRates: Readonly<Record<HonestKind, number>> = { send: 20, "list logs": 10, "create contact": 10 }

export const honestProjects = ["prj_north", "prj_south"] as const
export type HonestProject = (typeof honestProjects)[number]

export interface HonestRequest {
  readonly kind: HonestKind
  readonly project: HonestProject
  /** The scheduled time, in milliseconds since the epoch. */
  readonly intendedAt: number
  /** Time from the scheduled time to the end of the answer. */
  readonly millis: number
  /** The part of `millis` before the client started the request. It is caused by the machine, not by the server. */
  readonly lateMillis: number
  /** `null` if there was no complete answer. */
  readonly status: number | null
  /** The delivery ids in a 202 answer. */
  readonly deliveryIds: ReadonlyArray<string>
}

/** The expected status of each kind. */
export const expectedStatus: Readonly<Record<HonestKind, number>> = {
  send: 202,
  "list logs": 200,
  "create contact": 200
}
