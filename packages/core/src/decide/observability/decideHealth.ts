/**
 * Decides whether a process is healthy, from what its store answers and what it sees of the relay. Source: decision 0046.
 */
import type { RelaySetting } from "../../domain/delivery/RelaySetting.ts"
import type { StoreUnavailableReason } from "../../domain/store/Conflict.ts"
import type { Backlog, WorkHealth } from "../../domain/store/QueryAnswer.ts"
import type { Instant } from "../../domain/value/Instant.ts"

/** `ok`; `degraded`: someone should look; `failing`: this process does not do its work, and a restart or a repair is needed. */
export type HealthStatus = "ok" | "degraded" | "failing"

/** The reasons for a status, each with the status that it gives. The worst status counts. */
export const healthReasons = {
  /** The store did not answer, or refused the last write. */
  store_unavailable: "failing",
  /** Deliveries are late, and the dispatcher of this process hands nothing over, although the relay answered last. */
  nothing_handed_over: "failing",
  /** Deliveries are late, or their worker died and no worker has recovered them. */
  deliveries_stuck: "degraded",
  /** The relay cannot be reached. Deliveries wait in the queue. */
  relay_unreachable: "degraded",
  /**
   * The relay and the transport do not agree on the login, the certificate or the encryption: `lastFault.wrongSetting` says on which. Or the relay takes no
   * mail, and deliveries have been due for `HealthOptions.lateMillis` (default 5 minutes). Deliveries wait in the queue.
   */
  relay_refuses: "degraded"
} as const satisfies Readonly<Record<string, HealthStatus>>
/** Why the status is not `ok`. */
export type HealthReason = keyof typeof healthReasons

/** The last fault of the relay, without its words, because they may contain an address. */
export interface HealthFault {
  readonly at: Instant
  /** `busy`: the relay asked to slow down or refused the connection. `unreachable`: there was no answer. */
  readonly kind: "busy" | "unreachable"
  /** The setting that somebody must correct before the relay takes mail; `null` if the fault shows none. */
  readonly wrongSetting: RelaySetting | null
  readonly smtpCode: number | null
  readonly enhancedCode: string | null
}

/** What this process sees of the relay, without the relay's words. */
export interface HealthOfRelay {
  /** `throttled`: the relay had a fault since its last answer. `open`: it cannot be reached, and gets a single try now and then. */
  readonly circuit: "closed" | "throttled" | "open"
  /** The end of the pause before the next hand-off; `null` without a pause. */
  readonly pausedUntil: Instant | null
  /** The last fault of the relay; `null` before the first. */
  readonly lastFault: HealthFault | null
  /** Hand-offs under way in this process. */
  readonly inFlight: number
}

/** Why the store is unavailable. `timeout`: it did not answer in time. */
export type StoreFault = StoreUnavailableReason | "timeout"

/** The facts for the decision. */
export interface HealthFacts {
  readonly now: Instant
  readonly dispatcherRunning: boolean
  readonly relay: HealthOfRelay
  /** Why the store did not answer now, or refused the last write; `null` if neither. */
  readonly storeFault: StoreFault | null
  /** The work in the store; `null` if the store did not answer. */
  readonly work: (Backlog & WorkHealth) | null
}

/** The health of one process. It contains no address, no text of a message and no words of the relay. */
export interface HealthReport extends HealthOfRelay {
  readonly status: HealthStatus
  /** Why the status is not `ok`; empty otherwise. */
  readonly reasons: ReadonlyArray<HealthReason>
  /** Whether a dispatcher of this process is at work, or was in the last minute. Another process may have one. */
  readonly dispatcherRunning: boolean
  readonly store: "ok" | "unavailable"
  /** Why the store is unavailable; `null` if it is not. */
  readonly storeFault: StoreFault | null
  /** The deliveries of the store by status, of all processes. `null` if the store did not answer, and so are the next five fields. */
  readonly scheduled: number | null
  readonly queued: number | null
  readonly sending: number | null
  /** For how long the oldest due delivery has been due; 0 without one. */
  readonly oldestDueAgeMillis: number | null
  /**
   * Deliveries that have been due for `HealthOptions.lateMillis` (default 5 minutes) while the circuit is closed, or whose worker's lease ended
   * `HealthOptions.leaseMillis` ago.
   */
  readonly stuck: number | null
  /** Event deliveries that have not ended, of all processes. */
  readonly eventDeliveriesPending: number | null
}

const statusOf = (reasons: ReadonlyArray<HealthReason>): HealthStatus =>
  reasons.some((reason) => healthReasons[reason] === "failing") ? "failing" : reasons.length > 0 ? "degraded" : "ok"

/** Late deliveries wait for the relay while the circuit is not closed. They are not stuck then. */
const lateOf = ({ work, relay }: HealthFacts): number => (work === null || relay.circuit !== "closed" ? 0 : work.late)

/** A wrong setting is of interest until the relay answers for a message. */
const hasWrongSetting = ({ circuit, lastFault }: HealthOfRelay): boolean =>
  circuit !== "closed" && lastFault !== null && lastFault.wrongSetting !== null

/** A relay that asks to slow down for a while needs no attention. */
const refusesForLong = ({ work, relay: { circuit } }: HealthFacts): boolean =>
  circuit === "throttled" && (work?.late ?? 0) > 0

/** Decides the health. Total: any facts give a report. */
export const decideHealth = (facts: HealthFacts): HealthReport => {
  const { now, dispatcherRunning, relay, storeFault, work } = facts
  const late = lateOf(facts)
  const abandoned = work?.abandoned ?? 0
  const isMisconfigured = hasWrongSetting(relay)
  // Another process may hand over, so its `sending` deliveries count too, except those that a dead worker left.
  const handsOver = relay.inFlight > 0 || (work?.sending ?? 0) > abandoned
  const holds: Readonly<Record<HealthReason, boolean>> = {
    store_unavailable: storeFault !== null,
    nothing_handed_over: dispatcherRunning && late > 0 && !handsOver,
    deliveries_stuck: late + abandoned > 0,
    relay_unreachable: relay.circuit === "open" && !isMisconfigured,
    relay_refuses: isMisconfigured || refusesForLong(facts)
  }
  const reasons = (Object.keys(healthReasons) as ReadonlyArray<HealthReason>).filter((reason) => holds[reason])
  const oldestDueAt = work?.oldestDueAt ?? null
  return {
    status: statusOf(reasons),
    reasons,
    dispatcherRunning,
    store: storeFault === null ? "ok" : "unavailable",
    storeFault,
    scheduled: work?.scheduled ?? null,
    queued: work?.queued ?? null,
    sending: work?.sending ?? null,
    oldestDueAgeMillis: work === null ? null : oldestDueAt === null ? 0 : Math.max(0, now - oldestDueAt),
    stuck: work === null ? null : late + abandoned,
    eventDeliveriesPending: work?.eventDeliveries ?? null,
    circuit: relay.circuit,
    pausedUntil: relay.pausedUntil,
    lastFault: relay.lastFault,
    inFlight: relay.inFlight
  }
}
