/**
 * What an honest client asked and how it was answered, a line each.
 */

export const honestKinds = ["send", "list logs", "create contact"] as const
export type HonestKind = (typeof honestKinds)[number]

/** Requests a second of each kind. The two honest projects take turns. */
export const honestRates: Readonly<Record<HonestKind, number>> = { send: 20, "list logs": 10, "create contact": 10 }

export const honestProjects = ["prj_north", "prj_south"] as const
export type HonestProject = (typeof honestProjects)[number]

export interface HonestRequest {
  readonly kind: HonestKind
  readonly project: HonestProject
  /** When the schedule asked for it, in milliseconds since the epoch. */
  readonly intendedAt: number
  /** From the intended time to the end of the answer. */
  readonly millis: number
  /** How much of that went by before the client itself got to run: the machine's share, not the server's. */
  readonly lateMillis: number
  /** `null` where there was no whole answer. */
  readonly status: number | null
  /** The deliveries that a 202 names. */
  readonly deliveryIds: ReadonlyArray<string>
}

/** The answer that each kind is for. */
export const wantedStatus: Readonly<Record<HonestKind, number>> = { send: 202, "list logs": 200, "create contact": 200 }
